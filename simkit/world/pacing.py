"""When a layer may repeat a call, and how long it waits before it does.

A throttle (token bucket, circuit breaker, share of calls, repeats at once) belongs to the layer, not to a call: what
one call uses up, another one lacks. So the steps of a throttled layer are visible ones; without a
throttle they touch only their own call. What a throttle knows is the memory of one process, and goes with it:
processes beside each other have a `Pacing` each, and one that restarts forgets.
"""

from dataclasses import asdict

from simpy.events import Event

from simkit.distributions import Backoff, Wait
from simkit.policy import Admission, Breaker, Bucket, Concurrency, Share
from simkit.scenario import RetryLayer, RetryPolicy, TokenBucket
from simkit.terms import ErrorClass, State
from simkit.world.messages import Answer, Sender, ToolCall
from simkit.world.places import NOTHING
from simkit.world.timeline import Instant, Timeline

__all__ = ["HEALTHY", "Backoffs", "Pacing", "Throttle", "full_bucket"]

HEALTHY = frozenset({None, ErrorClass.CONFLICT, ErrorClass.PENDING})
"""Answers of a party that is well, whatever it said; a breaker counts the others."""

SUCCESSES = frozenset({State.COMPLETED, State.ACCEPTED})
"""Answers that give tokens back."""

_GRANTED = Admission.GRANTED


class Throttle:
    """What a layer remembers of all its calls; parts that its policy does not have say yes to everything."""

    def __init__(self, policy: RetryPolicy, timeline: Timeline, name: str) -> None:
        share, breaker, count_max = policy.retry_share, policy.circuit_breaker, policy.concurrent_retry_count_max
        self._timeline = timeline
        self._site = f"{name}.breaker"
        self._bucket = None if policy.token_bucket is None else full_bucket(policy.token_bucket)
        self._share = None if share is None else Share(fraction=share.fraction, count_min=share.count_min)
        self._concurrency = None if count_max is None else Concurrency(count_max=count_max)
        self._breaker = None if breaker is None else Breaker(failure_count_max=breaker.failure_count)
        self._open_s = 0.0 if breaker is None else breaker.open_s
        self._opened: Instant | None = None

    def admit(self, path: str, attempt_number: int) -> Admission:
        """Say whether an attempt is sent; a first one is counted as a call."""
        if attempt_number == 1:
            self._share = None if self._share is None else self._share.called()
            self._bucket = None if self._bucket is None else self._bucket.called()
        breaker, opened = self._breaker, self._opened
        if breaker is None or opened is None:
            return _GRANTED
        is_over = breaker.is_waiting and self._timeline.passed(opened, self._open_s, f"{self._site}@{path}")
        admission = breaker.admission(open_time_is_over=is_over)
        if admission is Admission.TRIAL:
            self._breaker = breaker.tried()
        return admission

    def hear(self, answer: Answer, admission: Admission, *, is_failure: bool, after: Answer | None) -> None:
        """Take note of the answer to an attempt that was sent.

        Parameters
        ----------
        is_failure
            Whether it is among the failures that are tried again.
        after
            The answer after which the attempt was a repeat; None of a first one.
        """
        bucket, breaker = self._bucket, self._breaker
        if bucket is not None and answer.state in SUCCESSES:
            failure = None if after is None else after.error
            self._bucket = bucket.succeeded(is_repeat=after is not None, failure=failure)
        elif bucket is not None and is_failure:
            self._bucket = bucket.failed(answer.error)
        if breaker is not None:
            self._breaker = breaker.heard(admission, is_failure=answer.error not in HEALTHY)
            if self._breaker.is_waiting and not breaker.is_waiting:
                self._opened = self._timeline.mark()

    def takes_repeat(self, answer: Answer) -> bool:
        """Whether one more repeat may be made, after that answer; if so, it is paid, counted and under way."""
        bucket, share, concurrency = self._bucket, self._share, self._concurrency
        if (
            (bucket is not None and not bucket.can_repeat(answer.error))
            or (share is not None and not share.can_repeat)
            or (concurrency is not None and not concurrency.can_repeat)
        ):
            return False
        self._bucket = None if bucket is None else bucket.repeated(answer.error)
        self._share = None if share is None else share.repeated()
        self._concurrency = None if concurrency is None else concurrency.begun()
        return True

    def ends_repeat(self) -> None:
        """Take note that a repeat is under way no more: it was answered, or is not sent after all."""
        self._concurrency = None if self._concurrency is None else self._concurrency.ended()


def full_bucket(bucket: TokenBucket) -> Bucket:
    """The bucket of a policy as it is at the start."""
    return Bucket(token_count=bucket.token_count_max, **asdict(bucket))


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
        self.throttle = Throttle(policy, timeline, policy.name)
        self.is_local = below.sends_locally and not policy.is_throttled

    def forget(self) -> None:
        """Begin with a fresh throttle: the process that remembered is gone."""
        self.throttle = Throttle(self._policy, self._timeline, self._policy.name)

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
        return self.wants_repeat(call, answer) and self.throttle.takes_repeat(answer)

    def wait(
        self, call: ToolCall, answer: Answer, number: int, backoffs: "Backoffs", *, is_local: bool = True
    ) -> Event:
        """Wait until the next attempt: the backoff, or what the answer asks for, as the policy says.

        Parameters
        ----------
        backoffs
            Those that the same call has waited for so far; this one is added.
        is_local
            Whether nothing else in this step touches another call.
        """
        policy, formula = self._policy, self._policy.backoff_after(answer.error)
        backoff = policy.wait_before(number, answer.error, backoffs.previous_s(formula))
        made = policy.wait_asked(backoff, answer.retry_after_s)
        touches = NOTHING if is_local and self.is_local else call.at
        event = self._timeline.wait(made, f"{policy.name}.backoff@{call.path}", touches=touches)
        if made is backoff:
            backoffs.add(formula, number, backoff, self._timeline.drawn_s(event))
        return event


class Backoffs:
    """What one call remembers of its waits, since a decorrelated one is drawn by the one before of the same formula.

    An asked wait is none of them. On a clock what was drawn is known; on intervals a wait is known by its bounds.
    """

    __slots__ = ("_previous_s",)

    def __init__(self) -> None:
        self._previous_s: dict[Backoff, float | None] = {}

    def previous_s(self, formula: Wait | Backoff) -> float | None:
        """How long the wait before took by that formula, in seconds; None where nobody drew it, or it does not matter.

        Where there was none, the next is drawn as the first one is.
        """
        if not isinstance(formula, Backoff) or not formula.is_decorrelated:
            return None
        return self._previous_s.get(formula, formula.first_s)

    def add(self, formula: Wait | Backoff, number: int, wait: Wait, drawn_s: float | None) -> None:
        """Take note of the wait before retry `number`, from 1, and of how long it takes where that was drawn."""
        if isinstance(formula, Backoff) and formula.is_decorrelated and number > formula.immediate_count:
            self._previous_s[formula] = wait.s_min if wait.s_min == wait.s_max else drawn_s
