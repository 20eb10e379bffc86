"""When a layer may repeat a call, and how long it waits before it does.

A throttle (token bucket, circuit breaker, share of calls) belongs to the layer, not to a call: what
one call uses up, another one lacks. So the steps of a throttled layer are visible ones; without a
throttle they touch only their own call. What a throttle knows is the memory of one process, and goes with it:
processes beside each other have a `Pacing` each, and one that restarts forgets.
"""

from simpy.events import Event

from simkit.policy import Admission, Breaker, Bucket, Share
from simkit.scenario import RetryLayer
from simkit.terms import ErrorClass, State
from simkit.world.messages import Answer, Sender, ToolCall
from simkit.world.places import NOTHING
from simkit.world.timeline import Instant, Timeline

__all__ = ["Pacing", "Throttle"]

HEALTHY = frozenset({None, ErrorClass.CONFLICT, ErrorClass.PENDING})
"""Answers of a party that is well, whatever it said; a breaker counts the others."""

SUCCESSES = frozenset({State.COMPLETED, State.ACCEPTED})
"""Answers that give tokens back."""

_GRANTED = Admission.GRANTED


class Throttle:
    """What a layer remembers of all its calls; parts that its policy does not have say yes to everything."""

    def __init__(self, policy: RetryLayer, timeline: Timeline) -> None:
        bucket, breaker, share = policy.token_bucket, policy.circuit_breaker, policy.retry_share
        self._timeline = timeline
        self._site = f"{policy.name}.breaker"
        self._bucket: Bucket | None = None
        self._share: Share | None = None
        self._breaker: Breaker | None = None
        self._open_s = 0.0
        self._opened: Instant | None = None
        if bucket is not None:
            self._bucket = Bucket(
                token_count_max=bucket.token_count_max,
                cost_count=bucket.cost_count,
                refund_count=bucket.refund_count,
                token_count=bucket.token_count_max,
            )
        if share is not None:
            self._share = Share(fraction=share.fraction, count_min=share.count_min)
        if breaker is not None:
            self._breaker, self._open_s = Breaker(failure_count_max=breaker.failure_count), breaker.open_s

    def admit(self, path: str, attempt_number: int) -> Admission:
        """Say whether an attempt is sent; a first one is counted as a call."""
        if self._share is not None and attempt_number == 1:
            self._share = self._share.called()
        breaker, opened = self._breaker, self._opened
        if breaker is None or opened is None:
            return _GRANTED
        is_over = breaker.is_waiting and self._timeline.passed(opened, self._open_s, f"{self._site}@{path}")
        admission = breaker.admission(open_time_is_over=is_over)
        if admission is Admission.TRIAL:
            self._breaker = breaker.tried()
        return admission

    def hear(self, answer: Answer, admission: Admission) -> None:
        """Take note of the answer to an attempt that was sent."""
        if self._bucket is not None and answer.state in SUCCESSES:
            self._bucket = self._bucket.refunded()
        if self._breaker is not None:
            was_waiting = self._breaker.is_waiting
            self._breaker = self._breaker.heard(admission, is_failure=answer.error not in HEALTHY)
            if self._breaker.is_waiting and not was_waiting:
                self._opened = self._timeline.mark()

    def takes_repeat(self) -> bool:
        """Whether one more repeat may be made; if so, it is paid and counted."""
        bucket, share = self._bucket, self._share
        if (bucket is not None and not bucket.can_pay) or (share is not None and not share.can_repeat):
            return False
        self._bucket = None if bucket is None else bucket.paid()
        self._share = None if share is None else share.repeated()
        return True


class Pacing:
    """How one layer repeats, in one process.

    Parameters
    ----------
    below
        Whatever the layer sends to.

    Attributes
    ----------
    throttle
        What its calls share. Bind it before sending: an answer belongs to the process that sent.
    is_local
        Whether an attempt of this layer, and the answer to it, touch only their own call.
    """

    def __init__(self, policy: RetryLayer, below: Sender, timeline: Timeline) -> None:
        self._policy = policy
        self._timeline = timeline
        self.throttle = Throttle(policy, timeline)
        self.is_local = below.sends_locally and not policy.is_throttled

    def forget(self) -> None:
        """Begin with a fresh throttle: the process that remembered is gone."""
        self.throttle = Throttle(self._policy, self._timeline)

    def is_failure(self, call: ToolCall, answer: Answer) -> bool:
        """Whether an answer to such a call is among the failures that the policy tries again."""
        return self._policy.is_retried(answer.error, call.method, asks_to_wait=answer.retry_after_s > 0)

    def wants_repeat(self, call: ToolCall, answer: Answer) -> bool:
        """Whether the policy repeats such a call after such an answer, throttle aside."""
        return self.is_failure(call, answer) and not self._policy.stops_asked(answer.retry_after_s)

    def is_repeatable(self, call: ToolCall) -> bool:
        """Whether the policy repeats calls of this method at all."""
        return self._policy.repeats_method(call.method)

    def may_repeat(self, call: ToolCall, answer: Answer) -> bool:
        """Whether the call is repeated now; what the throttle takes for a repeat is taken."""
        return self.wants_repeat(call, answer) and self.throttle.takes_repeat()

    def wait(self, call: ToolCall, answer: Answer, number: int, *, is_local: bool = True) -> Event:
        """Wait until the next attempt: the backoff, or what the answer asks for where that counts and is longer.

        `is_local` says that nothing else in this step touches another call.
        """
        policy = self._policy
        wait = policy.wait_asked(policy.wait_before(number, answer.error), answer.retry_after_s)
        touches = NOTHING if is_local and self.is_local else call.at
        return self._timeline.wait(wait, f"{policy.name}.backoff@{call.path}", touches=touches)
