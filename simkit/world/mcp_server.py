"""The MCP server: its write path, its crash windows, and what each window leaves behind.

==========================  ==========================================================
crash site                  what is durable at that moment
==========================  ==========================================================
server.before_reservation   nothing of this attempt (a record is kept by reservation)
server.before_effect        nothing of this attempt (no reservation is made)
server.after_reservation    the reservation; nothing was sent downstream
server.after_effect         the effect; the receipt is not
server.after_receipt        effect and receipt; nothing was answered
==========================  ==========================================================

A crash kills all calls in flight of the process and closes its connections; what was already sent
downstream still arrives. The server is up again at once, without memory: a call that was in flight
finds another incarnation at its next step, and ends there.
"""

from simkit.policy import Entry
from simkit.scenario import Conditions, Server
from simkit.terms import (
    Claim,
    ClaimKind,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    ReadbackAnswer,
    StalePolicy,
    State,
)
from simkit.world.faults import Faults
from simkit.world.layer import Layer
from simkit.world.messages import Answer, ReplyPath, Steps, ToolCall
from simkit.world.readbacks import Readbacks
from simkit.world.record_store import RecordStore

__all__ = ["McpServer"]

PENDING = Answer(state=State.PENDING, detail="another call with this ID is at work")
CONFLICT = Answer(state=State.CONFLICT, detail="this ID was used with other inputs")
EXPIRED = Answer(state=State.EXPIRED, detail="this ID is past its retention")
OPEN = Answer(state=State.UNKNOWN, detail="outcome unknown, held for the owner")
REPLAYED = Answer(state=State.COMPLETED, detail="recorded result")
DONE = Answer(state=State.COMPLETED, detail="receipt")


class McpServer:
    """One process that serves tool calls.

    Parameters
    ----------
    downstream
        The SDK that sends to the system of record.
    readbacks
        None where the server cannot ask the system of record.
    """

    takes_calls_locally = False

    def __init__(
        self,
        server: Server,
        conditions: Conditions,
        records: RecordStore,
        downstream: Layer,
        readbacks: Readbacks | None,
        faults: Faults,
    ) -> None:
        self._server = server
        self._conditions = conditions
        self._records = records
        self._downstream = downstream
        self._readbacks = readbacks
        self._faults = faults
        self._incarnation = 0
        self._connections: list[ReplyPath] = []

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Work on one call, from its arrival to its answer or the death of the process."""
        self._connections.append(reply)
        born = self._incarnation
        answer = yield from self._work(call, born)
        if answer is not None:
            self._connections.remove(reply)
            reply.answer(answer)

    def _work(self, call: ToolCall, born: int) -> Steps:
        """Return the answer, or None where the process died under the call."""
        kind = self._server.claim
        if self._crashes("before_reservation" if kind is ClaimKind.UNIQUE else "before_effect", call):
            return None
        if kind is ClaimKind.NONE:
            answer = yield from self._write(call, born)
            return answer
        met, seen = self._records.meet(call)
        match met:
            case Claim.EXPIRED:
                return EXPIRED
            case Claim.REPLAY:
                return self._replay(call, seen)
            case Claim.MISMATCH if self._server.on_mismatch is OnMismatch.CONFLICT:
                return CONFLICT
            case Claim.MISMATCH if self._server.on_mismatch is OnMismatch.REPLAY:
                return self._replay(call, seen)
            case Claim.IN_PROGRESS if self._server.on_pending is OnPending.RETURN_PENDING:
                return PENDING
            case Claim.IN_PROGRESS if self._server.on_pending is OnPending.CONFLICT:
                return CONFLICT
            case Claim.STALE if self._server.stale is StalePolicy.HOLD:
                return OPEN
            case Claim.STALE if self._server.stale is StalePolicy.READ_BACK and self._readbacks is not None:
                answer = yield from self._read_back(self._readbacks, call, seen, born)
            case _:
                answer = yield from self._claim_and_write(call, seen, born)
        return answer

    def _replay(self, call: ToolCall, seen: Entry | None) -> Answer | None:
        if self._crashes("after_receipt", call):
            return None
        is_rejected = seen is not None and seen.state is State.REJECTED
        return Answer(state=State.REJECTED, detail="recorded failure") if is_rejected else REPLAYED

    def _read_back(self, readbacks: Readbacks, call: ToolCall, seen: Entry | None, born: int) -> Steps:
        found: ReadbackAnswer = yield from readbacks.ask("server", call)
        if self._incarnation != born:
            return None
        if found is ReadbackAnswer.FOUND:
            self._records.settle(call, State.COMPLETED)
            return None if self._crashes("after_receipt", call) else REPLAYED
        on_uncertain = self._readback_policy()
        if found is ReadbackAnswer.CANNOT_TELL and on_uncertain is OnUncertainReadback.HOLD:
            return OPEN
        answer = yield from self._claim_and_write(call, seen, born)
        return answer

    def _readback_policy(self) -> OnUncertainReadback:
        readback = self._server.readback
        return OnUncertainReadback.HOLD if readback is None else readback.on_uncertain

    def _claim_and_write(self, call: ToolCall, seen: Entry | None, born: int) -> Steps:
        if self._server.claim is ClaimKind.UNIQUE:
            if not self._records.reserve(call, seen):
                return PENDING
            if self._crashes("after_reservation", call):
                return None
        answer = yield from self._write(call, born)
        return answer

    def _write(self, call: ToolCall, born: int) -> Steps:
        """Send downstream, then record what is known."""
        heard: Answer = yield from self._downstream.send_and_wait(call, lambda: self._incarnation == born)
        if self._incarnation != born:
            return None
        if heard.state is State.CONFLICT:
            return heard
        if heard.state not in (State.COMPLETED, State.REJECTED):
            return OPEN
        if heard.state is State.COMPLETED and self._crashes("after_effect", call):
            return None
        if self._server.claim is not ClaimKind.NONE:
            self._records.settle(call, heard.state)
            if self._crashes("after_receipt", call):
                return None
        return DONE if heard.state is State.COMPLETED else heard

    def _crashes(self, window: str, call: ToolCall) -> bool:
        if not self._faults.happens(f"server.{window}", call.path):
            return False
        self._incarnation += 1
        connections, self._connections = self._connections, []
        for reply in connections:
            reply.close()
        return True
