"""What the agent does next: decided at a row of the permission table, by what it knows of each stage.

=======================  ===================================================================================
action                   what follows
=======================  ===================================================================================
same ID                  after the backoff the next attempt; a server that goes on by its receipts makes the
                         open stages alone, and then this is how a stage is resumed
new operation            the same under another ID; where it was not declared, somebody has approved it anew
status first             it asks the system of record of each stage, and decides again
poll                     the same once the backoff has passed: what is pending may have ended
hold for owner, stop     it ends, and says what it knows
=======================  ===================================================================================

*Not seen* becomes *confirmed absent* where all that was sent, by anybody below, must have landed before.
After a restart it decides as well: whether it goes on, and under which ID.
"""

from collections.abc import Callable
from functools import partial

from simkit.choices import OnRejected
from simkit.policy import can_try, declared_action, failure_of, knowledge_of_stages, outcome_of_stages
from simkit.scenario import Agent, RetryLayer
from simkit.terms import Action, Identity, Knowledge, LayerName, Outcome, ReadbackAnswer, State
from simkit.world.asking import Asking
from simkit.world.course import Course
from simkit.world.messages import Answer, Steps, ToolCall
from simkit.world.pacing import Pacing
from simkit.world.places import NOTHING
from simkit.world.timeline import Timeline
from simkit.world.trials import ASKING, Place, Trials

__all__ = ["Deciding"]

_SENDING = frozenset({Action.SAME_ID, Action.NEW_OPERATION})
_DECIDED = frozenset({State.COMPLETED, State.ACCEPTED, State.REJECTED})


class Deciding:
    """Decides for the agent.

    Parameters
    ----------
    readbacks
        How the agent can ask for a status; None where it cannot.
    renewed
        The call under an approval that somebody has given it now.
    landing_s
        Seconds after the agent's own last attempt until all that follows from it has landed and can be seen;
        None where nobody can say.
    is_sole_sender
        Whether nobody between the agent and the server repeats a call.
    is_local
        Whether what happens to one errand touches no other.
    """

    def __init__(
        self,
        agent: Agent,
        policy: RetryLayer,
        readbacks: Asking | None,
        pacing: Pacing,
        renewed: Callable[[ToolCall], ToolCall],
        timeline: Timeline,
        trials: Trials,
        *,
        landing_s: float | None,
        is_sole_sender: bool,
        is_local: bool,
    ) -> None:
        self._agent = agent
        self._policy = policy
        self._readbacks = readbacks
        self._pacing = pacing
        self._renewed = renewed
        self._timeline = timeline
        self._trials = trials
        self._landing_s = landing_s
        self._is_sole_sender = is_sole_sender
        self._is_local = is_local

    def sends(self, course: Course, call: ToolCall) -> ToolCall:
        """Let the course remember what is about to be sent; when, only where somebody may ask for that.

        Returns the call under the approval that it bears.
        """
        if self._trials.is_on and course.send_count:
            course.last_at = self._timeline.mark()
        if course.needs_approval:
            course.approval, course.needs_approval = self._renewed(call).approval, False
        call = call._replace(approval=course.approval) if course.approval else call
        course.sends(call)
        return call

    def after(self, course: Course, call: ToolCall, answer: Answer, *, has_attempts_left: bool) -> Steps:
        """Take an answer into account, ask as often as that is decided, and return what is done then."""
        course.hears(answer, call)
        action = yield from self._choose(course, call, call.path, None, has_attempts_left=has_attempts_left)
        if action in _SENDING and course.known is Knowledge.REJECTED and self._agent.on_rejected is not OnRejected.STOP:
            course.starts_over()
        return action

    def after_restart(self, course: Course) -> Steps:
        """Return how an open errand goes on in another process.

        As declared it is sent again, under the ID that is remembered or made as it always is: that counts as the
        same ID, or as a new operation where the old ID is lost or was the old process's.
        """
        makes_new = course.has_lost_id or self._agent.identity is Identity.PER_PROCESS
        declared = Action.NEW_OPERATION if makes_new else Action.SAME_ID
        path = f"{course.prefix}restart"
        if course.calls:
            call = course.calls[-1].along(path)
            action: Action = yield from self._choose(course, call, path, declared, has_attempts_left=True)
        else:
            action = self._decide(course, path, declared, ())
        return Action.SAME_ID if action is declared else action

    def _choose(
        self, course: Course, call: ToolCall, path: str, declared: Action | None, *, has_attempts_left: bool
    ) -> Steps:
        """Decide, and once more after a readback. `declared` is what is declared at first, if that is no answer's."""
        life, is_last = course.life, not has_attempts_left
        usual = self._declared(course, has_attempts_left=has_attempts_left)
        others = self._others(course, has_attempts_left=has_attempts_left)
        action = self._decide(course, path, declared or usual, others, is_last=is_last)
        if action not in ASKING or self._readbacks is None:
            return action
        if action is Action.POLL:
            touches = NOTHING if self._is_local else call.at
            wait = self._timeline.wait(self._policy.wait_before(1), f"agent.poll@{path}", touches=touches)
            course.take_back = partial(self._timeline.forget, wait)
            yield wait
        yield from self._ask(self._readbacks, course, call)
        if course.life != life:
            return action
        # What is found by asking is found as well where an answer says so: other actions are tried there.
        others = () if course.known is Knowledge.FOUND else self._others(course, has_attempts_left=has_attempts_left)
        others = tuple(other for other in others if other not in ASKING)
        word = "status" if action is Action.STATUS_FIRST else "poll"
        usual = self._declared(course, has_attempts_left=has_attempts_left)
        return self._decide(course, f"{path}/{word}", usual, others, is_follow_up=True)

    def _others(self, course: Course, *, has_attempts_left: bool) -> tuple[Action, ...]:
        """What could be done here, whether declared or not, where that is tried."""
        if not self._trials.is_on:
            return ()
        has_readback = self._readbacks is not None
        identity = self._agent.identity
        return can_try(self._known(course), identity, has_attempts_left=has_attempts_left, has_readback=has_readback)

    def _decide(
        self,
        course: Course,
        path: str,
        declared: Action,
        others: tuple[Action, ...],
        *,
        is_follow_up: bool = False,
        is_last: bool = False,
    ) -> Action:
        if not self._trials.is_on:
            return declared
        rows = knowledge_of_stages(
            self._trials.stages,
            self._known(course),
            course.stages,
            course.seen,
            is_only_attempt=self._is_sole_sender and course.send_count == 1,
        )
        place = Place(LayerName.AGENT, rows, is_id_persisted=not course.has_lost_id)
        action = self._trials.action(place, path, declared, others, is_follow_up=is_follow_up, is_last=is_last)
        course.needs_approval = action is Action.NEW_OPERATION and action is not declared
        return action

    def _known(self, course: Course) -> Knowledge:
        """What is known of the operation; whoever remembers nothing may have sent it."""
        return Knowledge.POSSIBLY_SENT if course.known is None else course.known

    def _ask(self, readbacks: Asking, course: Course, call: ToolCall) -> Steps:
        """Ask about every operation that was sent, and take the answers into account."""
        life, operations = course.life, course.operations
        calls: tuple[ToolCall, ...] = (call,)
        if len(operations) > 1:
            calls = tuple(sent.along(f"{call.path}:{sent.path}") for sent in operations)
        answers: dict[str, ReadbackAnswer] = yield from readbacks.ask_each("agent", calls)
        if course.life != life:
            return
        absent = Knowledge.NOT_SEEN
        if ReadbackAnswer.NOT_SEEN in answers.values() and self._has_landed(course, call):
            absent = Knowledge.CONFIRMED_ABSENT
        course.sees(
            tuple(
                (stage, Knowledge.FOUND if answer is ReadbackAnswer.FOUND else absent)
                for stage, answer in answers.items()
                if answer is not ReadbackAnswer.CANNOT_TELL
            ),
            stage_count=len(answers),
        )

    def _has_landed(self, course: Course, call: ToolCall) -> bool:
        """Whether nothing that was sent can land any more; what bore an ID that is lost, nobody asked about."""
        if self._landing_s is None or course.has_lost_id:
            return False
        return self._timeline.passed(course.last_at, self._landing_s, f"agent.landed@{call.path}")

    def _declared(self, course: Course, *, has_attempts_left: bool) -> Action:
        """As requested; what somebody has taken over, or what is done in part, is never sent again whole."""
        if course.is_accepted:
            return Action.HOLD
        if course.stages:
            outcome = outcome_of_stages(course.stages, handover_completes=self._agent.handover_completes)
            if outcome in (Outcome.OK, Outcome.PARTIAL):
                return Action.STOP
        return declared_action(
            self._known(course),
            has_attempts_left=has_attempts_left,
            on_rejected=self._agent.on_rejected,
            is_listed=None if course.last is None else self._is_listed(course.last, course.errand.planned.method),
        )

    def is_failure(self, answer: Answer, method: str) -> bool:
        """Whether an answer by itself is one after which it is tried again: one that is listed, or any open one."""
        is_listed = self._is_listed(answer, method)
        return answer.state not in _DECIDED if is_listed is None else is_listed

    def _is_listed(self, last: Answer, method: str) -> bool | None:
        """Whether the last answer is a failure that is tried again as listed; None where whatever is open is."""
        policy = self._policy
        if policy.stops_asked(last.retry_after_s):
            return False
        if not policy.lists_its_failures:
            return None
        failure = failure_of(last.state, last.error)
        return policy.is_retried(failure, method, asks_to_wait=last.retry_after_s > 0)
