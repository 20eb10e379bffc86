"""Each time of a backoff flips where its formula puts it, worked out by hand; one that cannot be followed is named.

The key of the system of record is kept exactly 10 s. The answer to the first attempt is lost, and 1 s is waited for
it; the second attempt makes its effect as long after its start as the first does, so it is harmless while it starts
less than 10 s after the first: while the wait is shorter than 9 s.
"""

from dataclasses import replace

import pytest

from simkit.choices import AskedWait
from simkit.distributions import Backoff, Wait
from simkit.scenario import RetryAfter, RetryLayer, Scenario
from simkit.study.margin_results import Margin
from simkit.study.structure.margins import number_margins
from simkit.study.structure.numbers import numbers_not_moved, numbers_of
from simkit.terms import ClaimKind, LayerName, Verdict
from tests.builders import (
    a_layer,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []


def keyed(backoff: Wait | Backoff, attempts: int | None = 2, **changes: object) -> Scenario:
    """Nothing but that key makes a further attempt of the agent harmless."""
    agent = a_layer(LayerName.AGENT, attempts=attempts, backoff=backoff, **changes)
    scenario = a_scenario(layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)))
    scenario = downstream_with(server_with(scenario, claim=ClaimKind.NONE), key_retention=a_retention(10.0))
    return conditions_with(scenario, rates=rates_at(None, "gateway_to_server.response_lost"), retry_horizon_s=20.0)


def flip_of(scenario: Scenario, field: str, direction: str, fault_budget: int = 1) -> Margin:
    """The margin of one time of the agent's backoff in one direction."""
    wanted = tuple(number for number in numbers_of(scenario) if number.name == f"layers.agent.backoff.{field}")
    found = number_margins(scenario, Verdict.ALLOW, wanted, fault_budget=fault_budget)
    return next(margin for margin in found if margin.direction == direction)


@pytest.mark.parametrize(
    ("backoff", "field", "flips_at_s"),
    (
        (Backoff(first_s=5.0), "first_s", 9.0),
        (Backoff(first_s=5.0), "offset_s", 4.0),
        (Backoff(first_s=5.0), "floor_s", 9.0),
        (Backoff(first_s=5.0), "added_s_max", 4.0),
        (Backoff(first_s=5.0, scale_min=0.0), "first_s", 9.0),  # the longest wait of full jitter
        (Backoff(first_s=5.0, scale_max=2.0, ceiling_s=8.0), "ceiling_s", 9.0),  # 10 s but for the ceiling
        (Backoff(first_s=12.0, cap_s=8.0), "cap_s", 9.0),
        (Backoff(first_s=12.0, cap_s=8.0), "first_s", None),  # the cap holds
        (Backoff(first_s=5.0, added_s_max=1.0), "first_s", 8.0),
        (Backoff(first_s=2.0, previous_factor=3.0, cap_s=15.0), "first_s", 3.0),  # three times it is 9 s
        (Backoff(first_s=2.0, previous_factor=3.0, cap_s=15.0), "cap_s", None),  # 6 s are below it
    ),
)
def test_a_time_of_a_backoff_flips_where_its_formula_puts_it(
    backoff: Backoff, field: str, flips_at_s: float | None
) -> None:
    margin = flip_of(keyed(backoff), field, "more")

    assert margin.flips_at_s == flips_at_s
    assert margin.is_exhaustive
    assert margin.is_verified is (flips_at_s is not None)


def test_a_wait_that_doubles_counts_twice_for_the_third_attempt() -> None:
    """It starts two timeouts and three first waits after the first: 10 s where those are 8/3 s each."""
    margin = flip_of(keyed(Backoff(first_s=1.0, factor=2.0), attempts=3), "first_s", "more", fault_budget=2)

    assert margin.flips_at_s == 2.666667
    assert margin.is_verified


FULL_JITTER = Backoff(first_s=1.0, factor=2.0, cap_s=8.0, scale_min=0.0)
SOME_JITTER = Backoff(first_s=1.0, factor=2.0, cap_s=8.0, scale_min=0.8, scale_max=1.2)
ASKED_WITH_JITTER = RetryAfter(waits=AskedWait.INSTEAD, longest_s=60.0, scale_min=0.5)


@pytest.mark.parametrize(
    ("layer", "names"),
    (
        (a_layer(LayerName.AGENT, attempts=4, backoff=FULL_JITTER), []),
        (a_layer(LayerName.AGENT, attempts=4, backoff=SOME_JITTER), ["backoff.first_s", "backoff.cap_s"]),
        (a_layer(LayerName.AGENT, attempts=4, backoff=Backoff(first_s=1.0, factor=1.5)), ["backoff.first_s"]),
        (a_layer(LayerName.AGENT, attempts=9, backoff=FULL_JITTER), []),  # 2^7 times the first wait
        (a_layer(LayerName.AGENT, attempts=11, backoff=FULL_JITTER), ["backoff.first_s"]),  # 2^9 times
        (a_layer(LayerName.AGENT, attempts=None, backoff=FULL_JITTER), ["backoff.first_s"]),
        (a_layer(LayerName.AGENT, attempts=None, backoff=Backoff(first_s=1.0)), []),
        (a_layer(LayerName.AGENT, attempts=4, backoff_overloaded=SOME_JITTER), ["first_s", "cap_s"]),
        (a_layer(LayerName.AGENT, attempts=4, retry_after=ASKED_WITH_JITTER), ["longest_s", "retry_after_s"]),
    ),
)
def test_a_time_of_which_waits_are_no_whole_multiples_is_not_moved_and_named(
    layer: RetryLayer, names: list[str]
) -> None:
    plain = downstream_with(keyed(Wait.of(1.0)), retry_after_s=3.0)
    scenario = replace(plain, layers=(layer, plain.layers[1]))

    not_moved = [number.name for number in numbers_not_moved(scenario)]

    assert len(not_moved) == len(names)
    assert all(name.endswith(ending) for name, ending in zip(not_moved, names, strict=True))
    assert not set(not_moved) & {number.name for number in numbers_of(scenario)}


def test_the_other_numbers_are_sought_although_a_backoff_is_not_moved() -> None:
    scenario = keyed(replace(SOME_JITTER, first_s=5.0))
    number = next(number for number in numbers_of(scenario) if number.name.endswith("key_retention.retention_s"))

    (less, _) = number_margins(scenario, Verdict.ALLOW, (number,), fault_budget=1)

    # The second attempt starts 1 s and up to 6 s after the first.
    assert less.flips_at_s == 7.0
    assert less.is_verified
