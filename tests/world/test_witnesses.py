"""A schedule found on intervals has concrete times, and with them the clock tells the same story."""

from collections import Counter

import pytest

from simkit.checks import verdicts
from simkit.errors import Divergence
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Fault, Readback, Receipt, Reply, Report, StateChange
from simkit.scenario import Scenario
from simkit.study.tree import Leaf, leaves
from simkit.terms import ClaimKind, LayerName, PromiseVerdict, StalePolicy
from simkit.world import run_intervals, solve_witness
from tests.world.race_scenarios import (
    a_late_original,
    a_slow_worker,
    a_stacked_retry,
    behind_a_gateway,
    protected,
    two_at_once,
)

__all__: list[str] = []


def is_broken(leaf: Leaf) -> bool:
    """Whether any promise is broken."""
    return PromiseVerdict.BROKEN in verdicts(leaf.run.journal).values()


def told(journal: Journal) -> Counter[object]:
    """Everything that happened, without its instant: of independent steps only what they did counts.

    Left out is what a layer below the agent heard, because a reply whose caller has gone changes nothing.
    """
    kinds = (Attempt, Effect, Fault, Readback, Receipt, Report, StateChange)
    heard = (reply for reply in journal.of(Reply) if reply.layer is LayerName.AGENT)
    facts = (*(fact for fact in journal if isinstance(fact, kinds)), *heard)
    return Counter(fact._replace(at_s=0.0) for fact in facts)


@pytest.mark.parametrize(
    ("scenario", "fault_budget"),
    (
        (two_at_once(ClaimKind.CHECK_THEN_ACT), 0),
        (two_at_once(ClaimKind.NONE), 0),
        (a_late_original(ClaimKind.NONE, has_key=False), 1),
        (a_late_original(ClaimKind.CHECK_THEN_ACT, has_key=False), 1),
        (a_slow_worker(lease_s=1.0), 0),
        (a_stacked_retry(agent_timeout_s=20.0), 1),
        (a_stacked_retry(agent_timeout_s=3.0), 1),
    ),
)
def test_the_witness_of_every_broken_run_replays_on_the_clock(scenario: Scenario, fault_budget: int) -> None:
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget)
    broken = [leaf for leaf in runs if is_broken(leaf)]

    witnesses = [solve_witness(scenario, leaf.trace) for leaf in broken]

    assert broken
    for leaf, witness in zip(broken, witnesses, strict=True):
        assert len(witness.journal.of(Effect)) == len(leaf.run.journal.of(Effect))
        assert verdicts(witness.journal) == verdicts(leaf.run.journal)
        assert sorted(fault.site for fault in witness.journal.of(Fault)) == sorted(witness.faults)


@pytest.mark.parametrize(
    ("scenario", "fault_budget"),
    (
        (two_at_once(ClaimKind.UNIQUE), 1),
        (two_at_once(ClaimKind.CHECK_THEN_ACT), 0),
        (a_late_original(ClaimKind.UNIQUE, has_key=False), 1),
        (a_late_original(ClaimKind.CHECK_THEN_ACT, has_key=True), 1),
        (a_slow_worker(lease_s=1.0, stale=StalePolicy.READ_BACK), 0),
        (a_slow_worker(lease_s=1.0, stale=StalePolicy.HOLD), 0),
        (protected(), 2),
        (behind_a_gateway(20.0), 2),
        (behind_a_gateway(3.0), 2),
        (a_stacked_retry(agent_timeout_s=20.0), 1),
    ),
)
def test_every_leaf_has_a_witness_that_tells_the_same_story(scenario: Scenario, fault_budget: int) -> None:
    """Broken or not, and whatever falls on one instant: the same attempts, answers, effects, records and reports."""
    found = list(leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget))

    witnesses = [solve_witness(scenario, leaf.trace) for leaf in found]

    for leaf, witness in zip(found, witnesses, strict=True):
        assert told(witness.journal) == told(leaf.run.journal)
        assert verdicts(witness.journal) == verdicts(leaf.run.journal)


def test_the_times_of_a_witness_lie_within_the_bounds_of_the_scenario() -> None:
    scenario = a_late_original(ClaimKind.NONE, has_key=False)
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1)
    broken = next(leaf for leaf in runs if is_broken(leaf))

    witness = solve_witness(scenario, broken.trace)

    assert witness.faults == ("gateway_to_server.request_late@1",)
    assert 0.2 <= witness.durations_s["gateway_to_server.request@1"] <= 30.0
    assert witness.durations_s["gateway_to_server@1.deadline"] == 5.0
    assert 0.001 <= witness.durations_s["gateway_to_server.request@2"] <= 0.2


def test_a_script_of_another_world_has_no_witness() -> None:
    scenario = a_late_original(ClaimKind.NONE, has_key=False)
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1)
    broken = next(leaf for leaf in runs if is_broken(leaf))

    with pytest.raises(Divergence):
        solve_witness(two_at_once(ClaimKind.UNIQUE), broken.trace)
