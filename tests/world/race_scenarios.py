"""Small worlds in which the order of steps decides: two calls at once, late originals, slow workers."""

from dataclasses import replace

from simkit.distributions import Wait
from simkit.scenario import Hop, Scenario
from simkit.terms import ClaimKind, LayerName, OnUncertainReadback, StalePolicy
from tests.builders import (
    a_call,
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__ = [
    "a_late_original",
    "a_slow_worker",
    "a_stacked_retry",
    "behind_a_gateway",
    "protected",
    "two_at_once",
]

NETWORK = Wait(s_min=0.001, s_typical=0.02, s_max=0.2)


def hops(*names: str, latest_landing_s: float = 30.0) -> tuple[Hop, ...]:
    """Links whose latency varies."""
    return tuple(Hop(name=name, request=NETWORK, response=NETWORK, latest_landing_s=latest_landing_s) for name in names)


def varying(agent_attempts: int, **agent_changes: object) -> Scenario:
    """The plain world with latencies that vary and a lease of a minute."""
    agent = a_layer(LayerName.AGENT, attempts=agent_attempts, **{"timeout_s": 5.0, **agent_changes})
    scenario = a_scenario(
        layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=4.0)),
        hops=hops("gateway_to_server", "server_to_downstream"),
    )
    work = Wait(s_min=0.05, s_typical=0.1, s_max=0.5)
    return server_with(downstream_with(scenario, work=work), lease_s=60.0)


def two_at_once(claim: ClaimKind) -> Scenario:
    """One intent, issued twice at the same instant under one operation ID, each sent once."""
    scenario = replace(varying(1), calls=(a_call(), a_call()))
    return server_with(scenario, claim=claim)


def a_late_original(claim: ClaimKind, *, has_key: bool) -> Scenario:
    """Two attempts; a request may be late by up to 30 s."""
    scenario = server_with(varying(2, backoff=Wait.of(1.0)), claim=claim)
    key_retention = a_retention(3600.0) if has_key else None
    scenario = downstream_with(scenario, key_retention=key_retention)
    return conditions_with(scenario, rates=rates_at(0.01, "gateway_to_server.request_late"))


def a_slow_worker(lease_s: float, stale: StalePolicy = StalePolicy.RUN_AGAIN) -> Scenario:
    """Downstream work that may take up to 4 s under a caller that waits 1 s and calls again after another."""
    scenario = varying(2, timeout_s=1.0, backoff=Wait.of(1.0))
    work = Wait(s_min=0.05, s_typical=0.1, s_max=4.0)
    layers = (scenario.layers[0], a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    scenario = downstream_with(replace(scenario, layers=layers), work=work)
    return server_with(scenario, lease_s=lease_s, stale=stale, readback=a_readback())


def protected() -> Scenario:
    """Unique reservation, readback, key; crashes, losses and late messages on the way to the server."""
    scenario = a_late_original(ClaimKind.UNIQUE, has_key=True)
    scenario = server_with(
        scenario,
        lease_s=3.0,
        stale=StalePolicy.READ_BACK,
        readback=a_readback(lag_s_max=2.0, on_uncertain=OnUncertainReadback.HOLD),
    )
    sites = (
        "gateway_to_server.request_lost",
        "gateway_to_server.request_late",
        "gateway_to_server.response_late",
        "server.after_reservation",
        "server.after_effect",
        "readback.cannot_tell",
    )
    return conditions_with(scenario, rates=rates_at(0.01, *sites))


def behind_a_gateway(agent_timeout_s: float) -> Scenario:
    """A gateway that sends twice, for 5 s each, below an agent that may be less patient."""
    scenario = protected()
    layers = (
        a_layer(LayerName.AGENT, attempts=2, timeout_s=agent_timeout_s, backoff=Wait.of(1.0)),
        a_layer(LayerName.GATEWAY, attempts=2, timeout_s=5.0, backoff=Wait.of(0.5)),
        scenario.layers[-1],
    )
    every_hop = hops("agent_to_gateway", "gateway_to_server", "server_to_downstream")
    return replace(scenario, layers=layers, hops=every_hop)


def a_stacked_retry(agent_timeout_s: float) -> Scenario:
    """Gateway and client SDK below an agent, a server without a record, a system without a key."""
    scenario = conditions_with(behind_a_gateway(agent_timeout_s), rates=())
    scenario = server_with(scenario, claim=ClaimKind.NONE)
    scenario = downstream_with(scenario, key_retention=None)
    layers = (*scenario.layers[:2], a_layer(LayerName.CLIENT_SDK, timeout_s=7.0), scenario.layers[-1])
    sites = ("agent_to_gateway.response_lost", "gateway_to_server.request_late", "server.before_effect")
    return conditions_with(replace(scenario, layers=layers), rates=rates_at(0.01, *sites))
