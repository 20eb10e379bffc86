"""Prints how long bounds of 10 % take: `python -m tests.benchmarks.rare_probabilities`. Nothing here is a test.

The world is that of the reviewed ticket tool with constant latencies, as reviewed and with a stack of agent 3 x
gateway 2 x client SDK 3 attempts, weakened so that it breaks: no key, and a readback that is believed when it
cannot tell. How many questions it asks, and all rates together, set how rare that is. Plain sampling is timed for a
few hundred runs and extrapolated to the hits that it needs for an interval of 10 % up and down.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

from simkit.chance import Sampled
from simkit.contract import load_review, scenario_of
from simkit.distributions import Wait
from simkit.scenario import Scenario
from simkit.study.probability import Task, task_of
from simkit.study.probability.best_first import weigh_best_first
from simkit.terms import LayerName, OnUncertainReadback, Promise
from tests.builders import a_layer, conditions_with, downstream_with, server_with

__all__ = ["main"]

DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})
TICKET = Path(__file__).parents[2] / "review_templates" / "examples" / "create_ticket.yaml"
RUN_COUNT_MAX = 20_000
SAMPLED_RUN_COUNT = 300
NEEDED_HIT_COUNT = 384
"""With which a 95 % interval goes 10 % up and down: (1.96 / 0.1)²."""


def with_constant_latencies(part: Any) -> Any:
    """The same part of a scenario, every wait at its typical duration."""
    if isinstance(part, Wait):
        return Wait.of(part.s_typical)
    if isinstance(part, tuple):
        return tuple(with_constant_latencies(item) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(
            part, **{field.name: with_constant_latencies(getattr(part, field.name)) for field in fields(part)}
        )
    return part


def stacked(scenario: Scenario) -> Scenario:
    """Agent 3 x gateway 2 x client SDK 3 attempts, each waiting longer than all that is below it."""
    agent, gateway, downstream_sdk = scenario.layers
    client_sdk = a_layer(LayerName.CLIENT_SDK, attempts=3, timeout_s=6.0, backoff=Wait.of(0.2))
    layers = (
        replace(agent, attempts=3),
        replace(gateway, attempts=2),
        client_sdk,
        replace(downstream_sdk, timeout_s=5.0, budget_s=5.0),
    )
    return replace(scenario, layers=layers)


def weakened(scenario: Scenario, look_up_count: int, factor: float) -> Scenario:
    """No key, and up to so many look-ups that are believed; all rates times a factor, nothing late below the server."""
    readback = scenario.server.readback
    assert readback is not None
    believed = replace(
        readback, attempts=look_up_count, lag_s_max=0.0, on_uncertain=OnUncertainReadback.TREAT_AS_ABSENT
    )
    weak = server_with(downstream_with(scenario, key_retention=None), lease_s=0.0, readback=believed)
    rates = tuple(
        replace(rate, probability=(rate.probability or 0.0) * factor)
        for rate in weak.conditions.rates
        if rate.site != "server_to_downstream.request_late"
    )
    return conditions_with(weak, rates=rates)


def cases() -> Iterator[tuple[str, Scenario]]:
    """Worlds in which it is ever rarer."""
    review = load_review(TICKET)
    reviewed: Scenario = with_constant_latencies(scenario_of(review, review.effects[0]).scenario)
    for name, scenario in (("as reviewed", reviewed), ("3 x 2 x 3", stacked(reviewed))):
        for look_up_count, factor in ((1, 10.0), (1, 1.0), (1, 0.1), (2, 1.0), (2, 0.3)):
            yield f"{name}, {look_up_count} look-up(s), rates x {factor:g}", weakened(scenario, look_up_count, factor)


def seconds_per_sampled_run(task: Task) -> float:
    """CPU time of one run with drawn answers, judged."""
    started_s = process_time()
    for index in range(SAMPLED_RUN_COUNT):
        task.is_hit(task.play(Sampled(1, index)))
    return (process_time() - started_s) / SAMPLED_RUN_COUNT


def main() -> None:
    """Print all of it."""
    for name, scenario in cases():
        task = replace(task_of(scenario, DUPLICATES), run_count_max=RUN_COUNT_MAX)
        started_s = process_time()
        found = weigh_best_first(task)
        spent_s = process_time() - started_s
        sampling_s = seconds_per_sampled_run(task) * NEEDED_HIT_COUNT / found.upper
        print(  # noqa: T201 (a benchmark prints)
            f"{name}: {found.lower:.3g} to {found.upper:.3g}{'' if found.is_complete else ' (not to the end)'}, "
            f"{found.run_count:,} runs in {spent_s:.2f} s; plain sampling {sampling_s:.2g} s (extrapolated), "
            f"{sampling_s / spent_s:.1g} times as long"
        )


if __name__ == "__main__":
    main()
