"""The likeliest schedules first: at any time both ends enclose the full value, and they close to the wanted width."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import pytest

from simkit.chance import Chance
from simkit.errors import Divergence
from simkit.scenario import Scenario
from simkit.study.probability import Estimate, estimates, task_of
from simkit.study.probability.best_first import weigh_best_first
from simkit.study.probability.enumerated import weigh_enumerated
from simkit.terms import Promise
from simkit.world import Run
from tests.builders import conditions_with, engine_policy
from tests.study.probability.recursion import duplicate_probability
from tests.study.probability.replicas import two_replicas_with_own_memory
from tests.study.toys import run_with

__all__: list[str] = []

DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})


def weigh(scenario: Scenario, width_fraction: float = 0.1, **changes: Any) -> Estimate:
    return weigh_best_first(replace(task_of(scenario, DUPLICATES, width_fraction=width_fraction), **changes))


def asked_for_the_last_time(run_count: int) -> Callable[[], bool]:
    """Whether time is over: after so many runs."""
    asked = count(1)
    return lambda: next(asked) >= run_count


@pytest.mark.parametrize(("number", "rate"), ((1, 1e-3), (2, 1e-3), (3, 1e-3), (1, 0.2), (2, 0.05)))
@pytest.mark.parametrize("has_episodes", (False, True))
def test_both_ends_close_to_the_wanted_width_around_the_exact_value(
    number: int,
    rate: float,
    has_episodes: bool,  # noqa: FBT001
) -> None:
    exact = duplicate_probability(number - 1, rate, 0.1 if has_episodes else 0.0)

    found = weigh(engine_policy(number, rate), has_episodes=has_episodes)

    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower <= 0.1 * found.upper
    assert found.is_complete
    assert found.kind == "rigorous bounds for the model"


@pytest.mark.parametrize(("number", "leaf_count"), ((1, 298), (2, 508)))
def test_a_width_of_zero_takes_every_leaf_and_gives_the_enumeration(number: int, leaf_count: int) -> None:
    task = task_of(engine_policy(number, 0.2), DUPLICATES, width_fraction=0.0)

    found, enumerated = weigh_best_first(task), weigh_enumerated(task)

    assert found.lower == found.upper == pytest.approx(enumerated.lower, rel=1e-12)
    assert found.run_count == enumerated.run_count == leaf_count
    assert found.schedules == enumerated.schedules
    assert found.kind == "exact for the model"


def test_more_runs_give_nested_bounds() -> None:
    scenario, exact = engine_policy(2, 0.05), duplicate_probability(1, 0.05, 0.0)

    found = [weigh(scenario, width_fraction=0.0, run_count_max=most) for most in (1, 3, 10, 30, 100)]

    assert all(one.lower <= exact <= one.upper for one in found)
    assert all(one.lower <= other.lower and other.upper < one.upper for one, other in pairwise(found))


def test_the_likeliest_runs_close_the_gap_faster_than_all_runs_of_few_faults() -> None:
    scenario = engine_policy(3)

    found = weigh(scenario)

    assert found.run_count < 778 / 2  # half of all leaves, for what a look at up to 3 faults leaves 17 % wide
    assert min(map(len, found.schedules)) == 3


def test_picks_leave_the_ends_apart_and_do_not_keep_it_from_ending() -> None:
    task = task_of(two_replicas_with_own_memory(), DUPLICATES)

    found, enumerated = weigh_best_first(task), weigh_enumerated(task)

    assert enumerated.lower < enumerated.upper
    assert found.lower <= enumerated.lower
    assert enumerated.upper <= found.upper <= enumerated.upper / 0.9
    assert found.run_count < enumerated.run_count


def test_what_never_breaks_ends_at_a_millionth_of_the_accepted_probability() -> None:
    """Policy 1 without the crash after the effect makes no second effect; accepted is 1e-4."""
    scenario = engine_policy(1)
    rates = tuple(rate for rate in scenario.conditions.rates if rate.site != "server.after_effect")

    found = weigh(conditions_with(scenario, rates=rates))

    assert found.lower == 0.0
    assert found.upper <= 1e-10
    assert found.schedules == frozenset()


@pytest.mark.parametrize("known_size", (None, 2))
def test_what_breaks_is_closed_to_the_wanted_width_however_much_is_accepted(known_size: int | None) -> None:
    """A millionth of what is accepted is as much as the probability itself here, 1e-6."""
    scenario = conditions_with(engine_policy(2), risk_limit_probability=1.0)

    found = weigh(scenario, fewest_faults=known_size)

    assert found.upper - found.lower <= 0.1 * found.upper < 1.2e-7


def test_time_that_is_over_leaves_an_honest_upper_end() -> None:
    """After the plain run alone: its seven sites hold with 0.999 each, and the rest may be anything."""
    found = weigh(engine_policy(1), is_over=asked_for_the_last_time(1))

    assert found.run_count == 1
    assert found.lower == 0.0
    assert found.upper == pytest.approx(1 - 0.999**7)
    assert not found.is_complete


@pytest.mark.parametrize("driver", (weigh_best_first, weigh_enumerated))
def test_ctrl_c_gives_what_was_found_so_far(driver: Callable[..., Estimate]) -> None:
    asked = count(1)

    def is_over() -> bool:
        if next(asked) == 20:
            raise KeyboardInterrupt
        return False

    found = driver(replace(task_of(engine_policy(1), DUPLICATES, width_fraction=0.0), is_over=is_over))

    assert 19 <= found.run_count <= 20
    assert 0 < found.lower <= duplicate_probability(0, 1e-3, 0.0) <= found.upper < 1
    assert not found.is_complete


def test_hidden_randomness_in_the_end_of_a_run_is_a_divergence(monkeypatch: pytest.MonkeyPatch) -> None:
    effects = count(0)

    def leaky(_plan: object, chance: Chance, **_: object) -> Run:
        chance.flip("link.request_lost@1", 0.1)
        return run_with(next(effects) % 2)

    monkeypatch.setattr(estimates, "run_concrete", leaky)

    with pytest.raises(Divergence, match="ended in two ways"):
        weigh(engine_policy(1), runs_twice=True)


@pytest.mark.parametrize("driver", (weigh_best_first, weigh_enumerated))
def test_a_complete_enumeration_without_the_whole_mass_is_a_divergence(
    driver: Callable[..., Estimate], monkeypatch: pytest.MonkeyPatch
) -> None:
    def short_of_a_tenth(_plan: object, chance: Chance, **_: object) -> Run:
        return run_with(chance.choose("alternatives", (0.5, 0.4)))

    monkeypatch.setattr(estimates, "run_concrete", short_of_a_tenth)
    monkeypatch.setattr(estimates, "verdicts", lambda *_: {})

    with pytest.raises(Divergence, match="of the probability, not 1"):
        driver(task_of(engine_policy(1), DUPLICATES, width_fraction=0.0))


def test_a_budget_keeps_what_has_more_faults_in_the_upper_end() -> None:
    task = task_of(engine_policy(2), DUPLICATES, width_fraction=0.0, fault_budget=2)

    found, enumerated = weigh_best_first(task), weigh_enumerated(task)

    assert (found.lower, found.upper) == pytest.approx((enumerated.lower, enumerated.upper))
    assert found.run_count == enumerated.run_count
    assert "up to 2 faults" in found.how
