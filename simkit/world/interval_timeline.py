"""Time as intervals: of every pending step only bounds are known, and any that can be next may be next.

Steps are of two kinds. *Visible* ones touch what several parties can touch (a record, an effect, a
process that may crash): they are put into one order, each possible order a pick. *Local* ones touch
only their own call: they are taken at once, without a place in that order, at their own instant. This
loses nothing: whatever a visible step meets depends on the order of the visible steps alone, and all
local steps that lead to a visible one are taken before the next visible step is chosen.

References
----------
Bengtsson, Jonsson, Lilius & Yi, "Partial order reductions for timed systems", CONCUR 1998, LNCS 1466,
485-500, for taking independent steps at local times.
"""

from collections.abc import Iterable
from typing import Any

from simpy.core import EmptySchedule
from simpy.events import NORMAL, Event

from simkit.chance import MICROSECONDS_PER_S, Chance, Zone, microseconds
from simkit.world.timeline import Instant, Span, Timeline

__all__ = ["IntervalTimeline"]


class IntervalTimeline(Timeline):
    """Pending steps under difference constraints.

    Parameters
    ----------
    keeps_all
        Keep every step's instant, so that `durations` gives concrete ones. Slower; for witnesses.
    zone
        Where the constraints are kept; a new one, unless somebody watches what it decides.
    """

    step_count_max = 600

    def __init__(self, chance: Chance, *, keeps_all: bool = False, zone: Zone | None = None) -> None:
        super().__init__(chance)
        self._zone = Zone() if zone is None else zone
        self._keeps_all = keeps_all
        self._waits: list[tuple[str, int, int]] = []
        self._taken: list[int] = []
        self._step = 0
        self._next_step = 1
        self._pending: dict[int, Event] = {}
        self._priorities: dict[int, int] = {}
        self._step_of: dict[Event, int] = {}
        self._local: dict[int, Event | None] = {}
        self._immediate: list[Event] = []
        self._marked: set[int] = {0}

    def schedule(self, event: Event, priority: Any = NORMAL, delay: Any = 0) -> None:
        """Let an event follow at once; what takes time comes through `_schedule_between`."""
        if delay:
            message = "a wait on an interval timeline is scheduled by wait, late or deadline"
            raise ValueError(message)
        self._immediate.append(event)

    def _schedule_between(self, event: Event, span: Span) -> None:
        step = self._next_step
        self._next_step += 1
        least = microseconds(span.s_min)
        most = least if span.s_max is span.s_min else microseconds(span.s_max)
        self._zone.add(step, self._step, least, most)
        self._pending[step] = event
        self._priorities[step] = span.priority
        self._step_of[event] = step
        if span.is_local:
            self._local[step] = None
        if self._keeps_all:
            self._waits.append((span.label, step, self._step))

    def until(self, since: Instant, latest_s: float, label: str, *, is_local: bool = False) -> Event:
        """Event that happens at any time from now on, `latest_s` seconds after `since` at the latest."""
        event = self._after(Span(0.0, latest_s, latest_s, NORMAL, label, is_local))
        self._zone.tighten(self._step_of[event], since.step, microseconds(latest_s))
        return event

    def _pending_events(self) -> Iterable[Event]:
        return *self._immediate, *self._pending.values()

    def forget(self, event: Event) -> None:
        """Take an event out of the pending steps, so that no order with it is tried."""
        step = self._step_of.pop(event, None)
        if step is not None:
            del self._pending[step], self._priorities[step]
            self._local.pop(step, None)
            if not self._keeps_all:
                self._zone.drop(step)

    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Take the two out of the order of the visible steps; only which of them is first is picked."""
        self._local[self._step_of[delivery]] = deadline

    def make_local(self, event: Event) -> None:
        """Take an event out of the order of the visible steps."""
        if event in self._step_of:
            self._local[self._step_of[event]] = None

    def mark(self) -> Instant:
        """The present step, whose instant is kept."""
        self._marked.add(self._step)
        return Instant(self._step)

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Answer from the constraints; where both answers are possible, pick one and constrain by it."""
        zone, now, then, least = self._zone, self._step, instant.step, microseconds(seconds)
        can_have, can_have_not = zone.sides(now, then, least)
        has = self.chance.pick(f"{site}.passed", 2) == 1 if can_have and can_have_not else can_have
        zone.put_side(now, then, least, is_apart=has)
        return has

    @property
    def now_s(self) -> float:
        """Earliest possible present instant in seconds."""
        return self._zone.earliest(self._step) / MICROSECONDS_PER_S

    def durations(self) -> dict[str, tuple[int, int | None]]:
        """Microseconds of each wait by its label, so that all agree with every order so far.

        With each its rank among the steps that were taken, for those of one instant; None where it was not.
        """
        instants = self._zone.solution()
        ranks = {step: rank for rank, step in enumerate(self._taken)}
        return {label: (instants[step] - instants[after], ranks.get(step)) for label, step, after in self._waits}

    def step(self) -> None:
        """Process the next event: one that follows at once, a local one, or a visible one that can be next."""
        if self._immediate:
            event = self._immediate.pop(0)
        else:
            event = self._take(self._next_local() if self._local else self._next_visible())
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for callback in callbacks:
            callback(event)
        if not event._ok and not event.defused:
            raise event._value

    def _next_local(self) -> int:
        """The oldest local step, or the deadline that it races with."""
        step, deadline = next(iter(self._local.items()))
        rival = None if deadline is None else self._step_of.get(deadline)
        if rival is None:
            return step
        zone = self._zone
        can_win, can_lose = zone.sides(rival, step, 1)
        wins = self.chance.pick("race", 2) == 0 if can_win and can_lose else can_win
        zone.put_side(rival, step, 1, is_apart=wins)
        return step if wins else rival

    def _next_visible(self) -> int:
        if not self._pending:
            raise EmptySchedule
        possible = self._zone.possible_first(self._priorities)
        taken = possible[self.chance.pick("order", len(possible))]
        self._zone.put_first(taken, self._priorities)
        return taken

    def _take(self, step: int) -> Event:
        event = self._pending.pop(step)
        del self._priorities[step], self._step_of[event]
        self._local.pop(step, None)
        left, self._step = self._step, step
        if self._keeps_all:
            self._taken.append(step)
        elif left not in self._marked:
            self._zone.drop(left)
        return event
