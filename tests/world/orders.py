"""Runs of small worlds in any order, and the exploration without any reduction that the others are compared with."""

from collections.abc import Callable

from simpy.core import EmptySchedule
from simpy.events import Event

from simkit.chance import Chance
from simkit.journal import Journal
from simkit.scenario import Scenario
from simkit.world import Run
from simkit.world.assembly import play
from simkit.world.interval_timeline import IntervalTimeline, RedundantOrder
from simkit.world.places import EVERYTHING, NOTHING
from simkit.world.plan import planned
from simkit.world.timeline import Span
from simkit.world.trials import Decisions, Trials

__all__ = ["run_at_one_place", "run_in_order", "run_unreduced"]


class OnePlaceTimeline(IntervalTimeline):
    """Every visible step has its place in one order, and each possible order is a pick; local ones have none."""

    def _schedule_between(self, event: Event, span: Span) -> None:
        super()._schedule_between(event, span._replace(touches=EVERYTHING if span.touches else NOTHING))

    def _take_visible(self) -> Event:
        if not self._pending:
            raise EmptySchedule
        possible = self._zone.possible_first(self._priorities, self._touches)
        step = possible[self.chance.pick("order", len(possible))]
        self._zone.put_first(step, self._priorities, self._touches)
        return self._take(step)


class UnreducedTimeline(OnePlaceTimeline):
    """Every step has its place in the order of all steps."""

    def _schedule_between(self, event: Event, span: Span) -> None:
        super()._schedule_between(event, span._replace(touches=EVERYTHING))

    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Leave both in the order."""

    def make_local(self, event: Event) -> None:
        """Leave it in the order."""


def run_unreduced(scenario: Scenario, chance: Chance) -> Run:
    """One run in which every step is ordered."""
    return _run(scenario, UnreducedTimeline(chance))


def run_at_one_place(scenario: Scenario, chance: Chance) -> Run:
    """One run in which every visible step is ordered."""
    return _run(scenario, OnePlaceTimeline(chance))


def _run(scenario: Scenario, timeline: OnePlaceTimeline) -> Run:
    journal, decisions = Journal(), Decisions()
    play(planned(scenario), timeline, journal, Trials(timeline.chance, decisions, is_on=False), has_episodes=False)
    return Run(journal=journal, decisions=decisions)


def run_in_order(chance: Chance, act: Callable[[IntervalTimeline], Journal]) -> Run:
    """One run of something that is no scenario, in the order that `chance` picks."""
    timeline, decisions = IntervalTimeline(chance), Decisions()
    try:
        journal = act(timeline)
    except RedundantOrder:
        return Run(journal=Journal(), decisions=decisions, is_redundant=True, reversals=timeline.reversals)
    return Run(journal=journal, decisions=decisions, reversals=timeline.reversals)
