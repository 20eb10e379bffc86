"""What the record store keeps: rows with their history, so that a failover can lose the newest part of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from simpy.events import Event

from simkit.choices import StoreKind
from simkit.policy import Entry
from simkit.scenario import Store
from simkit.terms import State
from simkit.world.timeline import Instant
from simkit.world.workers import Worker

__all__ = ["Key", "Row", "Rows", "Written"]

Key = tuple[str, ...]


class Written(NamedTuple):
    """One durable version of a row: all of it, so that whoever falls back to it finds nothing newer.

    Parameters
    ----------
    origin
        The intent that the operation was first recorded for: ground truth, for the journal.
    kept_since
        From when its retention counts: when the operation was first recorded, or when it was settled; None
        where that has not come.
    states, results
        What is known of each stage, and the name of its recorded result.
    at
        When this version was written; None where no failover can lose it.
    reserved_at
        When its reservation was made; None for a settled row.
    owner
        Who made the claim; None where it came with the effect, in one transaction.
    """

    entry: Entry
    origin: str
    kept_since: Instant | None
    states: Mapping[str, State]
    results: Mapping[str, str]
    at: Instant | None
    reserved_at: Instant | None
    owner: Worker | None


@dataclass(slots=True, kw_only=True)
class Row:
    """One operation.

    Parameters
    ----------
    waiting
        Calls that wait until the row changes or goes.
    is_forgotten
        Whether its retention is over: then it is a tombstone, which knows of the ID and of nothing else.
    """

    history: list[Written]
    waiting: list[Event] = field(default_factory=list)
    is_forgotten: bool = False

    @property
    def current(self) -> Written:
        """The newest version."""
        return self.history[-1]

    def wake(self) -> None:
        """Let every call go on that waits for a change."""
        waiting, self.waiting = self.waiting, []
        for event in waiting:
            event.succeed()


class Rows:
    """Rows by key. In process memory the first part of a key names the process, and each has its own bound."""

    def __init__(self, store: Store) -> None:
        self._row_count_max = store.row_count_max
        self._is_per_process = store.kind is StoreKind.PROCESS_MEMORY
        self._rows: dict[Key, Row] = {}

    def find(self, key: Key) -> Row | None:
        """The row or the tombstone of a key."""
        return self._rows.get(key)

    def write(self, key: Key, written: Written) -> None:
        """Add a version; a row that is new, or new again, may push the oldest one out."""
        row = self._rows.get(key)
        if row is not None and not row.is_forgotten:
            row.history.append(written)
            row.wake()
            return
        self._rows.pop(key, None)
        self._rows[key] = Row(history=[written])
        if self._row_count_max is not None:
            self._evict(key, self._row_count_max)

    def remove(self, key: Key) -> None:
        """Take a row away; whoever waits for it finds that out."""
        self._rows.pop(key).wake()

    def remove_of(self, intent: str) -> None:
        """Take away what was recorded for an intent."""
        for key in [key for key, row in self._rows.items() if row.current.origin == intent]:
            self.remove(key)

    def lose(self, is_lost: Callable[[Written], bool]) -> None:
        """Fall back, in each row, to the newest version that is not lost."""
        for key, row in list(self._rows.items()):
            kept = len(row.history)
            while kept and is_lost(row.history[kept - 1]):
                kept -= 1
            if kept == 0:
                self.remove(key)
            elif kept < len(row.history):
                del row.history[kept:]
                row.wake()

    def _evict(self, newest: Key, row_count_max: int) -> None:
        rivals = [key for key in self._rows if not self._is_per_process or key[0] == newest[0]]
        if len(rivals) > row_count_max:
            self.remove(rivals[0])
