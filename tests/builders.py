"""Scenarios for tests: one plain world to change, and the three policies of the rare-duplicate example."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from simkit.chance import Chance, Question
from simkit.choices import AskedWait, WriteOrder
from simkit.distributions import Wait
from simkit.scenario import (
    Agent,
    Conditions,
    Downstream,
    Hop,
    PlannedCall,
    Readback,
    Retention,
    RetryAfter,
    RetryLayer,
    Scenario,
    Server,
    SiteRate,
    Stage,
)
from simkit.terms import (
    ClaimKind,
    Identity,
    LayerName,
    OnExhausted,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    RetentionKind,
    StalePolicy,
)

__all__ = [
    "LONGER_OF_BOTH",
    "FaultsAt",
    "a_call",
    "a_layer",
    "a_readback",
    "a_retention",
    "a_scenario",
    "conditions_with",
    "downstream_with",
    "engine_policy",
    "rates_at",
    "server_with",
]

LONGER_OF_BOTH = RetryAfter(waits=AskedWait.LONGER)

ORDER_BY_CLAIM = MappingProxyType(
    {
        ClaimKind.NONE: WriteOrder.EFFECT_ONLY,
        ClaimKind.CHECK_THEN_ACT: WriteOrder.EFFECT_THEN_RECEIPT,
        ClaimKind.UNIQUE: WriteOrder.RESERVE_FIRST,
    }
)

ENGINE_SITES = (
    "gateway_to_server.request_lost",
    "server.before_reservation",
    "server.after_reservation",
    "server_to_downstream.request_lost",
    "server.after_effect",
    "server.after_receipt",
    "gateway_to_server.response_lost",
)


class FaultsAt(Chance):
    """Lets go wrong what a test names, and nothing else; picks take their first option.

    Parameters
    ----------
    sites
        With the path of the attempt, for instance `server.after_effect@1`. `left` holds those not met so far.
    """

    def __init__(self, *sites: str) -> None:
        self.left = set(sites)

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        if kind is Question.PICK or site not in self.left:
            return 0
        self.left.remove(site)
        return 1


def rates_at(probability: float | None, *sites: str) -> tuple[SiteRate, ...]:
    """One rate for each site."""
    return tuple(SiteRate(site=site, probability=probability, source="given") for site in sites)


def a_call(**changes: Any) -> PlannedCall:
    """One planned call at the start of the run."""
    return replace(PlannedCall(intent="i1", operation="op1", tenant="t1", inputs="x", start_s=0.0), **changes)


def a_layer(name: LayerName, **changes: Any) -> RetryLayer:
    """A layer that sends once, waits 1 s and says that it does not know."""
    layer = RetryLayer(
        name=name,
        attempts=1,
        timeout_s=1.0,
        backoff=Wait.of(0.0),
        budget_s=None,
        on_exhausted=OnExhausted.SAY_UNKNOWN,
    )
    return replace(layer, **changes)


def a_retention(retention_s: float, kind: RetentionKind = RetentionKind.EXACT, **changes: Any) -> Retention:
    """A retention after which an ID runs as new."""
    return replace(Retention(retention_s=retention_s, kind=kind, after=OnExpired.RUN_AS_NEW), **changes)


def a_readback(**changes: Any) -> Readback:
    """One question that takes 1 ms, sees everything at once, and holds where it cannot tell."""
    readback = Readback(attempts=1, lag_s_max=0.0, latency=Wait.of(0.001), on_uncertain=OnUncertainReadback.HOLD)
    return replace(readback, **changes)


def a_scenario(**changes: Any) -> Scenario:
    """An agent with three attempts, a server with a unique reservation and no lease, a system without a key.

    Nothing goes wrong: no site takes part until a test names one.
    """
    scenario = Scenario(
        name="plain",
        calls=(a_call(),),
        agent=Agent(identity=Identity.PER_INTENT),
        layers=(a_layer(LayerName.AGENT, attempts=3), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)),
        hops=(
            Hop(name="gateway_to_server", request=Wait.of(0.01), response=Wait.of(0.01), latest_landing_s=0.01),
            Hop(name="server_to_downstream", request=Wait.of(0.005), response=Wait.of(0.001), latest_landing_s=0.01),
        ),
        server=Server(
            claim=ClaimKind.UNIQUE,
            order=WriteOrder.RESERVE_FIRST,
            lease_s=0.0,
            on_pending=OnPending.RETURN_PENDING,
            stale=StalePolicy.RUN_AGAIN,
            on_mismatch=OnMismatch.CONFLICT,
            retention=a_retention(1e6),
            readback=None,
        ),
        stages=(
            Stage(
                name="ticket",
                downstream=Downstream(
                    name="ticket", key_retention=None, on_mismatch=OnMismatch.CONFLICT, work=Wait.of(0.001)
                ),
            ),
        ),
        conditions=Conditions(
            rates=(),
            fault_budget=2,
            retry_horizon_s=100.0,
            risk_limit_probability=1e-4,
            common_cause_share=0.1,
            episode_s=300.0,
            owner="operations",
            deadline_s=3600.0,
        ),
    )
    return replace(scenario, **changes)


def server_with(scenario: Scenario, **changes: Any) -> Scenario:
    """The same world with another write path; its order follows a changed claim where no order is given."""
    if "claim" in changes and "order" not in changes:
        changes["order"] = ORDER_BY_CLAIM[changes["claim"]]
    return replace(scenario, server=replace(scenario.server, **changes))


def downstream_with(scenario: Scenario, **changes: Any) -> Scenario:
    """The same world with another system of record in its first stage."""
    first, *others = scenario.stages
    assert first.downstream is not None
    return replace(scenario, stages=(replace(first, downstream=replace(first.downstream, **changes)), *others))


def conditions_with(scenario: Scenario, **changes: Any) -> Scenario:
    """The same world under other conditions."""
    return replace(scenario, conditions=replace(scenario.conditions, **changes))


def engine_policy(number: int, probability: float = 1e-3) -> Scenario:
    """One of the three policies of the example in which duplicates get as rare as 1e-9.

    Policy 1 runs a stale reservation again. Policy 2 asks the system of record once before that, policy
    3 up to twice; where it cannot tell, both take the effect for absent.
    """
    scenario = a_scenario(name=f"policy {number}")
    if number == 1:
        return conditions_with(scenario, rates=rates_at(probability, *ENGINE_SITES))
    readback = a_readback(attempts=number - 1, on_uncertain=OnUncertainReadback.TREAT_AS_ABSENT)
    scenario = server_with(scenario, stale=StalePolicy.READ_BACK, readback=readback)
    return conditions_with(scenario, rates=rates_at(probability, *ENGINE_SITES, "readback.cannot_tell"))
