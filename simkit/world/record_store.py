"""The shared store of operation records: one row for each scope and operation ID.

Every method is one durable step, atomic towards all others; a takeover insists on the version that
its caller has seen, so that of two callers with the same knowledge only one gets it.
"""

from dataclasses import dataclass

from simkit.journal import Journal
from simkit.policy import Entry, claim
from simkit.records import Receipt, StateChange
from simkit.scenario import Server
from simkit.terms import Claim, OnExpired, State
from simkit.world.messages import ToolCall
from simkit.world.remembering import is_remembered
from simkit.world.timeline import Instant, Timeline

__all__ = ["RecordStore"]

PARTY = "record store"


@dataclass(slots=True)
class _Row:
    entry: Entry
    first_at: Instant
    reserved_at: Instant | None
    is_forgotten: bool = False


class RecordStore:
    """Rows by tenant and operation ID."""

    def __init__(self, server: Server, stage: str, timeline: Timeline, journal: Journal) -> None:
        self._server = server
        self._stage = stage
        self._timeline = timeline
        self._journal = journal
        self._rows: dict[tuple[str, str], _Row] = {}

    def meet(self, call: ToolCall) -> tuple[Claim, Entry | None]:
        """What a call meets, and the row as it was seen."""
        row = self._row(call)
        if row is None:
            return Claim.EXPIRED if self._is_refused(call) else Claim.GRANTED, None
        lease_is_over = (
            row.reserved_at is not None
            and self._server.lease_s is not None
            and row.entry.fingerprint == call.inputs
            and self._timeline.passed(row.reserved_at, self._server.lease_s, "server.lease")
        )
        return claim(row.entry, call.inputs, lease_is_over=lease_is_over), row.entry

    def reserve(self, call: ToolCall, seen: Entry | None) -> bool:
        """Reserve the ID, or take over the reservation that was seen; False where somebody was faster."""
        row = self._rows.get(_key(call))
        current = row.entry if row is not None and not row.is_forgotten else None
        if current != seen:
            return False
        first_at = row.first_at if row is not None and seen is not None else self._first()
        version = row.entry.version + 1 if row is not None else 1
        entry = Entry(fingerprint=call.inputs, state=State.PENDING, version=version)
        self._rows[_key(call)] = _Row(entry=entry, first_at=first_at, reserved_at=self._timeline.mark())
        self._note(call, State.PENDING)
        return True

    def settle(self, call: ToolCall, state: State) -> None:
        """Write the final state; `completed` comes with the receipt that later calls get."""
        row = self._rows.get(_key(call))
        first_at = self._first() if row is None else row.first_at
        version = 1 if row is None else row.entry.version + 1
        entry = Entry(fingerprint=call.inputs, state=state, version=version)
        self._rows[_key(call)] = _Row(entry=entry, first_at=first_at, reserved_at=None)
        self._note(call, state)
        if state is State.COMPLETED:
            self._journal.append(
                Receipt(at_s=self._timeline.now_s, party=PARTY, stage=self._stage, operation_id=call.operation_id)
            )

    def _row(self, call: ToolCall) -> _Row | None:
        row = self._rows.get(_key(call))
        if row is None or row.is_forgotten:
            return None
        if not is_remembered(self._server.retention, row.first_at, self._timeline, "server.retention"):
            row.is_forgotten = True
            return None
        return row

    def _is_refused(self, call: ToolCall) -> bool:
        """Whether a tombstone says that this ID is past its retention and must not run as new."""
        return _key(call) in self._rows and self._server.retention.after is OnExpired.REFUSE

    def _first(self) -> Instant:
        return self._timeline.mark()

    def _note(self, call: ToolCall, state: State) -> None:
        self._journal.append(
            StateChange(at_s=self._timeline.now_s, party=PARTY, operation_id=call.operation_id, state=state)
        )


def _key(call: ToolCall) -> tuple[str, str]:
    return call.tenant, call.operation_id
