"""Whatever happens on a clock with latencies drawn at random was found by the exploration over all orders."""

import numpy as np
import pytest
from simpy import Environment
from simpy.events import Event

from simkit.chance import Chance, Question, microseconds
from simkit.checks import verdicts
from simkit.journal import Journal
from simkit.records import Effect, Fault, Report
from simkit.scenario import Scenario
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, StalePolicy
from simkit.world import run_intervals
from simkit.world.assembly import play
from simkit.world.timeline import ConcreteTimeline, Span
from simkit.world.trials import Decisions, Trials
from tests.world.race_scenarios import (
    a_late_original,
    a_slow_worker,
    a_stacked_retry,
    behind_a_gateway,
    protected,
    two_at_once,
)

__all__: list[str] = []

RUN_COUNT = 300


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
    """A clock on which every wait is drawn from its whole interval."""

    def __init__(self, chance: Chance, rng: np.random.Generator) -> None:
        super().__init__(chance)
        self._rng = rng

    def _schedule_between(self, event: Event, span: Span) -> None:
        least, most = microseconds(span.s_min), microseconds(span.s_max)
        Environment.schedule(self, event, span.priority, int(self._rng.integers(least, most, endpoint=True)))


def finding_of(journal: Journal) -> tuple[object, ...]:
    """Faults, verdicts, effects and reports of a run, without their instants and their order."""
    return (
        frozenset(fault.site for fault in journal.of(Fault)),
        tuple(sorted(verdicts(journal).items())),
        len(journal.of(Effect)),
        tuple(sorted(report.outcome for report in journal.of(Report))),
    )


@pytest.mark.parametrize(
    ("scenario", "fault_budget"),
    (
        (two_at_once(ClaimKind.CHECK_THEN_ACT), 0),
        (two_at_once(ClaimKind.UNIQUE), 0),
        (a_late_original(ClaimKind.NONE, has_key=False), 2),
        (a_late_original(ClaimKind.CHECK_THEN_ACT, has_key=False), 2),
        (a_slow_worker(lease_s=1.0), 0),
        (a_slow_worker(lease_s=1.0, stale=StalePolicy.READ_BACK), 0),
        (protected(), 2),
        (behind_a_gateway(20.0), 2),
        (behind_a_gateway(3.0), 2),
        (a_stacked_retry(20.0), 1),
        (a_stacked_retry(3.0), 1),
    ),
)
def test_every_run_on_a_clock_was_found_on_intervals(scenario: Scenario, fault_budget: int) -> None:
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget)
    found = {finding_of(leaf.run.journal) for leaf in runs}
    rng = np.random.default_rng(2024)

    missed = []
    for _ in range(RUN_COUNT):
        chance, journal = FewFaults(rng, fault_budget), Journal()
        trials = Trials(chance, Decisions(), is_on=False)
        play(scenario, DrawnTimeline(chance, rng), journal, trials, has_episodes=False)
        if finding_of(journal) not in found:
            missed.append(finding_of(journal))

    assert missed == []
