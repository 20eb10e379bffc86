"""What one layer of one client remembers of all its calls, and what that keeps it from.

=========================  =====================================  =========================================
what holds back            lets a repeat through while            changes with
=========================  =====================================  =========================================
token bucket               it has what a repeat needs             calls, failures, repeats, successes
share of the calls         repeats are few enough                 calls, repeats
retries at once            few enough are under way               repeats, and the answers to them
counted failures           they are a small enough part of calls  calls, failures
circuit breaker            it is not open (first tries too)       every answer, and time
=========================  =====================================  =========================================
"""

from simpy import Environment

from simkit.policy import Admission, Breaker, Share
from simkit.scenario import LoadLayer, TokenBucket
from simkit.terms import ErrorClass

__all__ = ["Throttle"]

HEALTHY = frozenset({None, ErrorClass.CONFLICT, ErrorClass.PENDING})
"""Answers of a party that is well, whatever it said; a breaker counts the others."""


class _Tokens:
    """The tokens of a bucket."""

    def __init__(self, bucket: TokenBucket) -> None:
        self._bucket = bucket
        self._count = bucket.token_count_max

    def cost_count(self, failure: ErrorClass | None) -> float:
        """What a repeat costs after that failure."""
        cheaper = self._bucket.cost_count_overloaded
        return cheaper if failure is ErrorClass.OVERLOADED and cheaper is not None else self._bucket.cost_count

    def give(self, count: float) -> None:
        """Put tokens in, or take them out: never more than at the start, never less than none."""
        self._count = max(0.0, min(self._bucket.token_count_max, self._count + count))

    def has_enough(self, cost_count: float) -> bool:
        """Whether a repeat that costs so much may be made."""
        if self._bucket.above_count is not None:
            return self._count > self._bucket.above_count
        return self._count >= cost_count


class Throttle:
    """What all calls of one layer of one client share; parts that its policy does not have say yes to everything."""

    def __init__(self, policy: LoadLayer, env: Environment) -> None:
        share, breaker = policy.retry_share, policy.circuit_breaker
        self._policy = policy
        self._env = env
        self._bucket = policy.token_bucket
        self._tokens = None if self._bucket is None else _Tokens(self._bucket)
        self._share = None if share is None else Share(fraction=share.fraction, count_min=share.count_min)
        self._breaker = None if breaker is None else Breaker(failure_count_max=breaker.failure_count)
        self._open_s = 0.0 if breaker is None else breaker.open_s
        self._opened_at_s = 0.0
        self._retry_count = 0
        self._call_count = 0
        self._failure_count = 0

    def begin(self) -> None:
        """Take note of a call from above, before its first attempt."""
        self._call_count += 1
        if self._share is not None:
            self._share = self._share.called()
        if self._bucket is not None and self._tokens is not None:
            self._tokens.give(self._bucket.deposit_count)

    def admit(self) -> Admission:
        """Say whether an attempt is sent."""
        if self._breaker is None:
            return Admission.GRANTED
        # An expiry is over at its instant; the sum of floats decides, as everywhere in this world.
        admission = self._breaker.admission(open_time_is_over=self._env.now >= self._opened_at_s + self._open_s)
        if admission is Admission.TRIAL:
            self._breaker = self._breaker.tried()
        return admission

    def hear(self, failure: ErrorClass | None, admission: Admission, *, is_retry: bool, cost_count: float) -> None:
        """Take note of the answer to an attempt that was sent; `cost_count` is what its repeat had cost."""
        self._retry_count -= is_retry
        self._failure_count += failure is not None
        bucket, tokens, breaker = self._bucket, self._tokens, self._breaker
        if bucket is not None and tokens is not None and failure is None:
            tokens.give(cost_count if is_retry and bucket.returns_cost else bucket.refund_count)
        if breaker is not None:
            self._breaker = breaker.heard(admission, is_failure=failure not in HEALTHY)
            if self._breaker.is_waiting and not breaker.is_waiting:
                self._opened_at_s = self._env.now

    def takes_repeat(self, failure: ErrorClass | None) -> float | None:
        """What one more repeat after that failure costs in tokens, paid and counted; None where it may not be made."""
        tokens = self._tokens
        cost_count = 0.0 if tokens is None else tokens.cost_count(failure)
        charges_failures = self._bucket is not None and self._bucket.charges_failures
        has_tokens = tokens is None or tokens.has_enough(cost_count)
        if tokens is not None and charges_failures:
            tokens.give(-cost_count)
            has_tokens = tokens.has_enough(0.0)
        if not (has_tokens and self._is_let_through):
            return None
        if tokens is not None and not charges_failures:
            tokens.give(-cost_count)
        self._share = None if self._share is None else self._share.repeated()
        self._retry_count += 1
        return cost_count

    @property
    def _is_let_through(self) -> bool:
        """Whether everything but the bucket lets one more repeat through."""
        most, part = self._policy.concurrent_retry_count_max, self._policy.failure_fraction
        return (
            (self._share is None or self._share.can_repeat)
            and (most is None or self._retry_count < most)
            and (part is None or self._failure_count <= part * self._call_count)
        )
