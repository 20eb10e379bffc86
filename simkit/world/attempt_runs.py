"""One attempt of the agent by itself: from a state in which nothing is in flight to the next such state, or to the end.

A run repeats the attempts before, looks at the state when the next one is about to be sent, goes on, and is cut when
the one after that is about to be sent. Meanwhile it writes down between which ages of the instants that the state held
everything would have gone the same way, since each comparison of times was answered the same way.
"""

from collections.abc import Hashable
from typing import NamedTuple

from simpy.core import EmptySchedule
from simpy.events import Event

from simkit.chance import Scripted, microseconds
from simkit.errors import Divergence
from simkit.journal import Journal
from simkit.world.assembly import play
from simkit.world.durable_state import StateReader
from simkit.world.places import EVERYTHING, Places
from simkit.world.plan import Plan
from simkit.world.run import Run
from simkit.world.timeline import ConcreteTimeline, Instant
from simkit.world.trials import Decisions, Trials

__all__ = ["AttemptRun", "Standing", "run_attempt"]

CUT = "an attempt of the agent"


class Standing(NamedTuple):
    """How things stand when an attempt is about to be sent.

    Parameters
    ----------
    state
        All that can bear on the attempt, but for ages.
    ages_us
        Of each instant that the state holds, in microseconds.
    fact_count
        Facts in the journal so far.
    at_us
        When that was.
    """

    state: Hashable
    ages_us: tuple[int, ...]
    fact_count: int
    at_us: int


class AttemptRun(NamedTuple):
    """One attempt.

    Parameters
    ----------
    before, after
        How things stood; None where the run ended before that attempt was sent.
    origins
        For each instant in the state after it: the index in the state before, or -1 for one that is new.
    ages_us_min, ages_us_max
        For each instant in the state before it: the ages, least included and most not, with which all goes the same
        way; None where there is no limit.
    question_index
        Number of questions that were asked before it.
    """

    run: Run
    before: Standing | None
    after: Standing | None
    origins: tuple[int, ...]
    ages_us_min: tuple[int | None, ...]
    ages_us_max: tuple[int | None, ...]
    question_index: int


def run_attempt(plan: Plan, chance: Scripted, index: int, *, has_episodes: bool) -> AttemptRun:
    """Run a scenario through its attempts up to number `index`, from 0, which is looked at, and no further.

    Raises
    ------
    InFlight
        If something is under way when that attempt or the next is about to be sent.
    Divergence
        If a party asks for the age of an instant that the state did not hold.
    """
    journal, decisions = Journal(), Decisions()
    timeline = _AttemptTimeline(chance, plan, journal, index)
    play(plan, timeline, journal, Trials(chance, decisions, is_on=False), has_episodes=has_episodes)
    return AttemptRun(
        run=Run(journal=journal, decisions=decisions),
        before=timeline.before,
        after=timeline.after,
        origins=timeline.origins,
        ages_us_min=tuple(timeline.ages_us_min),
        ages_us_max=tuple(timeline.ages_us_max),
        question_index=timeline.question_index,
    )


class _AttemptTimeline(ConcreteTimeline):
    """A clock that is stopped when the attempt after the one that is looked at is about to be sent."""

    def __init__(self, chance: Scripted, plan: Plan, journal: Journal, index: int) -> None:
        super().__init__(chance)
        self._trace = chance.trace
        self._plan = plan
        self._journal = journal
        self._index = index
        self._sent_count = 0
        self._known: dict[Instant, int] = {}
        self.question_index = 0
        self.before: Standing | None = None
        self.after: Standing | None = None
        self.origins: tuple[int, ...] = ()
        self.ages_us_min: list[int | None] = []
        self.ages_us_max: list[int | None] = []

    def hold(self, *memory: object) -> Event | None:
        """Look at the state before and after the attempt, and hold the next one for good."""
        number, self._sent_count = self._sent_count, self._sent_count + 1
        if number == self._index:
            self.before, instants = self._standing(memory)
            self._known = {instant: place for place, instant in enumerate(instants)}
            self.ages_us_min, self.ages_us_max = [None] * len(instants), [None] * len(instants)
            self.question_index = len(self._trace)
        elif number == self._index + 1:
            self.after, instants = self._standing(memory)
            self.origins = tuple(self._known.get(instant, -1) for instant in instants)
            return self.event()
        return None

    def _standing(self, memory: tuple[object, ...]) -> tuple[Standing, list[Instant]]:
        reader = StateReader(self._plan.scenario)
        state = reader.read(memory, self._pending_events())
        now_us = int(self._now)
        ages_us = tuple(now_us - instant.step for instant in reader.instants)
        return Standing(state, ages_us, len(self._journal), now_us), reader.instants

    def run_out(self) -> str | None:
        """Take steps until none is left, and return None, or until an attempt is held."""
        try:
            while self.after is None:
                self.step()
        except EmptySchedule:
            return None
        return CUT

    def mark(self) -> Instant:
        """The present instant; one that is new in this attempt has no age that a state could hold."""
        instant = super().mark()
        if self.before is not None:
            self._known[instant] = -1
        return instant

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Whether at least `seconds` have passed; with which ages the answer is the same is written down."""
        has_passed = super().passed(instant, seconds, site)
        place = self._place(instant)
        if place >= 0 and self.before is not None:
            age_us = microseconds(seconds) - (int(self._now) - self.before.at_us)
            if has_passed:
                self._insist_on_age(place, age_us, None)
            else:
                self._insist_on_age(place, None, age_us)
        return has_passed

    def until(self, since: Instant, latest_s: float, label: str, *, touches: Places = EVERYTHING) -> Event:
        """The same event as on any clock; it comes when it does with this age alone."""
        place = self._place(since)
        if place >= 0 and self.before is not None:
            age_us = self.before.ages_us[place]
            self._insist_on_age(place, age_us, age_us + 1)
        return super().until(since, latest_s, label, touches=touches)

    def _place(self, instant: Instant) -> int:
        """Index of an instant in the state before the attempt; -1 where it is new, or there is no such state yet."""
        if self.before is None:
            return -1
        place = self._known.get(instant)
        if place is None:
            message = "an attempt compares times with an instant that the state before it does not hold"
            raise Divergence(message)
        return place

    def _insist_on_age(self, place: int, least_us: int | None, most_us: int | None) -> None:
        known_least_us, known_most_us = self.ages_us_min[place], self.ages_us_max[place]
        if least_us is not None:
            self.ages_us_min[place] = least_us if known_least_us is None else max(least_us, known_least_us)
        if most_us is not None:
            self.ages_us_max[place] = most_us if known_most_us is None else min(most_us, known_most_us)
