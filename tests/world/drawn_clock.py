"""A clock on which everything is drawn: latencies from their whole intervals, picks, and a few faults."""

from collections.abc import Hashable

import numpy as np
from simpy import Environment
from simpy.events import Event

from simkit.chance import Chance, Question, microseconds
from simkit.checks import verdicts
from simkit.journal import Journal
from simkit.records import Effect, Fault, Report
from simkit.scenario import Scenario
from simkit.world.assembly import play
from simkit.world.plan import planned
from simkit.world.timeline import ConcreteTimeline, Span
from simkit.world.trials import Decisions, Trials

__all__ = ["FewFaults", "drawn_run", "finding_of"]


class FewFaults(Chance):
    """Lets at most a few things go wrong, each with one chance in three; picks are drawn uniformly."""

    def __init__(self, rng: np.random.Generator, fault_budget: int) -> None:
        self._rng = rng
        self._faults_left = fault_budget

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        if kind is Question.PICK:
            return int(self._rng.integers(len(weights)))
        if self._faults_left == 0 or self._rng.random() > 1 / 3:
            return 0
        self._faults_left -= 1
        return 1


class DrawnTimeline(ConcreteTimeline):
    """A clock on which every wait is drawn from its whole interval, and steps of one instant are shuffled."""

    def __init__(self, chance: Chance, rng: np.random.Generator) -> None:
        super().__init__(chance)
        self._rng = rng

    def _schedule_between(self, event: Event, span: Span) -> None:
        least, most = microseconds(span.s_min), microseconds(span.s_max)
        Environment.schedule(self, event, span.priority, int(self._rng.integers(least, most, endpoint=True)))


def drawn_run(scenario: Scenario, rng: np.random.Generator, fault_budget: int) -> Journal:
    """One run with at most so many faults."""
    chance, journal = FewFaults(rng, fault_budget), Journal()
    trials = Trials(chance, Decisions(), is_on=False)
    play(planned(scenario), DrawnTimeline(chance, rng), journal, trials, has_episodes=False)
    return journal


def finding_of(journal: Journal) -> Hashable:
    """Faults, verdicts, effects and reports of a run, without their instants and their order."""
    return (
        frozenset(fault.site for fault in journal.of(Fault)),
        tuple(sorted(verdicts(journal).items())),
        len(journal.of(Effect)),
        tuple(sorted(report.outcome for report in journal.of(Report))),
    )
