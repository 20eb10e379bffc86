"""Time, and the clock that runs it.

The parties wait, mark instants and ask whether a duration has passed; they never compare two times
themselves. `ConcreteTimeline` answers from a clock in whole microseconds; `interval_timeline` knows
of every pending step only an interval.

At one instant a deadline beats a reply, and an expiry beats an arrival: these two are rules, not picks.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple

import simpy
from simpy.core import EmptySchedule
from simpy.events import NORMAL, URGENT, Event, EventPriority

from simkit.chance import MICROSECONDS_PER_S, Chance, microseconds
from simkit.distributions import Wait
from simkit.world.places import EVERYTHING, NOTHING, Places

__all__ = ["ConcreteTimeline", "Instant", "Span", "Steps", "Timeline"]

Steps = Generator[Event, Any, Any]
"""What a party does: it yields each event that it waits for, and is given its value."""


AT_ONCE_IN_WORDS = "what follows at once"
"""How the next step is called that takes no time, and so has no label."""


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


class Span(NamedTuple):
    """Bounds of a wait in seconds, its typical duration, SimPy priority, label, and the places that its end touches.

    `drawn` is the wait itself where a law says how often it takes how long.
    """

    s_min: float
    s_typical: float
    s_max: float
    priority: EventPriority
    label: str
    touches: Places
    drawn: Wait | None = None


class _Step(Event):
    """The end of a wait.

    Attributes
    ----------
    label
        That of the wait.
    drawn_s
        How long it takes, in seconds, where a law drew that; None where nobody has.
    """

    label: str
    drawn_s: float | None = None


class Timeline(simpy.Environment, ABC):
    """A SimPy environment whose waits are `Wait`s and whose comparisons are questions.

    Each wait has a label, the same in every run of a scenario in which that wait occurs. A wait is
    *local* when its end touches nothing that another party can touch before it: then its order
    among the other steps makes no difference. Otherwise it touches places, and only its order among steps that
    touch one of them too makes a difference.

    Attributes
    ----------
    is_divided
        Whether there are several places; otherwise each is `EVERYTHING`.
    reaching, reaching_if_failing
        Places whose steps may touch more than they are expected to: always, or only where something fails there.
    step_count_max
        Steps after which a run is cut, so that retries without an end do not keep it from one. What a later
        step could change is undecided then, so that no proof rests on this number.
    """

    step_count_max = 1_000_000

    def __init__(self, chance: Chance) -> None:
        super().__init__(0)
        self.chance = chance
        self.is_divided = False
        self.reaching: Places = NOTHING
        self.reaching_if_failing: Places = NOTHING

    def start(self, steps: Steps) -> None:
        """Let a party take its steps, the first of them now; nobody can wait for their end.

        A process of SimPy takes three events more, for its beginning and its end.
        """
        _Walk(steps).go_on()

    def start_next(self, steps: Steps) -> None:
        """Let a party take its steps after everything that is under way in this one."""
        begins = Event(self)
        begins.callbacks.append(_Walk(steps).go_on_after)
        begins.succeed()

    def wait(self, wait: Wait, label: str, *, touches: Places = EVERYTHING) -> Event:
        """Event that happens after a usual duration."""
        drawn = None if wait.law is None else wait
        return self._after(Span(wait.s_min, wait.s_typical, wait.s_max, NORMAL, label, touches, drawn))

    def drawn_s(self, event: Event) -> float | None:
        """How long a wait takes whose event this is, in seconds, where a law drew that; None where nobody has."""
        return event.drawn_s if isinstance(event, _Step) else None

    def late(self, usual: Wait, latest_s: float, label: str, *, touches: Places = EVERYTHING) -> Event:
        """Event that happens later than usual, `latest_s` seconds from now at the latest."""
        return self._after(Span(usual.s_max, latest_s, latest_s, NORMAL, label, touches))

    def deadline(self, seconds: float, label: str, *, touches: Places = EVERYTHING) -> Event:
        """Event that happens after exactly `seconds`, before anything else at that instant."""
        return self._after(Span(seconds, seconds, seconds, URGENT, label, touches))

    @abstractmethod
    def until(self, since: Instant, latest_s: float, label: str, *, touches: Places = EVERYTHING) -> Event:
        """Event that happens at any time from now on, `latest_s` seconds after `since` at the latest."""

    def _after(self, span: Span) -> Event:
        event = _Step(self)
        event._ok = True
        event._value = None
        event.label = span.label
        self._schedule_between(event, span)
        return event

    def hold(self, *memory: object) -> Event | None:
        """Event for which the agent waits before it sends an attempt; None: it sends at once.

        Only who looks at what stands between two attempts ever holds one; `memory` is all that the agent goes by.
        """
        return None

    def run_out(self) -> str | None:
        """Take steps until none is left, and return None; where they are too many, the label of the next one."""
        try:
            for _ in range(self.step_count_max):
                self.step()
        except EmptySchedule:
            return None
        pending = list(self._pending_events())
        labels = (event.label for event in pending if isinstance(event, _Step))
        return next(labels, AT_ONCE_IN_WORDS) if pending else None

    @abstractmethod
    def _pending_events(self) -> Iterable[Event]:
        """What was not taken yet, the next one first as far as that is known."""

    @abstractmethod
    def _schedule_between(self, event: Event, span: Span) -> None:
        """Let `event` happen between `s_min` and `s_max` seconds from now."""

    @abstractmethod
    def forget(self, event: Event) -> None:
        """Take back an event that nobody waits for any more."""

    @abstractmethod
    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Say that of these two only the first counts, and that nothing else bears on either."""

    @abstractmethod
    def make_local(self, event: Event) -> None:
        """Say that nothing can bear on an event any more, so that its order makes no difference."""

    def new_place(self) -> Places:
        """A place of its own, for what nothing else touches unless it says so."""
        return EVERYTHING

    def touch(self, places: Places) -> None:
        """Say that the present step touches some places, whatever it was expected to touch."""

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
    """Every wait takes its typical duration, or one drawn by its law; a late message lands at its latest landing.

    What follows at once from a step comes before every other step of the same instant.
    """

    def __init__(self, chance: Chance) -> None:
        super().__init__(chance)
        self._immediate: deque[Event] = deque()

    def schedule(self, event: Event, priority: EventPriority = NORMAL, delay: Any = 0) -> None:
        """Let an event follow at once; what takes time comes through `_schedule_between`."""
        self._immediate.append(event)

    def step(self) -> None:
        """Process the next event: what follows at once first, then by time."""
        if self._immediate:
            event = self._immediate.popleft()
        elif self._queue:
            self._now, _, _, event = heappop(self._queue)
        else:
            raise EmptySchedule
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for callback in callbacks:
            callback(event)
        if not event._ok and not event.defused:
            raise event._value

    def _schedule_between(self, event: Event, span: Span) -> None:
        seconds = self._taken_s(event, span)
        heappush(self._queue, (self._now + microseconds(seconds), span.priority, next(self._eid), event))

    def _taken_s(self, event: Event, span: Span) -> float:
        """How long a wait takes, in seconds; what was drawn is noted."""
        if span.drawn is None:
            return span.s_typical
        drawn_s = self._drawn_s(span.label, span.drawn)
        if isinstance(event, _Step):
            event.drawn_s = drawn_s
        return drawn_s

    def _drawn_s(self, label: str, wait: Wait) -> float:
        """How long a wait with a law takes, in seconds."""
        return self.chance.latency(label, wait, ())

    def until(self, since: Instant, latest_s: float, label: str, *, touches: Places = EVERYTHING) -> Event:
        """Event that happens `latest_s` seconds after `since`: what may land late lands at the latest on a clock."""
        left_s = max(0.0, latest_s - (int(self._now) - since.step) / MICROSECONDS_PER_S)
        return self._after(Span(0.0, left_s, left_s, NORMAL, label, touches))

    def _pending_events(self) -> Iterable[Event]:
        by_time = (event for *_, event in sorted(self._queue, key=lambda entry: entry[:3]) if event.callbacks)
        return (*self._immediate, *by_time)

    def forget(self, event: Event) -> None:
        """Take back an event; it still passes in SimPy's queue, with nobody called."""
        if event.callbacks is not None:
            event.callbacks = []

    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Nothing to do: the clock settles it."""

    def make_local(self, event: Event) -> None:
        """Nothing to do: on a clock every step has its place."""

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


class _Walk:
    """Takes the steps of one party, each when what it waits for happens."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def go_on(self, heard: Any = None) -> None:
        """Take the next step, and all that need not wait."""
        try:
            event = self._steps.send(heard)
            while event.processed:
                event = self._steps.send(event._value)
        except StopIteration:
            return
        event.callbacks.append(self.go_on_after)

    def go_on_after(self, event: Event) -> None:
        """Take the next step, now that this event has happened."""
        self.go_on(event._value)
