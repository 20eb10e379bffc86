"""One layer of one client's stack: attempts below, until one succeeds or the policy has had enough.

It decides as the layers of single calls do: what is retried, how long it waits and what it says when it gives up
come from the same `RetryPolicy`. A deadline beats an answer at the same instant.
"""

from itertools import count

from simpy import Environment
from simpy.events import Event

from simkit.choices import KeyMinted
from simkit.policy import Admission
from simkit.scenario import LoadLayer
from simkit.terms import ErrorClass, OnExhausted
from simkit.world.load.ledger import Ledger
from simkit.world.load.messages import Acting, Below, Call, Draw, Serving, silence
from simkit.world.load.throttles import Throttle
from simkit.world.pacing import Backoffs

__all__ = ["NOTHING_DONE", "Layer"]

NOTHING_DONE = frozenset({ErrorClass.CONNECTION_REFUSED, ErrorClass.OVERLOADED, ErrorClass.CONFLICT})
"""Failures after which a caller may be sure that this attempt did nothing."""

ASKING = frozenset({ErrorClass.OVERLOADED, ErrorClass.UNAVAILABLE})

BREAKER_OPEN = ErrorClass.UNAVAILABLE
"""What a call hears of a try that its own breaker held back."""


class Layer:
    """Serves calls of the layer above; the outermost serves operations.

    Parameters
    ----------
    index
        0 of the outermost.
    minted
        For what it mints a key, where the call bears none; None where it mints none, as every layer but the innermost.
    asked_s
        What an answer that says overloaded or unavailable asks for; 0 where it asks for nothing.
    """

    def __init__(
        self,
        policy: LoadLayer,
        index: int,
        below: Below,
        env: Environment,
        draw: Draw,
        ledger: Ledger,
        *,
        method: str,
        minted: KeyMinted | None,
        asked_s: float,
    ) -> None:
        self._policy = policy
        self._index = index
        self._below = below
        self._env = env
        self._draw = draw
        self._ledger = ledger
        self._method = method
        self._minted = minted
        self._asked_s = asked_s
        self._throttle = Throttle(policy, env) if policy.holds_back else None
        self._minted_count = 0

    def serve(self, call: Call) -> Serving:
        """Attempts for one call."""
        env, throttle, backoffs = self._env, self._throttle, Backoffs()
        begun_at_s = env.now
        call = self._with_key(call, KeyMinted.PER_CALL)
        is_open = False
        before: ErrorClass | None = None
        failure: ErrorClass | None
        if throttle is not None:
            throttle.begin()
        for number in count(1):
            admission = Admission.GRANTED if throttle is None else throttle.admit()
            if admission is Admission.REFUSED:
                failure, asked_s = BREAKER_OPEN, 0.0
            else:
                failure = yield from self._attempt(self._with_key(call, KeyMinted.PER_ATTEMPT))
                asked_s = self._asked_s if failure in ASKING else 0.0
                is_open = is_open or failure not in NOTHING_DONE
            is_retried = self._is_retried(failure, asked_s)
            if throttle is not None:
                self._note(throttle, failure, admission, before, is_retried=is_retried)
            if failure is None:
                return None
            if not is_retried or not self._goes_on(throttle, failure, number, asked_s):
                break
            wait_s = self._wait_s(failure, number, backoffs, asked_s)
            if wait_s > 0:
                yield env.timeout(wait_s)
            if self._is_over(begun_at_s):
                if throttle is not None:
                    throttle.ends_repeat()
                break
            before = failure
        return self._said(failure, is_open=is_open and is_retried)

    def _is_retried(self, failure: ErrorClass | None, asked_s: float) -> bool:
        """Whether it is among the failures that the policy tries again."""
        return self._policy.is_retried(failure, self._method, asks_to_wait=asked_s > 0)

    def _note(
        self,
        throttle: Throttle,
        failure: ErrorClass | None,
        admission: Admission,
        before: ErrorClass | None,
        *,
        is_retried: bool,
    ) -> None:
        """What the throttle learns from an attempt, sent or held back."""
        is_repeat = before is not None
        if admission is not Admission.REFUSED:
            throttle.hear(failure, admission, is_retried=is_retried, is_repeat=is_repeat, after=before)
        if is_repeat:
            throttle.ends_repeat()

    def _attempt(self, call: Call) -> Serving:
        """Send once, and wait as long as the policy does."""
        env, timeout_s = self._env, self._policy.timeout_s
        if self._ledger.is_full:
            yield silence(env)
        call.operation.attempt_counts[self._index] += 1
        if timeout_s is None:
            failure = yield from self._below.serve(call)
            return failure
        answered = env.event()

        def stop_waiting(_: Event) -> None:
            if not answered.triggered:
                answered.succeed(ErrorClass.TIMEOUT)

        deadline = env.timeout(timeout_s)
        deadline.callbacks.append(stop_waiting)
        env.process(self._carry(call, answered))
        heard: ErrorClass | None = yield answered
        return heard

    def _carry(self, call: Call, answered: Event) -> Acting:
        """An attempt that goes on below whether or not anybody waits for it."""
        failure = yield from self._below.serve(call)
        if not answered.triggered:
            answered.succeed(failure)

    def _goes_on(self, throttle: Throttle | None, failure: ErrorClass, number: int, asked_s: float) -> bool:
        """Whether another try follows a failure that is tried again; what it takes for that is taken."""
        policy = self._policy
        if not policy.has_after(number) or policy.stops_asked(asked_s):
            return False
        return throttle is None or throttle.takes_repeat(failure)

    def _is_over(self, begun_at_s: float) -> bool:
        """Whether the time budget is used up, which began with the first attempt."""
        budget_s = self._policy.budget_s
        return budget_s is not None and self._env.now >= begun_at_s + budget_s

    def _wait_s(self, failure: ErrorClass, number: int, backoffs: Backoffs, asked_s: float) -> float:
        policy, formula = self._policy, self._policy.backoff_after(failure)
        backoff = policy.wait_before(number, failure, backoffs.previous_s(formula))
        wait = policy.wait_asked(backoff, asked_s)
        wait_s = wait.s_typical if wait.law is None else wait.duration_s(self._draw())
        if wait is backoff:
            backoffs.add(formula, number, backoff, wait_s)
        return wait_s

    def _with_key(self, call: Call, minted: KeyMinted) -> Call:
        if self._minted is not minted or call.key is not None:
            return call
        self._minted_count += 1
        return Call(call.operation, f"{call.operation.index}/{self._index}/{self._minted_count}")

    def _said(self, failure: ErrorClass | None, *, is_open: bool) -> ErrorClass | None:
        """What goes up after the last attempt; `is_open` says that the layer gave up what it possibly did."""
        return failure if self._policy.on_exhausted is OnExhausted.SAY_LAST or not is_open else ErrorClass.UNKNOWN
