"""How long a layer waits before a retry: the formulas of backoff and jitter, as data.

==================  ==============================================================================
known as            written
==================  ==============================================================================
constant            `first`
exponential         `first`, `factor`, mostly a `cap`
full jitter         `scale_min: 0` (U(0, x) of what the growth gives)
equal jitter        `scale_min: 0.5`
plus or minus 20 %  `scale_min: 0.8`, `scale_max: 1.2`
additive jitter     `added_max: 1 s`
decorrelated        `previous_factor: 3`: U(first, 3 × the wait before), capped
==================  ==============================================================================

What a decorrelated wait is drawn from depends on the wait before, which is known where that was drawn. An
exploration of all orders takes each wait from its own bounds instead: what it proves holds, and a schedule that it
finds may need waits that never follow each other.

References
----------
Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog (2015), for full, equal and decorrelated.
"""

import math
from dataclasses import dataclass, replace

from simkit.distributions.clipped import Clipped
from simkit.distributions.laws import Uniform
from simkit.distributions.wait import Wait
from simkit.errors import ScenarioError

__all__ = ["Backoff"]

NUMBERS = (int, float)
"""A duration of another type remembers what it is made of: no law can, and a sum of bounds can."""

FOR_EVER_S = 1e15
"""Where growth without a cap ends: thirty million years, which still is a number of microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The wait before retry n, n from 1, in seconds.

    `min(ceiling, max(floor, min(cap, offset + first · factor^(n−1) · n^power) · U(scale) + U(0, added)))`

    Parameters
    ----------
    first_s
        Growth before the first retry.
    factor, power
        By what it grows from retry to retry: exponentially, or as a power of the number.
    offset_s
        Added to every growth.
    cap_s
        The growth is never longer, before jitter.
    scale_min, scale_max
        Between which factors the growth is drawn, uniformly.
    added_s_max
        Up to how much is added to it, uniformly.
    floor_s, ceiling_s
        The wait is never shorter, never longer, after jitter.
    immediate_count
        Retries that come at once, before any wait.
    previous_factor
        Of decorrelated jitter: drawn between `first_s` and this many times the wait before, at most `cap_s`.
    """

    first_s: float
    factor: float = 1.0
    power: float = 0.0
    offset_s: float = 0.0
    cap_s: float | None = None
    scale_min: float = 1.0
    scale_max: float = 1.0
    added_s_max: float = 0.0
    floor_s: float = 0.0
    ceiling_s: float | None = None
    immediate_count: int = 0
    previous_factor: float | None = None

    def __post_init__(self) -> None:
        for name in ("first_s", "offset_s", "cap_s", "added_s_max", "floor_s", "ceiling_s", "scale_min"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                message = f"backoff.{name} is finite and at least 0, got {value}"
                raise ScenarioError(message)
        if not 1 <= self.factor < math.inf or not 0 <= self.power < math.inf or self.immediate_count < 0:
            message = (
                "backoff: factor from 1, power from 0, immediate_count from 0; "
                f"got {self.factor}, {self.power}, {self.immediate_count}"
            )
            raise ScenarioError(message)
        if not self.scale_min <= self.scale_max < math.inf:
            message = f"backoff: scale_min <= scale_max, finite; got {self.scale_min}, {self.scale_max}"
            raise ScenarioError(message)
        if self.scale_min < self.scale_max and self.added_s_max > 0:
            message = "backoff: scale_min below scale_max and added_max above 0 exclude each other: one kind of jitter"
            raise ScenarioError(message)
        if self.ceiling_s is not None and self.ceiling_s < self.floor_s:
            message = f"backoff: floor <= ceiling; got {self.floor_s}, {self.ceiling_s}"
            raise ScenarioError(message)
        self._insist_on_one_formula()

    def _insist_on_one_formula(self) -> None:
        """Decorrelated jitter has none of the other growth, and no other jitter."""
        if self.previous_factor is None:
            return
        if not 1 <= self.previous_factor < math.inf or self.cap_s is None:
            message = f"backoff.previous_factor is at least 1 and finite, and needs a cap; got {self.previous_factor}"
            raise ScenarioError(message)
        others = (self.factor, self.power, self.offset_s, self.scale_min, self.scale_max, self.added_s_max)
        if others != (1.0, 0.0, 0.0, 1.0, 1.0, 0.0):
            message = (
                "backoff.previous_factor and another growth or jitter (factor, power, offset, scale_min, scale_max, "
                "added_max) exclude each other: the wait before is what it grows by"
            )
            raise ScenarioError(message)

    @property
    def is_decorrelated(self) -> bool:
        """Whether a wait is drawn by the one before it."""
        return self.previous_factor is not None

    def wait(self, retry_number: int, previous_s: float | None = None) -> Wait:
        """The wait before a retry, its law included.

        Parameters
        ----------
        retry_number
            1 for the second attempt.
        previous_s
            What the wait before lasted; of decorrelated jitter alone. None where nobody drew it: then the wait is
            known by its bounds, whatever the one before was.
        """
        if retry_number <= self.immediate_count:
            return Wait.of(0.0)
        number = retry_number - self.immediate_count
        if self.previous_factor is None:
            growth_s = self._growth_s(retry_number)
            return self._between(growth_s * self.scale_min, growth_s * self.scale_max + self.added_s_max)
        if number == 1 or previous_s is not None:
            before_s = self.first_s if number == 1 or previous_s is None else previous_s
            return self._between(self.first_s, max(self.first_s, self.previous_factor * before_s))
        longest_s = _grown_s(max(self.first_s, self.floor_s), self.previous_factor, number)
        bounds = self._between(self.first_s, longest_s)
        return replace(bounds, law=None)

    def longest_s(self, retry_count: int | None) -> float:
        """The longest single wait among so many retries; None where they have no end."""
        if retry_count is not None:
            return 0.0 if retry_count < 1 else self.wait(retry_count).s_max
        if self._grows:
            growth_s = math.inf if self.cap_s is None else self.cap_s
            return self._clipped_s(growth_s * self.scale_max + self.added_s_max)
        return self.wait(self.immediate_count + 1).s_max

    @property
    def _grows(self) -> bool:
        """Whether a later wait may be longer than an earlier one."""
        if self.previous_factor is not None:
            return max(self.first_s, self.floor_s) > 0 and self.previous_factor > 1
        return self.first_s > 0 and (self.factor > 1 or self.power > 0)

    def _growth_s(self, retry_number: int) -> float:
        grown_s = _grown_s(self.first_s, self.factor, retry_number - 1) * math.pow(retry_number, self.power)
        return min(math.inf if self.cap_s is None else self.cap_s, self.offset_s + grown_s, FOR_EVER_S)

    def _clipped_s(self, duration_s: float) -> float:
        """No shorter than the floor, no longer than the ceiling; of decorrelated jitter, than the cap before both."""
        if self.previous_factor is not None and self.cap_s is not None:
            duration_s = min(duration_s, self.cap_s)
        return min(math.inf if self.ceiling_s is None else self.ceiling_s, max(self.floor_s, duration_s))

    def _between(self, shortest_s: float, longest_s: float) -> Wait:
        """Uniform between two durations, and clipped then; only the bounds of what is more than a number."""
        least_s, most_s = self._clipped_s(shortest_s), self._clipped_s(longest_s)
        if not (type(least_s) in NUMBERS and type(most_s) in NUMBERS):
            return Wait(s_min=least_s, s_typical=most_s, s_max=most_s)
        if least_s == most_s:
            return Wait.of(least_s)
        law = Uniform(shortest_s=shortest_s, longest_s=longest_s)
        clipped = law if (least_s, most_s) == (shortest_s, longest_s) else Clipped(law=law, at_s=(least_s, most_s))
        typical_s = self._clipped_s((shortest_s + longest_s) / 2)
        return Wait(s_min=least_s, s_typical=typical_s, s_max=most_s, law=clipped)


def _grown_s(first_s: float, factor: float, exponent: int) -> float:
    """An exponential, which ends before a float does."""
    try:
        return min(FOR_EVER_S, first_s * math.pow(factor, exponent))
    except OverflowError:
        return FOR_EVER_S if first_s > 0 else 0.0
