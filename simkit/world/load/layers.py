"""One layer of one client's stack: attempts below, until one succeeds or the policy has had enough.

It decides as the layers of single calls do: what is retried, how long it waits and what it says when it gives up
come from the same `RetryPolicy`. A deadline beats an answer at the same instant.
"""

from itertools import count

from simpy import Environment
from simpy.events import Event

from simkit.choices import KeyMinted
from simkit.distributions import Wait
from simkit.policy import Admission
from simkit.scenario import LoadLayer
from simkit.terms import ErrorClass, OnExhausted
from simkit.world.load.ledger import Ledger
from simkit.world.load.messages import Acting, Below, Call, Draw, Serving, silence
from simkit.world.load.throttles import Throttle

__all__ = ["NOTHING_DONE", "Layer"]

NOTHING_DONE = frozenset({ErrorClass.CONNECTION_REFUSED, ErrorClass.OVERLOADED, ErrorClass.CONFLICT})
"""Failures after which a caller may be sure that this attempt did nothing."""

ASKING = frozenset({ErrorClass.OVERLOADED, ErrorClass.UNAVAILABLE})


class Layer:
    """Serves calls of the layer above; the outermost serves operations.

    Parameters
    ----------
    index
        0 of the outermost.
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
        asked_s: float,
    ) -> None:
        self._policy = policy
        self._index = index
        self._below = below
        self._env = env
        self._draw = draw
        self._ledger = ledger
        self._method = method
        self._asked_s = asked_s
        self._throttle = Throttle(policy, env) if policy.holds_back else None
        self._minted_count = 0

    def serve(self, call: Call) -> Serving:
        """Attempts for one call."""
        policy, env, throttle = self._policy, self._env, self._throttle
        begun_at_s = env.now
        call = self._with_key(call, KeyMinted.PER_CALL)
        is_open = False
        previous_s: float | None = None
        cost_count = 0.0
        if throttle is not None:
            throttle.begin()
        for number in count(1):
            admission = Admission.GRANTED if throttle is None else throttle.admit()
            is_held_back = admission is Admission.REFUSED
            if is_held_back:
                failure: ErrorClass | None = ErrorClass.UNAVAILABLE
            else:
                failure = yield from self._attempt(self._with_key(call, KeyMinted.PER_ATTEMPT))
                if throttle is not None:
                    throttle.hear(failure, admission, is_retry=number > 1, cost_count=cost_count)
                is_open = is_open or failure not in NOTHING_DONE
            if failure is None:
                return None
            asked_s = self._asked_s if failure in ASKING and not is_held_back else 0.0
            if not self._wants(failure, number, asked_s):
                break
            if throttle is not None:
                paid_count = throttle.takes_repeat(failure)
                if paid_count is None:
                    break
                cost_count = paid_count
            previous_s = self._wait_s(failure, number, previous_s, asked_s)
            if previous_s > 0:
                yield env.timeout(previous_s)
            if policy.budget_s is not None and env.now > begun_at_s + policy.budget_s:
                break
        return self._said(failure, is_open=is_open)

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

    def _wants(self, failure: ErrorClass, number: int, asked_s: float) -> bool:
        policy = self._policy
        return (
            policy.has_after(number)
            and policy.is_retried(failure, self._method, asks_to_wait=asked_s > 0)
            and not policy.stops_asked(asked_s)
        )

    def _wait_s(self, failure: ErrorClass, number: int, previous_s: float | None, asked_s: float) -> float:
        policy = self._policy
        wait: Wait = policy.wait_asked(policy.wait_before(number, failure, previous_s), asked_s)
        return wait.s_typical if wait.law is None else wait.duration_s(self._draw())

    def _with_key(self, call: Call, minted: KeyMinted) -> Call:
        if self._policy.mints_key is not minted or call.key is not None:
            return call
        self._minted_count += 1
        return Call(call.operation, f"{call.operation.index}/{self._index}/{self._minted_count}")

    def _said(self, failure: ErrorClass | None, *, is_open: bool) -> ErrorClass | None:
        """What goes up after the last attempt."""
        policy = self._policy
        if policy.on_exhausted is OnExhausted.SAY_LAST or not is_open or not policy.is_retried(failure, self._method):
            return failure
        return ErrorClass.UNKNOWN
