"""Probabilities: enumerated by hand where that is possible, and against a computation that shares no code."""

import math
from itertools import pairwise

import pytest

from simkit.chance import Chance
from simkit.study import bounds_of, leaves, probability
from simkit.terms import Driver, Promise
from simkit.world import Run, run_concrete
from tests.builders import conditions_with, engine_policy, rates_at
from tests.study.probability.recursion import duplicate_probability
from tests.study.toys import has_two_effects, run_with, three_steps

__all__: list[str] = []

DUPLICATES = (Promise.AT_MOST_ONE_EFFECT,)
POLICIES = (1, 2, 3)


def test_three_steps_enumerated_by_hand_to_the_end() -> None:
    """Four runs, one of them a duplicate.

    Lost: 0.1. No crash: 0.9 · 0.8 = 0.72. Crash, then seen: 0.9 · 0.2 · 0.7 = 0.126. Crash, then not seen:
    0.9 · 0.2 · 0.3 = 0.054. Together 1.
    """
    found = tuple(leaves(three_steps, fault_budget=None))

    bounds = bounds_of(found, has_two_effects)

    assert bounds.lower == bounds.upper == pytest.approx(0.054)
    assert bounds_of(found, lambda _: True).lower == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("fault_budget", "upper"),
    (
        (0, 0.28),  # all but the run without a fault, which has 0.72
        (1, 0.054),  # what needs two faults
        (2, 0.054),
    ),
)
def test_what_was_not_enumerated_goes_to_the_upper_end(fault_budget: int, upper: float) -> None:
    bounds = bounds_of(leaves(three_steps, fault_budget=fault_budget), has_two_effects)

    assert bounds.lower == pytest.approx(0.054 if fault_budget == 2 else 0.0)
    assert bounds.upper == pytest.approx(upper)


def test_a_pick_below_a_chance_node_is_resolved_where_it_is_met() -> None:
    def play(chance: Chance) -> Run:
        is_late = chance.flip("late", 0.25)
        return run_with(2 if is_late and chance.pick("forgotten", 2) else 1)

    bounds = bounds_of(leaves(play, fault_budget=None), has_two_effects)

    assert (bounds.lower, bounds.upper) == (0.0, 0.25)


def test_a_pick_above_a_chance_node_takes_the_lesser_and_the_greater_sum() -> None:
    def play(chance: Chance) -> Run:
        goes_first = chance.pick("order", 2)
        return run_with(2 if chance.flip("lost", 0.6 if goes_first else 0.3) else 1)

    bounds = bounds_of(leaves(play, fault_budget=None), has_two_effects)

    assert (bounds.lower, bounds.upper) == (0.3, 0.6)


def test_a_pick_after_each_answer_may_be_resolved_differently_there() -> None:
    """The worst after a loss (0.2) is option 1, the worst otherwise option 0: a strategy, no fixed choice, gives 1."""

    def play(chance: Chance) -> Run:
        is_lost = chance.flip("lost", 0.2)
        return run_with(2 if chance.pick("order", 2) == int(is_lost) else 1)

    bounds = bounds_of(leaves(play, fault_budget=None), has_two_effects)

    assert bounds.lower == 0.0
    assert bounds.upper == pytest.approx(1.0)


def test_the_rest_below_a_pick_goes_to_the_worst_option() -> None:
    def play(chance: Chance) -> Run:
        goes_first = chance.pick("order", 2)
        chance.flip("lost", 0.6 if goes_first else 0.3)
        return run_with(1)

    bounds = bounds_of(leaves(play, fault_budget=0), has_two_effects)

    assert (bounds.lower, bounds.upper) == (0.0, 0.6)


@pytest.mark.parametrize(("number", "published"), ((1, 9.999522712e-4), (2, 9.979751506e-7), (3, 9.979731735e-10)))
def test_the_recursion_gives_what_a_model_checker_gave_for_the_same_protocol(number: int, published: float) -> None:
    """The oracle of this file has its own oracle: Storm, on a hand-written Markov chain of the three policies."""
    found = float(duplicate_probability(number - 1, 1e-3, share=0.0))

    assert found == pytest.approx(published, rel=1e-9)


@pytest.mark.parametrize(
    ("number", "rate", "share"),
    ((1, 1e-3, 0.1), (2, 0.2, 0.1), (3, 1e-3, 0.1), (1, 0.2, 1.0), (2, 1e-3, 1.0), (3, 0.2, 1.0)),
)
def test_full_enumeration_agrees_with_a_recursion_over_durable_states(number: int, rate: float, share: float) -> None:
    scenario = conditions_with(engine_policy(number, rate), common_cause_share=share)

    found = probability(scenario, driver=Driver.ENUMERATED, promises=DUPLICATES)

    assert found.independent is not None
    assert found.common_cause is not None
    assert found.independent.lower == found.independent.upper
    assert found.independent.lower == pytest.approx(float(duplicate_probability(number - 1, rate, 0.0)), rel=1e-12)
    assert found.common_cause.lower == found.common_cause.upper
    assert found.common_cause.lower == pytest.approx(float(duplicate_probability(number - 1, rate, share)), rel=1e-12)


def test_a_common_cause_makes_look_ups_in_a_row_nearly_worthless() -> None:
    """Two questions that fail one by one: 1e-3 · 1e-3 · 1e-3. To a party that is down: 1e-3 · (0.1 · 1e-3)."""
    found = probability(engine_policy(3), fault_budget=2, promises=DUPLICATES)

    assert found.common_cause is not None
    assert found.common_cause.lower > 50 * 9.979731735e-10


@pytest.mark.parametrize("number", POLICIES)
def test_without_a_shared_cause_both_probabilities_are_the_same_number(number: int) -> None:
    found = probability(conditions_with(engine_policy(number, 0.2), common_cause_share=0.0), fault_budget=3)

    assert found.common_cause == found.independent


@pytest.mark.parametrize("number", POLICIES)
def test_the_leaves_of_a_full_enumeration_hold_all_the_mass(number: int) -> None:
    scenario = engine_policy(number, 0.2)

    masses = [
        math.prod(answered.weights[answered.answer] or 0.0 for answered in leaf.trace)
        for leaf in leaves(lambda chance: run_concrete(scenario, chance), fault_budget=None)
    ]

    assert math.fsum(masses) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("number", POLICIES)
def test_larger_fault_budgets_give_nested_bounds_around_the_full_value(number: int) -> None:
    scenario = engine_policy(number, 0.05)
    exact = float(duplicate_probability(number - 1, 0.05, share=0.0))

    bounds = [
        found.independent
        for budget in (1, 2, 3)
        if (found := probability(scenario, fault_budget=budget, promises=DUPLICATES)).independent is not None
    ]

    assert len(bounds) == 3
    assert all(one.lower <= exact <= one.upper for one in bounds)
    assert all(outer.lower <= inner.lower and inner.upper < outer.upper for outer, inner in pairwise(bounds))


@pytest.mark.parametrize(("number", "fault_budget"), ((1, 1), (2, 2), (3, 3)))
def test_the_lower_end_is_zero_until_the_smallest_schedule_is_enumerated(number: int, fault_budget: int) -> None:
    scenario = engine_policy(number)

    below = probability(scenario, fault_budget=fault_budget - 1, promises=DUPLICATES).independent
    at = probability(scenario, fault_budget=fault_budget, promises=DUPLICATES).independent

    assert below is not None
    assert at is not None
    assert below.lower == 0.0
    assert below.upper > 0.0
    assert at.lower > 0.0


def test_an_unknown_rate_leaves_both_probabilities_unknown_and_names_the_site() -> None:
    rates = (*rates_at(None, "server.after_effect"), *rates_at(0.1, "gateway_to_server.request_lost"))

    found = probability(conditions_with(engine_policy(1), rates=rates), fault_budget=2)

    assert (found.independent, found.common_cause) == (None, None)
    assert found.unknown_sites == ("server.after_effect",)
    assert found.leaf_count == 0
    assert "unknown" in found.method


def test_the_method_says_how_far_it_went() -> None:
    scenario = engine_policy(1)

    bounded, full = probability(scenario, fault_budget=2), probability(scenario, driver=Driver.ENUMERATED)

    assert "up to 2 faults" in bounded.method
    assert "all faults" in full.method
    assert bounded.leaf_count < full.leaf_count == 298


def test_a_world_is_weighed_the_same_with_the_guard_on() -> None:
    scenario = engine_policy(2)

    guarded = probability(scenario, fault_budget=2, runs_twice=True)

    assert guarded == probability(scenario, fault_budget=2)
