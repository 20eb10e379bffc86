"""What holds the repeats of a layer back, whichever of its calls they belong to: pure states and transitions.

A bucket of tokens is another such state, in `token_bucket`.

==================  ===========================================  ======================================
state               lets through                                 changes with
==================  ===========================================  ======================================
`Share`             repeats up to a fraction of the calls        each call, each repeat
`Concurrency`       so many repeats at once                      each repeat, each answer to one
`Breaker`           everything while closed, nothing while open, each answer to what it let through
                    then one try whose answer decides
==================  ===========================================  ======================================

No clock: whether a breaker has been open long enough is asked of the world and handed in.

References
----------
Envoy, `RetryBudget` in `circuit_breaker.proto`: 20 % of the requests, but 3 in any case; `max_retries`: 3 at once.
Nygard, "Release It!", 2nd ed. (2018), section 5.3, for closed, open and half-open.
"""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

__all__ = ["Admission", "Breaker", "Concurrency", "Share"]


class Admission(StrEnum):
    """What a breaker says to one try, before it is sent."""

    GRANTED = "granted"
    TRIAL = "the one try after the open time"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Repeats as a fraction of the calls so far, with a number that is free in any case."""

    fraction: float
    count_min: int
    call_count: int = 0
    repeat_count: int = 0

    @property
    def can_repeat(self) -> bool:
        """Whether one more repeat stays inside the share."""
        # As the fraction is written: 0.29 of 100 calls are 29, which the product of floats misses.
        allowed_count = math.floor(Fraction(str(self.fraction)) * self.call_count)
        return self.repeat_count < max(self.count_min, allowed_count)

    def called(self) -> "Share":
        """The share after one more call, which is not a repeat."""
        return replace(self, call_count=self.call_count + 1)

    def repeated(self) -> "Share":
        """The share after one more repeat."""
        return replace(self, repeat_count=self.repeat_count + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrency:
    """Repeats under way at once: from the decision to repeat until the answer, its wait included."""

    count_max: int
    count: int = 0

    @property
    def can_repeat(self) -> bool:
        """Whether one more may be under way."""
        return self.count < self.count_max

    def begun(self) -> "Concurrency":
        """The state with one more under way."""
        return replace(self, count=self.count + 1)

    def ended(self) -> "Concurrency":
        """The state with one less under way."""
        return replace(self, count=self.count - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """A circuit breaker.

    Parameters
    ----------
    failure_count_max
        Failures in a row that open it.
    failure_count
        Failures in a row so far, while it is closed.
    is_trying
        Whether the one try after the open time is out.
    """

    failure_count_max: int
    failure_count: int = 0
    is_open: bool = False
    is_trying: bool = False

    @property
    def is_waiting(self) -> bool:
        """Whether its open time is what counts now."""
        return self.is_open and not self.is_trying

    def admission(self, *, open_time_is_over: bool) -> Admission:
        """Say whether a try is sent; the question about the open time matters only to an open breaker."""
        if not self.is_open:
            return Admission.GRANTED
        return Admission.TRIAL if self.is_waiting and open_time_is_over else Admission.REFUSED

    def tried(self) -> "Breaker":
        """The breaker while its one try is out."""
        return replace(self, is_trying=True)

    def heard(self, admission: Admission, *, is_failure: bool) -> "Breaker":
        """The breaker after the answer to what it let through.

        While it is open, only its own try counts: answers to what was sent before come too late.
        """
        if self.is_open:
            if admission is not Admission.TRIAL:
                return self
            return replace(self, failure_count=0, is_open=is_failure, is_trying=False)
        failure_count = self.failure_count + 1 if is_failure else 0
        return replace(self, failure_count=failure_count, is_open=failure_count >= self.failure_count_max)
