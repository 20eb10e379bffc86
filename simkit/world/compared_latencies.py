"""With what the latencies of a run are compared: a clock that notes it.

Every instant on the clock is the end of a chain of waits. Where two instants are compared (an answer with a
deadline, the present with an expiry), a wait that is in one chain and not in the other decides the comparison:
from a certain duration on it comes out otherwise. That duration is a cut. It is told from the last instant of the
other chain that is known when the wait begins, and it is noted only where all that is drawn after the wait has
its typical duration, so that each comparison gives one cut and not one for each cell of another wait.

Two steps that touch one place (two calls that meet at a record) are compared by nobody, and yet their order may
decide: that is noted too, as a cut of the wait that began last, told from the other step. So a latency is cut
where another one ends, and a race of two latencies is a cell, however narrow.
"""

from collections.abc import Iterator
from itertools import takewhile

from simpy.events import Event

from simkit.chance import Chance, Luck, microseconds
from simkit.distributions import Cell, Wait
from simkit.world.latency_cells import START, CellsTimeline, Cut, Cuts, play_in_cells
from simkit.world.places import NOTHING, Places
from simkit.world.plan import Plan
from simkit.world.run import Run
from simkit.world.timeline import Instant, Span

__all__ = ["compared_latencies"]


def compared_latencies(
    plan: Plan, chance: Chance, cuts: Cuts, *, has_episodes: bool
) -> tuple[Run, tuple[tuple[str, Cut], ...]]:
    """One run, and each comparison that a wait with a law decided: its label, with the cut."""
    timeline = _ComparedTimeline(chance, cuts)
    run = play_in_cells(plan, timeline, has_episodes=has_episodes)
    return run, tuple(timeline.noted)


class _Link:
    """One wait in the chain that leads to an instant.

    Parameters
    ----------
    number
        How many waits were begun before.
    end
        Its end, in microseconds from the start.
    law_bounds
        Between what ends it may have, in microseconds from the start; None where it was not drawn.
    is_usual
        Whether it took its typical duration.
    touches
        The places that its end touches.
    """

    __slots__ = ("end", "is_usual", "label", "law_bounds", "number", "parent", "touches")

    def __init__(self, parent: "_Link | None", label: str, number: int, end: int) -> None:
        self.parent = parent
        self.label = label
        self.number = number
        self.end = end
        self.law_bounds: tuple[int, int] | None = None
        self.is_usual = True
        self.touches = NOTHING

    def chain(self) -> "Iterator[_Link]":
        """The wait itself and those before it, back to the start."""
        link: _Link | None = self
        while link is not None:
            yield link
            link = link.parent


class _ComparedTimeline(CellsTimeline):
    """Notes the cuts; a wait ends where it typically does, or else at the median of its cell.

    Attributes
    ----------
    noted
        Each wait's label with a cut, in the order in which they were found.
    """

    def __init__(self, chance: Chance, cuts: Cuts) -> None:
        super().__init__(chance, cuts, Luck(0, 0))
        self.noted: dict[tuple[str, Cut], None] = {}
        self._present = self._start = _Link(None, START, 0, 0)
        self._links: dict[Event, _Link] = {}
        self._visible: dict[Event, _Link] = {}
        self._marked: dict[Instant, _Link] = {}
        self._number = self._place_count = 0
        self._is_usual = True

    def _schedule_between(self, event: Event, span: Span) -> None:
        self._number += 1
        self._is_usual = True
        super()._schedule_between(event, span)
        link = _Link(self._present, span.label, self._number, self._ends[span.label])
        if span.drawn is not None:
            now = int(self._now)
            link.law_bounds = now + microseconds(span.s_min), now + microseconds(span.s_max)
            link.is_usual = self._is_usual
        link.touches = span.touches
        self._links[event] = link
        self._visible[event] = link

    def _placed_s(self, label: str, wait: Wait, cell: Cell) -> float:
        self._is_usual = cell.s_min < wait.s_typical < cell.s_max
        return wait.s_typical if self._is_usual else cell.duration_s(0.5)

    def step(self) -> None:
        """Take the next event, and remember which waits led to it; what follows at once has the same."""
        if self._queue and not self._immediate:
            event = self._queue[0][3]
            self._present = self._links.pop(event, self._start)
            if self._visible.pop(event, None) is not None:
                self.touch(self._present.touches)
        super().step()

    def forget(self, event: Event) -> None:
        """Take back an event: it was compared with the present, and came too late."""
        link = self._links.get(event)
        if link is not None:
            self._compare(link, link.end)
        self._visible.pop(event, None)
        super().forget(event)

    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Only which of these two is first bears on anything, and that is noted when the other is taken back."""
        self._visible.pop(delivery, None)

    def make_local(self, event: Event) -> None:
        """Nothing bears on it any more."""
        self._visible.pop(event, None)

    def new_place(self) -> Places:
        """A place of its own, for what nothing else touches unless it says so."""
        self._place_count += 1
        return 1 << self._place_count

    def touch(self, places: Places) -> None:
        """Note what decides that the present step comes before those that will touch the same places."""
        for other in self._visible.values():
            if other.touches & places:
                self._order(other)

    def mark(self) -> Instant:
        """The present instant, with the waits that led to it."""
        instant = super().mark()
        self._marked[instant] = self._present
        return instant

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Whether at least `seconds` have passed since `instant`, by the clock; noted."""
        self._compare(self._marked.get(instant, self._start), instant.step + microseconds(seconds))
        return super().passed(instant, seconds, site)

    def _compare(self, other: _Link, other_instant: int) -> None:
        """Note what decides whether the present is before another instant, which follows from a link."""
        now = int(self._now)
        for found in _cuts_between(self._present, now, other, other_instant):
            self.noted[found] = None
        for found in _cuts_between(other, other_instant, self._present, now):
            self.noted[found] = None

    def _order(self, other: _Link) -> None:
        """Note what decides that the present step comes before another one, for the wait that was drawn last.

        Given all others, it decides the order alone; so one wait is cut, and not each of the two.
        """
        drawn = [link for side in (self._present, other) for link in side.chain() if link.law_bounds]
        last = max(drawn, key=lambda link: link.number, default=None)
        if last is None:
            return
        pairs = (
            *_cuts_between(self._present, self._present.end, other, other.end),
            *_cuts_between(other, other.end, self._present, self._present.end),
        )
        for label, cut in pairs:
            if label == last.label:
                self.noted[label, cut] = None


def _cuts_between(side: _Link, instant: int, other: _Link, other_instant: int) -> Iterator[tuple[str, Cut]]:
    """The cut of each wait on one side that is not on the other, by its label."""
    shared = {link.number for link in other.chain()}
    for link in takewhile(lambda link: link.number not in shared, side.chain()):
        if link.law_bounds is not None:
            known = _last_known(other, link)
            end = other_instant - (instant - link.end)
            if known is not None and link.law_bounds[0] < end < link.law_bounds[1]:
                yield link.label, Cut(known.label, end - known.end)
        if not link.is_usual:
            return


def _last_known(link: _Link, drawn: _Link) -> _Link | None:
    """The last in a chain that had a law, or the start, before a wait was drawn; None where one since is unusual.

    What lies between it and the drawn wait's beginning takes the same time in every run.
    """
    for one in link.chain():
        if one.number < drawn.number and (one.law_bounds or one.parent is None):
            return one
        if one.number > drawn.number and not one.is_usual:
            return None
    return None
