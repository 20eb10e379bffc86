"""What a model has rules for. A scenario with anything else is refused: it would be solved as if that were not there.

A field counts as left alone where it has the value that it has when nobody names it; a field that is added
to a scenario later is refused too, unless it is left alone.
"""

from collections.abc import Iterator
from typing import Any

from simkit.choices import KeySent, WriteOrder
from simkit.distributions import Wait
from simkit.scenario import (
    TO_DOWNSTREAM,
    TO_GATEWAY,
    TO_SERVER,
    Conditions,
    Scenario,
    Server,
    Stage,
)
from simkit.terms import ClaimKind, Identity, LayerName, OnExhausted, OnExpired, OnPending, RetentionKind

__all__ = ["without_rule"]

ORDERS = ((ClaimKind.NONE, WriteOrder.EFFECT_ONLY), (ClaimKind.UNIQUE, WriteOrder.RESERVE_FIRST))
IDENTITIES = (Identity.PER_INTENT, Identity.NONE)
KEYS = (KeySent.OPERATION_ID, None)

CONDITIONS = (
    "rates",
    "fault_budget",
    "retry_horizon_s",
    "risk_limit_probability",
    "common_cause_share",
    "episode_s",
    "owner",
    "deadline_s",
    "attempt_count_max",
    "time_s_max",
)
"""Most of them are about judging, not about what happens."""

HOPS = (TO_GATEWAY, TO_SERVER, TO_DOWNSTREAM)
ENDINGS = ("request_lost", "request_late", "response_lost", "response_late")

SITES = frozenset(
    {
        *(f"{hop}.{ending}" for hop in HOPS for ending in ENDINGS),
        "server.before_effect",
        "server.before_reservation",
        "server.after_reservation",
        "server.after_effect",
        "server.after_receipt",
        "readback.cannot_tell",
    }
)


def without_rule(scenario: Scenario) -> Iterator[str]:
    """What a scenario has that the model leaves out."""
    parts = ("name", "calls", "agent", "layers", "hops", "server", "stages", "conditions", "approvals", "schedule")
    if not _has_only(scenario, parts):
        yield "what others do"
    if len(scenario.calls) > 1 or not _has_only(scenario.calls[0], _REQUIRED_OF_CALL):
        yield "these calls"
    if scenario.agent.identity not in IDENTITIES or not _has_only(scenario.agent, ("identity",)):
        yield "this agent"
    yield from _of_layers(scenario)
    yield from _of_server(scenario.server)
    if len(scenario.stages) > 1:
        yield "several stages"
    yield from _of_stage(scenario.stages[0])
    yield from _of_conditions(scenario.conditions)


_REQUIRED_OF_CALL = ("intent", "operation", "tenant", "inputs", "start_s")


def _of_layers(scenario: Scenario) -> Iterator[str]:
    for layer in scenario.layers:
        named = ("name", "attempts", "timeout_s", "backoff", "budget_s", "on_exhausted")
        is_plain = layer.on_exhausted is not OnExhausted.SAY_LAST and _is_constant(layer.backoff)
        if not _has_only(layer, named) or not is_plain or layer.timeout_s is None or layer.budget_s is not None:
            yield f"this layer, {layer.name}"
        if layer.attempts is None:
            yield f"{layer.name}: attempts without an end"
        if layer.name is LayerName.CLIENT_SDK or (layer.name is LayerName.DOWNSTREAM_SDK and layer.repeats):
            yield f"a {layer.name} that repeats"
    for hop in scenario.hops:
        is_constant = _is_constant(hop.request) and _is_constant(hop.response)
        if not is_constant or not _has_only(hop, ("name", "request", "response", "latest_landing_s")):
            yield f"this hop, {hop.name}"


def _of_server(server: Server) -> Iterator[str]:
    # There is one call, so nothing mismatches.
    named = ("claim", "order", "lease_s", "stale", "on_pending", "on_mismatch", "retention", "readback")
    if not _has_only(server, named) or (server.claim, server.order) not in ORDERS:
        yield "this write path"
    if server.claim is ClaimKind.UNIQUE and server.on_pending is not OnPending.RETURN_PENDING:
        yield f"a duplicate that meets {server.on_pending}"
    retention = server.retention
    if retention.kind is not RetentionKind.EXACT or not _has_only(retention, _RETENTION):
        yield f"a record that is remembered {retention.kind}, counted from {retention.counted_from}"
    readback = server.readback
    if readback is not None:
        is_constant = _is_constant(readback.latency)
        if not is_constant or not _has_only(readback, ("attempts", "lag_s_max", "latency", "on_uncertain")):
            yield "this readback"


_RETENTION = ("retention_s", "kind", "after")


def _of_stage(stage: Stage) -> Iterator[str]:
    downstream = stage.downstream
    if downstream is None or stage.key not in KEYS or not _has_only(stage, ("name", "downstream", "key")):
        yield "this stage"
        return
    named = ("name", "key_retention", "on_mismatch", "work", "asked_by")
    if not _has_only(downstream, named) or not _is_constant(downstream.work):
        yield "this system of record"
    retention = downstream.key_retention
    if retention is None:
        return
    is_ruled = retention.kind in (RetentionKind.EXACT, RetentionKind.AT_LEAST)
    if not is_ruled or retention.after is not OnExpired.RUN_AS_NEW or not _has_only(retention, _RETENTION):
        yield f"a key that is remembered {retention.kind}, and then {retention.after}"


def _of_conditions(conditions: Conditions) -> Iterator[str]:
    if not _has_only(conditions, CONDITIONS):
        yield "these conditions"
    for rate in conditions.rates:
        is_known = rate.probability is not None and _has_only(rate, ("site", "probability", "source"))
        if rate.site not in SITES or not is_known:
            yield f"the site {rate.site}, with the rate {rate.probability}"


def _has_only(thing: Any, fields: tuple[str, ...]) -> bool:
    """Whether all other fields of a part of a scenario are left alone."""
    plain = type(thing)(**{name: getattr(thing, name) for name in fields})
    return bool(plain == thing)


def _is_constant(wait: Any) -> bool:
    """Whether a wait always takes its typical duration on a clock: nothing says how often it takes another one."""
    return isinstance(wait, Wait) and _has_only(wait, ("s_min", "s_typical", "s_max"))
