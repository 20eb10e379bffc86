"""What a system of record remembers of earlier requests, so that it recognises a repeat.

A key may be written down before its effect (a *claim*, at work until it is settled), with it, or after
it. A request at work that nothing durable stands for is known only while it is there.
"""

from dataclasses import dataclass, field

from simpy.events import Event

from simkit.choices import CountedFrom, Deduplication
from simkit.policy import RECORDED_BEFORE, KnownBy, Progress, Remembered, known_by
from simkit.scenario import Downstream
from simkit.terms import OnExpired, RetentionKind, State
from simkit.world.messages import Answer, ToolCall
from simkit.world.remembering import is_remembered
from simkit.world.timeline import Instant, Timeline

__all__ = ["KeyMemory", "Request", "Row"]

NO_ANSWER = Answer(state=State.PENDING, detail="at work under this key")


@dataclass(slots=True, kw_only=True, eq=False)
class Request:
    """One request at a system of record.

    Parameters
    ----------
    sequence_number
        Of its key, in the order in which the producer handed the keys over; 0 where it has none.
    has_claimed
        Whether it was written down before its effect.
    is_concurrent
        Whether what it meets later was at work, or not there yet, when it arrived.
    runs_beside
        Whether it runs although another one is at work under its key.
    """

    call: ToolCall
    sequence_number: int = 0
    has_claimed: bool = False
    is_concurrent: bool = False
    runs_beside: bool = False


@dataclass(slots=True, kw_only=True)
class Row:
    """What stands under one identity.

    Parameters
    ----------
    since
        When it was written down; None where nothing durable stands there yet.
    answer
        The stored response.
    result
        Name of what was made; empty where nothing was, or not yet.
    waiters
        Whoever waits for a request that is at work.
    """

    owner: Request
    progress: Progress
    since: Instant | None
    answer: Answer
    result: str = ""
    is_forgotten: bool = False
    waiters: list[Event] = field(default_factory=list)

    @property
    def remembered(self) -> Remembered:
        """What a decision needs of it."""
        return Remembered(inputs=self.owner.call.inputs, progress=self.progress)


class KeyMemory:
    """Rows by key, by object, or by content, whatever the kind recognises a repeat by."""

    def __init__(self, downstream: Downstream, timeline: Timeline) -> None:
        self._downstream = downstream
        self._known_by = known_by(downstream.deduplication)
        self._timeline = timeline
        self._rows: dict[tuple[str, ...], Row] = {}
        self._numbers: dict[tuple[str, ...], int] = {}
        self._highest: dict[tuple[str, ...], int] = {}

    @property
    def _counts_from_completion(self) -> bool:
        retention = self._downstream.key_retention
        return retention is not None and retention.counted_from is CountedFrom.COMPLETION

    def find(self, request: Request) -> Row | None:
        """The row that is remembered for what a request bears."""
        row = self._row(request)
        if row is None or row.is_forgotten:
            return None
        retention = self._downstream.key_retention
        is_at_work = row.progress is Progress.AT_WORK
        if row.since is None or retention is None or (is_at_work and self._counts_from_completion):
            return row
        if not is_remembered(retention, row.since, self._timeline, "downstream.key"):
            row.is_forgotten = True
            return None
        return row

    def on_expired(self, request: Request) -> OnExpired:
        """What a request gets for which nothing is remembered: something else than to run only past its retention."""
        retention, row = self._downstream.key_retention, self._row(request)
        if retention is None or row is None or not row.is_forgotten:
            return OnExpired.RUN_AS_NEW
        return retention.after

    def number(self, request: Request) -> None:
        """Give a request the sequence number of its key, and a new key the next one."""
        identity = self._identity(request)
        if self._downstream.deduplication is Deduplication.SEQUENCE and identity is not None:
            request.sequence_number = self._numbers.setdefault(identity, len(self._numbers) + 1)

    def is_overtaken(self, request: Request) -> bool:
        """Whether a higher sequence number has been applied in the same stream."""
        return 0 < request.sequence_number < self._highest.get(_stream(request.call), 0)

    def claim(self, request: Request) -> None:
        """Write a request down before its effect; of one that bears no key there is nothing to write down."""
        is_durable = self._downstream.key_recorded in RECORDED_BEFORE
        since = self._timeline.mark() if is_durable else None
        self._write(request, Row(owner=request, progress=Progress.AT_WORK, since=since, answer=NO_ANSWER))
        request.has_claimed = self._identity(request) is not None

    def keep(self, request: Request, progress: Progress, answer: Answer, result: str = "") -> None:
        """Write down how a request ended, or that it was accepted."""
        row = self._row(request)
        since = row.since if row is not None and row.owner is request else None
        if since is None or self._counts_from_completion:
            since = self._timeline.mark()
        self._write(request, Row(owner=request, progress=progress, since=since, answer=answer, result=result))
        if progress is Progress.DONE and request.sequence_number:
            stream = _stream(request.call)
            self._highest[stream] = max(self._highest.get(stream, 0), request.sequence_number)

    def release(self, request: Request) -> None:
        """Forget a request that was written down before its effect, as if it had never been."""
        identity, row = self._identity(request), self._row(request)
        if identity is not None and row is not None and row.owner is request:
            del self._rows[identity]
            _wake(row)

    def abandon(self, request: Request) -> None:
        """Forget a request that was interrupted, unless something durable stands for it."""
        row = self._row(request)
        if row is not None and row.since is None:
            self.release(request)

    def is_owner(self, request: Request) -> bool:
        """Whether the row under the identity of a request is its own."""
        row = self._row(request)
        return row is not None and row.owner is request

    def forget(self, results: frozenset[str]) -> None:
        """Forget what is remembered as long as these results are there."""
        retention = self._downstream.key_retention
        if retention is not None and retention.kind is RetentionKind.WITH_OBJECT:
            for row in self._rows.values():
                row.is_forgotten = row.is_forgotten or row.result in results

    def finished(self, row: Row) -> Event:
        """Event that happens when a request at work ends, however it ends."""
        row.waiters.append(self._timeline.event())
        return row.waiters[-1]

    def _write(self, request: Request, row: Row) -> None:
        identity = self._identity(request)
        if identity is not None:
            before = self._rows.get(identity)
            self._rows[identity] = row
            _wake(before)

    def _row(self, request: Request) -> Row | None:
        identity = self._identity(request)
        return None if identity is None else self._rows.get(identity)

    def _identity(self, request: Request) -> tuple[str, ...] | None:
        """What a repeat of a request would share with it; None where nothing recognises one."""
        if self._downstream.key_retention is None:
            return None
        call = request.call
        match self._known_by:
            case KnownBy.KEY:
                return (call.tenant, call.key) if call.key else None
            case KnownBy.OBJECT:
                name = call.target or call.key
                return (call.tenant, name) if name else None
            case KnownBy.CONTENT:
                return (call.tenant, call.target, call.inputs)
            case KnownBy.NOTHING:
                return None


def _stream(call: ToolCall) -> tuple[str, ...]:
    return (call.tenant, call.target)


def _wake(row: Row | None) -> None:
    for waiter in () if row is None else row.waiters:
        waiter.succeed()
