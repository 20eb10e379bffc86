"""The first value of a number at which a claim ceases to hold, or begins to.

**A claim that holds** is refuted by one run. All runs at the present value are known, and of everything that
was not possible in them what it lacks. So the search goes through what becomes possible in the order in
which it does, nearest value first, and on from there; the first run that refutes the claim does so at the
first value at which any does, and up to there the claim is proved.

**A claim that does not hold** needs all runs that refute it to be gone. A run is possible on an interval of
values, since its constraints are linear. So one refuting run after the other covers the values, each up to the
end of its interval, until there is a value at which none is left.

What a check itself compares is followed too, as a line through the present value: a run is judged anew where
that line says that a comparison ends otherwise. The earliest instants that it compares may bend before that.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from simkit.chance import MICROSECONDS_PER_S
from simkit.errors import Divergence, OutOfReach
from simkit.scenario import Scenario
from simkit.study.structure.claims import Claimed, claimed
from simkit.study.structure.guided import Other
from simkit.study.structure.guided_runs import Branch, Explored, Played, Trace, branches, every_run, play
from simkit.study.structure.measured import Measured, Scale
from simkit.study.structure.numbers import Number, with_number
from simkit.terms import Verdict

__all__ = ["Change", "ClaimSearch"]

NEVER = 10**18
"""Microseconds that no distance reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How far a number moves in one direction before a claim changes.

    Parameters
    ----------
    distance
        Microseconds to the first value at which it is otherwise; None where no such value was found.
    sought
        Microseconds up to which nothing else changes it, proved.
    """

    distance: int | None
    sought: int


class _Made(NamedTuple):
    """The worlds of a claim at one value, and what the comparisons lack that were made in planning them.

    Beyond such a turn something else is planned, such as the larger of two retentions, so that all runs are others.
    """

    worlds: tuple[Claimed, ...]
    turns: list[int]


class ClaimSearch:
    """Where one claim about a scenario changes, for each of some numbers of it.

    Parameters
    ----------
    is_over
        Asked before each run; what it leaves is not known.
    """

    def __init__(
        self,
        claim: Verdict,
        scenario: Scenario,
        numbers: tuple[Number, ...],
        fault_budget: int,
        is_over: Callable[[], bool],
    ) -> None:
        self._claim = claim
        self._fault_budget = fault_budget
        self._is_over = is_over
        self._numbers = numbers
        self._scale = Scale(len(self._numbers))
        self._measured = scenario
        for index, number in enumerate(self._numbers):
            self._measured = with_number(self._measured, number, self._value(index, number.value))
        self._made_at: tuple[int, int, _Made] = (-1, 0, self._made(self._measured))
        self._explored = self._refuted_or_all(self._made_at[2])
        self._turns = self._made_at[2].turns

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds at the present values; None where the time was over before that was known."""
        return _holds(self._explored)

    def change(self, number: Number, direction: int, distance_max: int, is_over: Callable[[], bool]) -> Change:
        """How far one of the numbers moves up (1) or down (-1) before the claim changes.

        Parameters
        ----------
        distance_max
            Microseconds; no further is looked.
        is_over
            Asked before each run; what it leaves is not sought.
        """
        self._is_over = is_over
        index = self._numbers.index(number)
        if self.holds is None:
            return Change(distance=None, sought=0)
        if not self.holds:
            return self._first_proved(index, direction, distance_max)
        found = Change(distance=None, sought=distance_max)
        for which, explored in enumerate(self._explored):
            here = self._first_refuted(which, explored.later, index, direction, found.sought)
            if here.sought < found.sought or here.distance is not None:
                found = here
        return found

    def _refuted_or_all(self, made: _Made) -> list[Explored]:
        """All runs of each world, or of those up to the first in which the claim is refuted."""
        seen: list[Explored] = []
        for world in made.worlds:
            seen.append(every_run(world, self._fault_budget, self._scale, self._is_over))
            if seen[-1].witness is not None:
                break
        return seen

    def _value(self, index: int, value: int) -> Measured:
        return Measured.of(value / MICROSECONDS_PER_S, self._scale.unit(index), self._scale)

    def _made(self, scenario: Scenario) -> _Made:
        turns: list[int] = []
        self._scale.watcher = lambda is_less, to_fail, to_hold: turns.append(to_fail if is_less else to_hold)
        try:
            return _Made(claimed(self._claim, scenario), turns)
        finally:
            self._scale.watcher = None

    def _at(self, index: int, moved: int) -> _Made:
        """The worlds of the claim where one number is so much larger, in microseconds."""
        if self._made_at[:2] != (index, moved):
            number = self._numbers[index]
            changed = with_number(self._measured, number, self._value(index, number.value + moved))
            self._made_at = index, moved, self._made(changed)
        return self._made_at[2]

    def _distance(self, lacking: Iterable[int], index: int, direction: int) -> int | None:
        """Microseconds that a number has to move at least until nothing is lacking; None if something always will."""
        furthest = 0
        for packed in lacking:
            slope = self._scale.slope(packed, index) * direction
            if slope <= 0:
                return None
            furthest = max(furthest, 1, -(self._scale.value(packed) // slope))
        return furthest

    def _first_refuted(self, which: int, later: list[Branch], index: int, direction: int, distance_max: int) -> Change:
        order = count()
        waiting: list[tuple[int, int, Branch]] = []

        def keep(branch: Branch, lacking: tuple[int, ...], so_far: int) -> None:
            further = self._distance(lacking, index, direction)
            if further is not None and so_far + further <= distance_max:
                heapq.heappush(waiting, (so_far + further, -next(order), branch))

        def keep_turns(turns: list[int], so_far: int) -> None:
            for turn in turns:
                keep(Branch((), Other(0, None, (turn,))), (turn,), so_far)

        keep_turns(self._turns, 0)
        for branch in later:
            keep(branch, branch.other.lacking, 0)
        while waiting:
            distance, _, branch = heapq.heappop(waiting)
            if self._is_over():
                return Change(distance=None, sought=max(distance - 1, 0))
            try:
                played = self._play((which, branch.script), index, direction * distance)
            except OutOfReach as missing:
                keep(branch, missing.lacking, distance)
                continue
            if played.is_refuting:
                return Change(distance=distance, sought=distance)
            if not branch.script:
                keep_turns(self._at(index, direction * distance).turns, distance)
            for further in branches(played):
                keep(further, further.other.lacking, distance)
        return Change(distance=None, sought=distance_max)

    def _first_proved(self, index: int, direction: int, distance_max: int) -> Change:
        known = [_witness(self._explored)]
        distance = 0
        while known[-1] is not None and not self._is_over():
            distance = self._last_refuted(known[-1], index, direction, distance, distance_max) + 1
            if distance > distance_max:
                return Change(distance=None, sought=distance_max)
            again = next((run for run in known if run and self._refutes(run, index, direction * distance)), None)
            if again is not None:
                known.append(again)
                continue
            seen = self._refuted_or_all(self._at(index, direction * distance))
            if _holds(seen):
                return Change(distance=distance, sought=distance)
            known.append(_witness(seen))
        return Change(distance=None, sought=max(distance - 1, 0))

    def _last_refuted(
        self, known: tuple[int, Trace], index: int, direction: int, distance: int, distance_max: int
    ) -> int:
        """The furthest distance up to which a run that refutes the claim stays possible and goes on refuting it."""
        turns = self._at(index, direction * distance).turns
        furthest = min(distance_max, self._nearest(turns, index, direction, distance) - 1)
        while furthest > distance:
            try:
                played = self._play(known, index, direction * furthest)
            except OutOfReach as missing:
                back = self._distance(missing.lacking, index, -direction)
                furthest = distance if back is None else max(furthest - back, distance)
                continue
            except Divergence:
                furthest = (furthest + distance) // 2
                continue
            if played.is_refuting:
                break
            furthest = self._judged_alike(known, index, direction, distance, furthest)
        return furthest

    def _judged_alike(self, known: tuple[int, Trace], index: int, direction: int, distance: int, furthest: int) -> int:
        """The furthest distance, short of `furthest`, up to which no comparison of the judge ends otherwise."""
        here = self._play(known, index, direction * distance)
        turns = [turn for other in here.others if other.choice is None for turn in other.lacking]
        return min(self._nearest(turns, index, direction, distance), furthest) - 1

    def _nearest(self, turns: list[int], index: int, direction: int, distance: int) -> int:
        """The distance of the first of some comparisons to end otherwise; beyond all others if none does."""
        distances = (self._distance((turn,), index, direction) for turn in turns)
        return distance + min((further for further in distances if further is not None), default=NEVER)

    def _refutes(self, known: tuple[int, Trace], index: int, moved: int) -> bool:
        try:
            return self._play(known, index, moved).is_refuting
        except (OutOfReach, Divergence):
            return False

    def _play(self, known: tuple[int, Trace], index: int, moved: int) -> Played:
        which, trace = known
        return play(self._at(index, moved).worlds[which], trace, self._fault_budget, self._scale)


def _witness(explored: list[Explored]) -> tuple[int, Trace] | None:
    """The run that refutes the claim, with the number of its world from 0."""
    return next(((which, one.witness) for which, one in enumerate(explored) if one.witness is not None), None)


def _holds(explored: list[Explored]) -> bool | None:
    if _witness(explored) is not None:
        return False
    return True if all(one.is_complete for one in explored) else None
