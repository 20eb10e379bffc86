"""A difference between a real library and its entry is found, and said so that somebody can act on it."""

from dataclasses import replace

import pytest

from simkit.catalog.entries import PolicyEntry
from simkit.chance import Sampled
from simkit.distributions import Backoff, Wait
from simkit.terms import ErrorClass
from tests.agreement.agreeing import SAMPLE_COUNT, compared
from tests.agreement.conduct import Case, Conduct, behaviour_of, catalog_entry
from tests.agreement.faults import RealFault
from tests.agreement.judging import Compared, compared_with
from tests.agreement.measured import measured
from tests.agreement.retry_wrappers import stamina_call
from tests.agreement.service_clients import slack_message
from tests.agreement.simulated import simulated_conduct

__all__: list[str] = []

SLACK = Case(
    entry="slack-python-default",
    package="slack_sdk",
    client=slack_message,
    attempts=measured(1, {2: (RealFault.REFUSE, RealFault.CLOSE)}),
)
STAMINA = Case(entry="stamina-default", package="stamina", client=stamina_call, attempts=measured(10))

REFUSED = ErrorClass.CONNECTION_REFUSED


def entry_with(name: str, **changes: object) -> PolicyEntry:
    """An entry of the catalog whose behaviour somebody has got wrong."""
    entry = catalog_entry(name)
    return replace(entry, behaviour=replace(behaviour_of(entry), **changes))  # type: ignore[arg-type]


def test_a_wrong_count_is_said_with_the_policy_both_versions_and_the_fault() -> None:
    wrong = replace(entry_with("slack-python-default", attempts=3), version="3.0.0")

    (difference,) = compared(wrong, SLACK, RealFault.CLOSE, write_count=1).differences

    # What stands there of the library is what this very version does: two tries, one of them a repeat.
    installed = catalog_entry("slack-python-default").version
    assert difference == (
        f"slack-python-default (slack_sdk 3.0.0 in the entry, {installed} installed), POST under 'close': "
        "the library sends 2 times, the policy of the entry 3 times; measured for the entry: 2"
    )


def test_a_library_that_has_changed_is_found_though_its_entry_has_changed_with_it() -> None:
    case = replace(SLACK, attempts=measured(5))

    (difference,) = compared(catalog_entry(SLACK.entry), case, RealFault.CLOSE, write_count=1).differences

    assert difference.endswith("the library sends 2 times, the policy of the entry 2 times; measured for the entry: 5")


def test_a_failure_that_the_entry_leaves_out_is_found() -> None:
    wrong = entry_with("slack-python-default", retries_on=(REFUSED,))

    (difference,) = compared(wrong, SLACK, RealFault.CLOSE, write_count=1).differences

    assert "the library sends 2 times, the policy of the entry 1 times" in difference


def test_a_wait_outside_of_the_bounds_of_the_formula_is_said_with_the_bounds() -> None:
    # The library waits 0.5 s + U(0, 1 s).
    wrong = entry_with("slack-python-default", backoff=Wait.of(0.25))

    (difference,) = compared(wrong, SLACK, RealFault.CLOSE, write_count=1).differences

    assert "before retry 1 the library waits" in difference
    assert difference.endswith("s, the entry says 0.25 s")


@pytest.mark.parametrize(
    ("case", "backoff", "retry_count"),
    (
        # The library: 0.5 s + U(0, 1 s). Full jitter over the same longest wait reaches below it.
        (SLACK, Backoff(first_s=1.5, scale_min=0.0), 1),
        # Twice the jitter reaches beyond it.
        (SLACK, Backoff(first_s=0.5, added_s_max=2.0), 1),
        # The library: 0.1 s · 2^(n−1) + U(0, 1 s), cut to 5 s. U(0, 5 s) has room for all of that, and waits of 5 s
        # alone are no sample of it. The 7th growth is 6.4 s, so from there on all wait 5 s.
        (STAMINA, Backoff(first_s=5.0, scale_min=0.0), 9),
    ),
)
def test_another_jitter_whose_bounds_hold_is_found_by_its_shape(case: Case, backoff: Backoff, retry_count: int) -> None:
    wrong = entry_with(case.entry, backoff=backoff)

    comparison = compared(wrong, case, RealFault.REFUSE, write_count=SAMPLE_COUNT)

    assert [one.outside_s for one in comparison.waits] == [()] * retry_count
    assert [one.has_other_shape for one in comparison.waits] == [True] * retry_count
    assert [one.has_other_shape for one in comparison.simulated_waits] == [False] * retry_count
    assert len(comparison.differences) == retry_count
    assert all("that is no sample of" in difference for difference in comparison.differences)


def test_simulated_waits_that_are_not_those_of_the_entry_are_found_too() -> None:
    entry = catalog_entry("openai-python")
    other = replace(behaviour_of(entry), backoff=Backoff(first_s=0.5, factor=2.0, cap_s=8.0, scale_min=0.9))
    conducts = [
        simulated_conduct(other, RealFault.CLOSE, method="POST", clears_after=None, luck=Sampled(7, index))
        for index in range(SAMPLE_COUNT)
    ]

    waits = compared_with(entry, RealFault.CLOSE, conducts)

    # U(0.9, 1) of the growth lies within U(0.75, 1) of it.
    assert [(one.outside_s, one.has_other_shape) for one in waits] == [((), True), ((), True)]


def test_a_constant_wait_is_compared_exactly() -> None:
    entry = entry_with("slack-python-default", backoff=Wait.of(1.6))
    almost = Conduct(attempt_count=2, waits_s=(1.6 + 1e-9,))

    (one,) = compared_with(entry, RealFault.CLOSE, [almost])

    assert one.outside_s == almost.waits_s


def test_a_law_with_mass_at_one_duration_is_refused_since_the_distance_is_not_defined_for_it() -> None:
    # U(0, 2 s) cut to 1 s: half of all waits are 1 s.
    entry = entry_with("slack-python-default", backoff=Backoff(first_s=2.0, scale_min=0.0, ceiling_s=1.0))

    with pytest.raises(AssertionError, match="laws without atoms"):
        compared_with(entry, RealFault.CLOSE, [Conduct(attempt_count=2, waits_s=(0.5,))] * 2)


def test_a_sample_of_the_law_itself_is_hardly_ever_found_to_be_another() -> None:
    law = Wait(s_min=0.0, s_typical=0.5, s_max=1.0)
    # The limit is so low that 250 comparisons together are wrong once in a million runs.
    likely, unlikely = 1e-6 / 250 * 1.01, 1e-6 / 250 * 0.99

    found = [
        Compared(retry_number=1, law=law, waits_s=(0.5,), probability=probability, tolerance_s=0.0)
        for probability in (likely, unlikely)
    ]

    assert [one.has_other_shape for one in found] == [False, True]
