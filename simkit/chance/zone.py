"""Which orders of steps are possible: difference constraints over their instants, in whole microseconds.

A difference-bound matrix kept closed: entry (i, j) is the least upper bound of t_i - t_j. Whole
numbers make "before" exact: strictly before is at least one microsecond before.

References
----------
Dill, "Timing assumptions and verification of finite-state concurrent systems", LNCS 407 (1989) 197-212.
Bellman, "On a routing problem", Quart. Appl. Math. 16 (1958) 87-90, for the closure.
"""

from collections.abc import Mapping

__all__ = ["MICROSECONDS_PER_S", "Zone", "microseconds"]

MICROSECONDS_PER_S = 1_000_000

START = 0


def microseconds(seconds: float) -> int:
    """Whole microseconds of a duration in seconds, rounded to the nearest."""
    return round(seconds * MICROSECONDS_PER_S)


class Zone:
    """All assignments of instants to steps that satisfy what is known; step 0 is the start, at 0."""

    __slots__ = ("_bounds",)

    def __init__(self) -> None:
        self._bounds: dict[int, dict[int, int]] = {START: {START: 0}}

    def add(self, step: int, after: int, least: int, most: int) -> None:
        """Add `step`, which happens `least` to `most` microseconds after the step `after`."""
        bounds = self._bounds
        of_after = bounds[after]
        row = {step: 0}
        for other, of_other in bounds.items():
            row[other] = most + of_after[other]
            of_other[step] = of_other[after] - least
        bounds[step] = row

    def upper(self, step: int, other: int) -> int:
        """Most that t_step - t_other can be, in microseconds."""
        return self._bounds[step][other]

    def possible_first(self, priorities: Mapping[int, int], touches: Mapping[int, int]) -> list[int]:
        """Steps that none of those must come before that touch a place in common with them.

        Parameters
        ----------
        priorities
            Of each step; at one instant the lower number is first.
        touches
            Places of each step, as bits.
        """
        bounds = self._bounds
        possible = []
        for step, places in touches.items():
            priority = priorities[step]
            for other, other_places in touches.items():
                if other_places & places and bounds[other][step] < (priorities[other] < priority) and other != step:
                    break
            else:
                possible.append(step)
        return possible

    def put_first(self, step: int, priorities: Mapping[int, int], touches: Mapping[int, int]) -> None:
        """Require that `step` is first among the steps that touch a place in common with it."""
        priority, places, latest = priorities[step], touches[step], self._bounds[step]
        for other, other_places in touches.items():
            if other_places & places and other != step:
                most = -1 if priorities[other] < priority else 0
                if latest[other] > most:
                    self.tighten(step, other, most)

    def latest(self, step: int) -> int:
        """Latest instant of a step, in microseconds from the start."""
        return self._bounds[step][START]

    def can_be_first(self, step: int, other: int, margin: int) -> bool:
        """Whether `step` can happen at least `margin` microseconds before `other`."""
        return self.upper(other, step) >= margin

    def sides(self, later: int, earlier: int, least: int) -> tuple[bool, bool]:
        """Whether `later` can come at least `least` microseconds after `earlier`, and whether it can come sooner."""
        bounds = self._bounds
        return bounds[later][earlier] >= least, bounds[earlier][later] > -least

    def put_side(self, later: int, earlier: int, least: int, *, is_apart: bool) -> None:
        """Require that `later` comes at least `least` microseconds after `earlier`, or that it comes sooner."""
        if is_apart:
            self.tighten(earlier, later, -least)
        else:
            self.tighten(later, earlier, least - 1)

    def tighten(self, step: int, other: int, most: int) -> bool:
        """Require t_step - t_other <= most; False, and nothing changed, where that is impossible."""
        bounds = self._bounds
        if bounds[step][other] <= most:
            return True
        if most + bounds[other][step] < 0:
            return False
        self._relax(step, other, most)
        return True

    def _relax(self, step: int, other: int, most: int) -> None:
        """Close the bounds again after t_step - t_other <= most, which is possible."""
        bounds = self._bounds
        of_other = tuple(bounds[other].items())
        for row in bounds.values():
            base = row[step] + most
            for target, bound in of_other:
                through = base + bound
                if through < row[target]:  # noqa: PLR1730 (min() costs a fifth of all exploration)
                    row[target] = through

    def drop(self, step: int) -> None:
        """Forget a step that nobody refers to any more; what it implied for others stays."""
        del self._bounds[step]
        for row in self._bounds.values():
            del row[step]

    def earliest(self, step: int) -> int:
        """Earliest instant of a step, in microseconds from the start."""
        return -self._bounds[START][step]

    def solution(self) -> dict[int, int]:
        """An instant for each step, in microseconds: the earliest ones, which satisfy all constraints."""
        return {step: self.earliest(step) for step in self._bounds}
