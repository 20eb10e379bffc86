"""A world in which a pick decides what a probability is."""

from dataclasses import replace

from simkit.choices import StoreKind
from simkit.scenario import Scenario, Store
from simkit.terms import LayerName
from tests.builders import a_layer, engine_policy, server_with

__all__ = ["two_replicas_with_own_memory"]


def two_replicas_with_own_memory() -> Scenario:
    """Which replica gets a call is a pick: the same one knows the first attempt, the other does not."""
    scenario = server_with(engine_policy(1, 0.1), replica_count=2, store=Store(kind=StoreKind.PROCESS_MEMORY))
    layers = (a_layer(LayerName.AGENT, attempts=2), *scenario.layers[1:])
    return replace(scenario, layers=layers)
