"""Answers of one review that cannot both be true.

A contradiction is no matter of taste or risk: the two answers exclude each other, so the declaration
describes no tool that exists, and simulating it would prove something about nothing. Settings that are
merely unwise are not listed here; they are run and judged.
"""

from collections.abc import Iterator

from simkit.choices import EffectKind, KeySent, ReadbackBy, ScopePart, StoreKind
from simkit.contract.answers import Answer, NotApplicable, OrUnknown
from simkit.contract.choices import ForEver, MadeBy, NoLimit, OnOff, Persisted
from simkit.contract.conditions import Conditions
from simkit.contract.durations import Duration
from simkit.contract.effects import DownstreamKey, Effect, Readback
from simkit.contract.latencies import Latencies, LatencyRange
from simkit.contract.layers import Backoff, Layer, Layers, Requested
from simkit.contract.record import Binding, OperationIdentity, Record
from simkit.contract.retention import Retention
from simkit.contract.tool import Tool
from simkit.terms import ClaimKind, Identity, LayerName, OnMismatch, StalePolicy

__all__ = ["contradictions_between"]

_REPEATS_ADD_UP = (EffectKind.CREATE, EffectKind.ADD, EffectKind.TOGGLE, EffectKind.MESSAGE)


def contradictions_between(
    *,
    tool: Tool,
    effects: tuple[Effect, ...],
    identity: OrUnknown[OperationIdentity],
    binding: Answer[Binding],
    record: Answer[Record],
    layers: Layers,
    requested: Requested,
    conditions: Conditions,
    latencies: Latencies,
) -> tuple[str, ...]:
    """Return one plain sentence for each contradiction, in file order."""
    return (
        *_of_annotations(tool, effects, identity),
        *_of_effects(effects, identity),
        *_of_identity(identity, record),
        *_of_binding(binding, effects, record),
        *_of_record(record, effects),
        *_of_layers(layers, requested, conditions),
        *_of_latencies(latencies, conditions),
    )


def _span(identity: OrUnknown[OperationIdentity]) -> Identity | None:
    if isinstance(identity, OperationIdentity) and isinstance(identity.span, Identity):
        return identity.span
    return None


def _of_annotations(tool: Tool, effects: tuple[Effect, ...], identity: OrUnknown[OperationIdentity]) -> Iterator[str]:
    hints = tool.annotations
    if hints.read_only_hint is True:
        yield "tool.annotations.read_only_hint is true, but effects lists what the tool changes"
    for effect in effects:
        if hints.destructive_hint is False and effect.kind is EffectKind.DELETE:
            yield f"tool.annotations.destructive_hint is false, but the effect '{effect.name}' deletes"
    span = _span(identity)
    if hints.idempotent_hint is not True or span not in (Identity.PER_ATTEMPT, Identity.NONE):
        return
    for effect in effects:
        if effect.kind in _REPEATS_ADD_UP:
            yield (
                f"tool.annotations.idempotent_hint is true, but identity.span is '{span}' and the effect "
                f"'{effect.name}' ({effect.kind}) happens again with every repeat"
            )


def _of_effects(effects: tuple[Effect, ...], identity: OrUnknown[OperationIdentity]) -> Iterator[str]:
    nobody_makes_one = _span(identity) is Identity.NONE
    for index, effect in enumerate(effects):
        key, readback = effect.downstream_key, effect.readback
        sends_id = isinstance(key, DownstreamKey) and key.sent is KeySent.OPERATION_ID
        if sends_id and nobody_makes_one:
            yield f"effects.{index}.downstream_key.sent is 'operation ID', but identity.span is 'none': no ID exists"
        asks_by_id = isinstance(readback, Readback) and readback.by is ReadbackBy.OPERATION_ID
        key_has_no_id = isinstance(key, NotApplicable) or (
            isinstance(key, DownstreamKey) and key.sent is KeySent.PER_ATTEMPT
        )
        if asks_by_id and (key_has_no_id or nobody_makes_one):
            yield (
                f"effects.{index}.readback.by is 'operation ID', but no operation ID reaches the system of record "
                f"(if it is written into the content, the readback is by 'client reference')"
            )


def _of_identity(identity: OrUnknown[OperationIdentity], record: Answer[Record]) -> Iterator[str]:
    if not isinstance(identity, OperationIdentity):
        return
    span, made_by = identity.span, identity.made_by
    if made_by is MadeBy.NOBODY and span in (Identity.PER_INTENT, Identity.PER_ATTEMPT):
        yield f"identity.made_by is 'nobody', but identity.span is '{span}'"
    if span is Identity.NONE and isinstance(made_by, MadeBy) and made_by is not MadeBy.NOBODY:
        yield f"identity.span is 'none', but identity.made_by is '{made_by}'"
    if span is Identity.NONE and identity.persisted in (Persisted.BEFORE_SENDING, Persisted.AFTER_THE_REPLY):
        yield f"identity.span is 'none', but identity.persisted is '{identity.persisted}': there is no ID to write down"
    claims = isinstance(record, Record) and record.claim in (ClaimKind.CHECK_THEN_ACT, ClaimKind.UNIQUE)
    if claims and span is Identity.NONE:
        yield "record.claim looks up an operation ID, but identity.span is 'none': there is no ID to look up"
    if claims and isinstance(identity.scope, tuple) and ScopePart.OPERATION_ID not in identity.scope:
        yield "record.claim looks up an operation ID, but identity.scope does not contain 'operation ID'"


def _of_binding(binding: Answer[Binding], effects: tuple[Effect, ...], record: Answer[Record]) -> Iterator[str]:
    if not isinstance(binding, Binding):
        return
    nothing_remembers = isinstance(record, NotApplicable) and all(
        isinstance(effect.downstream_key, NotApplicable) for effect in effects
    )
    if nothing_remembers:
        yield "binding is given, but there is neither a record nor a downstream key that could compare inputs"
    bound = binding.bound_fields if isinstance(binding.bound_fields, tuple) else ()
    excluded = binding.excluded_fields if isinstance(binding.excluded_fields, tuple) else ()
    for name in bound:
        if name in excluded:
            yield f"binding.bound_fields and binding.excluded_fields both name '{name}'"
    if binding.on_mismatch is OnMismatch.CONFLICT and binding.bound_fields == ():
        yield "binding.on_mismatch is 'conflict', but binding.bound_fields is empty: nothing is compared"


def _of_record(record: Answer[Record], effects: tuple[Effect, ...]) -> Iterator[str]:
    if not isinstance(record, Record):
        return
    if record.claim in (ClaimKind.NONE, ClaimKind.CHECK_THEN_ACT) and isinstance(record.lease, Duration):
        yield f"record.lease is given, but record.claim is '{record.claim}', which makes no reservation"
    if isinstance(record.lease, Duration) and isinstance(record.stale, NotApplicable):
        yield f"record.lease is {record.lease}, but record.stale is not applicable: a lease can run out"
    if isinstance(record.lease, NotApplicable) and isinstance(record.stale, StalePolicy):
        yield f"record.stale is '{record.stale}', but record.lease is not applicable: nothing ever gets stale"
    cannot_ask = all(isinstance(effect.readback, NotApplicable) for effect in effects)
    if record.stale is StalePolicy.READ_BACK and cannot_ask:
        yield "record.stale is 'read back', but no effect has a readback"
    keeps_for_ever = isinstance(record.retention, Retention) and record.retention.lasts is ForEver.FOR_EVER
    if record.store is StoreKind.PROCESS_MEMORY and keeps_for_ever:
        yield "record.retention.lasts is 'for ever', but record.store is 'process memory', which a restart empties"


def _of_layers(layers: Layers, requested: Requested, conditions: Conditions) -> Iterator[str]:
    for name in LayerName:
        layer = layers.of(name)
        is_on = requested.automatic_retries.of(name) is OnOff.ON
        if isinstance(layer, NotApplicable) and is_on:
            yield f"requested.automatic_retries.{name} is 'on', but layers.{name} does not exist"
        if isinstance(layer, Layer):
            yield from _of_layer(name, layer, conditions)
        if isinstance(layer, Layer) and layer.attempts == 1 and is_on:
            yield f"requested.automatic_retries.{name} is 'on', but layers.{name}.attempts is 1: it never repeats"


def _of_layer(name: LayerName, layer: Layer, conditions: Conditions) -> Iterator[str]:
    repeats = layer.attempts is NoLimit.NONE or (isinstance(layer.attempts, int) and layer.attempts > 1)
    if repeats and isinstance(layer.backoff, NotApplicable):
        yield f"layers.{name}.backoff is not applicable, but layers.{name}.attempts is {layer.attempts}"
    if layer.attempts == 1 and isinstance(layer.backoff, Backoff):
        yield f"layers.{name}.backoff is given, but layers.{name}.attempts is 1: there is nothing to wait for"
    horizon, budget = conditions.retry_horizon, layer.budget
    if not repeats or not isinstance(horizon, Duration) or not isinstance(budget, Duration):
        return
    if budget.length_s > horizon.length_s:
        yield (
            f"layers.{name}.budget is {budget}, past conditions.retry_horizon ({horizon}): "
            f"the layer may repeat later than anything does"
        )


def _of_latencies(latencies: Latencies, conditions: Conditions) -> Iterator[str]:
    landing = conditions.latest_landing
    for hop, latency, latest in (
        ("agent_to_gateway", latencies.agent_to_gateway, landing.agent_to_gateway),
        ("gateway_to_server", latencies.gateway_to_server, landing.gateway_to_server),
        ("server_to_downstream", latencies.server_to_downstream, landing.server_to_downstream),
    ):
        if not isinstance(latency, LatencyRange) or not isinstance(latest, Duration):
            continue
        if latency.slowest_s > latest.length_s:
            yield (
                f"latencies.{hop}.slowest is {latency.slowest}, past conditions.latest_landing.{hop} ({latest}): "
                f"a usual message would arrive after the latest landing"
            )
