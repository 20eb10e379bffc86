"""Duplicates as rare as 1e-9, enumerated in the world and recomputed by a recursion that shares no code with it."""

import math
from fractions import Fraction

import pytest

from simkit.chance import Answered, Question
from simkit.records import Effect
from simkit.study.tree import Leaf, leaves
from simkit.world import run_concrete
from tests.builders import engine_policy

__all__: list[str] = []

ATTEMPT_COUNT = 3


class DuplicateByHand:
    """Probability that the agent's attempts make more than one effect, as a fraction.

    An attempt meets its faults one after the other, each of the same probability; after each the agent
    tries again, until its attempts are used up or it got an answer.

    Parameters
    ----------
    question_count_max
        How often the system of record is asked before a stale reservation runs again; 0: not at all.
    """

    def __init__(self, fault: Fraction, question_count_max: int) -> None:
        self._fault = fault
        self._question_count_max = question_count_max

    def after(self, attempts_made: int, row: str, effect_count: int) -> Fraction:
        """Probability of a duplicate in the end, when the next attempt is about to start."""
        if attempts_made == ATTEMPT_COUNT:
            return Fraction(effect_count > 1)
        lost_or_crashed = self._then_again(attempts_made, row, effect_count)
        fails_before_row = 1 - (1 - self._fault) ** 2
        return fails_before_row * lost_or_crashed + (1 - fails_before_row) * self._at_row(
            attempts_made, row, effect_count
        )

    def _then_again(self, attempts_made: int, row: str, effect_count: int) -> Fraction:
        return self.after(attempts_made + 1, row, effect_count)

    def _at_row(self, attempts_made: int, row: str, effect_count: int) -> Fraction:
        if row == "settled":
            return self._answer(attempts_made, effect_count)
        run = self._reserve_and_write(attempts_made, effect_count)
        if row == "none" or self._question_count_max == 0 or effect_count == 0:
            return run
        cannot_tell = self._fault**self._question_count_max
        return cannot_tell * run + (1 - cannot_tell) * self._answer(attempts_made, effect_count)

    def _reserve_and_write(self, attempts_made: int, effect_count: int) -> Fraction:
        fault, sound = self._fault, 1 - self._fault
        no_effect = 1 - sound**2  # crash after the reservation, or the request downstream is lost
        return (
            no_effect * self._then_again(attempts_made, "reserved", effect_count)
            + (1 - no_effect) * fault * self._then_again(attempts_made, "reserved", effect_count + 1)
            + (1 - no_effect) * sound * self._answer(attempts_made, effect_count + 1)
        )

    def _answer(self, attempts_made: int, effect_count: int) -> Fraction:
        unanswered = 1 - (1 - self._fault) ** 2  # crash after the receipt, or the response is lost
        again = self._then_again(attempts_made, "settled", effect_count)
        return unanswered * again + (1 - unanswered) * Fraction(effect_count > 1)


def all_leaves(number: int) -> list[Leaf]:
    """Every run of one of the three policies."""
    scenario = engine_policy(number)
    return list(leaves(lambda chance: run_concrete(scenario, chance), fault_budget=None))


def is_duplicate(leaf: Leaf) -> bool:
    """Whether more than one effect was made."""
    return len(leaf.run.journal.of(Effect)) > 1


def exact_mass(trace: tuple[Answered, ...], fault: Fraction) -> Fraction:
    """Probability of a run in which every site has the same rate."""
    return math.prod((fault if asked.answer else 1 - fault for asked in trace), start=Fraction(1))


def float_mass(trace: tuple[Answered, ...]) -> float:
    """Probability of a run, as the weights of its answers say."""
    return math.prod(asked.weights[asked.answer] or 0.0 for asked in trace)


# From the published measurements of the example; a probabilistic model checker gave the same.
@pytest.mark.parametrize(
    ("number", "leaf_count", "expected"),
    ((1, 298, 9.999522712e-4), (2, 508, 9.979751506e-7), (3, 778, 9.979731735e-10)),
)
def test_the_full_enumeration_gives_the_known_probability(number: int, leaf_count: int, expected: float) -> None:
    found = all_leaves(number)

    assert len(found) == leaf_count
    assert math.fsum(float_mass(leaf.trace) for leaf in found) == pytest.approx(1.0, abs=1e-12)
    duplicate = math.fsum(float_mass(leaf.trace) for leaf in found if is_duplicate(leaf))
    assert duplicate == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("number", (1, 2, 3))
@pytest.mark.parametrize("fault", (Fraction(1, 1000), Fraction(1, 5), Fraction(1, 2)))
def test_the_enumeration_equals_a_recursion_by_hand_as_fractions(number: int, fault: Fraction) -> None:
    found = all_leaves(number)
    by_hand = DuplicateByHand(fault, number - 1).after(0, "none", 0)

    assert sum(exact_mass(leaf.trace, fault) for leaf in found) == 1
    assert sum(exact_mass(leaf.trace, fault) for leaf in found if is_duplicate(leaf)) == by_hand


@pytest.mark.parametrize(
    ("number", "schedule"),
    (
        (1, ("server.after_effect@1",)),
        (2, ("server.after_effect@1", "readback.cannot_tell@2/server-1")),
        (3, ("server.after_effect@1", "readback.cannot_tell@2/server-1", "readback.cannot_tell@2/server-2")),
    ),
)
def test_the_smallest_schedule_is_the_known_one_and_the_only_one(number: int, schedule: tuple[str, ...]) -> None:
    duplicates = [leaf for leaf in all_leaves(number) if is_duplicate(leaf)]
    fewest = min(leaf.fault_count for leaf in duplicates)

    smallest = [leaf.trace for leaf in duplicates if leaf.fault_count == fewest]

    assert [tuple(asked.site for asked in trace if asked.fault_cost) for trace in smallest] == [schedule]


@pytest.mark.parametrize("number", (1, 2, 3))
def test_nothing_but_flips_is_asked_where_nothing_is_late_and_every_retention_is_exact(number: int) -> None:
    assert {asked.kind for leaf in all_leaves(number) for asked in leaf.trace} == {Question.FLIP}
