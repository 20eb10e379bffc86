"""What follows from a retry policy without running it: what it tries again, how long it waits, when it ends at most."""

import math
from dataclasses import dataclass
from typing import Final

from simkit.distributions import Wait
from simkit.scenario import RetryPolicy
from simkit.terms import ErrorClass

__all__ = ["FAILURES", "IDEMPOTENT", "WRITE", "LongestTime", "RetryRow", "first_waits", "longest_time", "retry_rows"]

WRITE: Final = "POST"
IDEMPOTENT: Final = ("GET", "PUT", "DELETE")
FAILURES: Final = (
    ErrorClass.CONNECTION_REFUSED,
    ErrorClass.CONNECTION_CLOSED,
    ErrorClass.TIMEOUT,
    ErrorClass.REQUEST_TIMEOUT,
    ErrorClass.CONFLICT,
    ErrorClass.OVERLOADED,
    ErrorClass.SERVER_ERROR,
    ErrorClass.BAD_GATEWAY,
    ErrorClass.UNAVAILABLE,
    ErrorClass.GATEWAY_TIMEOUT,
)
RETRY_COUNT_SUMMED_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRow:
    """Whether a failure is tried again.

    Parameters
    ----------
    write
        Of a POST.
    idempotent_methods
        Which of `IDEMPOTENT` are.
    only_if_asked
        Whether only where the answer asks for a wait.
    """

    failure: ErrorClass
    write: bool
    idempotent_methods: tuple[str, ...]
    only_if_asked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LongestTime:
    """How long a call may take at most, all its tries and waits together.

    Parameters
    ----------
    longest_s
        Infinity where nothing ends it.
    asked_on_top
        Whether an answer may ask for a wait of any length, which is not in it.
    """

    longest_s: float
    asked_on_top: bool


def retry_rows(policy: RetryPolicy) -> tuple[RetryRow, ...]:
    """One row for each failure of an HTTP call."""
    return tuple(_row(policy, failure) for failure in FAILURES)


def first_waits(policy: RetryPolicy, count_max: int, failure: ErrorClass | None = None) -> tuple[Wait, ...]:
    """The waits before the first retries, as far as the policy has so many."""
    numbers = (number for number in range(1, count_max + 1) if policy.has_after(number))
    return tuple(policy.wait_before(number, failure) for number in numbers)


def longest_time(policy: RetryPolicy) -> LongestTime:
    """How long a call may take at most: every try until its timeout, every wait at its longest, or until the budget.

    An asked wait that is capped is in it; one that is not, on top.
    """
    asked = policy.retry_after
    asked_on_top = asked is not None and asked.longest_s is None
    capped_s = 0.0
    if asked is not None and asked.longest_s is not None:
        capped_s = asked.longest_s * asked.scale_max + asked.added_s_max
    timeout_s = math.inf if policy.timeout_s is None else policy.timeout_s
    longest_s = math.inf
    if policy.attempts is not None and policy.attempts <= RETRY_COUNT_SUMMED_MAX:
        waits_s = (max(_longest_s(policy, number), capped_s) for number in range(1, policy.attempts))
        longest_s = policy.attempts * timeout_s + math.fsum(waits_s)
    if policy.budget_s is not None:
        longest_s = min(longest_s, policy.budget_s + timeout_s)
    return LongestTime(longest_s=longest_s, asked_on_top=asked_on_top and policy.repeats and policy.budget_s is None)


def _longest_s(policy: RetryPolicy, retry_number: int) -> float:
    usual_s = policy.wait_before(retry_number).s_max
    return max(usual_s, policy.wait_before(retry_number, ErrorClass.OVERLOADED).s_max)


def _row(policy: RetryPolicy, failure: ErrorClass) -> RetryRow:
    methods = (WRITE, *IDEMPOTENT)
    asked = tuple(method for method in methods if policy.is_retried(failure, method, asks_to_wait=True))
    anyway = tuple(method for method in methods if policy.is_retried(failure, method))
    return RetryRow(
        failure=failure,
        write=WRITE in asked,
        idempotent_methods=tuple(method for method in IDEMPOTENT if method in asked),
        only_if_asked=bool(asked) and not anyway,
    )
