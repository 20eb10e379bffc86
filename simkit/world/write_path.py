"""What a server does once a call is to run: its durable steps in their order, stage by stage.

============================  ==================================================================
order                         steps
============================  ==================================================================
effect only                   effect
effect, receipt               effect, receipt
reservation, effect, receipt  reservation, effect, receipt
record as done, effect        record that says `completed`, effect
one transaction               effect and receipt in one step, at the system of record
outbox and relay              reservation with what is to be sent, answer; the relay does the rest
============================  ==================================================================
"""

from simkit.choices import ApprovalUse, Resume, WriteOrder
from simkit.distributions import Wait
from simkit.policy import Entry
from simkit.scenario import Server
from simkit.terms import ClaimKind, ErrorClass, Knowledge, ReadbackAnswer, State
from simkit.world.approvals import Approvals, Starts
from simkit.world.messages import Answer, Steps, ToolCall
from simkit.world.record_store import RecordStore
from simkit.world.relay import Relay
from simkit.world.stages import Source, StagePort
from simkit.world.timeline import Timeline
from simkit.world.windows import Windows
from simkit.world.workers import Worker

__all__ = ["LAPSED", "OPEN", "WritePath"]

ACCEPTED = Answer(state=State.ACCEPTED, detail="written to the outbox")
FASTER = Answer(state=State.PENDING, detail="another call with this ID is at work", error=ErrorClass.PENDING)
LAPSED = Answer(state=State.REFUSED, detail="no approval is good for this now", means=Knowledge.APPROVAL_LAPSED)
OPEN = Answer(state=State.UNKNOWN, detail="outcome unknown, held for the owner", means=Knowledge.STORED_FAILURE)

PARTY = "server"
MADE = (State.COMPLETED, State.ACCEPTED)

RESERVING = (WriteOrder.RESERVE_FIRST, WriteOrder.OUTBOX)
NO_TIME = Wait.of(0.0)

Known = tuple[dict[str, State], dict[str, str]]
"""State and recorded result of each stage that has one."""


class WritePath:
    """Makes the effects of one operation.

    Parameters
    ----------
    ports
        The stages, in order.
    relay
        None where the order is no outbox.
    """

    def __init__(
        self,
        server: Server,
        ports: tuple[StagePort, ...],
        records: RecordStore,
        source: Source,
        approvals: Approvals,
        starts: Starts,
        windows: Windows,
        relay: Relay | None,
        timeline: Timeline,
    ) -> None:
        self._server = server
        self._ports = ports
        self._records = records
        self._source = source
        self._approvals = approvals
        self._starts = starts
        self._windows = windows
        self._relay = relay
        self._timeline = timeline
        self._keeps_record = server.claim is not ClaimKind.NONE
        self._reserves = server.order in RESERVING
        self._records_first = server.order is WriteOrder.RECORD_FIRST
        self._has_gap = server.claim is ClaimKind.CHECK_THEN_ACT and (self._reserves or self._records_first)

    @property
    def can_read_back(self) -> bool:
        """Whether the systems of record can be asked."""
        return all(port.readbacks is not None for port in self._ports)

    def run(self, call: ToolCall, seen: Entry | None, worker: Worker) -> Steps:
        """Claim where the order begins with that, then make what is missing; None where the worker is gone."""
        token = 0
        # What is made already is seen here, with the claim: nobody looks again after a pause.
        known: Known = self._records.stages_of(call, worker) if self._keeps_record else ({}, {})
        if self._has_gap:
            yield self._timeline.wait(NO_TIME, f"server.after_check@{call.path}", touches=call.at)
            if not worker.goes_on:
                return None
        if self._reserves:
            state = State.PENDING if self._relay is None else State.ACCEPTED
            token = self._records.reserve(call, seen, worker, state)
            if not token:
                return self._records.told(call, worker, FASTER)
        if self._server.approval_use is ApprovalUse.WITH_THE_CLAIM:
            self._approvals.use(call)
        if self._relay is not None:
            # From here on it is the relay's, whatever becomes of this process.
            self._relay.start(call, token, worker)
        if token and not (yield from self._windows.passing("after_reservation", call, worker)):
            return None
        if self._relay is not None:
            return ACCEPTED
        if self._records_first:
            self._records.record_as_done(call, worker)
            if not (yield from self._windows.passing("after_receipt", call, worker)):
                return None
        answer = yield from self._make(call, token, worker, known, keeps_record=self._keeps_record)
        return answer

    def run_without_record(self, call: ToolCall, worker: Worker) -> Steps:
        """Make every stage, as if there were no record store."""
        answer = yield from self._make(call, 0, worker, ({}, {}), keeps_record=False)
        return answer

    def ask(self, call: ToolCall, seen: Entry | None, worker: Worker) -> Steps:
        """Read back the stages without a receipt, and write one for each that is found; the first other answer."""
        for port in self._ports:
            if port.readbacks is None or (seen is not None and port.name in seen.receipts):
                continue
            asked = port.call_of(call, self._source, self._server.content, 0)
            found: ReadbackAnswer = yield from port.readbacks.ask(PARTY, asked)
            if not worker.goes_on or found is not ReadbackAnswer.FOUND:
                return found
            answer = Answer(state=State.COMPLETED, detail="found", origin=call.intent)
            self._records.add_receipt(call, port.name, answer, 0, worker)
        return ReadbackAnswer.FOUND

    def _make(self, call: ToolCall, token: int, worker: Worker, known: Known, *, keeps_record: bool) -> Steps:
        """Make the stages that are missing, one after the other."""
        records, (states, results) = self._records, known
        origin = call.intent
        for port in self._ports:
            if states.get(port.name) in MADE and self._server.resume is Resume.OPEN_STAGES:
                continue
            sent = port.call_of(call, self._source, self._server.content, token)
            if not self._starts.begin(sent, port.stage):
                states[port.name] = State.REFUSED
                if keeps_record:
                    records.release(call, worker)
                return self._several(LAPSED, states)
            heard: Answer = yield from port.downstream.send_and_wait(sent, lambda: worker.goes_on, worker.memory)
            if not worker.goes_on:
                return None
            states[port.name], results[port.name] = heard.state, heard.result
            if heard.state not in MADE:
                answer = yield from self._fail(call, port.name, heard, token, worker, keeps_record=keeps_record)
                return None if answer is None else self._several(answer, states)
            origin = heard.origin or origin
            is_through = yield from self._record(call, sent, port.name, heard, token, worker, keeps_record=keeps_record)
            if is_through is not True:
                return is_through
        done = State.ACCEPTED if State.ACCEPTED in states.values() else State.COMPLETED
        answer = Answer(state=done, detail="receipt", origin=origin, result=records.joined(results))
        return self._several(answer, states)

    def _record(
        self,
        call: ToolCall,
        sent: ToolCall,
        stage: str,
        heard: Answer,
        token: int,
        worker: Worker,
        *,
        keeps_record: bool,
    ) -> Steps:
        """Pass the windows after an effect, and write its receipt; True, or what is answered in its stead."""
        order = self._server.order
        if order is WriteOrder.ONE_TRANSACTION:
            is_through = yield from self._windows.passing("after_transaction", sent, worker)
            return is_through or None
        if not (yield from self._windows.passing("after_effect", sent, worker)):
            return None
        if self._server.after_effect.s_max:
            yield self._timeline.wait(self._server.after_effect, f"server.after_effect@{sent.path}", touches=sent.at)
            if not worker.goes_on:
                return None
        if not keeps_record or order is WriteOrder.RECORD_FIRST or self._records.is_away(sent, "/receipt"):
            return True
        if not self._records.add_receipt(call, stage, heard, token, worker):
            return OPEN
        is_through = yield from self._windows.passing("after_receipt", sent, worker)
        return is_through or None

    def _fail(
        self, call: ToolCall, stage: str, heard: Answer, token: int, worker: Worker, *, keeps_record: bool
    ) -> Steps:
        """What is recorded and answered where a stage was not made, or nobody knows; None where the worker is gone."""
        if heard.state is State.CONFLICT:
            return heard
        if heard.state is State.REFUSED:
            if keeps_record:
                self._records.release(call, worker)
            return heard
        is_definite = heard.state is State.REJECTED
        writes = keeps_record and self._server.order is not WriteOrder.RECORD_FIRST
        if self._server.order is WriteOrder.ONE_TRANSACTION and not is_definite:
            writes = False  # what failed was rolled back, or is committed with its receipt
        if writes:
            self._records.record_failure(call, stage, token, worker, is_definite=is_definite)
        if is_definite:
            is_through = True
            if writes:
                is_through = yield from self._windows.replaying(call, worker)
            return heard if is_through else None
        if heard.state is State.PENDING:
            return heard
        if not self._server.passes_errors_on:
            return OPEN
        error = heard.error if heard.error not in (None, ErrorClass.UNKNOWN) else ErrorClass.SERVER_ERROR
        detail = f"error {error}"
        return Answer(state=State.UNKNOWN, detail=detail, error=error, retry_after_s=heard.retry_after_s)

    def _several(self, answer: Answer, states: dict[str, State]) -> Answer:
        """The answer with the state of each stage, where there are several.

        Where one of them is made, it is no longer true that nothing was done.
        """
        if len(self._ports) == 1:
            return answer
        is_partly_made = answer.state is State.REFUSED and any(state in MADE for state in states.values())
        stages = tuple((port.name, states.get(port.name, State.NOT_STARTED)) for port in self._ports)
        return Answer(
            state=State.UNKNOWN if is_partly_made else answer.state,
            detail=answer.detail,
            error=answer.error,
            origin=answer.origin,
            result=answer.result,
            stages=stages,
            means=None if is_partly_made else answer.means,
        )
