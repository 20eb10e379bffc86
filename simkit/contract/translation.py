"""The scenario that a review file amounts to, one for each effect.

A declaration says more than the world can act out, and less. Where it names something that this
world does not know, the nearest worse thing stands in, and a note says so; the notes go on the page.
"""

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from simkit.contract.answers import UNKNOWN, NotApplicable
from simkit.contract.choices import KeySent, MadeBy, OnOff, ReadbackBy, StoreKind
from simkit.contract.conditions import Conditions as DeclaredConditions
from simkit.contract.effects import DownstreamKey, Effect
from simkit.contract.effects import Readback as DeclaredReadback
from simkit.contract.latencies import LatencyRange
from simkit.contract.layers import Backoff, Layer
from simkit.contract.rates import CrashRates, LossRates, Rate, Rates
from simkit.contract.record import Binding, OperationIdentity, Record
from simkit.contract.retention import Retention as DeclaredRetention
from simkit.contract.review import Review
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario import (
    Agent,
    Conditions,
    Downstream,
    Hop,
    PlannedCall,
    Readback,
    Retention,
    RetryLayer,
    Scenario,
    Server,
    SiteRate,
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

__all__ = ["Translation", "scenario_of"]

C = TypeVar("C", bound=Enum)

FOR_EVER_S = 864_000_000.0
"""What "for ever" and "never stale" amount to in a run: 10,000 days, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A scenario, and what stands in for what was declared, in words."""

    scenario: Scenario
    notes: tuple[str, ...]


def scenario_of(review: Review, effect: Effect) -> Translation:
    """The world of one effect of a fully answered review.

    Raises
    ------
    ScenarioError
        If answers are missing that a world needs, or exclude each other.
    """
    missing = review.unknown_fields()
    if missing:
        message = f"no scenario without {', '.join(missing)}: unknown"
        raise ScenarioError(message)
    notes: list[str] = []
    identity = _identity(review, notes)
    server = _server(review, effect, identity, notes)
    scenario = Scenario(
        name=f"{review.tool.name}/{effect.name}",
        calls=(PlannedCall(intent="intent-1", operation="op-1", tenant="tenant-1", inputs="inputs-1", start_s=0.0),),
        agent=Agent(identity=identity),
        layers=_layers(review, notes),
        hops=_hops(review),
        server=server,
        downstream=Downstream(
            name=effect.name,
            key_retention=_key_retention(effect, identity, notes),
            work=_wait(review.latencies.downstream_work, "latencies.downstream_work"),
        ),
        conditions=_conditions(review, server.claim),
    )
    return Translation(scenario=scenario, notes=tuple(notes))


def _identity(review: Review, notes: list[str]) -> Identity:
    identity = review.identity
    if not isinstance(identity, OperationIdentity) or identity.made_by is MadeBy.NOBODY:
        return Identity.NONE
    if identity.made_by is MadeBy.SERVER:
        notes.append("an ID that the server makes is new for each call it gets, so it is judged as no ID")
        return Identity.NONE
    if identity.made_by in (MadeBy.GATEWAY, MadeBy.MODEL) and identity.span is Identity.PER_INTENT:
        notes.append(f"an ID that the {identity.made_by} makes is judged as new for each attempt of the agent")
        return Identity.PER_ATTEMPT
    return Identity(str(identity.span))


def _server(review: Review, effect: Effect, identity: Identity, notes: list[str]) -> Server:
    record = review.record
    if isinstance(record, Record) and record.store is StoreKind.PROCESS_MEMORY:
        notes.append("a record in process memory does not survive a crash, so it is judged as no record")
    if not isinstance(record, Record) or record.store is StoreKind.PROCESS_MEMORY or identity is Identity.NONE:
        return _server_without_record()
    retention = record.retention
    if not isinstance(retention, DeclaredRetention):
        message = "record.retention: needed where there is a record"
        raise ScenarioError(message)
    readback, stale = _readback(review, effect), _choice(record.stale, StalePolicy, StalePolicy.HOLD)
    if stale is StalePolicy.READ_BACK and readback is None:
        declared = effect.readback
        treats_as_absent = (
            isinstance(declared, DeclaredReadback) and declared.on_uncertain is OnUncertainReadback.TREAT_AS_ABSENT
        )
        stale = StalePolicy.RUN_AGAIN if treats_as_absent else StalePolicy.HOLD
        notes.append(f"a readback by list or search cannot tell two operations apart: a stale one is judged '{stale}'")
    lease_s = record.lease_s
    return Server(
        claim=_choice(record.claim, ClaimKind, ClaimKind.NONE),
        lease_s=FOR_EVER_S if lease_s is None else lease_s,
        on_pending=_choice(record.while_pending, OnPending, OnPending.RETURN_PENDING),
        stale=stale,
        on_mismatch=_on_mismatch(review),
        retention=_retention(retention),
        readback=readback,
    )


def _server_without_record() -> Server:
    return Server(
        claim=ClaimKind.NONE,
        lease_s=FOR_EVER_S,
        on_pending=OnPending.RUN_AGAIN,
        stale=StalePolicy.RUN_AGAIN,
        on_mismatch=OnMismatch.RUN_AS_NEW,
        retention=Retention(retention_s=0.0, kind=RetentionKind.EXACT, after=OnExpired.RUN_AS_NEW),
        readback=None,
    )


def _on_mismatch(review: Review) -> OnMismatch:
    if not isinstance(review.binding, Binding):
        return OnMismatch.REPLAY
    return _choice(review.binding.on_mismatch, OnMismatch, OnMismatch.REPLAY)


def _readback(review: Review, effect: Effect) -> Readback | None:
    declared = effect.readback
    if not isinstance(declared, DeclaredReadback):
        return None
    if declared.by not in (ReadbackBy.OPERATION_ID, ReadbackBy.CLIENT_REFERENCE):
        return None
    return Readback(
        attempts=declared.attempts if isinstance(declared.attempts, int) else 1,
        lag_s_max=declared.lag_s or 0.0,
        latency=_wait(review.latencies.readback, "latencies.readback"),
        on_uncertain=_choice(declared.on_uncertain, OnUncertainReadback, OnUncertainReadback.HOLD),
    )


def _key_retention(effect: Effect, identity: Identity, notes: list[str]) -> Retention | None:
    key = effect.downstream_key
    if not isinstance(key, DownstreamKey) or identity is Identity.NONE:
        return None
    if key.sent is KeySent.PER_ATTEMPT:
        notes.append("a downstream key derived per attempt recognises no repeat, so it is judged as no key")
        return None
    return _retention(key.retention) if isinstance(key.retention, DeclaredRetention) else None


def _retention(declared: DeclaredRetention) -> Retention:
    return Retention(
        retention_s=min(declared.lasts_s or 0.0, FOR_EVER_S),
        kind=_choice(declared.kind, RetentionKind, RetentionKind.NOT_STATED),
        after=_choice(declared.after_expiry, OnExpired, OnExpired.RUN_AS_NEW),
    )


def _layers(review: Review, notes: list[str]) -> tuple[RetryLayer, ...]:
    """The layers as requested. A client SDK that sends once only bounds the wait of the layer above it."""
    declared = {name: review.layers.of(name) for name in LayerName}
    layers: dict[LayerName, RetryLayer] = {}
    for name, layer in declared.items():
        if isinstance(layer, Layer):
            layers[name] = _layer(review, name, layer)
        elif name is LayerName.AGENT:
            message = "layers.agent: somebody must call; it cannot be not applicable"
            raise ScenarioError(message)
        elif name is LayerName.DOWNSTREAM_SDK:
            layers[name] = _single_attempt(name)
            notes.append("no downstream SDK is declared: the server is taken to send once and to wait without limit")
    client_sdk = layers.get(LayerName.CLIENT_SDK)
    if client_sdk is not None and client_sdk.attempts == 1:
        del layers[LayerName.CLIENT_SDK]
        above = LayerName.GATEWAY if LayerName.GATEWAY in layers else LayerName.AGENT
        timeout_s = _shorter(layers[above].timeout_s, client_sdk.timeout_s)
        layers[above] = replace(layers[above], timeout_s=timeout_s)
    return tuple(layers[name] for name in LayerName if name in layers)


def _layer(review: Review, name: LayerName, layer: Layer) -> RetryLayer:
    is_on = review.requested.automatic_retries.of(name) is OnOff.ON
    attempts = layer.attempts if isinstance(layer.attempts, int) and is_on else 1
    backoff = layer.backoff
    if attempts > 1 and not isinstance(backoff, Backoff):
        message = f"layers.{name}: attempts {attempts} and backoff 'not applicable' exclude each other"
        raise ScenarioError(message)
    return RetryLayer(
        name=name,
        attempts=attempts,
        timeout_s=_finite(layer.timeout_s),
        backoff=(
            Wait(s_min=backoff.least_s, s_typical=backoff.least_s, s_max=backoff.most_s)
            if isinstance(backoff, Backoff)
            else Wait.of(0.0)
        ),
        budget_s=_finite(layer.budget_s),
        on_exhausted=_choice(layer.when_exhausted, OnExhausted, OnExhausted.SAY_UNKNOWN),
    )


def _single_attempt(name: LayerName) -> RetryLayer:
    return RetryLayer(
        name=name,
        attempts=1,
        timeout_s=None,
        backoff=Wait.of(0.0),
        budget_s=None,
        on_exhausted=OnExhausted.SAY_UNKNOWN,
    )


def _hops(review: Review) -> tuple[Hop, ...]:
    landing, latencies = review.conditions.latest_landing, review.latencies
    hops = [
        ("gateway_to_server", latencies.gateway_to_server, landing.gateway_to_server_s),
        ("server_to_downstream", latencies.server_to_downstream, landing.server_to_downstream_s),
    ]
    if isinstance(review.layers.gateway, Layer):
        hops.insert(0, ("agent_to_gateway", latencies.agent_to_gateway, landing.agent_to_gateway_s))
    return tuple(
        Hop(
            name=name,
            request=_wait(latency, f"latencies.{name}"),
            response=_wait(latency, f"latencies.{name}"),
            latest_landing_s=landing_s or 0.0,
        )
        for name, latency, landing_s in hops
    )


def _conditions(review: Review, claim: ClaimKind) -> Conditions:
    declared: DeclaredConditions = review.conditions
    rates = tuple(rate for rate in _rates(review, claim) if rate.kind in declared.fault_kinds)
    outcome = review.unknown_outcome
    return Conditions(
        rates=rates,
        fault_budget=declared.fault_budget,
        retry_horizon_s=declared.retry_horizon_s or 0.0,
        risk_limit_probability=declared.risk_limit,
        common_cause_share=declared.common_cause.share,
        episode_s=declared.common_cause.lasts_s or 0.0,
        owner=str(outcome.owner),
        deadline_s=outcome.deadline_s or 0.0,
    )


def _rates(review: Review, claim: ClaimKind) -> list[SiteRate]:
    """Every site of this world, with its declared rate; a rate that is not applicable excludes its site."""
    rates = review.rates if isinstance(review.rates, Rates) else None
    sites: list[tuple[str, object]] = []
    for hop in _hops(review):
        losses = getattr(rates, hop.name, UNKNOWN)
        for ending, field in (
            ("request_lost", "request_lost"),
            ("response_lost", "response_lost"),
            ("request_late", "late"),
            ("response_late", "late"),
        ):
            sites.append((f"{hop.name}.{ending}", _part(losses, LossRates, field)))
    crash = UNKNOWN if rates is None else rates.crash
    before = "before_reservation" if claim is ClaimKind.UNIQUE else "before_effect"
    sites.append((f"server.{before}", _part(crash, CrashRates, "before_reservation")))
    if claim is ClaimKind.UNIQUE:
        sites.append(("server.after_reservation", _part(crash, CrashRates, "after_reservation")))
    sites.append(("server.after_effect", _part(crash, CrashRates, "after_effect")))
    if claim is not ClaimKind.NONE:
        sites.append(("server.after_receipt", _part(crash, CrashRates, "after_receipt")))
    sites.append(("readback.cannot_tell", UNKNOWN if rates is None else rates.readback_cannot_tell))
    sites.append(("downstream.error", UNKNOWN if rates is None else rates.downstream_error))
    return [
        SiteRate(
            site=site,
            probability=rate.probability if isinstance(rate, Rate) else None,
            source=str(rate.source) if isinstance(rate, Rate) else "unknown",
        )
        for site, rate in sites
        if not isinstance(rate, NotApplicable)
    ]


def _part(losses: object, kind: type[LossRates | CrashRates], field: str) -> object:
    """One rate of a group; the answer for the whole group where there is only that."""
    return getattr(losses, field) if isinstance(losses, kind) else losses


def _wait(latency: object, field: str) -> Wait:
    if not isinstance(latency, LatencyRange):
        message = f"{field}: needed, because this world has that hop"
        raise ScenarioError(message)
    return Wait(s_min=latency.fastest_s, s_typical=latency.typical_s, s_max=latency.slowest_s)


def _choice(answer: object, kind: type[C], otherwise: C) -> C:
    return answer if isinstance(answer, kind) else otherwise


def _finite(duration_s: float | None) -> float | None:
    return None if duration_s is None or math.isinf(duration_s) else duration_s


def _shorter(one_s: float | None, other_s: float | None) -> float | None:
    return min((value for value in (one_s, other_s) if value is not None), default=None)
