"""The store of operation records: one row for each scope and operation ID.

Every method is one durable step, atomic towards all others; where the claim is a unique reservation, a
takeover insists on the version that its caller has seen, so that of two callers with the same knowledge
only one gets it. Rows in process memory are seen by their own process alone.

Sites: `record_store.outage` (the store is away for a while, from this access on), `record_store.failover`
(it comes back without what was written last, before this access).
"""

from simpy.events import Event

from simkit.choices import Fencing, LeaseClock, ScopePart, StoreKind
from simkit.journal import Journal
from simkit.policy import Entry, after_failure, claim, fingerprint
from simkit.records import Receipt, StateChange
from simkit.scenario import Conditions, Server
from simkit.terms import Claim, ClaimKind, Clock, OnExpired, State
from simkit.world.comparing import has_passed
from simkit.world.faults import Faults
from simkit.world.messages import Answer, ToolCall
from simkit.world.remembering import is_remembered
from simkit.world.rows import Row, Written
from simkit.world.timeline import Instant, Timeline
from simkit.world.workers import Worker

__all__ = ["RecordStore"]

PARTY = "record store"
Key = tuple[str, ...]


class RecordStore:
    """Rows by the scope of an operation ID.

    Parameters
    ----------
    stages
        Names of the stages; an operation is completed when each has its receipt.
    """

    def __init__(
        self,
        server: Server,
        stages: tuple[str, ...],
        conditions: Conditions,
        timeline: Timeline,
        journal: Journal,
        faults: Faults,
    ) -> None:
        self._server = server
        self._stages = stages
        self._timeline = timeline
        self._journal = journal
        self._faults = faults
        self._rows: dict[Key, Row] = {}
        self._away_since: Instant | None = None
        is_judged_by_workers = server.lease_clock is LeaseClock.WORKERS
        self._lease_skew_s = conditions.skew_s_of(Clock.SERVER, Clock.SERVER) if is_judged_by_workers else 0.0

    def is_away(self, call: ToolCall, step: str) -> bool:
        """Whether an outage hits this access; one that has begun lasts for everybody."""
        store, timeline = self._server.store, self._timeline
        if self._away_since is not None:
            if not timeline.passed(self._away_since, store.outage_s, "record_store.outage"):
                return True
            self._away_since = None
        if not self._faults.happens("record_store.outage", f"{call.path}{step}"):
            return False
        self._away_since = timeline.mark()
        return True

    def meet(self, call: ToolCall, worker: Worker) -> tuple[Claim, Entry | None]:
        """What a call meets, and the row as it was seen."""
        if self._faults.happens("record_store.failover", call.path):
            self._fail_over()
        key = self._key(call, worker)
        row = self._row(key)
        if row is None:
            is_refused = key in self._rows and self._server.retention.after is not OnExpired.RUN_AS_NEW
            return Claim.EXPIRED if is_refused else Claim.GRANTED, None
        entry, bound = row.current.entry, self._fingerprint(call)
        return claim(entry, bound, lease_is_over=entry.fingerprint == bound and self._is_stale(row.current)), entry

    def recorded(self, call: ToolCall, worker: Worker | None) -> Answer:
        """The recorded result, as a repeat gets it."""
        row = self._rows[self._key(call, worker)]
        state = row.current.entry.state
        detail = "recorded failure" if state is State.REJECTED else "recorded result"
        return self._answer(row, state, detail)

    def told(self, call: ToolCall, worker: Worker | None, answer: Answer) -> Answer:
        """An answer that gives away that there is a row: it bears the intent that the row is about."""
        row = self._rows.get(self._key(call, worker))
        if row is None:
            return answer
        return Answer(state=answer.state, detail=answer.detail, error=answer.error, origin=row.origin)

    def states_of(self, call: ToolCall, worker: Worker | None) -> dict[str, State]:
        """State of each stage that has one."""
        row = self._kept(call, worker)
        return {} if row is None else dict(row.states)

    def reserve(self, call: ToolCall, seen: Entry | None, worker: Worker, state: State) -> int:
        """Reserve the ID, or take over what was seen; the fencing token, or 0 where somebody was faster."""
        key = self._key(call, worker)
        row = self._rows.get(key)
        current = row.current.entry if row is not None and not row.is_forgotten else None
        if self._server.claim is ClaimKind.UNIQUE and _holder(current) != _holder(seen):
            return 0
        receipts = current.receipts if current is not None else ()
        version = 1 if row is None else row.current.entry.version + 1
        self._write(call, worker, state, receipts, version=version, reserved_at=self._timeline.mark())
        return version

    def add_receipt(self, call: ToolCall, stage: str, answer: Answer, token: int, worker: Worker | None) -> bool:
        """Write the receipt of a stage; with the last one the operation is settled. False where a fence forbids it."""
        if self._is_fenced(call, token, worker):
            return False
        row = self._kept(call, worker)
        before = () if row is None else row.current.entry.receipts
        receipts = tuple(name for name in self._stages if name in before or name == stage)
        if len(receipts) == len(self._stages):
            states = (answer.state, *(() if row is None else row.states.values()))
            settled = State.ACCEPTED if State.ACCEPTED in states else State.COMPLETED
            self._write(call, worker, settled, receipts)
        else:
            reserved_at = self._timeline.mark() if row is None else row.current.reserved_at
            self._write(call, worker, State.PENDING, receipts, reserved_at=reserved_at)
        row = self._rows[self._key(call, worker)]
        row.states[stage], row.results[stage] = answer.state, answer.result
        self._journal.append(
            Receipt(at_s=self._timeline.now_s, party=PARTY, stage=stage, operation_id=call.operation_id)
        )
        return True

    def record_as_done(self, call: ToolCall, worker: Worker) -> None:
        """Write `completed` before anything was done."""
        self._write(call, worker, State.COMPLETED, self._stages)

    def record_failure(self, call: ToolCall, stage: str, token: int, worker: Worker, *, is_definite: bool) -> None:
        """Note that a stage failed, as the policy for stored failures says."""
        if self._is_fenced(call, token, worker):
            return
        key, row = self._key(call, worker), self._kept(call, worker)
        state = after_failure(self._server.stored_failure, is_definite=is_definite)
        if state is None:
            self._rows.pop(key, None)
            self._note(call, State.NOT_STARTED)
        elif state is not State.PENDING:
            self._write(call, worker, state, () if row is None else row.current.entry.receipts)
            self._rows[key].states[stage] = state

    def release(self, call: ToolCall, worker: Worker) -> None:
        """Take back a reservation under which nothing was sent, unless somebody else had one before."""
        key = self._key(call, worker)
        row = self._rows.get(key)
        if row is not None and row.current.entry.version == 1:
            self._wake(row)
            del self._rows[key]
            self._note(call, State.NOT_STARTED)

    def change_of(self, call: ToolCall, worker: Worker) -> Event:
        """Event that happens when the row that the call met changes."""
        event = self._timeline.event()
        self._rows[self._key(call, worker)].waiting.append(event)
        return event

    def forget_object(self, intent: str) -> None:
        """What an intent made was deleted; where a record ends with its object, it goes too."""
        if self._server.ends_with_object:
            self._rows = {key: row for key, row in self._rows.items() if row.origin != intent}

    def _write(
        self,
        call: ToolCall,
        worker: Worker | None,
        state: State,
        receipts: tuple[str, ...],
        *,
        version: int | None = None,
        reserved_at: Instant | None = None,
    ) -> None:
        """Write a row; its version stays as it is where none is given."""
        key = self._key(call, worker)
        row = self._rows.get(key)
        if version is None:
            version = 1 if row is None else row.current.entry.version
        written = Written(
            entry=Entry(fingerprint=self._fingerprint(call), state=state, version=version, receipts=receipts),
            at=self._timeline.mark() if self._server.store.failover_loss_s else None,
            reserved_at=reserved_at,
            owner=worker if self._server.is_lease_renewed else None,
        )
        if row is None or row.is_forgotten:
            self._rows[key] = Row(first_at=self._timeline.mark(), origin=call.intent, history=[written])
            self._evict()
        else:
            row.history.append(written)
            self._wake(row)
        self._note(call, state)

    def _note(self, call: ToolCall, state: State) -> None:
        self._journal.append(
            StateChange(at_s=self._timeline.now_s, party=PARTY, operation_id=call.operation_id, state=state)
        )

    def _answer(self, row: Row, state: State, detail: str) -> Answer:
        stages = tuple((name, row.states.get(name, State.NOT_STARTED)) for name in self._stages)
        return Answer(
            state=state,
            detail=detail,
            origin=row.origin,
            result=", ".join(row.results.values()),
            stages=stages if len(stages) > 1 else (),
        )

    def _key(self, call: ToolCall, worker: Worker | None) -> Key:
        parts = {
            ScopePart.TENANT: call.tenant,
            ScopePart.PRINCIPAL: call.principal,
            ScopePart.CREDENTIAL: call.credential,
            ScopePart.ACTION: "",
            ScopePart.TARGET: call.target,
            ScopePart.OPERATION_ID: call.operation_id,
        }
        is_private = self._server.store.kind is StoreKind.PROCESS_MEMORY
        memory = (worker.memory,) if is_private and worker is not None else ()
        return (*memory, *(parts[part] for part in self._server.scope))

    def _fingerprint(self, call: ToolCall) -> str:
        return fingerprint(
            self._server.binding, inputs=call.inputs, loose_inputs=call.loose_inputs, wording=call.wording
        )

    def _kept(self, call: ToolCall, worker: Worker | None) -> Row | None:
        """The row, unless it was found to be forgotten."""
        row = self._rows.get(self._key(call, worker))
        return None if row is None or row.is_forgotten else row

    def _row(self, key: Key) -> Row | None:
        row = self._rows.get(key)
        if row is None or row.is_forgotten:
            return None
        if not is_remembered(self._server.retention, row.first_at, self._timeline, "server.retention"):
            row.is_forgotten = True
            return None
        return row

    def _is_stale(self, written: Written) -> bool:
        """Whether the lease of a reservation is over."""
        lease_s = self._server.lease_s
        since = written.reserved_at if written.owner is None else written.owner.silent_since
        if since is None or lease_s is None or written.entry.state is not State.PENDING:
            return False
        return has_passed(self._timeline, since, lease_s, "server.lease", skew_s=self._lease_skew_s)

    def _is_fenced(self, call: ToolCall, token: int, worker: Worker | None) -> bool:
        """Whether somebody else has taken over the claim, and a fence keeps the loser from writing."""
        if self._server.fencing is Fencing.NONE or not token:
            return False
        row = self._rows.get(self._key(call, worker))
        return row is None or row.current.entry.version != token

    def _fail_over(self) -> None:
        """Lose what was written within the loss time before now."""
        kept: dict[Key, Row] = {}
        for key, row in self._rows.items():
            while row.history and self._is_fresh(row.current):
                row.history.pop()
            if row.history:
                kept[key] = row
        self._rows = kept

    def _is_fresh(self, written: Written) -> bool:
        loss_s = self._server.store.failover_loss_s
        return written.at is not None and not self._timeline.passed(written.at, loss_s, "record_store.failover")

    def _evict(self) -> None:
        row_count_max = self._server.store.row_count_max
        if row_count_max is not None and len(self._rows) > row_count_max:
            del self._rows[next(iter(self._rows))]

    def _wake(self, row: Row) -> None:
        waiting, row.waiting = row.waiting, []
        for event in waiting:
            event.succeed()


def _holder(entry: Entry | None) -> tuple[int, State] | None:
    """Who holds a claim, and whether it is settled; receipts that were added meanwhile change neither."""
    return None if entry is None else (entry.version, entry.state)
