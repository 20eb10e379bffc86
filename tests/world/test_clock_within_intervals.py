"""Whatever happens on a clock with latencies drawn at random was found by the exploration over all orders."""

import numpy as np
import pytest

from simkit.scenario import Scenario
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, StalePolicy
from simkit.world import run_intervals
from tests.world.drawn_clock import drawn_run, finding_of
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

    runs_on_a_clock = (finding_of(drawn_run(scenario, rng, fault_budget)) for _ in range(RUN_COUNT))

    assert [finding for finding in runs_on_a_clock if finding not in found] == []
