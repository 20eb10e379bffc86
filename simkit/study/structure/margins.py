"""By how much each time in a scenario may move before the verdict flips, and where exactly it does.

The verdict is the one by structure alone: how often something goes wrong does not come into it.

========  =====================================================================
verdict   flips where
========  =====================================================================
allow     the claim to allow ceases to hold
hold      the claim to allow begins to hold, or the one to hold ceases to
disable   either claim begins to hold
========  =====================================================================

A flip is found from the constraints of the orders (`first_change`), and what it says is then checked by two plain
explorations, at the value and one microsecond short of it.
"""

from collections.abc import Callable

from simkit.chance import MICROSECONDS_PER_S
from simkit.scenario import Scenario
from simkit.study.margin_results import Margin, Margins
from simkit.study.structure.claims import CLAIMS, limited, structural_verdict
from simkit.study.structure.first_change import ClaimSearch
from simkit.study.structure.lifting import lifting_changes, smallest_change
from simkit.study.structure.numbers import Number, numbers_not_moved, numbers_of, range_of, with_value
from simkit.terms import Verdict

__all__ = ["margins", "number_margins"]

DIRECTIONS = (-1, 1)

RUN_COUNTS = (500, 5_000, 50_000)
"""Runs for one number in one direction, in one round after the other, so that a hard one does not starve the rest."""


def margins(
    scenario: Scenario,
    *,
    fault_budget: int,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> Margins:
    """Margins of every number, downwards and upwards, and what would lift the verdict.

    Parameters
    ----------
    is_over
        Asked often; what it leaves is not sought, and said so. None of it is where the time is over before the
        verdict itself is known.
    tell
        Is told what is being done, one line each.
    """
    tell("margins: the verdict")
    verdict = structural_verdict(scenario, fault_budget, is_over)
    if verdict is None:
        return Margins(numbers=(), lifts=(), smallest=None)
    lifts = lifting_changes(scenario, verdict, fault_budget=fault_budget, is_over=is_over, tell=tell)
    numbers = number_margins(
        scenario, verdict, numbers_of(scenario), fault_budget=fault_budget, is_over=is_over, tell=tell
    )
    not_moved = tuple(number.words for number in numbers_not_moved(scenario))
    return Margins(numbers=numbers, lifts=lifts, smallest=smallest_change(numbers, lifts), not_moved=not_moved)


def number_margins(
    scenario: Scenario,
    verdict: Verdict,
    numbers: tuple[Number, ...],
    *,
    fault_budget: int,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Margin, ...]:
    """Margins of some numbers of a scenario, each downwards and upwards."""
    claims = CLAIMS[: CLAIMS.index(verdict) + 1] if verdict in CLAIMS else CLAIMS
    searches = [ClaimSearch(claim, scenario, numbers, fault_budget, is_over) for claim in reversed(claims)]
    sides = [_Side(scenario, number, direction) for number in numbers for direction in DIRECTIONS]
    for run_count in RUN_COUNTS:
        for side in sides:
            if not side.is_settled and not (side.is_begun and is_over()):
                tell(f"margins: {side.number.words}")
                side.seek(searches, run_count, is_over)
    return tuple(side.margin(verdict, fault_budget, is_over) for side in sides)


class _Side:
    """One direction of one number: how far it was sought there, and what was found."""

    def __init__(self, scenario: Scenario, number: Number, direction: int) -> None:
        self.number = number
        self._scenario = scenario
        self._direction = direction
        end = range_of(scenario, self.number)[DIRECTIONS.index(direction)]
        self._distance_max = abs(end - self.number.value)
        self._distance: int | None = None
        self._sought = -1

    @property
    def is_begun(self) -> bool:
        """Whether anything is known."""
        return self._sought >= 0

    @property
    def is_settled(self) -> bool:
        """Whether the nearest flip is known, or that there is none."""
        return self._sought == (self._distance_max if self._distance is None else self._distance)

    def seek(self, searches: list[ClaimSearch], run_count: int, is_over: Callable[[], bool]) -> None:
        """Look for the nearest flip, in so many runs for each claim at most."""
        self._distance, self._sought = None, self._distance_max
        for search in searches:
            limit = limited(is_over, run_count)
            change = search.change(self.number, self._direction, self._distance or self._distance_max, limit)
            self._distance = self._distance if change.distance is None else change.distance
            self._sought = min(self._sought, change.sought)

    def margin(self, verdict: Verdict, fault_budget: int, is_over: Callable[[], bool]) -> Margin:
        """What was found, checked on both sides of it."""
        beyond = short = None
        if self._distance is not None:
            short, beyond = (
                structural_verdict(self._moved(distance), fault_budget, is_over)
                for distance in (self._distance - 1, self._distance)
            )
        is_verified = short is verdict and beyond not in (verdict, None)
        return Margin(
            number=self.number.name,
            called=self.number.words,
            is_given=self.number.is_given,
            value_s=self.number.value / MICROSECONDS_PER_S,
            direction="less" if self._direction < 0 else "more",
            flips_at_s=None if self._distance is None else self._value_s(self._distance),
            kept_to_s=self._value_s(self._sought if self._distance is None else min(self._sought, self._distance - 1)),
            verdict_before=verdict,
            verdict_beyond=beyond,
            is_verified=is_verified,
            is_exhaustive=self.is_settled and (is_verified or self._distance is None),
        )

    def _value_s(self, distance: int) -> float:
        return (self.number.value + self._direction * distance) / MICROSECONDS_PER_S

    def _moved(self, distance: int) -> Scenario:
        return with_value(self._scenario, self.number, self.number.value + self._direction * distance)
