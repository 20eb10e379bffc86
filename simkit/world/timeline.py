"""Time in two kinds: concrete instants, and intervals with an order that is picked.

The parties wait, mark instants and ask whether a duration has passed; they never compare two times
themselves. `ConcreteTimeline` answers from a clock in whole microseconds. `IntervalTimeline` knows
of every pending step only an interval, so any step that can be next may be next (a pick), and a
comparison is answered by the constraints, or picked where both answers are possible.

At one instant a deadline beats a reply, and an expiry beats an arrival: these two are rules, not picks.
"""

from abc import ABC, abstractmethod
from typing import Any

import simpy
from simpy.core import EmptySchedule
from simpy.events import NORMAL, URGENT, Event

from simkit.chance import MICROSECONDS_PER_S, Chance, Zone, microseconds
from simkit.distributions import Wait

__all__ = ["ConcreteTimeline", "Instant", "IntervalTimeline", "Timeline"]

Instant = int


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
        return int(self._now)

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Whether at least `seconds` have passed since `instant`, by the clock."""
        return self._now - instant >= microseconds(seconds)

    @property
    def now_s(self) -> float:
        """The present instant in seconds."""
        return self._now / MICROSECONDS_PER_S


class IntervalTimeline(Timeline):
    """Pending steps under difference constraints; which possible one is next is a pick.

    Parameters
    ----------
    keeps_all
        Keep every step's instant, so that `solution` gives concrete ones. Slower; for witnesses.
    """

    def __init__(self, chance: Chance, *, keeps_all: bool = False) -> None:
        super().__init__(chance)
        self._zone = Zone()
        self._keeps_all = keeps_all
        self._step = 0
        self._next_step = 1
        self._pending: dict[int, tuple[Event, int]] = {}
        self._step_of: dict[Event, int] = {}
        self._immediate: list[Event] = []
        self._marked: set[int] = {0}
        self.scheduled_after: list[tuple[int, int]] = []
        self.fired: list[int] = []

    def schedule(self, event: Event, priority: Any = NORMAL, delay: Any = 0) -> None:
        """Let an event follow at once; what takes time comes through `_schedule_between`."""
        if delay:
            message = "a wait on an interval timeline is scheduled by wait, late or deadline"
            raise ValueError(message)
        self._immediate.append(event)

    def _schedule_between(self, event: Event, priority: int, s_min: float, s_typical: float, s_max: float) -> None:
        step = self._next_step
        self._next_step += 1
        self._zone.add(step, self._step, microseconds(s_min), microseconds(s_max))
        self._pending[step] = (event, priority)
        self._step_of[event] = step
        if self._keeps_all:
            self.scheduled_after.append((step, self._step))

    def forget(self, event: Event) -> None:
        """Take an event out of the pending steps, so that no order with it is tried."""
        step = self._step_of.pop(event, None)
        if step is not None and self._pending.pop(step, None) is not None and not self._keeps_all:
            self._zone.drop(step)

    def mark(self) -> Instant:
        """The present step, whose instant is kept."""
        self._marked.add(self._step)
        return self._step

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Answer from the constraints; where both answers are possible, pick one and constrain by it."""
        zone, now, least = self._zone, self._step, microseconds(seconds)
        can_have = zone.upper(now, instant) >= least
        can_have_not = -zone.upper(instant, now) < least
        if can_have and can_have_not:
            has = self.chance.pick(f"{site}.passed", 2) == 1
        else:
            has = can_have
        if has:
            zone.tighten(instant, now, -least)
        else:
            zone.tighten(now, instant, least - 1)
        return has

    @property
    def now_s(self) -> float:
        """Earliest possible present instant in seconds."""
        return self._zone.earliest(self._step) / MICROSECONDS_PER_S

    def solution(self) -> dict[int, int]:
        """Instants of all steps in microseconds, the earliest that agree with every order so far."""
        return self._zone.solution()

    def step(self) -> None:
        """Process the next event: one that follows at once, else one of those that can be next."""
        event = self._immediate.pop(0) if self._immediate else self._take_next()
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for callback in callbacks:
            callback(event)
        if not event._ok and not event.defused:
            raise event._value

    def _take_next(self) -> Event:
        pending, zone = self._pending, self._zone
        if not pending:
            raise EmptySchedule
        possible = [step for step in pending if self._can_be_next(step)]
        taken = possible[self.chance.pick("order", len(possible))]
        priority = pending[taken][1]
        for other, (_, other_priority) in pending.items():
            if other != taken:
                zone.tighten(taken, other, -1 if other_priority < priority else 0)
        event, _ = pending.pop(taken)
        self._step_of.pop(event, None)
        left, self._step = self._step, taken
        if self._keeps_all:
            self.fired.append(taken)
        elif left not in self._marked:
            zone.drop(left)
        return event

    def _can_be_next(self, step: int) -> bool:
        priority = self._pending[step][1]
        can_be_first = self._zone.can_be_first
        return all(
            can_be_first(step, other, 1 if other_priority < priority else 0)
            for other, (_, other_priority) in self._pending.items()
            if other != step
        )
