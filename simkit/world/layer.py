"""A layer below the agent that passes a call down and repeats it where the way failed.

Gateway, MCP client SDK and downstream SDK are this one class with other numbers. Such a layer sees
transport failures only: what a server decided, or said that it does not know, is passed up.
"""

from collections.abc import Callable
from dataclasses import replace

from simkit.journal import Journal
from simkit.policy import worst_knowledge
from simkit.records import Attempt, Reply
from simkit.scenario import RetryLayer
from simkit.terms import Action, Knowledge, OnExhausted, State
from simkit.world.messages import Answer, ReplyPath, Sender, Steps, ToolCall
from simkit.world.timeline import Timeline
from simkit.world.trials import Trials

__all__ = ["Layer", "attempt_once"]


def attempt_once(
    policy: RetryLayer,
    call: ToolCall,
    number: int,
    below: Sender,
    timeline: Timeline,
    journal: Journal,
    reply: ReplyPath | None,
) -> Steps:
    """Send one attempt, wait for its answer, and write both down.

    Where this is the layer's last attempt and its own caller, reached by `reply`, has gone, nobody
    waits for the answer any more.
    """
    journal.append(
        Attempt(
            at_s=timeline.now_s,
            layer=policy.name,
            path=call.path,
            attempt_number=number,
            intent=call.intent,
            operation_id=call.operation_id,
            inputs=call.inputs,
            stage=call.stage,
        )
    )
    waiter = below.send(call, policy.timeout_s)
    if reply is not None and number == policy.attempts:
        reply.abandon_when_unwanted(waiter)
    answer: Answer = yield waiter.event
    journal.append(
        Reply(
            at_s=timeline.now_s,
            layer=policy.name,
            path=call.path,
            intent=call.intent,
            operation_id=call.operation_id,
            inputs=call.inputs,
            state=answer.state,
            detail=answer.detail,
            stage=call.stage,
            origin=answer.origin,
            result=answer.result,
        )
    )
    return answer


class Layer:
    """Serves calls from above by attempts below."""

    takes_calls_locally = True

    def __init__(self, policy: RetryLayer, below: Sender, timeline: Timeline, journal: Journal, trials: Trials) -> None:
        self._policy = policy
        self._below = below
        self._timeline = timeline
        self._journal = journal
        self._trials = trials

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Pass a call down, repeat it as the policy says, and answer."""
        answer = yield from self._attempts(call, reply)
        reply.answer(answer)

    def send_and_wait(self, call: ToolCall, is_alive: Callable[[], bool]) -> Steps:
        """The same for a caller in the same process that waits as long as it takes.

        Once `is_alive` says that the process is another one, nothing more is sent.
        """
        answer = yield from self._attempts(call, None, is_alive)
        return answer

    def _attempts(self, call: ToolCall, reply: ReplyPath | None, is_alive: Callable[[], bool] | None = None) -> Steps:
        policy, timeline = self._policy, self._timeline
        known: Knowledge | None = None
        first = timeline.mark() if policy.budget_s is not None else None
        is_local = reply is not None and reply.takes_time
        for number in range(1, policy.attempts + 1):
            attempt = replace(call, path=f"{call.path}/{number}")
            answer: Answer = yield from attempt_once(
                policy, attempt, number, self._below, timeline, self._journal, reply
            )
            if answer.error not in policy.retries_on or (is_alive is not None and not is_alive()):
                return answer
            known = worst_knowledge(known, answer.state)
            if number == policy.attempts:
                break
            self._trials.action(policy.name, known, attempt.path, Action.SAME_ID, ())
            yield timeline.wait(policy.backoff, f"{policy.name}.backoff@{attempt.path}", is_local=is_local)
            if is_alive is not None and not is_alive():
                break
            if (
                first is not None
                and policy.budget_s is not None
                and timeline.passed(first, policy.budget_s, f"{policy.name}.budget")
            ):
                break
        # Whatever the layer calls it: giving up decides nothing, so the layer above must not take it for a rejection.
        word = "failed" if policy.on_exhausted is OnExhausted.SAY_FAILED else "unknown"
        return Answer(state=State.UNKNOWN, detail=f"{policy.name} gave up and said {word}")
