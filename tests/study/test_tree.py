"""The tree of runs: every list of answers once, in order, and nothing but the answers may decide."""

from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from simkit.chance import Chance
from simkit.errors import Divergence
from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.study import Leaf, leaves
from simkit.study.tree import Script
from simkit.world import Run, run_concrete, run_intervals
from tests.builders import engine_policy
from tests.study.toys import Play, run_with, three_steps

__all__: list[str] = []


def two_flips_after_a_decision(chance: Chance) -> Run:
    """An agent that may depart from what it declares, then two messages that may be lost."""
    chance.pick("agent.action@1", 2)
    chance.flip("link.request_lost@1", 0.1)
    chance.flip("link.response_lost@1", 0.1)
    return run_with(1)


def with_hidden_luck() -> Play:
    """A world that asks four honest questions, and then tosses a coin of its own about the outcome."""
    generator = np.random.default_rng(7)

    def play(chance: Chance) -> Run:
        for number in range(4):
            chance.flip(f"link.request_lost@{number}", 0.1)
        return run_with(1 + int(generator.random() < 0.5))

    return play


def answers(leaf: Leaf) -> tuple[int, ...]:
    return tuple(answered.answer for answered in leaf.trace)


def test_leaves_come_by_departures_then_by_faults() -> None:
    found = list(leaves(two_flips_after_a_decision, fault_budget=None))

    levels = [(leaf.departure_count, leaf.fault_count) for leaf in found]
    assert levels == [(0, 0), (0, 1), (0, 1), (0, 2), (1, 0), (1, 1), (1, 1), (1, 2)]


def test_every_list_of_answers_is_seen_once() -> None:
    found = [answers(leaf) for leaf in leaves(two_flips_after_a_decision, fault_budget=None)]

    assert sorted(found) == [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


@pytest.mark.parametrize(("fault_budget", "leaf_count"), ((0, 1), (1, 3), (2, 4), (3, 4), (None, 4)))
def test_no_leaf_has_more_faults_than_the_budget(fault_budget: int | None, leaf_count: int) -> None:
    """By hand: no fault, request lost, crash alone, crash and look-up lost."""
    found = list(leaves(three_steps, fault_budget=fault_budget))

    assert len(found) == leaf_count
    assert max(leaf.fault_count for leaf in found) <= (2 if fault_budget is None else fault_budget)


def test_an_answer_of_probability_zero_is_not_followed() -> None:
    def play(chance: Chance) -> Run:
        chance.flip("never", 0.0)
        return run_with(int(chance.flip("perhaps", 0.5)))

    found = [answers(leaf) for leaf in leaves(play, fault_budget=None)]

    assert found == [(0, 0), (0, 1)]


def test_what_is_dropped_takes_all_that_hangs_on_it_along() -> None:
    def has_crashed(script: Script) -> bool:
        return any(answered.site == "server.after_effect@1" and answered.answer for answered in script)

    found = [answers(leaf) for leaf in leaves(three_steps, fault_budget=None, is_dropped=has_crashed)]

    assert sorted(found) == [(0, 0), (1,)]


def test_hidden_luck_in_the_outcome_goes_unnoticed_without_the_guard() -> None:
    """The questions are the same in each run, so a replay has nothing to object to: this is why the guard exists."""
    play = with_hidden_luck()

    first = [len(leaf.run.journal.of(Effect)) for leaf in leaves(play, fault_budget=None)]
    second = [len(leaf.run.journal.of(Effect)) for leaf in leaves(play, fault_budget=None)]

    assert len(first) == 2**4
    assert first != second


def test_running_each_leaf_twice_finds_hidden_luck() -> None:
    with pytest.raises(Divergence, match="ended in two ways"):
        list(leaves(with_hidden_luck(), fault_budget=None, runs_twice=True))


def test_a_site_that_is_named_by_something_other_than_the_answers_diverges() -> None:
    numbers = count()

    def play(chance: Chance) -> Run:
        chance.flip(f"link.request_lost@{next(numbers)}", 0.1)
        return run_with(1)

    with pytest.raises(Divergence, match=r"question 0: the script has FLIP link\.request_lost@0"):
        list(leaves(play, fault_budget=None))


def test_a_probability_that_changes_between_runs_diverges() -> None:
    probabilities = iter((0.1, 0.2))

    with pytest.raises(Divergence, match="question 0"):
        list(leaves(lambda chance: run_with(int(chance.flip("a", next(probabilities)))), fault_budget=None))


def test_a_run_that_ends_before_it_asked_what_was_scripted_diverges() -> None:
    question_counts = iter((2, 1))

    def play(chance: Chance) -> Run:
        for number in range(next(question_counts)):
            chance.flip(f"link.request_lost@{number}", 0.1)
        return run_with(1)

    with pytest.raises(Divergence, match="ended before question 1"):
        list(leaves(play, fault_budget=None))


@pytest.mark.parametrize("run", (run_concrete, run_intervals))
def test_the_world_itself_ends_the_same_way_twice(run: Callable[[Scenario, Chance], Run]) -> None:
    scenario = engine_policy(2)

    def play(chance: Chance) -> Run:
        return run(scenario, chance)

    once = [leaf.run.journal.digest() for leaf in leaves(play, fault_budget=2)]
    twice = [leaf.run.journal.digest() for leaf in leaves(play, fault_budget=2, runs_twice=True)]

    assert once == twice
