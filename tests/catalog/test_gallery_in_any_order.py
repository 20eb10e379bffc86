"""No run of any scenario of the catalog leaves the range that the exploration of all its orders gave.

Each is run fifty times on a clock with its latencies drawn, the steps of one instant shuffled, and up to one fault.
"""

from dataclasses import replace

import numpy as np
import pytest

from simkit.catalog import incident_content, incident_names, scenario_content, scenario_names
from simkit.contract import parse_incident, parse_scenario
from simkit.scenario import Scenario
from simkit.study.tree import leaves
from simkit.world import run_intervals
from tests.world.drawn_clock import drawn_run, finding_of

__all__: list[str] = []

SEED_COUNT = 50


def with_few_copies(scenario: Scenario) -> Scenario:
    """The same world with at most three copies of a call: nine at once have too many orders, and show no more."""
    return replace(scenario, calls=tuple(replace(call, copies=min(call.copies, 3)) for call in scenario.calls))


def insist_on_range(written: Scenario) -> None:
    """Explore every order with up to one fault; then no drawn run may show anything else."""
    scenario = with_few_copies(written)
    # Three copies at once have 1,680 orders without a fault, and a hundred times as many with one.
    fault_budget = 0 if any(call.copies > 1 for call in scenario.calls) else 1
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget)
    found = {finding_of(leaf.run.journal) for leaf in runs}

    drawn = (finding_of(drawn_run(scenario, np.random.default_rng(seed), fault_budget)) for seed in range(SEED_COUNT))

    assert [finding for finding in drawn if finding not in found] == []


@pytest.mark.parametrize("name", incident_names())
@pytest.mark.parametrize("form", ("faulty", "right"))
def test_an_incident_in_any_order(name: str, form: str) -> None:
    incident = parse_incident(incident_content(name), file=name)

    insist_on_range(incident.right if form == "right" else incident.faulty)


@pytest.mark.parametrize("name", scenario_names())
def test_a_named_scenario_in_any_order(name: str) -> None:
    insist_on_range(parse_scenario(scenario_content(name), file=name))
