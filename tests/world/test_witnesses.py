"""A schedule found on intervals has concrete times, and with them the clock tells the same story."""

import pytest

from simkit.checks import verdicts
from simkit.errors import Divergence
from simkit.records import Effect, Fault
from simkit.scenario import Scenario
from simkit.study.tree import Leaf, leaves
from simkit.terms import ClaimKind, PromiseVerdict
from simkit.world import run_intervals, solve_witness
from tests.world.race_scenarios import a_late_original, a_slow_worker, a_stacked_retry, two_at_once

__all__: list[str] = []


def is_broken(leaf: Leaf) -> bool:
    """Whether any promise is broken."""
    return PromiseVerdict.BROKEN in verdicts(leaf.run.journal).values()


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
