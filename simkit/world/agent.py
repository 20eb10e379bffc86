"""The agent: makes the operation ID, repeats as declared, and tells the user what it knows.

It never sees an intent or an effect. What it reports stands beside what is true in the journal.
"""

from functools import partial

from simkit.choices import OnRejected
from simkit.journal import Journal
from simkit.policy import Admission, can_try, declared_action, is_repeated, outcome_of_stages
from simkit.scenario import Agent, Conditions, RetryLayer
from simkit.terms import Action, Identity, Knowledge, Outcome, ReadbackAnswer
from simkit.world.asking import Asking
from simkit.world.attempts import note_attempt, note_reply
from simkit.world.conclusions import Conclusions
from simkit.world.course import Course
from simkit.world.dispatch import Errand
from simkit.world.identities import IdMaker, as_sent
from simkit.world.layer import BREAKER_OPEN
from simkit.world.messages import Answer, Sender, Steps, ToolCall
from simkit.world.pacing import Pacing
from simkit.world.restarts import AgentProcess
from simkit.world.timeline import Timeline
from simkit.world.trials import Trials

__all__ = ["AgentParty"]

_MADE_FROM_ELSEWHERE = frozenset({Identity.PER_PROCESS, Identity.HASH_OF_ARGUMENTS})
"""Identities that would be made from the process or the arguments again; a replacement keeps its own."""


class AgentParty:
    """Carries out errands.

    Parameters
    ----------
    process
        In which all errands are carried out.
    readbacks
        How the agent can ask for a status; None where it cannot.
    """

    def __init__(
        self,
        agent: Agent,
        policy: RetryLayer,
        conditions: Conditions,
        process: AgentProcess,
        below: Sender,
        readbacks: Asking | None,
        conclusions: Conclusions,
        timeline: Timeline,
        journal: Journal,
        trials: Trials,
    ) -> None:
        self._agent = agent
        self._policy = policy
        self._process = process
        self._below = below
        self._readbacks = readbacks
        self._conclusions = conclusions
        self._pacing = Pacing(policy, below, timeline)
        self._timeline = timeline
        self._journal = journal
        self._trials = trials
        budget_s = conditions.retry_horizon_s
        self._budget_s = budget_s if policy.budget_s is None else min(budget_s, policy.budget_s)

    def carry_out(self, errand: Errand) -> Steps:
        """Try until it is settled, the attempts are used up, or the horizon has passed; then report."""
        ids = IdMaker(
            identity=self._agent.identity,
            operation=errand.planned.operation,
            occurrence_number=errand.occurrence_number,
        )
        course = Course(errand=errand, ids=ids, first_at=self._timeline.mark())
        self._process.begins(course)
        yield from self._live(course)

    def _go_on(self, course: Course) -> Steps:
        """Another life of an errand, after a restart; past the horizon only what is remembered is told."""
        if not self._timeline.passed(course.first_at, self._budget_s, "agent.budget"):
            yield from self._live(course)
        elif course.calls:
            yield from self._conclusions.conclude(course, course.calls[-1])

    def _live(self, course: Course) -> Steps:
        life, number, action = course.life, 1, Action.SAME_ID
        while True:
            call = self._next_call(course, number, action)
            answer: Answer | None = yield from self._attempt(course, call, number)
            if answer is None:
                return
            has_attempts_left = number < self._policy.attempts and self._pacing.is_repeatable(call)
            action = yield from self._choose(course, call, answer, has_attempts_left=has_attempts_left)
            if course.life != life:
                return
            if action not in (Action.SAME_ID, Action.NEW_OPERATION) or not self._pacing.throttle.takes_repeat():
                break
            wait = self._pacing.wait(call, answer, is_local=self._process.is_local)
            course.take_back = partial(self._timeline.forget, wait)
            yield wait
            if self._timeline.passed(course.first_at, self._budget_s, "agent.budget"):
                break
            number += 1
        yield from self._conclusions.conclude(course, call)

    def _next_call(self, course: Course, number: int, action: Action) -> ToolCall:
        """The next attempt, with its operation ID, written down where IDs are persisted."""
        path = f"{course.prefix}{number}"
        call = as_sent(course.errand.planned, self._agent.drift, path=path, send_number=course.send_count + 1)
        course.is_replacement = course.is_replacement or action is Action.NEW_OPERATION
        call = call._replace(operation_id=self._next_id(course, call, action))
        course.sends(call)
        return call

    def _next_id(self, course: Course, call: ToolCall, action: Action) -> str:
        ids, remembered = course.ids, course.operation_id
        if action is Action.NEW_OPERATION:
            return ids.replacement(call)
        if course.send_count == 0:
            return ids.first(call, process_number=self._process.number)
        if course.is_replacement and ids.identity in _MADE_FROM_ELSEWHERE:
            return remembered
        if ids.identity is Identity.BY_MODEL and remembered:
            writes_the_same = self._timeline.chance.pick(f"agent.id_by_model@{call.path}", 2) == 1
            return remembered if writes_the_same else ids.again(call, remembered, process_number=self._process.number)
        return ids.again(call, remembered, process_number=self._process.number)

    def _attempt(self, course: Course, call: ToolCall, number: int) -> Steps:
        """Send once and wait for the answer; None where the process restarts in one of the windows."""
        if self._dies("before_sending", call):
            return None
        throttle, name = self._pacing.throttle, self._policy.name
        admission = throttle.admit(call.path, number)
        if admission is Admission.REFUSED:
            return BREAKER_OPEN
        note_attempt(name, call, number, self._timeline, self._journal)
        waiter = self._below.send(call, self._policy.timeout_s)
        course.take_back = waiter.abandon
        if self._dies("after_sending", call):
            return None
        answer: Answer = yield waiter.event
        throttle.hear(answer, admission)
        note_reply(name, call, answer, self._timeline, self._journal)
        return None if self._dies("after_reply", call) else answer

    def _dies(self, window: str, call: ToolCall) -> bool:
        has_died = self._process.dies(window, call.path, self._go_on)
        if has_died:
            self._pacing.forget()
        return has_died

    def _choose(self, course: Course, call: ToolCall, answer: Answer, *, has_attempts_left: bool) -> Steps:
        known = course.hears(answer, call)
        action = self._decide(course, known, call.path, has_attempts_left=has_attempts_left)
        if action is Action.STATUS_FIRST and self._readbacks is not None:
            found: ReadbackAnswer = yield from self._readbacks.ask("agent", call)
            if found is not ReadbackAnswer.CANNOT_TELL:
                known = Knowledge.FOUND if found is ReadbackAnswer.FOUND else Knowledge.NOT_SEEN
            course.known = known
            action = self._decide(course, known, f"{call.path}/status", has_attempts_left=has_attempts_left)
        is_sending = action in (Action.SAME_ID, Action.NEW_OPERATION)
        if is_sending and known is Knowledge.REJECTED and self._agent.on_rejected is not OnRejected.STOP:
            course.starts_over()
        return action

    def _decide(self, course: Course, known: Knowledge, path: str, *, has_attempts_left: bool) -> Action:
        others = can_try(
            known,
            self._agent.identity,
            has_attempts_left=has_attempts_left,
            has_readback=self._readbacks is not None,
        )
        declared = self._declared(course, known, has_attempts_left=has_attempts_left)
        return self._trials.action(self._policy.name, known, path, declared, others)

    def _declared(self, course: Course, known: Knowledge, *, has_attempts_left: bool) -> Action:
        """As requested; what somebody has taken over, or what is done in part, is never sent again whole."""
        if course.is_accepted:
            return Action.HOLD
        if course.stages:
            outcome = outcome_of_stages(course.stages, handover_completes=self._agent.handover_completes)
            if outcome in (Outcome.OK, Outcome.PARTIAL):
                return Action.STOP
        policy, last = self._policy, course.last
        is_listed = None
        if policy.lists_its_failures and last is not None:
            is_listed = is_repeated(last.state, last.error, policy.retries_on)
        return declared_action(
            known,
            has_attempts_left=has_attempts_left,
            on_rejected=self._agent.on_rejected,
            is_listed=is_listed,
        )
