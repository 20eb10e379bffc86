"""Taking local steps at their own instant loses nothing: an exploration that orders every step finds the same."""

import pytest

from simkit.checks import verdicts
from simkit.records import Effect, Report
from simkit.scenario import Scenario
from simkit.study.tree import Leaf, leaves
from simkit.terms import ClaimKind, StalePolicy
from simkit.world import run_intervals
from simkit.world.mcp_server import McpServer
from tests.world.orders import run_unreduced
from tests.world.race_scenarios import (
    a_late_original,
    a_slow_worker,
    a_stacked_retry,
    behind_a_gateway,
    protected,
    two_at_once,
)

__all__: list[str] = []

Findings = set[tuple[object, ...]]


def finding_of(leaf: Leaf) -> tuple[object, ...]:
    """Faults, verdicts, effects and reports of a run, without their instants and their order."""
    journal = leaf.run.journal
    return (
        frozenset(asked.site for asked in leaf.trace if asked.fault_cost),
        tuple(sorted(verdicts(journal).items())),
        len(journal.of(Effect)),
        tuple(sorted(report.outcome for report in journal.of(Report))),
    )


def both_ways(scenario: Scenario, fault_budget: int) -> tuple[Findings, Findings]:
    """What the exploration finds, reduced and unreduced."""
    reduced = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget)
    unreduced = leaves(lambda chance: run_unreduced(scenario, chance), fault_budget=fault_budget)
    return {finding_of(leaf) for leaf in reduced}, {finding_of(leaf) for leaf in unreduced}


@pytest.mark.parametrize(
    ("scenario", "fault_budget"),
    (
        (two_at_once(ClaimKind.CHECK_THEN_ACT), 0),
        (two_at_once(ClaimKind.UNIQUE), 0),
        (a_late_original(ClaimKind.NONE, has_key=False), 2),
        (a_late_original(ClaimKind.CHECK_THEN_ACT, has_key=False), 2),
        (a_late_original(ClaimKind.UNIQUE, has_key=True), 2),
        (a_slow_worker(lease_s=1.0), 0),
        (a_slow_worker(lease_s=1.0, stale=StalePolicy.READ_BACK), 0),
        (protected(), 1),
        (behind_a_gateway(20.0), 1),
        (behind_a_gateway(3.0), 1),
        (a_stacked_retry(20.0), 1),
    ),
)
def test_local_steps_lose_and_add_nothing(scenario: Scenario, fault_budget: int) -> None:
    reduced, unreduced = both_ways(scenario, fault_budget)

    assert reduced == unreduced


def test_a_step_at_a_shared_record_that_is_taken_for_local_loses_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(McpServer, "takes_calls_locally", True)

    reduced, unreduced = both_ways(two_at_once(ClaimKind.CHECK_THEN_ACT), 0)

    assert reduced < unreduced
