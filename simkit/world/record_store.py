"""The store of operation records: one row for each scope and operation ID.

Every method is one durable step, atomic towards all others; where the claim is a unique reservation, a
takeover insists on the version that its caller has seen, so that of two callers with the same knowledge
only one gets it. Rows in process memory are seen by their own process alone.

Sites: `record_store.outage` (the store is away for a while, from this access on), `record_store.failover`
(it comes back without what was written last: at a
call's arrival, `@1`, and right after each durable step, `@1/reservation` or `@1/ticket/receipt`, when most is lost).
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MappingProxyType

from simpy.events import Event

from simkit.choices import CountedFrom, Fencing, LeaseClock, ScopePart, StoreKind
from simkit.journal import Journal
from simkit.policy import Entry, after_failure, claim, fingerprint
from simkit.records import Receipt, StateChange
from simkit.scenario import Conditions, Server
from simkit.terms import Claim, ClaimKind, Clock, ErrorClass, OnExpired, State
from simkit.world.comparing import has_passed
from simkit.world.faults import Faults
from simkit.world.messages import Answer, ToolCall
from simkit.world.remembering import is_remembered
from simkit.world.rows import Key, Row, Rows, Written
from simkit.world.timeline import Instant, Timeline
from simkit.world.workers import Worker

__all__ = ["RecordStore"]

PARTY = "record store"

_UNSETTLED = frozenset({State.PENDING, State.NOT_STARTED})

_FIELD_BY_PART = MappingProxyType(
    {
        ScopePart.TENANT: "tenant",
        ScopePart.PRINCIPAL: "principal",
        ScopePart.CREDENTIAL: "credential",
        ScopePart.TARGET: "target",
        ScopePart.OPERATION_ID: "operation_id",
    }
)
"""The action is no field of a call: there is but one tool."""

_DETAIL_BY_STATE = MappingProxyType({State.REJECTED: "recorded failure", State.PENDING: "the first call is at work"})


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
        self._rows = Rows(server.store)
        self._scope = _scope_of(server.scope)
        self._is_in_process = server.store.kind is StoreKind.PROCESS_MEMORY
        self._away_since: Instant | None = None
        is_judged_by_workers = server.lease_clock is LeaseClock.WORKERS
        self._lease_skew_s = conditions.skew_s_of(Clock.SERVER, Clock.SERVER) if is_judged_by_workers else 0.0

    def is_away(self, call: ToolCall, step: str) -> bool:
        """Whether an outage hits this access; one that has begun lasts for everybody."""
        if self.is_still_away():
            return True
        if not self._faults.happens("record_store.outage", f"{call.path}{step}"):
            return False
        self._away_since = self._timeline.mark()
        return True

    def is_still_away(self) -> bool:
        """Whether an outage that began earlier lasts."""
        if self._away_since is None:
            return False
        if not self._timeline.passed(self._away_since, self._server.store.outage_s, "record_store.outage"):
            return True
        self._away_since = None
        return False

    def meet(self, call: ToolCall, worker: Worker) -> tuple[Claim, Entry | None]:
        """What a call meets, and the row as it was seen."""
        if self._faults.happens("record_store.failover", call.path):
            self._rows.lose(self._is_fresh)
        row = self._rows.find(self._key(call, worker))
        if row is None or not self._is_remembered(row):
            is_refused = row is not None and self._server.retention.after is not OnExpired.RUN_AS_NEW
            return Claim.EXPIRED if is_refused else Claim.GRANTED, None
        entry, bound = row.current.entry, self._fingerprint(call)
        return claim(entry, bound, lease_is_over=entry.fingerprint == bound and self._is_stale(row.current)), entry

    def recorded(self, call: ToolCall, worker: Worker | None) -> Answer:
        """What is recorded, as a repeat gets it."""
        row = self._rows.find(self._key(call, worker))
        if row is None:
            return Answer(state=State.UNKNOWN, detail="the record is gone")
        written = row.current
        state = written.entry.state
        stages = tuple((name, written.states.get(name, State.NOT_STARTED)) for name in self._stages)
        return Answer(
            state=state,
            detail=_DETAIL_BY_STATE.get(state, "recorded result"),
            error=ErrorClass.PENDING if state is State.PENDING else None,
            origin=written.origin,
            result=self.joined(written.results),
            stages=stages if len(stages) > 1 else (),
        )

    def joined(self, results: Mapping[str, str]) -> str:
        """Results of the stages as one, in the order of the stages."""
        return ", ".join(results[name] for name in self._stages if results.get(name))

    def told(self, call: ToolCall, worker: Worker | None, answer: Answer) -> Answer:
        """An answer that gives away that there is a row: it bears the intent that the row is about."""
        row = self._rows.find(self._key(call, worker))
        if row is None:
            return answer
        return answer._replace(origin=row.current.origin)

    def stages_of(self, call: ToolCall, worker: Worker | None) -> tuple[dict[str, State], dict[str, str]]:
        """State and recorded result of each stage that has one."""
        written = self._kept(call, worker)
        return ({}, {}) if written is None else (dict(written.states), dict(written.results))

    def reserve(self, call: ToolCall, seen: Entry | None, worker: Worker, state: State) -> int:
        """Reserve the ID, or take over what was seen; the fencing token, or 0 where somebody was faster."""
        row = self._rows.find(self._key(call, worker))
        current = row.current.entry if row is not None and not row.is_forgotten else None
        if self._server.claim is ClaimKind.UNIQUE and _holder(current) != _holder(seen):
            return 0
        is_released = current is not None and current.state is State.NOT_STARTED
        version = 1 if row is None else row.current.entry.version + (not is_released)
        self._write(call, worker, state, version=version, reserved_at=self._timeline.mark())
        self._fail_over_after(f"{call.path}/reservation")
        return version

    def add_receipt(self, call: ToolCall, stage: str, answer: Answer, token: int, worker: Worker | None) -> bool:
        """Write the receipt of a stage; with the last one the operation is settled. False where a fence forbids it."""
        if self._is_fenced(call, token, worker):
            return False
        before = self._kept(call, worker)
        had, known, had_results = (
            ((), {}, {}) if before is None else (before.entry.receipts, before.states, before.results)
        )
        receipts = tuple(name for name in self._stages if name in had or name == stage)
        states, results = {**known, stage: answer.state}, {**had_results, stage: answer.result}
        if len(receipts) == len(self._stages):
            state = State.ACCEPTED if State.ACCEPTED in states.values() else State.COMPLETED
            self._write(call, worker, state, receipts=receipts, states=states, results=results)
        else:
            # What is in an outbox stays there: a repeat must not take it for an abandoned reservation.
            is_in_outbox = before is not None and before.entry.state is State.ACCEPTED
            state = State.ACCEPTED if is_in_outbox else State.PENDING
            since = self._timeline.mark() if before is None else before.reserved_at
            self._write(call, worker, state, receipts=receipts, states=states, results=results, reserved_at=since)
        self._journal.append(
            Receipt(at_s=self._timeline.now_s, party=PARTY, stage=stage, operation_id=call.operation_id)
        )
        self._fail_over_after(f"{call.path}/{stage}/receipt")
        return True

    def record_as_done(self, call: ToolCall, worker: Worker) -> None:
        """Write `completed` before anything was done."""
        self._write(call, worker, State.COMPLETED, receipts=self._stages)
        self._fail_over_after(f"{call.path}/receipt")

    def record_failure(self, call: ToolCall, stage: str, token: int, worker: Worker, *, is_definite: bool) -> None:
        """Note that a stage failed, as the policy for stored failures says."""
        if self.is_still_away() or self._is_fenced(call, token, worker):
            return
        state = after_failure(self._server.stored_failure, is_definite=is_definite)
        if state is None:
            self._remove(call, worker)
        elif state is not State.PENDING:
            states, _ = self.stages_of(call, worker)
            self._write(call, worker, state, states={**states, stage: state})

    def release(self, call: ToolCall, worker: Worker) -> None:
        """Take back one's own reservation under which nothing was sent, unless somebody else had one before.

        What the ID was bound to stays, so that it cannot be used for anything else.
        """
        written = self._kept(call, worker)
        if written is None or written.owner is not worker or written.states or self.is_still_away():
            return
        if written.entry.state is State.PENDING and written.entry.version == 1:
            self._write(call, worker, State.NOT_STARTED)

    def change_of(self, call: ToolCall, worker: Worker) -> Event:
        """Event that happens when the row that the call met changes or goes."""
        event = self._timeline.event()
        row = self._rows.find(self._key(call, worker))
        if row is None:
            event.succeed()
        else:
            row.waiting.append(event)
        return event

    def forget_object(self, intent: str) -> None:
        """What an intent made was deleted; where a record ends with its object, it goes too."""
        if self._server.ends_with_object:
            self._rows.remove_of(intent)

    def _write(
        self,
        call: ToolCall,
        worker: Worker | None,
        state: State,
        *,
        version: int | None = None,
        receipts: tuple[str, ...] | None = None,
        states: Mapping[str, State] | None = None,
        results: Mapping[str, str] | None = None,
        reserved_at: Instant | None = None,
    ) -> None:
        """Write a row. In one with the same inputs, what is not given stays; a new version has a new owner."""
        key, bound, timeline = self._key(call, worker), self._fingerprint(call), self._timeline
        row = self._rows.find(key)
        before = None if row is None else _bound_to(row, bound)
        owner = worker if before is None or version is not None else before.owner
        if version is None:
            version = 1 if row is None else row.current.entry.version
        if receipts is None:
            receipts = () if before is None else before.entry.receipts
        written = Written(
            entry=Entry(fingerprint=bound, state=state, version=version, receipts=receipts),
            origin=call.intent if before is None else before.origin,
            kept_since=self._kept_since(before, state),
            states=states if states is not None else {} if before is None else before.states,
            results=results if results is not None else {} if before is None else before.results,
            at=timeline.mark() if self._server.store.failover_loss_s else None,
            reserved_at=reserved_at,
            owner=owner,
        )
        self._rows.write(key, written)
        self._note(call, state)

    def _remove(self, call: ToolCall, worker: Worker | None) -> None:
        key = self._key(call, worker)
        if self._rows.find(key) is not None:
            self._rows.remove(key)
            self._note(call, State.NOT_STARTED)

    def _note(self, call: ToolCall, state: State) -> None:
        self._journal.append(
            StateChange(
                at_s=self._timeline.now_s,
                party=PARTY,
                operation_id=call.operation_id,
                state=state,
                tenant=call.tenant if ScopePart.TENANT in self._server.scope else "",
            )
        )

    def _key(self, call: ToolCall, worker: Worker | None) -> Key:
        if self._is_in_process and worker is not None:
            return (worker.memory, *self._scope(call))
        return self._scope(call)

    def _fingerprint(self, call: ToolCall) -> str:
        return fingerprint(
            self._server.binding, inputs=call.inputs, loose_inputs=call.loose_inputs, wording=call.wording
        )

    def _kept(self, call: ToolCall, worker: Worker | None) -> Written | None:
        """What is recorded for these inputs: nothing, where the row is forgotten or bound to other inputs."""
        row = self._rows.find(self._key(call, worker))
        return None if row is None else _bound_to(row, self._fingerprint(call))

    def _is_remembered(self, row: Row) -> bool:
        if not row.is_forgotten:
            since = row.current.kept_since
            row.is_forgotten = not is_remembered(self._server.retention, since, self._timeline, "server.retention")
        return not row.is_forgotten

    def _kept_since(self, before: Written | None, state: State) -> Instant | None:
        """From when the retention of a row counts that takes this state now."""
        if before is not None and before.kept_since is not None:
            return before.kept_since
        is_from_completion = self._server.retention.counted_from is CountedFrom.COMPLETION
        return None if is_from_completion and state in _UNSETTLED else self._timeline.mark()

    def _is_stale(self, written: Written) -> bool:
        """Whether the lease of a reservation is over."""
        lease_s = self._server.lease_s
        owner = written.owner if self._server.is_lease_renewed else None
        since = written.reserved_at if owner is None else owner.silent_since
        if since is None or lease_s is None or written.entry.state is not State.PENDING:
            return False
        return has_passed(self._timeline, since, lease_s, "server.lease", skew_s=self._lease_skew_s)

    def _is_fenced(self, call: ToolCall, token: int, worker: Worker | None) -> bool:
        """Whether somebody else has taken over the claim, and a fence keeps the loser from writing.

        Who writes without a claim of its own has no token, and is not held back.
        """
        if self._server.fencing is Fencing.NONE or not token:
            return False
        row = self._rows.find(self._key(call, worker))
        return row is None or row.current.owner is not worker

    def _fail_over_after(self, path: str) -> None:
        """Lose what is fresh if the store fails over after this step; where nothing can be lost, nobody asks."""
        if self._server.store.failover_loss_s and self._faults.happens("record_store.failover", path):
            self._rows.lose(self._is_fresh)

    def _is_fresh(self, written: Written) -> bool:
        """Whether a failover now loses what was written then."""
        loss_s = self._server.store.failover_loss_s
        return written.at is not None and not self._timeline.passed(written.at, loss_s, "record_store.failover")


def _scope_of(parts: tuple[ScopePart, ...]) -> Callable[[ToolCall], Key]:
    """What the key of a call is read with."""
    fields = [_FIELD_BY_PART[part] for part in parts if part in _FIELD_BY_PART]
    if len(fields) > 1:
        return attrgetter(*fields)
    return lambda call: tuple(getattr(call, field) for field in fields)


def _bound_to(row: Row, bound: str) -> Written | None:
    return None if row.is_forgotten or row.current.entry.fingerprint != bound else row.current


def _holder(entry: Entry | None) -> tuple[int, State] | None:
    """Who holds a claim, and whether it is settled; receipts that were added meanwhile change neither."""
    return None if entry is None else (entry.version, entry.state)
