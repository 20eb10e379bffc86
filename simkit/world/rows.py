"""What the record store keeps: rows with their history, so that a failover can lose the newest part of it."""

from dataclasses import dataclass, field

from simpy.events import Event

from simkit.policy import Entry
from simkit.terms import State
from simkit.world.timeline import Instant
from simkit.world.workers import Worker

__all__ = ["Row", "Written"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One durable version of a row.

    Parameters
    ----------
    at
        When it was written; None where no failover can lose it.
    reserved_at
        When its reservation was made; None for a settled row.
    owner
        Who holds the claim, where it renews its lease; otherwise None.
    """

    entry: Entry
    at: Instant | None
    reserved_at: Instant | None
    owner: Worker | None


@dataclass(slots=True, kw_only=True)
class Row:
    """One operation.

    Parameters
    ----------
    first_at
        When the operation was first recorded; its retention counts from there.
    origin
        The intent that it was first recorded for: ground truth, for the journal.
    states, results
        What is known of each stage, and the name of its recorded result.
    waiting
        Calls that wait until the row changes.
    """

    first_at: Instant
    origin: str
    history: list[Written]
    states: dict[str, State] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    waiting: list[Event] = field(default_factory=list)
    is_forgotten: bool = False

    @property
    def current(self) -> Written:
        """The newest version."""
        return self.history[-1]
