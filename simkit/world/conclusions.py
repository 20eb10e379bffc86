"""What the agent does in the end: with a conflict, with an open outcome, and what it tells the user.

===================================  =============================================================
what is known                        what the agent does
===================================  =============================================================
its ID or natural key is taken       holds; or asks the system of record and adopts what is found;
                                     or takes it as done where it had sent before; or says failed
open                                 leaves it to the owner; or cleans up, at once or after a
                                     readback that finds nothing, and says that it failed
taken over by somebody               completed where the review names handover as the evidence,
                                     otherwise open
===================================  =============================================================
"""

from collections.abc import Callable

from simkit.choices import OnConflict, OnUnknown
from simkit.policy import conclusion, is_settled, outcome_after_conflict, outcome_of_stages
from simkit.scenario import Agent
from simkit.terms import Knowledge, OnExhausted, Outcome, ReadbackAnswer, State
from simkit.world.asking import Asking
from simkit.world.course import Course
from simkit.world.messages import Steps, ToolCall
from simkit.world.reports import Reports, Told

__all__ = ["Conclusions", "Undo"]

Undo = Callable[[str, ToolCall], Steps]
"""Steps by which a party, named first, undoes at the system of record what a call may have made."""

Said = tuple[State, Outcome]
CONFLICTS = (Knowledge.CONFLICT_OTHER_INPUTS, Knowledge.CONFLICT_POSSIBLY_MINE)
CLEANED_UP = (State.REJECTED, Outcome.FAILED)


class Conclusions:
    """Ends the course of an errand.

    Parameters
    ----------
    readbacks
        How the agent can ask the system of record; None where it cannot.
    """

    def __init__(
        self, agent: Agent, on_exhausted: OnExhausted, readbacks: Asking | None, undo: Undo, reports: Reports
    ) -> None:
        self._agent = agent
        self._on_exhausted = on_exhausted
        self._readbacks = readbacks
        self._undo = undo
        self._reports = reports

    def conclude(self, course: Course, call: ToolCall) -> Steps:
        """Do what is left to do, and report, unless the process dies meanwhile."""
        life = course.life
        said: Said | None = None
        if course.known in CONFLICTS:
            said = yield from self._after_conflict(course, call)
        if said is None and self._is_open(course) and self._agent.on_unknown is not OnUnknown.HOLD:
            said = yield from self._clean_up(course, call)
        if course.life == life:
            self._report(course, said or self._what_is_known(course))

    def _after_conflict(self, course: Course, call: ToolCall) -> Steps:
        if self._agent.on_conflict is OnConflict.ADOPT:
            found = yield from self._ask(call.along(f"{call.path}/conflict"))
            return (State.COMPLETED, Outcome.OK) if found is ReadbackAnswer.FOUND else None
        return outcome_after_conflict(self._agent.on_conflict, has_sent_before=len(course.calls) > 1)

    def _clean_up(self, course: Course, call: ToolCall) -> Steps:
        life = course.life
        if self._agent.on_unknown is OnUnknown.CLEAN_UP_IF_ABSENT:
            found = yield from self._ask(call.along(f"{call.path}/clean-up"))
            if found is ReadbackAnswer.FOUND:
                return State.COMPLETED, Outcome.OK
            if found is ReadbackAnswer.CANNOT_TELL or course.life != life:
                return None
        for sent in course.operations:
            yield from self._undo("agent", sent)
            if course.life != life:
                return None
        return CLEANED_UP

    def _ask(self, call: ToolCall) -> Steps:
        if self._readbacks is None:
            return ReadbackAnswer.CANNOT_TELL
        answer = yield from self._readbacks.ask("agent", call)
        return answer

    def _is_open(self, course: Course) -> bool:
        if course.is_accepted:
            return not self._agent.handover_completes
        if course.stages:
            outcome = outcome_of_stages(course.stages, handover_completes=self._agent.handover_completes)
            return outcome is Outcome.UNKNOWN
        return course.known is None or not is_settled(course.known)

    def _what_is_known(self, course: Course) -> Said:
        return conclusion(
            Knowledge.POSSIBLY_SENT if course.known is None else course.known,
            State.UNKNOWN if course.last is None else course.last.state,
            course.stages,
            self._on_exhausted,
            handover_completes=self._agent.handover_completes,
        )

    def _report(self, course: Course, said: Said) -> None:
        state, outcome = said
        errand = course.errand
        course.is_finished = True
        report = self._reports.tell(errand.planned.intent, state, outcome, course.stages)
        for intent in errand.stands_for:
            self._reports.tell(intent, state, outcome, course.stages)
        told = Told(operation=errand.planned.operation, prefix=course.prefix, calls=course.operations, report=report)
        self._reports.pass_on(told)
