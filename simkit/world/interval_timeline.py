"""Time as intervals: of every pending step only bounds are known, and any that can be next may be next.

Steps are of two kinds. *Visible* ones touch what several parties can touch (a record, an effect, a
process that may crash), each at its places: those that meet at a place are put into an order, and their
instants with them; the instants of others stay open among each other. Which other orders are worth a run,
`turns` says. *Local* ones touch only their own call: they are taken at once, without a place in any order,
at their own instant. Whatever a visible step meets depends on the visible steps at its places alone, and all
local steps that lead to a visible one are taken before the next visible step is chosen.

References
----------
Bengtsson, Jonsson, Lilius & Yi, "Partial order reductions for timed systems", CONCUR 1998, LNCS 1466,
485-500, for taking independent steps at local times.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from simpy.core import EmptySchedule
from simpy.events import NORMAL, Event

from simkit.chance import MICROSECONDS_PER_S, Chance, Zone, microseconds
from simkit.world.places import EVERYTHING, NOTHING, LastTouches, Places
from simkit.world.timeline import Instant, Span, Timeline
from simkit.world.turns import Reversal, Turn, Turns

__all__ = ["IntervalTimeline", "RedundantOrder"]

START = 0


class RedundantOrder(Exception):
    """Every run that goes on from here is made elsewhere, or is impossible."""


class _Birth(NamedTuple):
    """Where a step comes from: how long after which one it happens, in microseconds, and what that followed."""

    parent: int
    least: int
    most: int
    causes: int
    priority: int


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
        self._touches: dict[int, Places] = {}
        self._step_of: dict[Event, int] = {}
        self._local: dict[int, Event | None] = {}
        self._immediate: list[Event] = []
        self._marked: set[int] = {0}
        self._births: dict[int, _Birth] = {}
        self._present = 0
        self._turn: Turn | None = None
        self._turns = Turns()
        self._asleep: dict[int, Places] = {}
        self._last = LastTouches()
        self._next_place = 1
        self._is_impossible = False

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
        self._births[step] = _Birth(self._step, least, most, self._present, span.priority)
        self._pending[step] = event
        self._priorities[step] = span.priority
        self._step_of[event] = step
        if span.touches:
            self._touches[step] = span.touches
            self._come_after(step, span.touches, self._turns.past_of(self._present))
        else:
            self._local[step] = None
        if self._keeps_all:
            self._waits.append((span.label, step, self._step))

    def until(self, since: Instant, latest_s: float, label: str, *, touches: Places = EVERYTHING) -> Event:
        """Event that happens at any time from now on, `latest_s` seconds after `since` at the latest."""
        event = self._after(Span(0.0, latest_s, latest_s, NORMAL, label, touches))
        self._zone.tighten(self._step_of[event], since.step, microseconds(latest_s))
        return event

    def _pending_events(self) -> Iterable[Event]:
        return *self._immediate, *self._pending.values()

    def forget(self, event: Event) -> None:
        """Take an event out of the pending steps, so that no order with it is tried."""
        step = self._step_of.pop(event, None)
        if step is not None:
            self._leave_order(step)
            del self._pending[step], self._priorities[step]
            self._local.pop(step, None)
            if not self._keeps_all:
                self._zone.drop(step)

    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Take the two out of the order of the visible steps; only which of them is first is picked."""
        self._leave_order(self._step_of[deadline])
        self._leave_order(self._step_of[delivery])
        self._local[self._step_of[delivery]] = deadline

    def make_local(self, event: Event) -> None:
        """Take an event out of the order of the visible steps."""
        if event in self._step_of:
            self._leave_order(self._step_of[event])
            self._local[self._step_of[event]] = None

    def new_place(self) -> Places:
        """A place of its own, for what nothing else touches unless it says so."""
        if not self.is_divided:
            return EVERYTHING
        place = self._next_place
        self._next_place <<= 1
        return place

    def touch(self, places: Places) -> None:
        """Say that the present step touches some places, whatever it was expected to touch.

        A local step does so ahead of its time, and nothing else may bear on what it touches.
        """
        turn = self._turn
        if turn is None or not (places := places & ~turn.touches):
            return
        self._come_after(turn.step, places, turn.past | self._present)
        turn.past |= self._meet(turn.step, places, turn.past | self._present)
        turn.touches |= places
        self._wake(places)
        for step, touched in tuple(self._touches.items()):
            if touched & places:
                self._insist_on_order(turn.step, step)
        for released in self._last.touched(turn.step, places):
            self._release(released)

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

    @property
    def reversals(self) -> tuple[Reversal, ...]:
        """Other orders of the steps so far that are worth a run."""
        return tuple(self._turns.reversals)

    def durations(self) -> dict[str, tuple[int, int | None]]:
        """Microseconds of each wait by its label, so that all agree with every order so far.

        With each its rank among the steps that were taken, for those of one instant; None where it was not.
        """
        instants = self._zone.solution()
        ranks = {step: rank for rank, step in enumerate(self._taken)}
        return {label: (instants[step] - instants[after], ranks.get(step)) for label, step, after in self._waits}

    def step(self) -> None:
        """Process the next event: one that follows at once, a local one, or a visible one that can be next.

        Raises
        ------
        RedundantOrder
            If every run that begins like this one is made elsewhere, or is impossible.
        """
        if self._immediate:
            event = self._immediate.pop(0)
        elif self._is_impossible:
            self._note_pending()
            raise RedundantOrder
        else:
            event = self._take_local() if self._local else self._take_visible()
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
        for callback in callbacks:
            callback(event)
        if not event._ok and not event.defused:
            raise event._value

    def _take_local(self) -> Event:
        """The oldest local step, or the deadline that it races with."""
        step, deadline = next(iter(self._local.items()))
        self._turn, self._present = None, self._births[step].causes
        rival = None if deadline is None else self._step_of.get(deadline)
        if rival is None:
            return self._take(step)
        self._present |= self._births[rival].causes
        zone = self._zone
        can_win, can_lose = zone.sides(rival, step, 1)
        wins = self.chance.pick("race", 2) == 0 if can_win and can_lose else can_win
        zone.put_side(rival, step, 1, is_apart=wins)
        return self._take(step if wins else rival)

    def _take_visible(self) -> Event:
        if not self._pending:
            raise EmptySchedule
        zone, asleep = self._zone, self._asleep
        possible = sorted(zone.possible_first(self._priorities, self._touches), key=zone.latest)
        first_index = next((index for index, step in enumerate(possible) if step not in asleep), None)
        if first_index is None:
            self._note_pending()
            raise RedundantOrder
        question_index, answer, before = -1, 0, frozenset(asleep)
        if len(possible) > 1:
            question_index = self.chance.asked_count
            answer, earlier = self.chance.order("order", len(possible), first_index)
            asleep.update((possible[index], self._touches[possible[index]]) for index in earlier)
        step = possible[answer]
        zone.put_first(step, self._priorities, self._touches)
        self._open_turn(step, question_index, possible, before)
        return self._take(step)

    def _open_turn(self, step: int, question_index: int, candidates: list[int], asleep: frozenset[int]) -> None:
        touches = self._touches[step]
        past = self._turns.past_of(self._births[step].causes)
        past |= self._meet(step, touches, past)
        self._turn = Turn(step, touches, past, question_index, candidates, asleep)
        self._present = 1 << len(self._turns)
        self._turns.add(self._turn)
        self._wake(touches)
        for released in self._last.touched(step, touches):
            self._release(released)

    def _take(self, step: int) -> Event:
        event = self._pending.pop(step)
        del self._priorities[step], self._step_of[event]
        self._touches.pop(step, None)
        self._local.pop(step, None)
        left, self._step = self._step, step
        if self._keeps_all:
            self._taken.append(step)
        self._release(left)
        return event

    def _release(self, step: int) -> None:
        """Forget the instant of a past step, unless somebody may still refer to it."""
        is_needed = self._keeps_all or step == self._step or step in self._marked or self._last.keeps(step)
        if not is_needed:
            self._zone.drop(step)

    def _leave_order(self, step: int) -> None:
        """Take a pending step out of the order, once it was noted before whom it might have come instead."""
        touches = self._touches.pop(step, None)
        if touches is not None:
            self._meet(step, touches, self._turns.past_of(self._births[step].causes))

    def _note_pending(self) -> None:
        """Note before whom all that is still pending might have come.

        That a step waits for one that sleeps may be due to the turns so far: what came before it at one of its
        places made it later, and so put it behind a deadline at another. It is not seen again in this run.
        """
        for step, touches in self._touches.items():
            self._meet(step, touches, self._turns.past_of(self._births[step].causes))

    def _meet(self, step: int, touches: Places, past: int) -> int:
        """Bits of all that a step follows because it touches a place in common, where it might have come first."""
        met = 0
        for index in self._turns.met(touches, past):
            met |= self._turns[index].past | 1 << index
        if met and self.chance.is_past_script:
            self._turns.propose(step, touches, past, lambda other: self._may_come_first(step, other))
        return met

    def _come_after(self, step: int, touches: Places, past: int) -> None:
        """Let a step come after all that touched a place in common with it, and that it does not follow anyhow."""
        for index in self._turns.met(touches, past):
            self._insist_on_order(self._turns[index].step, step)

    def _insist_on_order(self, earlier: int, later: int) -> None:
        """Let a step come after one whose turn it was before; where it cannot, this order is impossible."""
        if not self._zone.tighten(earlier, later, -self._beats(later, earlier)):
            self._is_impossible = True
            if later in self._touches:
                self._leave_order(later)

    def _beats(self, step: int, other: int) -> bool:
        """Whether a step comes first at one instant with another, by rule."""
        return self._births[step].priority < self._births[other].priority

    def _may_come_first(self, step: int, other: int) -> bool:
        """Whether a step might come before another that it does not follow, by how long after their causes they are."""
        least, walked, ancestor = {step: 0}, 0, step
        while ancestor != START:
            birth = self._births[ancestor]
            walked += birth.least
            ancestor = birth.parent
            least[ancestor] = walked
        most, ancestor = 0, other
        while ancestor not in least:
            birth = self._births[ancestor]
            most += birth.most
            ancestor = birth.parent
        return most - least[ancestor] >= self._beats(other, step)

    def _wake(self, touched: Places) -> None:
        """Wake what depends on what is touched now."""
        if self._asleep:
            reaching = self.reaching | (self.reaching_if_failing if self.chance.may_fail else NOTHING)
            self._asleep = {
                step: touches
                for step, touches in self._asleep.items()
                if not touches & touched and not touches & reaching
            }
