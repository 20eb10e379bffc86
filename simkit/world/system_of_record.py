"""The system of record of one stage: takes requests, recognises repeats, makes effects, and can be asked.

A request passes, in this order:

1. the front: what is refused there (`IN_FRONT`) leaves no trace;
2. the memory of keys, where requests are compared as they arrive; a key may be written down here;
3. the endpoint, which may reject for good, or accept and answer before it works;
4. the work, in which nothing is durable yet;
5. the effect, in one step with a last look at the memory, and with the key where it is recorded with the effect;
6. the recording of the key, where that is a step of its own; a repeat that comes before it is not recognised.

Whoever compares nothing on arrival rejects before it knows a repeat, as validation in front does. Where a
caller that gives up interrupts the work, it ends after 4, or between 5 and 6; a key that was written down before
its effect then stands for one at work that will never end.
"""

from simkit.choices import KeyRecorded, OnConcurrent, ReadbackBy
from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.policy import RECORDED_BEFORE, AfterError, Met, Progress, Recognition
from simkit.scenario import Downstream, Stage
from simkit.terms import OnExpired, ReadbackAnswer
from simkit.world.faults import Faults
from simkit.world.key_memory import KeyMemory, Request, Row
from simkit.world.messages import Answer, ReplyPath, Steps, ToolCall
from simkit.world.objects import Objects
from simkit.world.places import Places
from simkit.world.system_answers import (
    ACCEPTED,
    ERROR,
    ERROR_AFTER_EFFECT,
    FENCED,
    IN_FRONT,
    NOTHING_WANTED,
    ON_EXPIRED,
    OVERTAKEN,
    RECEIPT,
    REJECTED,
    answer_to,
    asking_to_wait,
)
from simkit.world.timeline import Timeline
from simkit.world.transaction import Transaction

__all__ = ["SystemOfRecord"]

GOES_ON = frozenset({Met.RUN, Met.OVERWRITE, Met.RUN_BESIDE, Met.RACE, Met.FENCE})


class SystemOfRecord:
    """Makes and counts the effects of one stage.

    Parameters
    ----------
    lag_s_max
        A readback may miss an effect for this long, in seconds.
    transaction
        What the server commits together with an effect; None where it keeps its records elsewhere.
    """

    def __init__(
        self,
        stage: Stage,
        lag_s_max: float,
        timeline: Timeline,
        journal: Journal,
        faults: Faults,
        place: Places,
        transaction: Transaction | None = None,
    ) -> None:
        downstream = _downstream_of(stage)
        self._downstream = downstream
        self._error = ERROR._replace(error=downstream.error)
        self._timeline = timeline
        self._faults = faults
        self._transaction = transaction
        self._recognition = Recognition(
            kind=downstream.deduplication,
            on_mismatch=downstream.on_mismatch,
            on_concurrent=downstream.on_concurrent,
            key_recorded=downstream.key_recorded,
            failures_stored=downstream.failures_stored,
        )
        self._looks_on_arrival = downstream.key_retention is not None and self._recognition.looks_on_arrival
        self.place = place
        self.takes_calls_locally = not self._looks_on_arrival
        self._memory = KeyMemory(downstream, timeline)
        self._objects = Objects(stage.name, downstream.effect, lag_s_max, timeline, journal)
        self._opened = timeline.mark()
        self._tokens: dict[tuple[str, str], int] = {}

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Take one request; answer it, and make its effect unless it is known."""
        request = Request(call=call)
        answer = yield from self._take_in(request)
        goes_on = answer is None
        if answer is None and self._downstream.accepts_first and call.wants_effect:
            answer, goes_on = self._accept(request)
        if answer is not None:
            reply.answer(answer)
        if not goes_on:
            return
        touches = self.place | reply.place
        yield self._timeline.wait(self._downstream.work, f"downstream.work@{call.path}", touches=touches)
        if answer is None and not reply.is_wanted:
            self._memory.abandon(request)
            return
        done = yield from self._carry_out(request, reply)
        if answer is None:
            reply.answer(done)

    def look_up(self, call: ToolCall, by: ReadbackBy = ReadbackBy.OPERATION_ID) -> ReadbackAnswer:
        """Say whether an effect of this call's operation is seen."""
        return self._objects.look_up(call, by)

    def delete(self, intent: str) -> None:
        """Take away, for good, what an intent has made, and every key that lives as long as that."""
        self._memory.forget(self._objects.delete(intent))

    def undo(self, call: ToolCall) -> bool:
        """Take away what the operation of a call has made; say whether there was anything."""
        results = self._objects.undo(call)
        self._memory.forget(results)
        return bool(results)

    def _take_in(self, request: Request) -> Steps:
        """Return the answer of whoever stands before the work; None where the request goes on."""
        call = request.call
        for site, refusal in IN_FRONT.items():
            if self._faults.happens(site, call.path):
                return asking_to_wait(refusal, self._downstream)
        if self._looks_on_arrival and call.wants_effect:
            known = yield from self._known(request)
            if known is not None:
                return known
        if self._rejects_for_now() or self._faults.happens("downstream.error", call.path):
            return self._rejected(request)
        return None

    def _known(self, request: Request) -> Steps:
        """Compare a request with what is remembered, and write it down; return an answer where it ends here."""
        self._memory.number(request)
        while True:
            row = self._memory.find(request)
            first = None if row is None else row.remembered
            met = self._recognition.meet(first, request.call.inputs, is_concurrent=request.is_concurrent)
            if met is Met.MAY_FAIL:
                is_refused = self._timeline.chance.pick(f"downstream.second_fails@{request.call.path}", 2) == 1
                met = Met.BUSY if is_refused else Met.RACE
            if row is None or met is not Met.WAIT:
                break
            request.is_concurrent = True
            yield self._memory.finished(row)
        request.is_concurrent = True
        if row is not None and met not in GOES_ON:
            return answer_to(met, row)
        if row is None and (past := self._past(request)) is not None:
            return past
        if met in (Met.RUN, Met.FENCE):
            self._memory.claim(request)
        request.runs_beside = met is Met.RUN_BESIDE
        return None

    def _past(self, request: Request) -> Answer | None:
        """Answer for a request whose key was known once, where such a one does not run as new."""
        on_expired = self._memory.on_expired(request)
        return None if on_expired is OnExpired.RUN_AS_NEW else ON_EXPIRED[on_expired]

    def _rejects_for_now(self) -> bool:
        until_s = self._downstream.rejects_until_s
        return until_s > 0 and not self._timeline.passed(self._opened, until_s, "downstream.rejects")

    def _rejected(self, request: Request) -> Answer:
        answer = REJECTED._replace(origin=request.call.intent)
        if self._looks_on_arrival and self._recognition.stores_rejection():
            self._memory.keep(request, Progress.REJECTED, answer)
        else:
            self._memory.release(request)
        return answer

    def _accept(self, request: Request) -> tuple[Answer, bool]:
        """Answer a request before its effect, and say whether the effect will follow."""
        if self._faults.happens("downstream.error_of_unknown_outcome", request.call.path):
            return self._failed(request, self._error), False
        answer = ACCEPTED._replace(origin=request.call.intent)
        is_written = self._looks_on_arrival and self._downstream.key_recorded in RECORDED_BEFORE
        if is_written:
            self._memory.keep(request, Progress.ACCEPTED, answer)
        is_lost = self._faults.happens("downstream.lost_after_acceptance", request.call.path)
        if is_lost and not is_written:
            self._memory.release(request)
        if self._faults.happens("downstream.error_after_effect", request.call.path):
            answer = asking_to_wait(ERROR_AFTER_EFFECT, self._downstream)
        return answer, not is_lost

    def _carry_out(self, request: Request, reply: ReplyPath) -> Steps:
        """Make the effect, unless something stands against it now; return the answer."""
        call, downstream = request.call, self._downstream
        if not call.wants_effect:
            return NOTHING_WANTED
        obstacle, overwritten = self._look_again(request)
        if obstacle is not None:
            return obstacle
        is_open = not downstream.accepts_first
        if is_open and self._faults.happens("downstream.error_of_unknown_outcome", call.path):
            return self._failed(request, self._error)
        change = self._objects.apply(call, overwritten)
        answer = (RECEIPT if is_open else ACCEPTED)._replace(origin=change.origin, result=change.result)
        if self._transaction is not None:
            self._transaction.commit(call, answer)
        if is_open and self._faults.happens("downstream.error_after_effect", call.path):
            return self._failed(request, ERROR_AFTER_EFFECT, answer)
        if downstream.key_recorded is KeyRecorded.ON_SUCCESS and downstream.key_retention is not None:
            touches = self.place | reply.place
            yield self._timeline.wait(downstream.work, f"downstream.recording@{call.path}", touches=touches)
            if is_open and not reply.is_wanted:
                self._memory.abandon(request)
                return answer
        self._memory.keep(request, Progress.DONE, answer, change.result)
        return answer

    def _look_again(self, request: Request) -> tuple[Answer | None, str]:
        """Look, in the step of the effect, for what stands against it; and for the result that it overwrites."""
        if not self._is_latest(request):
            self._memory.release(request)
            return FENCED, ""
        row = self._other_row(request)
        met = self._recognition.meet_with_effect(
            None if row is None else row.remembered,
            request.call.inputs,
            is_concurrent=request.is_concurrent,
            runs_beside=request.runs_beside,
        )
        if row is not None and met not in GOES_ON:
            return answer_to(met, row), ""
        if row is None and not request.has_claimed and (past := self._past(request)) is not None:
            return past, ""
        obstacle = OVERTAKEN if self._memory.is_overtaken(request) else None
        if obstacle is None and self._transaction is not None:
            obstacle = self._transaction.standing(request.call)
        if obstacle is not None:
            self._memory.release(request)
        return obstacle, row.result if row is not None and met is Met.OVERWRITE else ""

    def _failed(self, request: Request, error: Answer, receipt: Answer | None = None) -> Answer:
        """Answer with an error, and remember what such a system remembers then; `receipt` is what was made."""
        progress = Progress.FAILED if receipt is None else Progress.DONE
        result = "" if receipt is None else receipt.result
        answer = asking_to_wait(error, self._downstream)._replace(origin=request.call.intent)
        match self._recognition.after_error(is_effect_made=receipt is not None):
            case AfterError.ERROR:
                self._memory.keep(request, progress, answer, result)
            case AfterError.KEY:
                self._memory.keep(request, Progress.DONE, RECEIPT if receipt is None else receipt, result)
            case AfterError.NOTHING:
                self._memory.release(request)
        return answer

    def _other_row(self, request: Request) -> Row | None:
        """What is remembered of others under the identity of a request."""
        row = self._memory.find(request)
        return None if row is not None and row.owner is request else row

    def _is_latest(self, request: Request) -> bool:
        """Whether no newer request has fenced this one off, by its token or under its key."""
        call = request.call
        if call.token:
            identity = call.tenant, call.operation_id or call.target
            if call.token < self._tokens.get(identity, 0):
                return False
            self._tokens[identity] = call.token
        is_fenced = self._downstream.on_concurrent is OnConcurrent.FENCED and request.has_claimed
        return not is_fenced or self._memory.is_owner(request)


def _downstream_of(stage: Stage) -> Downstream:
    if stage.downstream is None:
        message = f"stages: name '{stage.name}' and downstream 'none' exclude each other"
        raise ScenarioError(message)
    return stage.downstream
