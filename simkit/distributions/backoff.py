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

References
----------
Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog (2015), for full, equal and decorrelated.
"""

import math
from dataclasses import dataclass

from simkit.distributions.clipped import Clipped
from simkit.distributions.laws import Uniform
from simkit.distributions.wait import Wait
from simkit.errors import ScenarioError

__all__ = ["Backoff"]

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
        if self.previous_factor is not None and (self.previous_factor < 1 or self.cap_s is None):
            message = "backoff.previous_factor is at least 1, and needs a cap"
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
            What the wait before lasted; of decorrelated jitter alone. None where nobody drew it: then the wait
            is known by its bounds.
        """
        if retry_number <= self.immediate_count:
            return Wait.of(0.0)
        if self.previous_factor is not None:
            return self._decorrelated(retry_number - self.immediate_count, self.previous_factor, previous_s)
        growth_s = self._growth_s(retry_number)
        return self._between(growth_s * self.scale_min, growth_s * self.scale_max + self.added_s_max)

    def longest_s(self, retry_count: int | None) -> float:
        """The longest single wait among so many retries; None where they have no end."""
        if self.previous_factor is not None and self.cap_s is not None:
            return self.cap_s
        if retry_count is not None:
            return 0.0 if retry_count < 1 else self.wait(retry_count).s_max
        grows = self.first_s > 0 and (self.factor > 1 or self.power > 0)
        growth_s = self.cap_s if self.cap_s is not None else math.inf if grows else self.offset_s + self.first_s
        return min(growth_s * self.scale_max + self.added_s_max, math.inf if self.ceiling_s is None else self.ceiling_s)

    def _growth_s(self, retry_number: int) -> float:
        cap_s = math.inf if self.cap_s is None else self.cap_s
        try:
            grown_s = self.first_s * math.pow(self.factor, retry_number - 1) * math.pow(retry_number, self.power)
        except OverflowError:
            grown_s = math.inf
        return min(cap_s, self.offset_s + grown_s, FOR_EVER_S)

    def _between(self, shortest_s: float, longest_s: float) -> Wait:
        ceiling_s = math.inf if self.ceiling_s is None else self.ceiling_s
        least_s, most_s = (min(ceiling_s, max(self.floor_s, bound_s)) for bound_s in (shortest_s, longest_s))
        if least_s == most_s:
            return Wait.of(least_s)
        law = Uniform(shortest_s=shortest_s, longest_s=longest_s)
        clipped = law if (least_s, most_s) == (shortest_s, longest_s) else Clipped(law=law, at_s=(least_s, most_s))
        typical_s = min(most_s, max(least_s, (shortest_s + longest_s) / 2))
        return Wait(s_min=least_s, s_typical=typical_s, s_max=most_s, law=clipped)

    def _decorrelated(self, number: int, factor: float, previous_s: float | None) -> Wait:
        cap_s = math.inf if self.cap_s is None else self.cap_s
        if previous_s is None and number > 1:
            most_s = min(cap_s, self.first_s * factor**number)
            return Wait(s_min=min(self.first_s, most_s), s_typical=most_s / 2, s_max=most_s)
        before_s = self.first_s if previous_s is None else previous_s
        shortest_s, longest_s = self.first_s, max(self.first_s, factor * before_s)
        if longest_s <= cap_s or shortest_s == longest_s:
            return self._between(shortest_s, longest_s)
        law = Clipped(law=Uniform(shortest_s=shortest_s, longest_s=longest_s), at_s=(min(shortest_s, cap_s), cap_s))
        return Wait(s_min=law.at_s[0], s_typical=min(cap_s, (shortest_s + longest_s) / 2), s_max=cap_s, law=law)
