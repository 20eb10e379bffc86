"""Storm reaches what the structure exploration breaks, with as few faults, and nothing of what it proves.

Durations are intervals of a few seconds here, so that Storm can go through them tick by tick. Its models know
nothing of zones, of local steps, or of anything else by which an exploration saves runs.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simkit.distributions import Wait
from simkit.scenario import Hop, Scenario
from simkit.study import explore
from simkit.terms import ClaimKind, LayerName, OnExhausted, OnUncertainReadback, Promise, StalePolicy
from simkit.world.interval_timeline import IntervalTimeline
from tests.builders import (
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.oracles.agreement import EVENTS
from tests.oracles.agreement_table import AGREEMENT
from tests.oracles.prism_open import open_prism_of
from tests.oracles.storm import solve

__all__: list[str] = []

FAULT_BUDGET = 2

PROMISES = (Promise.AT_MOST_ONE_EFFECT, Promise.COMPLETED_MEANS_DONE, Promise.REJECTED_MEANS_NOTHING)
"""Those that the first of `EVENTS` break, in their order."""

A_STEP = Wait(s_min=1.0, s_typical=1.0, s_max=2.0)

HOPS = tuple(
    Hop(name=name, request=A_STEP, response=A_STEP, latest_landing_s=12.0)
    for name in ("gateway_to_server", "server_to_downstream")
)

SITES = (
    "gateway_to_server.request_late",
    "gateway_to_server.response_lost",
    "server_to_downstream.request_late",
    "server_to_downstream.response_lost",
    "server.after_reservation",
    "server.after_effect",
    "readback.cannot_tell",
)


def with_sites(scenario: Scenario, *sites: str) -> Scenario:
    """The same world in which these sites take part, or all of the above that it has; how often does not matter."""
    chosen = sites or tuple(site for site in SITES if site in scenario.sites())
    return conditions_with(scenario, rates=rates_at(0.01, *chosen))


def in_seconds(name: str, **changes: Any) -> Scenario:
    """Every step takes 1 to 2 s, a late one up to 12 s; the agent waits 9 s, and then 1 to 4 s."""
    backoff = Wait(s_min=1.0, s_typical=1.0, s_max=4.0)
    agent = a_layer(LayerName.AGENT, attempts=2, timeout_s=9.0, backoff=backoff)
    layers = (replace(agent, **changes), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=8.0))
    return downstream_with(a_scenario(name=name, layers=layers, hops=HOPS), work=A_STEP)


def reading_back(name: str, lag_s_max: float, on_uncertain: OnUncertainReadback) -> Scenario:
    """A reservation is stale after 6 s; it is read back once, and then taken over."""
    readback = a_readback(lag_s_max=lag_s_max, latency=Wait.of(1.0), on_uncertain=on_uncertain)
    return server_with(in_seconds(name), lease_s=6.0, stale=StalePolicy.READ_BACK, readback=readback)


def without_a_record(name: str, key_retention_s: float) -> Scenario:
    """The server keeps no record, the system of record remembers the key for a while. Giving up is called failed."""
    scenario = server_with(in_seconds(name, on_exhausted=OnExhausted.SAY_FAILED), claim=ClaimKind.NONE)
    return downstream_with(scenario, key_retention=a_retention(key_retention_s))


SCENARIOS = (
    with_sites(server_with(in_seconds("lease of 3 s, run again, a hasty agent", timeout_s=5.0), lease_s=3.0)),
    with_sites(server_with(in_seconds("lease of 12 s, run again"), lease_s=12.0)),
    with_sites(server_with(in_seconds("lease of 6 s, held"), lease_s=6.0, stale=StalePolicy.HOLD)),
    with_sites(reading_back("read back, else held", 3.0, OnUncertainReadback.HOLD)),
    with_sites(
        reading_back("read back, else taken for absent", 0.0, OnUncertainReadback.TREAT_AS_ABSENT),
        "server.after_effect",
        "server.after_receipt",
        "readback.cannot_tell",
    ),
    with_sites(
        without_a_record("no record, key for 20 s", 20.0),
        "gateway_to_server.request_late",
        "gateway_to_server.response_lost",
    ),
)


def fewest_of_simkit(scenario: Scenario) -> tuple[list[int | None], int]:
    """Faults of the smallest schedule that breaks each promise, None where all keep it; and the number of runs."""
    found = explore(scenario, fault_budget=FAULT_BUDGET, policy="as requested", counts=frozenset()).exploration
    assert found.is_complete
    results = [found.of(promise) for promise in PROMISES]
    assert all(result.is_proved is (result.fewest_faults is None) for result in results)
    return [result.fewest_faults for result in results], found.run_count


def fewest_of_storm(scenario: Scenario, folder: Path) -> tuple[list[int | None], int]:
    """The same, of the events in which these promises break; and the number of states."""
    budgets = range(FAULT_BUDGET + 1)
    events = [EVENTS[event] for event in list(EVENTS)[: len(PROMISES)]]
    asked = [f"({event}) & faults<={budget}" for event in events for budget in budgets]
    # Half a second: at a whole one, nothing would arrive between two deadlines that are a second apart.
    solved = solve(open_prism_of(scenario, FAULT_BUDGET, ticks_per_bound=2), asked, folder)
    most = iter([most for _, most in solved.ranges])
    reached = [[budget for budget in budgets if next(most) == 1] for _ in events]
    return [min(found, default=None) for found in reached], solved.state_count


def in_words(fewest: int | None) -> str:
    """How the table says it."""
    return f"none of up to {FAULT_BUDGET}" if fewest is None else str(fewest)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_storm_needs_as_many_faults_as_the_exploration_to_break_a_promise(
    scenario: Scenario, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    ours, run_count = fewest_of_simkit(scenario)

    theirs, state_count = fewest_of_storm(scenario, tmp_path)

    for promise, one, other in zip(PROMISES, ours, theirs, strict=True):
        if (one, other) != (None, None) or promise is Promise.AT_MOST_ONE_EFFECT:
            event, equal = f"{promise}: faults that break it", "yes" if one == other else "NO"
            row = f"within intervals: {scenario.name}", event, in_words(one), in_words(other), equal
            record_property(AGREEMENT, (*row, f"{state_count}/{run_count}"))
    assert ours == theirs


def test_an_exploration_in_which_no_lease_ever_ends_proves_what_storm_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == "lease of 12 s, run again")
    monkeypatch.setattr(IntervalTimeline, "passed", lambda *_: False)

    (ours, *_), _ = fewest_of_simkit(scenario)
    (theirs, *_), _ = fewest_of_storm(scenario, tmp_path)

    assert ours is None
    # The server dies after the effect, and the agent comes back after the lease.
    assert theirs == 1
