"""What one layer of one client remembers of all its calls, and what that keeps it from.

=========================  =====================================  =========================================
what holds back            lets a repeat through while            changes with
=========================  =====================================  =========================================
token bucket               it has what a repeat needs             calls, failures, repeats, successes
share of the calls         repeats are few enough                 calls, repeats
repeats at once            few enough are under way               repeats, and the ends of them
counted failures           they are a small enough part of calls  calls, failures
circuit breaker            it is not open (first tries too)       every answer, and time
=========================  =====================================  =========================================

All but the counted failures are the pure states of `simkit.policy`, as in the world of single calls.
"""

from simpy import Environment

from simkit.policy import Admission, Breaker, Concurrency, Share
from simkit.scenario import LoadLayer
from simkit.terms import ErrorClass
from simkit.world.pacing import HEALTHY, full_bucket

__all__ = ["Throttle"]


class Throttle:
    """What all calls of one layer of one client share; parts that its policy does not have say yes to everything."""

    def __init__(self, policy: LoadLayer, env: Environment) -> None:
        share, breaker, count_max = policy.retry_share, policy.circuit_breaker, policy.concurrent_retry_count_max
        self._env = env
        self._bucket = None if policy.token_bucket is None else full_bucket(policy.token_bucket)
        self._share = None if share is None else Share(fraction=share.fraction, count_min=share.count_min)
        self._concurrency = None if count_max is None else Concurrency(count_max=count_max)
        self._breaker = None if breaker is None else Breaker(failure_count_max=breaker.failure_count)
        self._open_s = 0.0 if breaker is None else breaker.open_s
        self._opened_at_s = 0.0
        self._failure_fraction = policy.failure_fraction
        self._call_count = 0
        self._failure_count = 0

    def begin(self) -> None:
        """Take note of a call from above, before its first attempt."""
        self._call_count += 1
        self._share = None if self._share is None else self._share.called()
        self._bucket = None if self._bucket is None else self._bucket.called()

    def admit(self) -> Admission:
        """Say whether an attempt is sent."""
        if self._breaker is None:
            return Admission.GRANTED
        # An expiry is over at its instant; the sum of floats decides, as everywhere in this world.
        admission = self._breaker.admission(open_time_is_over=self._env.now >= self._opened_at_s + self._open_s)
        if admission is Admission.TRIAL:
            self._breaker = self._breaker.tried()
        return admission

    def hear(
        self,
        failure: ErrorClass | None,
        admission: Admission,
        *,
        is_retried: bool,
        is_repeat: bool,
        after: ErrorClass | None,
    ) -> None:
        """Take note of the answer to an attempt that was sent.

        Parameters
        ----------
        is_retried
            Whether it is among the failures that are tried again.
        after
            The failure after which the attempt was a repeat; None of a first one.
        """
        self._failure_count += failure is not None
        bucket, breaker = self._bucket, self._breaker
        if bucket is not None and failure is None:
            self._bucket = bucket.succeeded(is_repeat=is_repeat, failure=after)
        elif bucket is not None and is_retried:
            self._bucket = bucket.failed(failure)
        if breaker is not None:
            self._breaker = breaker.heard(admission, is_failure=failure not in HEALTHY)
            if self._breaker.is_waiting and not breaker.is_waiting:
                self._opened_at_s = self._env.now

    def takes_repeat(self, failure: ErrorClass | None) -> bool:
        """Whether one more repeat may be made, after that failure; if so, it is paid, counted and under way."""
        bucket, share, concurrency, part = self._bucket, self._share, self._concurrency, self._failure_fraction
        if (
            (bucket is not None and not bucket.can_repeat(failure))
            or (share is not None and not share.can_repeat)
            or (concurrency is not None and not concurrency.can_repeat)
            or (part is not None and self._failure_count > part * self._call_count)
        ):
            return False
        self._bucket = None if bucket is None else bucket.repeated(failure)
        self._share = None if share is None else share.repeated()
        self._concurrency = None if concurrency is None else concurrency.begun()
        return True

    def ends_repeat(self) -> None:
        """Take note that a repeat is under way no more: it was answered, or is not sent after all."""
        self._concurrency = None if self._concurrency is None else self._concurrency.ended()
