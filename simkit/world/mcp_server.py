"""The MCP server: who works on a call, what it meets, and what each crash window leaves behind.

==========================  ==========================================================
crash site                  what is durable at that moment
==========================  ==========================================================
server.before_reservation   nothing of this attempt (a record is kept by reservation)
server.before_effect        nothing of this attempt (no reservation is made)
server.before_receipt       nothing of this attempt (the record comes first)
server.before_transaction   nothing of this attempt (record and effect come together)
server.after_reservation    the reservation; nothing was sent downstream
server.after_effect         the effect of a stage; its receipt is not
server.after_receipt        the receipt of a stage; nothing was answered
server.after_transaction    effect and receipt; nothing was answered
==========================  ==========================================================

At each `server.paused_...` the worker stops for a while and goes on, whatever became of its lease. What
follows once the claim is made stands in `write_path`.
"""

from simkit.choices import ApprovalCheck, ApprovalUse, OnOutage
from simkit.policy import Entry
from simkit.scenario import Server
from simkit.terms import (
    Claim,
    ClaimKind,
    ErrorClass,
    Knowledge,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    ReadbackAnswer,
    StalePolicy,
    State,
)
from simkit.world.approvals import Approvals
from simkit.world.messages import Answer, ReplyPath, Steps, ToolCall
from simkit.world.places import Places
from simkit.world.record_store import RecordStore
from simkit.world.timeline import Timeline
from simkit.world.windows import Windows
from simkit.world.workers import Replica, Worker
from simkit.world.write_path import LAPSED, OPEN, WritePath

__all__ = ["McpServer"]

PENDING = Answer(state=State.PENDING, detail="another call with this ID is at work", error=ErrorClass.PENDING)
CONFLICT = Answer(
    state=State.CONFLICT,
    detail="this ID was used with other inputs",
    error=ErrorClass.CONFLICT,
    means=Knowledge.CONFLICT_OTHER_INPUTS,
)
TAKEN = Answer(state=State.CONFLICT, detail="another call with this ID is at work", error=ErrorClass.CONFLICT)
EXPIRED = Answer(state=State.EXPIRED, detail="this ID is past its retention")
EXPIRED_OPEN = OPEN._replace(means=None)
"""The same words as for what is open otherwise: who hears them cannot tell that the ID is past its retention."""
RUNS = frozenset({Claim.GRANTED, Claim.RELEASED})
"""What a call meets that is to run, whatever the policies say."""

AWAY = Answer(state=State.REFUSED, detail="the record store is away", error=ErrorClass.UNAVAILABLE)


class McpServer:
    """Serves tool calls, in one process or in several.

    Parameters
    ----------
    write_path
        What is done once the claim is made.
    """

    takes_calls_locally = False

    def __init__(
        self,
        server: Server,
        records: RecordStore,
        write_path: WritePath,
        windows: Windows,
        approvals: Approvals,
        timeline: Timeline,
        place: Places,
    ) -> None:
        self._server = server
        self._records = records
        self._write_path = write_path
        self._windows = windows
        self._approvals = approvals
        self._timeline = timeline
        self._runs = RUNS if server.stale is StalePolicy.HOLD else RUNS | {Claim.STALE}
        self.place = place
        self._replicas = tuple(
            Replica(index, server.worker_count, timeline, renews_leases=server.is_lease_renewed)
            for index in range(server.replica_count)
        )

    def crash(self, replica_index: int | None) -> None:
        """End every call in flight of one process; None: of all at once."""
        for replica in self._replicas if replica_index is None else (self._replicas[replica_index],):
            replica.crash()

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Work on one call, from its arrival to its answer or the death of the process."""
        call = call._replace(at=self.place | reply.place)
        index = self._timeline.chance.pick(f"server.replica@{call.path}", len(self._replicas))
        replica = self._replicas[index]
        worker = replica.take(reply)
        yield from replica.wait_for_slot(worker)
        answer = yield from self._work(call, worker)
        replica.dismiss(worker)
        if answer is not None:
            reply.answer(answer)

    def _work(self, call: ToolCall, worker: Worker) -> Steps:
        """Return the answer, or None where nobody is left to give one."""
        if not (yield from self._windows.first(call, worker)):
            return None
        if self._server.approval_check is ApprovalCheck.ON_ARRIVAL and not self._approvals.is_good(call):
            return LAPSED
        if self._server.approval_use is ApprovalUse.BEFORE_THE_CLAIM:
            self._approvals.use(call)
        if self._server.claim is ClaimKind.NONE:
            answer = yield from self._write_path.run(call, None, worker)
            return answer
        if self._records.is_away(call, ""):
            if self._server.store.on_outage is OnOutage.FAIL_CLOSED:
                return AWAY
            answer = yield from self._write_path.run_without_record(call, worker)
            return answer
        answer = yield from self._claim(call, worker)
        return answer

    def _claim(self, call: ToolCall, worker: Worker) -> Steps:
        """Meet what is recorded, and act on it."""
        met, seen = self._records.meet(call, worker)
        if met is Claim.IN_PROGRESS and self._server.on_pending is OnPending.WAIT:
            met, seen = yield from self._wait(call, worker)
            if not worker.goes_on:
                return None
            if self._records.is_still_away():
                return AWAY
        decided = self._decided(met, call, worker)
        if decided is not None:
            is_recorded = decided.state in (State.COMPLETED, State.ACCEPTED, State.REJECTED)
            return decided if not is_recorded or (yield from self._windows.replaying(call, worker)) else None
        if met is Claim.STALE and self._server.stale is StalePolicy.READ_BACK and self._write_path.can_read_back:
            answer = yield from self._read_back(call, seen, worker)
        else:
            answer = yield from self._write_path.run(call, seen, worker)
        return answer

    def _decided(self, met: Claim, call: ToolCall, worker: Worker) -> Answer | None:
        """The answer to a call that need not run; None for one that is to run."""
        if met in self._runs:
            return None
        server, records = self._server, self._records
        match met:
            case Claim.EXPIRED:
                return records.told(call, worker, EXPIRED_OPEN if server.retention.after is OnExpired.HOLD else EXPIRED)
            case Claim.REPLAY:
                return records.recorded(call, worker)
            case Claim.MISMATCH if server.on_mismatch is OnMismatch.CONFLICT:
                return records.told(call, worker, CONFLICT)
            case Claim.MISMATCH if server.on_mismatch in (OnMismatch.REPLAY, OnMismatch.DROP):
                return records.recorded(call, worker)
            case Claim.IN_PROGRESS if server.on_pending in (OnPending.RETURN_PENDING, OnPending.WAIT):
                return records.told(call, worker, PENDING)
            case Claim.IN_PROGRESS if server.on_pending is OnPending.CONFLICT:
                return records.told(call, worker, TAKEN)
            case Claim.STALE:
                return records.told(call, worker, OPEN)
            case _:
                return None

    def _wait(self, call: ToolCall, worker: Worker) -> Steps:
        """Wait until the first call is settled, or as long as a duplicate waits; then meet again."""
        timeline = self._timeline
        deadline = timeline.deadline(self._server.wait_s, f"server.wait@{call.path}", touches=call.at)
        while True:
            yield self._records.change_of(call, worker) | deadline
            met, seen = Claim.IN_PROGRESS, None
            can_ask = worker.goes_on and not self._records.is_still_away()
            if can_ask:
                met, seen = self._records.meet(call, worker)
            if deadline.processed or met is not Claim.IN_PROGRESS or not can_ask:
                timeline.forget(deadline)
                return met, seen

    def _read_back(self, call: ToolCall, seen: Entry | None, worker: Worker) -> Steps:
        """Ask for the stages of a stale reservation that have no receipt, and go on with those that are absent."""
        found: ReadbackAnswer = yield from self._write_path.ask(call, seen, worker)
        if not worker.goes_on:
            return None
        if self._records.is_still_away():
            return AWAY
        if found is ReadbackAnswer.FOUND:
            answer = self._records.recorded(call, worker)
            return answer if (yield from self._windows.replaying(call, worker)) else None
        readback = self._server.readback
        on_uncertain = OnUncertainReadback.HOLD if readback is None else readback.on_uncertain
        if found is ReadbackAnswer.CANNOT_TELL and on_uncertain is OnUncertainReadback.HOLD:
            return self._records.told(call, worker, OPEN)
        answer = yield from self._write_path.run(call, seen, worker)
        return answer
