"""A clock on which a wait with a law ends in a cell that chance names, at a place in it that luck draws.

The cells lie between cuts. A cut is told from an instant that is known when the wait begins (the deadline of
the caller above, the arrival of an earlier call that is still on its way), because what a latency is compared
with is rarely a constant from its own start: a deadline that has run for a while, or an expiry that began
when another call arrived.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from simpy import Environment
from simpy.events import Event

from simkit.chance import MICROSECONDS_PER_S, Chance, Luck, microseconds
from simkit.distributions import Cell, Wait
from simkit.journal import Journal
from simkit.world.assembly import play
from simkit.world.plan import Plan
from simkit.world.run import Run
from simkit.world.timeline import ConcreteTimeline, Span
from simkit.world.trials import Decisions, Trials

__all__ = ["START", "CellsTimeline", "Cut", "Cuts", "play_in_cells", "run_in_cells"]

START = ""
"""The label of the start of a run."""


class Cut(NamedTuple):
    """Where a wait is cut: at the end of another wait, and so many microseconds later (or, below 0, earlier)."""

    after: str
    offset: int


Cuts = Mapping[str, tuple[Cut, ...]]
"""The cuts of each wait with a law, by its label."""


class CellsTimeline(ConcreteTimeline):
    """A clock for one replicate: all runs of it have the same luck inside the cells.

    Parameters
    ----------
    cuts
        A wait without one has a single cell, and nothing is asked about it.
    luck
        Where in its cell each wait ends, by its label.
    """

    def __init__(self, chance: Chance, cuts: Cuts, luck: Luck) -> None:
        super().__init__(chance)
        self._cuts = cuts
        self._luck = luck
        self._ends = {START: 0}

    def _schedule_between(self, event: Event, span: Span) -> None:
        duration = microseconds(self._taken_s(event, span))
        self._ends[span.label] = int(self._now) + duration
        Environment.schedule(self, event, span.priority, duration)

    def _drawn_s(self, label: str, wait: Wait) -> float:
        cell = self.chance.cell(label, wait, self._cuts_s(label))
        return self._placed_s(label, wait, cell)

    def _placed_s(self, label: str, wait: Wait, cell: Cell) -> float:
        """Where in a cell a wait ends, in seconds from its beginning."""
        return cell.duration_s(self._luck.at_fraction(label))

    def _cuts_s(self, label: str) -> Iterator[float]:
        """Durations at which a wait that begins now is cut: those told from instants that this run has."""
        for cut in self._cuts.get(label, ()):
            end = self._ends.get(cut.after)
            if end is not None:
                yield (end + cut.offset - self._now) / MICROSECONDS_PER_S


def run_in_cells(plan: Plan, chance: Chance, *, cuts: Cuts, luck: Luck, has_episodes: bool) -> Run:
    """Run on a clock; the cell in which each wait with a law ends is asked of `chance`."""
    return play_in_cells(plan, CellsTimeline(chance, cuts, luck), has_episodes=has_episodes)


def play_in_cells(plan: Plan, timeline: CellsTimeline, *, has_episodes: bool) -> Run:
    """Run on such a clock."""
    journal, decisions = Journal(), Decisions()
    trials = Trials(timeline.chance, decisions, is_on=False)
    play(plan, timeline, journal, trials, has_episodes=has_episodes)
    return Run(journal=journal, decisions=decisions)
