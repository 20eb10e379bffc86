"""The agent: makes the operation ID, repeats as declared, and tells the user what it knows.

It never sees an intent or an effect. What it reports stands beside what is true in the journal.
"""

from functools import partial

from simkit.journal import Journal
from simkit.policy import Admission
from simkit.scenario import Agent, Conditions, RetryLayer
from simkit.terms import Action, Identity
from simkit.world.attempts import note_attempt, note_reply
from simkit.world.conclusions import Conclusions
from simkit.world.course import Course
from simkit.world.deciding import Deciding
from simkit.world.dispatch import Errand
from simkit.world.identities import IdMaker, as_sent
from simkit.world.layer import BREAKER_OPEN
from simkit.world.messages import Answer, Sender, Steps, ToolCall
from simkit.world.pacing import Backoffs, Pacing
from simkit.world.restarts import AgentProcess
from simkit.world.timeline import Timeline

__all__ = ["AgentParty"]

_MADE_FROM_ELSEWHERE = frozenset({Identity.PER_PROCESS, Identity.HASH_OF_ARGUMENTS})
"""Identities that would be made from the process or the arguments again; a replacement keeps its own."""

_SENDING = frozenset({Action.SAME_ID, Action.NEW_OPERATION})


class AgentParty:
    """Carries out errands.

    Parameters
    ----------
    process
        In which all errands are carried out.
    pacing
        Of the agent's layer, towards whatever it sends to.
    """

    def __init__(
        self,
        agent: Agent,
        policy: RetryLayer,
        conditions: Conditions,
        process: AgentProcess,
        below: Sender,
        pacing: Pacing,
        deciding: Deciding,
        conclusions: Conclusions,
        timeline: Timeline,
        journal: Journal,
    ) -> None:
        self._agent = agent
        self._policy = policy
        self._process = process
        self._below = below
        self._deciding = deciding
        self._conclusions = conclusions
        self._pacing = pacing
        self._timeline = timeline
        self._journal = journal
        budget_s = conditions.retry_horizon_s
        self._budget_s = budget_s if policy.budget_s is None else min(budget_s, policy.budget_s)

    def carry_out(self, errand: Errand) -> Steps:
        """Try until it is settled, the attempts are used up, or the horizon has passed; then report."""
        ids = IdMaker(
            identity=self._agent.identity,
            operation=errand.planned.operation,
            occurrence_number=errand.occurrence_number,
        )
        now = self._timeline.mark()
        course = Course(errand=errand, ids=ids, first_at=now, last_at=now, place=self._timeline.new_place())
        self._process.begins(course)
        yield from self._live(course, Action.SAME_ID)

    def _go_on(self, course: Course) -> Steps:
        """Another life of an errand, after a restart; past the horizon only what is remembered is told."""
        if not self._timeline.passed(course.first_at, self._budget_s, "agent.budget"):
            life = course.life
            action: Action = yield from self._deciding.after_restart(course)
            if course.life != life:
                return
            if action in _SENDING:
                yield from self._live(course, action)
                return
        if course.calls:
            yield from self._conclusions.conclude(course, course.calls[-1])

    def _live(self, course: Course, action: Action) -> Steps:
        """One life of an errand; `action` says under which ID it begins."""
        life, number, backoffs = course.life, 1, Backoffs()
        while True:
            held = self._timeline.hold(self, course, action)
            if held is not None:
                yield held
            call = self._next_call(course, number, action)
            answer: Answer | None = yield from self._attempt(course, call, number)
            if answer is None:
                return
            has_attempts_left = self._policy.has_after(number) and self._pacing.is_repeatable(call)
            action = yield from self._deciding.after(course, call, answer, has_attempts_left=has_attempts_left)
            if course.life != life:
                return
            if action not in _SENDING or not self._pacing.throttle.takes_repeat(answer):
                break
            wait = self._pacing.wait(call, answer, number, backoffs, is_local=self._process.is_local)
            course.take_back = partial(self._timeline.forget, wait)
            yield wait
            if self._timeline.passed(course.first_at, self._budget_s, "agent.budget"):
                self._pacing.throttle.ends_repeat()
                break
            number += 1
        yield from self._conclusions.conclude(course, call)

    def _next_call(self, course: Course, number: int, action: Action) -> ToolCall:
        """The next attempt, with its operation ID, written down where IDs are persisted."""
        path = f"{course.prefix}{number}"
        call = as_sent(
            course.errand.planned, self._agent.drift, path=path, send_number=course.send_count + 1, at=course.place
        )
        course.is_replacement = course.is_replacement or action is Action.NEW_OPERATION
        call = call.under(self._next_id(course, call, action))
        return self._deciding.sends(course, call)

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
        throttle, name, before = self._pacing.throttle, self._policy.name, None if number == 1 else course.last
        admission = throttle.admit(call.path, number)
        if admission is Admission.REFUSED:
            if before is not None:
                throttle.ends_repeat()
            return BREAKER_OPEN
        note_attempt(name, call, number, self._timeline, self._journal)
        waiter = self._below.send(call, self._policy.timeout_s)
        course.take_back = waiter.abandon
        if self._dies("after_sending", call):
            return None
        answer: Answer = yield waiter.event
        throttle.hear(answer, admission, is_failure=self._deciding.is_failure(answer, call.method), after=before)
        if before is not None:
            throttle.ends_repeat()
        note_reply(name, call, answer, self._timeline, self._journal)
        return None if self._dies("after_reply", call) else answer

    def _dies(self, window: str, call: ToolCall) -> bool:
        has_died = self._process.dies(window, call.path, self._go_on)
        if has_died:
            self._pacing.forget()
        return has_died
