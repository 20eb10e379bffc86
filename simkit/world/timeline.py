"""Time in two kinds: concrete instants, and intervals with an order that is picked.

The parties wait, mark instants and ask whether a duration has passed; they never compare two times
themselves. `ConcreteTimeline` answers from a clock in whole microseconds. `IntervalTimeline` knows
of every pending step only an interval, so any step that can be next may be next (a pick), and a
comparison is answered by the constraints, or picked where both answers are possible.

At one instant a deadline beats a reply, and an expiry beats an arrival: these two are rules, not picks.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import simpy
from simpy.core import EmptySchedule
from simpy.events import NORMAL, URGENT, Event

from simkit.chance import MICROSECONDS_PER_S, Bounds, Chance, Scripted, Zone, microseconds
from simkit.distributions import Wait

__all__ = ["ConcreteTimeline", "Instant", "IntervalTimeline", "Resume", "Timeline"]

class Instant:
    """A past instant that somebody may compare with the present.

    Parameters
    ----------
    step
        Microseconds on a clock; the number of the step on intervals.
    """

    __slots__ = ("step",)

    def __init__(self, step: int) -> None:
        self.step = step


class Timeline(simpy.Environment, ABC):
    """A SimPy environment whose waits are `Wait`s and whose comparisons are questions."""

    def __init__(self, chance: Chance) -> None:
        super().__init__(0)
        self.chance = chance

    def wait(self, wait: Wait) -> Event:
        """Event that happens after a usual duration."""
        return self._after(wait.s_min, wait.s_typical, wait.s_max, NORMAL)

    def late(self, usual: Wait, latest_s: float) -> Event:
        """Event that happens later than usual, `latest_s` seconds from now at the latest."""
        return self._after(usual.s_max, latest_s, latest_s, NORMAL)

    def deadline(self, seconds: float) -> Event:
        """Event that happens after exactly `seconds`, before anything else at that instant."""
        return self._after(seconds, seconds, seconds, URGENT)

    def _after(self, s_min: float, s_typical: float, s_max: float, priority: int) -> Event:
        event = Event(self)
        event._ok = True
        event._value = None
        self._schedule_between(event, priority, s_min, s_typical, s_max)
        return event

    @abstractmethod
    def _schedule_between(self, event: Event, priority: int, s_min: float, s_typical: float, s_max: float) -> None:
        """Let `event` happen between `s_min` and `s_max` seconds from now."""

    @abstractmethod
    def forget(self, event: Event) -> None:
        """Take back an event that nobody waits for any more."""

    @abstractmethod
    def mark(self) -> Instant:
        """The present instant, to be compared with later."""

    @abstractmethod
    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Whether at least `seconds` have passed since `instant`."""

    @property
    @abstractmethod
    def now_s(self) -> float:
        """The present instant in seconds; the earliest possible one where only an interval is known."""


class ConcreteTimeline(Timeline):
    """Every wait takes its typical duration; a late message lands at its latest landing."""

    def _schedule_between(self, event: Event, priority: int, s_min: float, s_typical: float, s_max: float) -> None:
        self.schedule(event, priority, microseconds(s_typical))

    def forget(self, event: Event) -> None:
        """Take back an event; it still passes in SimPy's queue, with nobody called."""
        if event.callbacks is not None:
            event.callbacks = []

    def mark(self) -> Instant:
        """The present instant in microseconds."""
        return Instant(int(self._now))

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Whether at least `seconds` have passed since `instant`, by the clock."""
        return int(self._now) - instant.step >= microseconds(seconds)

    @property
    def now_s(self) -> float:
        """The present instant in seconds."""
        return self._now / MICROSECONDS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Where a replayed run starts to reckon with times: before, its script tells the order.

    Parameters
    ----------
    boundary_number
        Counts, from 1, the moments at which all processes waited and a step was about to be taken.
    steps, bounds
        The steps that matter there, and upper bounds of the differences of their instants, row by
        row, in microseconds.
    """

    boundary_number: int
    steps: tuple[int, ...]
    bounds: Bounds


class IntervalTimeline(Timeline):
    """Pending steps under difference constraints; which possible one is next is a pick.

    Parameters
    ----------
    resume
        None to reckon with times from the start.
    keeps_all
        Keep every step's instant, so that `solution` gives concrete ones. Slower; for witnesses.

    Attributes
    ----------
    before_step
        Called, if there is one, whenever the script is used up, all processes wait, and the next
        step is about to be taken.
    """

    def __init__(self, chance: Scripted, *, resume: Resume | None = None, keeps_all: bool = False) -> None:
        super().__init__(chance)
        self.before_step: Callable[[], None] | None = None
        self.boundary_number = 0
        self.scheduled_after: list[tuple[int, int]] = []
        self.fired: list[int] = []
        self._script = chance
        self._resume = resume
        self._zone = Zone() if resume is None else None
        self._keeps_all = keeps_all
        self._step = 0
        self._next_step = 1
        self._pending: dict[int, tuple[Event, int]] = {}
        self._step_of: dict[Event, int] = {}
        self._immediate: list[Event] = []
        self._marked: set[int] = {0}

    def schedule(self, event: Event, priority: Any = NORMAL, delay: Any = 0) -> None:
        """Let an event follow at once; what takes time comes through `_schedule_between`."""
        if delay:
            message = "a wait on an interval timeline is scheduled by wait, late or deadline"
            raise ValueError(message)
        self._immediate.append(event)

    def _schedule_between(self, event: Event, priority: int, s_min: float, s_typical: float, s_max: float) -> None:
        step = self._next_step
        self._next_step += 1
        if self._zone is not None:
            self._zone.add(step, self._step, microseconds(s_min), microseconds(s_max))
        self._pending[step] = (event, priority)
        self._step_of[event] = step
        if self._keeps_all:
            self.scheduled_after.append((step, self._step))

    def forget(self, event: Event) -> None:
        """Take an event out of the pending steps, so that no order with it is tried."""
        step = self._step_of.pop(event, None)
        if step is not None:
            del self._pending[step]
            if self._zone is not None and not self._keeps_all:
                self._zone.drop(step)

    def mark(self) -> Instant:
        """The present step, whose instant is kept."""
        self._marked.add(self._step)
        return Instant(self._step)

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Answer from the constraints; where both answers are possible, pick one and constrain by it."""
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
        """What is known of the times now, if nobody compares with other instants than `compared`."""
        marked = dict.fromkeys(instant.step for instant in compared)
        steps = tuple(dict.fromkeys((self._step, *self._pending, *marked)))
        return Resume(boundary_number=self.boundary_number, steps=steps, bounds=self._reckoned().bounds_among(steps))

    def go_on_with(self, resume: Resume) -> None:
        """Replace what is known of the times."""
        self._zone = Zone.of(resume.steps, resume.bounds)
        self._marked = set(resume.steps) - self._pending.keys()

    def solution(self) -> dict[int, int]:
        """Instants of all steps in microseconds, the earliest that agree with every order so far."""
        return self._reckoned().solution()

    def _reckoned(self) -> Zone:
        if self._zone is None:
            message = "a run that has not reached its resume point has not reckoned with times yet"
            raise RuntimeError(message)
        return self._zone

    def step(self) -> None:
        """Process the next event: one that follows at once, else one of those that can be next."""
        if self._immediate:
            event = self._immediate.pop(0)
        else:
            self._at_boundary()
            event = self._take_next()
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for callback in callbacks:
            callback(event)
        if not event._ok and not event.defused:
            raise event._value

    def _at_boundary(self) -> None:
        self.boundary_number += 1
        if self._resume is not None and self._resume.boundary_number == self.boundary_number:
            self.go_on_with(self._resume)
        elif self.before_step is not None and self._script.is_exhausted:
            self.before_step()

    def _take_next(self) -> Event:
        pending, zone = self._pending, self._zone
        if not pending:
            raise EmptySchedule
        steps = list(pending)
        if len(steps) == 1:
            taken = steps[0]
        elif zone is None:
            taken = steps[self._script.repeat("order")]
        else:
            taken = steps[self.chance.pick_possible("order", [self._can_be_next(zone, step) for step in steps])]
            priority = pending[taken][1]
            for other, (_, other_priority) in pending.items():
                if other != taken:
                    zone.tighten(taken, other, -1 if other_priority < priority else 0)
        event, _ = pending.pop(taken)
        del self._step_of[event]
        left, self._step = self._step, taken
        if self._keeps_all:
            self.fired.append(taken)
        elif zone is not None and left not in self._marked:
            zone.drop(left)
        return event

    def _can_be_next(self, zone: Zone, step: int) -> bool:
        priority = self._pending[step][1]
        return all(
            zone.can_be_first(step, other, 1 if other_priority < priority else 0)
            for other, (_, other_priority) in self._pending.items()
            if other != step
        )
