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
from simkit.world.places import EVERYTHING
from simkit.world.plan import planned
from simkit.world.timeline import Span
from simkit.world.trials import Decisions, Trials

__all__ = ["UnreducedTimeline", "run_in_order", "run_unreduced"]


class UnreducedTimeline(IntervalTimeline):
    """Every step has its place in the order of all steps, and each possible order is a pick."""

    def _schedule_between(self, event: Event, span: Span) -> None:
        super()._schedule_between(event, span._replace(touches=EVERYTHING))

    def settle_between(self, delivery: Event, deadline: Event) -> None:
        """Leave both in the order."""

    def make_local(self, event: Event) -> None:
        """Leave it in the order."""

    def _take_visible(self) -> Event:
        if not self._pending:
            raise EmptySchedule
        possible = self._zone.possible_first(self._priorities, self._touches)
        step = possible[self.chance.pick("order", len(possible))]
        self._zone.put_first(step, self._priorities, self._touches)
        return self._take(step)


def run_unreduced(scenario: Scenario, chance: Chance) -> Run:
    """One run in which every step is ordered."""
    timeline, journal, decisions = UnreducedTimeline(chance), Journal(), Decisions()
    play(planned(scenario), timeline, journal, Trials(chance, decisions, is_on=False), has_episodes=False)
    return Run(journal=journal, decisions=decisions)


def run_in_order(chance: Chance, act: Callable[[IntervalTimeline], Journal]) -> Run:
    """One run of something that is no scenario, in the order that `chance` picks."""
    timeline, decisions = IntervalTimeline(chance), Decisions()
    try:
        journal = act(timeline)
    except RedundantOrder:
        return Run(journal=Journal(), decisions=decisions, is_redundant=True, reversals=timeline.reversals)
    return Run(journal=journal, decisions=decisions, reversals=timeline.reversals)
