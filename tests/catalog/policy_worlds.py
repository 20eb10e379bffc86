"""Worlds in which one policy of the catalog stands in its place, and every attempt of it fails in one way."""

from dataclasses import replace

from simkit.chance import Sampled
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt
from simkit.scenario import TO_DOWNSTREAM, TO_GATEWAY, TO_SERVER, Hop, RetryLayer, RetryPolicy, Scenario
from simkit.terms import ClaimKind, ErrorClass, LayerName
from simkit.world import run_concrete
from tests.builders import a_call, a_layer, a_scenario, conditions_with, downstream_with, rates_at, server_with

__all__ = ["FAULTS", "READ_FIRST", "failing", "hop_below", "layer_with", "run_of", "sent_count", "world_with"]

ASKED_S = 2.0
LONG_S = 1e6
"""How long an agent goes on: longer than any policy."""

READ_FIRST = ("close", "reset", "hang")
FAULTS = ("refuse", *READ_FIRST, "500", "502", "503", "504", "429", "429+", "503+", "409", "408")
"""As the heading of `counted_writes.txt` calls them."""

AGENT, DOWNSTREAM_SDK = LayerName.AGENT, LayerName.DOWNSTREAM_SDK


def layer_with(place: LayerName, policy: RetryPolicy, **changes: object) -> RetryLayer:
    """A policy in its place, with some fields changed."""
    fields = {name: getattr(policy, name) for name in RetryPolicy.__slots__} | changes
    return RetryLayer(name=place, **fields)


def world_with(layer: RetryLayer, method: str = "POST") -> Scenario:
    """One call, and on its way nobody else who repeats or stops waiting."""
    below = a_layer(DOWNSTREAM_SDK, timeout_s=None)
    others = {AGENT: a_layer(AGENT, timeout_s=None), DOWNSTREAM_SDK: below}
    layers = {**others, layer.name: layer}
    scenario = conditions_with(a_scenario(calls=(a_call(method=method),)), retry_horizon_s=LONG_S)
    way = Hop(name=TO_GATEWAY, request=Wait.of(0.01), response=Wait.of(0.01), latest_landing_s=0.01)
    hops = (way, *scenario.hops) if layer.name is LayerName.GATEWAY else scenario.hops
    ordered = tuple(layers[name] for name in LayerName if name in layers)
    return server_with(replace(scenario, layers=ordered, hops=hops), claim=ClaimKind.NONE, passes_errors_on=True)


def hop_below(layer: RetryLayer) -> str:
    """The hop on which the attempts of a layer travel."""
    return TO_DOWNSTREAM if layer.name is DOWNSTREAM_SDK else TO_SERVER


def failing(scenario: Scenario, layer: RetryLayer, fault: str) -> Scenario:
    """The same world, in which every attempt of the layer fails in one way."""
    hop, status = hop_below(layer), fault.removesuffix("+")
    if fault == "refuse" or fault in READ_FIRST:
        ending = {"refuse": "connection_refused", "hang": "response_lost"}.get(fault, "response_closed")
        return conditions_with(scenario, rates=rates_at(1.0, f"{hop}.{ending}"))
    asked_s = ASKED_S if fault.endswith("+") else 0.0
    scenario = downstream_with(scenario, retry_after_s=asked_s, error=ErrorClass(status))
    site = {"429": "overloaded", "409": "conflict", "503": "unavailable"}.get(status, "error_of_unknown_outcome")
    return conditions_with(scenario, rates=rates_at(1.0, f"downstream.{site}"))


def run_of(scenario: Scenario, luck: int = 0) -> Journal:
    """One run, with its waits drawn."""
    return run_concrete(scenario, Sampled(seed=7, replication_index=luck)).journal


def sent_count(layer: RetryLayer, journal: Journal) -> int:
    """Attempts that the layer sent in a run."""
    return sum(attempt.layer is layer.name for attempt in journal.of(Attempt))
