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

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from simpy.core import EmptySchedule
from simpy.events import NORMAL, Event

from simkit.chance import MICROSECONDS_PER_S, Bounds, Scripted, Zone, microseconds
from simkit.world.timeline import Instant, Span, Timeline

__all__ = ["IntervalTimeline", "Resume"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Where a replayed run starts to reckon with times: before, its script tells the order.

    Parameters
    ----------
    boundary_number
        Counts, from 1, the moments at which a visible step was about to be taken.
    steps, bounds
        The steps that matter there, and upper bounds of the differences of their instants, row by
        row, in microseconds.
    """

    boundary_number: int
    steps: tuple[int, ...]
    bounds: Bounds


class IntervalTimeline(Timeline):
    """Pending steps under difference constraints.

    Parameters
    ----------
    resume
        None to reckon with times from the start.
    keeps_all
        Keep every step's instant, so that `durations` gives concrete ones. Slower; for witnesses.

    Attributes
    ----------
    before_step
        Called, if there is one, whenever the script is used up and the next visible step is about
        to be taken.
    """

    def __init__(self, chance: Scripted, *, resume: Resume | None = None, keeps_all: bool = False) -> None:
        super().__init__(chance)
        self.before_step: Callable[[], None] | None = None
        self.boundary_number = 0
        self.reach = microseconds(16.1*3600)
        self._script = chance
        self._resume = resume
        self._zone = Zone() if resume is None else None
        self._keeps_all = keeps_all
        self._waits: list[tuple[str, int, int]] = []
        self._step = 0
        self._next_step = 1
        self._pending: dict[int, tuple[Event, int]] = {}
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
        if self._zone is not None:
            self._zone.add(step, self._step, microseconds(span.s_min), microseconds(span.s_max))
        self._pending[step] = (event, span.priority)
        self._step_of[event] = step
        if span.is_local:
            self._local[step] = None
        if self._keeps_all:
            self._waits.append((span.label, step, self._step))

    def forget(self, event: Event) -> None:
        """Take an event out of the pending steps, so that no order with it is tried."""
        step = self._step_of.pop(event, None)
        if step is not None:
            del self._pending[step]
            self._local.pop(step, None)
            if self._zone is not None and not self._keeps_all:
                self._zone.drop(step)

    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Take the two out of the order of the visible steps; only which of them is first is picked."""
        self._local[self._step_of[delivery]] = deadline

    def make_local(self, event: Event) -> None:
        """Take an event out of the order of the visible steps."""
        if event in self._step_of:
            self._local[self._step_of[event]] = None

    def mark(self, longest_s: float) -> Instant:
        """The present step, whose instant is kept."""
        if microseconds(longest_s) <= self.reach:
            self._marked.add(self._step)
        return Instant(self._step, microseconds(longest_s))

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Answer from the constraints; where both answers are possible, pick one and constrain by it."""
        if microseconds(seconds) > self.reach:
            return False
        site = f"{site}.passed"
        zone, now, then, least = self._zone, self._step, instant.step, microseconds(seconds)
        if zone is None:
            return self._script.repeat(site) == 1
        can_have = zone.upper(now, then) >= least
        can_have_not = -zone.upper(then, now) < least
        has = self.chance.pick_possible(site, (can_have_not, can_have)) == 1
        if has:
            zone.tighten(then, now, -least)
        else:
            zone.tighten(now, then, least - 1)
        return has

    @property
    def now_s(self) -> float:
        """Earliest possible instant in seconds since the start; 0 where the start is out of sight."""
        if self._zone is None or not self._zone.knows_start:
            return 0.0
        return self._zone.earliest(self._step) / MICROSECONDS_PER_S

    def pending_events(self) -> list[tuple[Event, int]]:
        """The pending steps with their priorities, oldest first."""
        return list(self._pending.values())

    def resume_point(self, compared: Iterable[Instant]) -> Resume:
        """What is known of the times now, if nobody compares with other instants than `compared`.

        From here the run goes on with that, and with no more.
        """
        longest: dict[int, int] = {}
        for instant in compared:
            if instant.step != self._step and instant.longest <= self.reach:
                longest[instant.step] = max(longest.get(instant.step, 0), instant.longest)
        hub = (self._step, *self._pending)
        resume = Resume(
            boundary_number=self.boundary_number,
            steps=(*hub, *longest),
            bounds=self._reckoned().bounds_among(hub, tuple(longest.items())),
        )
        self._go_on_with(resume)
        return resume

    def _go_on_with(self, resume: Resume) -> None:
        self._zone = Zone.of(resume.steps, resume.bounds)
        self._marked = set(resume.steps) - self._pending.keys()

    def durations(self) -> dict[str, int]:
        """Microseconds of each wait by its label, so that all agree with every order so far."""
        instants = self._reckoned().solution()
        return {label: instants[step] - instants[after] for label, step, after in self._waits}

    def _reckoned(self) -> Zone:
        if self._zone is None:
            message = "a run that has not reached its resume point has not reckoned with times yet"
            raise RuntimeError(message)
        return self._zone

    def step(self) -> None:
        """Process the next event: one that follows at once, a local one, or a visible one that can be next."""
        if self._immediate:
            event = self._immediate.pop(0)
        elif self._local:
            event = self._take(self._first_of_local())
        else:
            self._at_boundary()
            event = self._take(self._next_visible())
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for callback in callbacks:
            callback(event)
        if not event._ok and not event.defused:
            raise event._value

    def _at_boundary(self) -> None:
        self.boundary_number += 1
        if self._resume is not None and self._resume.boundary_number == self.boundary_number:
            self._go_on_with(self._resume)
        elif self.before_step is not None and self._script.is_exhausted:
            self.before_step()

    def _first_of_local(self) -> int:
        """The oldest local step, or the deadline that it races with."""
        step, deadline = next(iter(self._local.items()))
        rival = None if deadline is None else self._step_of.get(deadline)
        if rival is None:
            return step
        if self._zone is None:
            return (step, rival)[self._script.repeat("race")]
        zone = self._zone
        possible = (zone.can_be_first(step, rival, 1), zone.can_be_first(rival, step, 0))
        if self.chance.pick_possible("race", possible) == 0:
            zone.tighten(step, rival, -1)
            return step
        zone.tighten(rival, step, 0)
        return rival

    def _next_visible(self) -> int:
        pending, zone = self._pending, self._zone
        if not pending:
            raise EmptySchedule
        steps = list(pending)
        if len(steps) == 1:
            return steps[0]
        if zone is None:
            return steps[self._script.repeat("order")]
        taken = steps[self.chance.pick_possible("order", [self._can_be_next(zone, step) for step in steps])]
        priority = pending[taken][1]
        for other, (_, other_priority) in pending.items():
            if other != taken:
                zone.tighten(taken, other, -1 if other_priority < priority else 0)
        return taken

    def _take(self, step: int) -> Event:
        event, _ = self._pending.pop(step)
        del self._step_of[event]
        self._local.pop(step, None)
        left, self._step = self._step, step
        if self._zone is not None and not self._keeps_all and left not in self._marked:
            self._zone.drop(left)
        return event

    def _can_be_next(self, zone: Zone, step: int) -> bool:
        priority = self._pending[step][1]
        return all(
            zone.can_be_first(step, other, 1 if other_priority < priority else 0)
            for other, (_, other_priority) in self._pending.items()
            if other != step
        )
