"""Running scenarios about the server: on a clock by a schedule, and in every order."""

from dataclasses import replace
from typing import Any

from simkit.chance import Scheduled
from simkit.checks import verdicts
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Effect, Reply, Report
from simkit.scenario import Scenario
from simkit.study import explore
from simkit.study.tree import leaves
from simkit.terms import LayerName, Outcome, Promise, PromiseVerdict
from simkit.world import run_concrete, run_intervals
from tests.builders import a_call, a_layer, a_scenario, conditions_with, rates_at, server_with

__all__ = [
    "broken",
    "effect_counts",
    "effects",
    "fewest_faults",
    "outcomes",
    "played",
    "retried_after_the_lease",
    "told",
    "two_at_once",
]


def retried_after_the_lease(*sites: str, **server_changes: Any) -> Scenario:
    """Two attempts, each waited for 3 s, with 5 s between them; a reservation is leased for 2 s."""
    layers = (
        a_layer(LayerName.AGENT, attempts=2, timeout_s=3.0, backoff=Wait.of(5.0)),
        a_layer(LayerName.DOWNSTREAM_SDK),
    )
    scenario = server_with(a_scenario(layers=layers), **{"lease_s": 2.0, **server_changes})
    return conditions_with(scenario, rates=rates_at(0.01, *sites))


def two_at_once(**server_changes: Any) -> Scenario:
    """The same wish sent twice at one instant under one ID, each once; a reservation is leased for a minute.

    Requests take up to 0.05 s, so either may come first.
    """
    network = Wait(s_min=0.001, s_typical=0.01, s_max=0.05)
    scenario = a_scenario(
        calls=(a_call(), a_call()), layers=(a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK))
    )
    hops = tuple(replace(hop, request=network, response=network, latest_landing_s=1.0) for hop in scenario.hops)
    return server_with(replace(scenario, hops=hops), **{"lease_s": 60.0, **server_changes})


def played(scenario: Scenario, *schedule: str) -> Journal:
    """What happens on a clock, where the schedule must be passed to its end."""
    chance = Scheduled(schedule)
    journal = run_concrete(scenario, chance).journal
    assert chance.waiting == set()
    return journal


def effects(journal: Journal) -> list[str]:
    """The intents that took effect, in order."""
    return [effect.intent for effect in journal.of(Effect)]


def outcomes(journal: Journal) -> list[Outcome]:
    """What was reported, in order."""
    return [report.outcome for report in journal.of(Report)]


def told(journal: Journal, layer: LayerName = LayerName.AGENT) -> list[str]:
    """How the answers came that a layer got, in order."""
    return [reply.detail for reply in journal.of(Reply) if reply.layer is layer]


def broken(journal: Journal) -> frozenset[Promise]:
    """The promises that a run broke."""
    return frozenset(promise for promise, verdict in verdicts(journal).items() if verdict is PromiseVerdict.BROKEN)


def fewest_faults(
    scenario: Scenario, promise: Promise = Promise.AT_MOST_ONE_EFFECT, *, fault_budget: int = 1
) -> int | None:
    """Fewest faults that break a promise in some order; None where it is proved that none up to the budget do."""
    explored = explore(
        scenario, fault_budget=fault_budget, policy="x", counts=frozenset({promise}), runs_twice=True
    ).exploration
    result = explored.of(promise)
    assert result.undecided_count == 0
    assert result.is_proved is (result.fewest_faults is None)
    return result.fewest_faults


def effect_counts(scenario: Scenario, *, fault_count: int = 0) -> set[int]:
    """How often it takes effect, over all orders with exactly so many faults."""
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_count, runs_twice=True)
    return {len(leaf.run.journal.of(Effect)) for leaf in runs if leaf.fault_count == fault_count}
