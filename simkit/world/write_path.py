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

from simkit.choices import ApprovalCheck, ApprovalUse, Resume, WriteOrder
from simkit.journal import Journal
from simkit.policy import Entry
from simkit.records import Start
from simkit.scenario import Server
from simkit.terms import ClaimKind, ErrorClass, ReadbackAnswer, State
from simkit.world.approvals import Approvals
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
LAPSED = Answer(state=State.REFUSED, detail="no approval is good for this now")
OPEN = Answer(state=State.UNKNOWN, detail="outcome unknown, held for the owner")

PARTY = "server"


class WritePath:
    """Makes the effects of one operation.

    Parameters
    ----------
    ports
        The stages, in order.
    relay
        Where the order is an outbox; otherwise unused.
    """

    def __init__(
        self,
        server: Server,
        ports: tuple[StagePort, ...],
        records: RecordStore,
        source: Source,
        approvals: Approvals,
        windows: Windows,
        relay: Relay,
        timeline: Timeline,
        journal: Journal,
    ) -> None:
        self._server = server
        self._ports = ports
        self._records = records
        self._source = source
        self._approvals = approvals
        self._windows = windows
        self._relay = relay
        self._timeline = timeline
        self._journal = journal

    @property
    def can_read_back(self) -> bool:
        """Whether the systems of record can be asked."""
        return all(port.readbacks is not None for port in self._ports)

    def run(self, call: ToolCall, seen: Entry | None, worker: Worker) -> Steps:
        """Claim where the order begins with that, then make what is missing; None where the worker is gone."""
        order, token = self._server.order, 0
        if order in (WriteOrder.RESERVE_FIRST, WriteOrder.OUTBOX):
            state = State.ACCEPTED if order is WriteOrder.OUTBOX else State.PENDING
            token = self._records.reserve(call, seen, worker, state)
            if not token:
                return self._records.told(call, worker, FASTER)
        if self._server.approval_use is ApprovalUse.WITH_THE_CLAIM:
            self._approvals.use(call)
        if token and not (yield from self._windows.passing("after_reservation", call, worker)):
            return None
        if order is WriteOrder.OUTBOX:
            self._relay.start(call, token, worker)
            return ACCEPTED
        if order is WriteOrder.RECORD_FIRST:
            self._records.record_as_done(call, worker)
            if not (yield from self._windows.passing("after_receipt", call, worker)):
                return None
        answer = yield from self._make(call, token, worker, keeps_record=self._server.claim is not ClaimKind.NONE)
        return answer

    def run_without_record(self, call: ToolCall, worker: Worker) -> Steps:
        """Make every stage, as if there were no record store."""
        answer = yield from self._make(call, 0, worker, keeps_record=False)
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

    def _make(self, call: ToolCall, token: int, worker: Worker, *, keeps_record: bool) -> Steps:
        """Make the stages that are missing, one after the other."""
        states: dict[str, State] = self._records.states_of(call, worker) if keeps_record else {}
        result, origin = "", call.intent
        for port in self._ports:
            is_settled = states.get(port.name) in (State.COMPLETED, State.ACCEPTED)
            if is_settled and self._server.resume is Resume.OPEN_STAGES:
                continue
            sent = port.call_of(call, self._source, self._server.content, token)
            if self._server.approval_check is ApprovalCheck.AT_EACH_START and not self._approvals.is_good(sent):
                if keeps_record and not states:
                    self._records.release(call, worker)
                return self._several(LAPSED, states | {port.name: State.REFUSED})
            self._note_start(sent, port)
            heard: Answer = yield from port.downstream.send_and_wait(sent, lambda: worker.goes_on, worker.memory)
            if not worker.goes_on:
                return None
            states[port.name] = heard.state
            if heard.state not in (State.COMPLETED, State.ACCEPTED):
                answer = yield from self._fail(call, sent, heard, token, worker, keeps_record=keeps_record)
                return None if answer is None else self._several(answer, states)
            result, origin = (f"{result}, {heard.result}" if result else heard.result), heard.origin or call.intent
            is_through = yield from self._record(call, sent, heard, token, worker, keeps_record=keeps_record)
            if is_through is not True:
                return is_through
        is_accepted = State.ACCEPTED in states.values()
        done = State.ACCEPTED if is_accepted else State.COMPLETED
        return self._several(Answer(state=done, detail="receipt", origin=origin, result=result), states)

    def _record(
        self, call: ToolCall, sent: ToolCall, heard: Answer, token: int, worker: Worker, *, keeps_record: bool
    ) -> Steps:
        """Pass the windows after an effect, and write its receipt; True, or what is answered in its stead."""
        order = self._server.order
        if order is WriteOrder.ONE_TRANSACTION:
            is_through = yield from self._windows.passing("after_transaction", sent, worker)
            return is_through or None
        if not (yield from self._windows.passing("after_effect", sent, worker)):
            return None
        if self._server.after_effect.s_max:
            yield self._timeline.wait(self._server.after_effect, f"server.after_effect@{sent.path}")
            if not worker.goes_on:
                return None
        if not keeps_record or order is WriteOrder.RECORD_FIRST or self._records.is_away(sent, "/receipt"):
            return True
        if not self._records.add_receipt(call, sent.stage or self._ports[0].name, heard, token, worker):
            return OPEN
        is_through = yield from self._windows.passing("after_receipt", sent, worker)
        return is_through or None

    def _fail(
        self, call: ToolCall, sent: ToolCall, heard: Answer, token: int, worker: Worker, *, keeps_record: bool
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
            stage = sent.stage or self._ports[0].name
            self._records.record_failure(call, stage, token, worker, is_definite=is_definite)
        if is_definite:
            is_through = True
            if writes:
                is_through = yield from self._windows.replaying(sent, worker)
            return heard if is_through else None
        if heard.state is State.PENDING:
            return heard
        if not self._server.passes_errors_on:
            return OPEN
        error = heard.error if heard.error not in (None, ErrorClass.UNKNOWN) else ErrorClass.SERVER_ERROR
        return Answer(state=State.UNKNOWN, detail=f"error {error}", error=error)

    def _several(self, answer: Answer, states: dict[str, State]) -> Answer:
        """The answer with the state of each stage, where there are several."""
        if len(self._ports) == 1:
            return answer
        stages = tuple((port.name, states.get(port.name, State.NOT_STARTED)) for port in self._ports)
        return Answer(
            state=answer.state,
            detail=answer.detail,
            error=answer.error,
            origin=answer.origin,
            result=answer.result,
            stages=stages,
        )

    def _note_start(self, sent: ToolCall, port: StagePort) -> None:
        """Where approvals play a part, the journal says under which one a stage began."""
        if self._approvals:
            self._journal.append(
                Start(
                    at_s=self._timeline.now_s,
                    party=PARTY,
                    stage=port.name,
                    intent=sent.intent,
                    operation_id=sent.operation_id,
                    inputs=sent.inputs,
                    approval=sent.approval,
                )
            )
