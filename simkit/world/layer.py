"""A layer below the agent that passes a call down and repeats it where the way failed.

Gateway, MCP client SDK and downstream SDK are this one class with other numbers. What is not among
the failures that the policy repeats is passed up as it is. A layer that gives up says so, and where an
attempt was possibly sent it does not pass a later refusal up as if nothing had been: only a layer that
says what it heard last does that, as many real SDKs do.

An SDK that mints a key does so for one call of it. Whoever sends again above it (the agent, a relay, somebody who
takes an operation over) calls it anew, so that its key covers nothing but its own repeats.
"""

from collections.abc import Callable
from itertools import count

from simkit.choices import KeyMinted
from simkit.journal import Journal
from simkit.policy import Admission, Stages, is_nothing_sent, knowledge_of_stages, merged_stages, worst_knowledge
from simkit.scenario import RetryLayer
from simkit.terms import Action, ErrorClass, Knowledge, LayerName, OnExhausted, State
from simkit.world.attempts import note_attempt, note_reply
from simkit.world.messages import Answer, ReplyPath, Sender, Steps, ToolCall
from simkit.world.pacing import Backoffs, Pacing
from simkit.world.places import NOTHING
from simkit.world.timeline import Instant, Timeline
from simkit.world.trials import Place, Trials

__all__ = ["BREAKER_OPEN", "Layer", "attempt_once"]

BREAKER_OPEN = Answer(state=State.REFUSED, detail="circuit breaker is open", error=ErrorClass.UNAVAILABLE)
"""Nothing was sent: the layer itself held the attempt back."""


def attempt_once(
    policy: RetryLayer,
    call: ToolCall,
    number: int,
    below: Sender,
    timeline: Timeline,
    journal: Journal,
    reply: ReplyPath | None,
    pacing: Pacing | None = None,
    after: Answer | None = None,
) -> Steps:
    """Send one attempt, wait for its answer, and write both down; an open breaker refuses, and nothing is written.

    Where the attempt is a repeat, `after` is the answer that it follows.

    A caller, reached by `reply`, that has gone ends the attempt where it interrupts the layer. Where it does
    not, nobody waits for the answer to the layer's last attempt any more, unless a throttle learns from it or
    to stop waiting would interrupt somebody below.
    """
    throttle = None if pacing is None else pacing.throttle
    admission = Admission.GRANTED if throttle is None else throttle.admit(call.path, number)
    if admission is Admission.REFUSED:
        return BREAKER_OPEN
    note_attempt(policy.name, call, number, timeline, journal)
    waiter = below.send(call, policy.timeout_s)
    is_last = not policy.has_after(number) and not policy.is_throttled and not waiter.interrupts
    if reply is not None and (reply.interrupts or is_last):
        reply.abandon_when_unwanted(waiter)
    answer: Answer = yield waiter.event
    if pacing is not None and throttle is not None:
        throttle.hear(answer, admission, is_failure=pacing.is_failure(call, answer), after=after)
    note_reply(policy.name, call, answer, timeline, journal)
    return answer


class Layer:
    """Serves calls from above by attempts below; one whose caller has gone and interrupts it sends no more."""

    def __init__(self, policy: RetryLayer, below: Sender, timeline: Timeline, journal: Journal, trials: Trials) -> None:
        self._policy = policy
        self._below = below
        self._timeline = timeline
        self._journal = journal
        self._trials = trials
        self._pacing_by_process: dict[str, Pacing] = {}
        self.place = NOTHING
        self.takes_calls_locally = self._pacing_in("").is_local

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Pass a call down, repeat it as the policy says, and answer."""
        answer = yield from self._attempts(call, reply, lambda: reply.is_wanted, self._pacing_in(""))
        reply.answer(answer)

    def send_and_wait(self, call: ToolCall, is_alive: Callable[[], bool], process: str = "") -> Steps:
        """The same for a caller in the same process that waits as long as it takes.

        Once `is_alive` says that the process is another one, nothing more is sent. Calls of one `process`
        share its throttle; a layer that is part of several, or of one that died, has one for each.
        """
        answer = yield from self._attempts(call, None, is_alive, self._pacing_in(process))
        return answer

    def _pacing_in(self, process: str) -> Pacing:
        if process not in self._pacing_by_process:
            self._pacing_by_process[process] = Pacing(self._policy, self._below, self._timeline)
        return self._pacing_by_process[process]

    def _attempts(self, call: ToolCall, reply: ReplyPath | None, goes_on: Callable[[], bool], pacing: Pacing) -> Steps:
        policy, timeline = self._policy, self._timeline
        known: Knowledge | None = None
        stages: Stages = ()
        first = timeline.mark() if policy.budget_s is not None else None
        is_local = reply is not None and reply.takes_time and not reply.interrupts
        minted, before, backoffs = self._minted(call), None, Backoffs()
        for number in count(1):
            attempt = _under_key(call.along(f"{call.path}/{number}"), call, minted)
            answer: Answer = yield from attempt_once(
                policy, attempt, number, self._below, timeline, self._journal, reply, pacing, before
            )
            if before is not None:
                pacing.throttle.ends_repeat()
            if not goes_on():
                return answer
            known = worst_knowledge(known, answer.state, means=answer.means)
            stages = merged_stages(stages, answer.stages)
            if not policy.has_after(number) or not self._repeats(attempt, answer, known, stages, pacing):
                break
            yield pacing.wait(attempt, answer, number, backoffs, is_local=is_local)
            if not goes_on() or self._is_over(first):
                pacing.throttle.ends_repeat()
                break
            before = answer
        return self._said(answer, known, is_failure=pacing.is_failure(call, answer))

    def _is_over(self, first: Instant | None) -> bool:
        """Whether the time budget is used up, which began with the first attempt."""
        budget_s = self._policy.budget_s
        if first is None or budget_s is None:
            return False
        return self._timeline.passed(first, budget_s, f"{self._policy.name}.budget")

    def _minted(self, call: ToolCall) -> KeyMinted | None:
        """For what a key is minted here; what a server sends on by itself bears one already, or is not looked at."""
        is_next_to_system = self._policy.name is LayerName.DOWNSTREAM_SDK
        return self._policy.mints_key if is_next_to_system and not call.key else None

    def _repeats(self, call: ToolCall, answer: Answer, known: Knowledge, stages: Stages, pacing: Pacing) -> bool:
        """Whether the call is sent again, as declared or on trial.

        What was decided is a result to a layer below the agent, whatever it says, and is passed up in any case.
        """
        repeats, trials = pacing.may_repeat(call, answer), self._trials
        if not trials.is_on:
            return repeats
        others: tuple[Action, ...] = ()
        if not repeats and answer.error is not None and not pacing.wants_repeat(call, answer):
            others = (Action.SAME_ID,)
        declared = Action.SAME_ID if repeats else Action.STOP
        if declared is Action.STOP and not others:
            return False
        # A layer below the agent cannot know whether another one sent the same.
        names = (call.stage,) if call.stage else trials.stages
        rows = knowledge_of_stages(names, known, stages, (), is_only_attempt=False)
        action = trials.action(Place(self._policy.name, rows), call.path, declared, others)
        return action is Action.SAME_ID and (repeats or pacing.throttle.takes_repeat(answer))

    def _said(self, last: Answer, known: Knowledge | None, *, is_failure: bool) -> Answer:
        """What goes up after the last attempt; `is_failure` says that it would be tried again while that is allowed."""
        policy = self._policy
        is_passed_up = not is_failure and last.state is not State.REFUSED
        if is_passed_up or is_nothing_sent(known) or policy.on_exhausted is OnExhausted.SAY_LAST:
            return last
        # Whatever the layer calls it: giving up decides nothing, so the layer above must not take it for a rejection.
        word = "failed" if policy.on_exhausted is OnExhausted.SAY_FAILED else "unknown"
        return Answer(state=State.UNKNOWN, detail=f"{policy.name} gave up and said {word}", error=ErrorClass.UNKNOWN)


def _under_key(attempt: ToolCall, call: ToolCall, minted: KeyMinted | None) -> ToolCall:
    """The attempt with the key that is minted for it, or for the whole call; a path is like nobody else's."""
    if minted is None:
        return attempt
    return attempt._replace(key=f"minted for {(call if minted is KeyMinted.PER_CALL else attempt).path}")
