"""Identity, server and keys of the scenario that a review amounts to.

Where a declaration names something that this world does not know, the nearest worse thing stands in,
and a note says so.
"""

from enum import Enum
from types import MappingProxyType
from typing import TypeVar

from simkit.choices import CountedFrom, EffectKind, KeySent, OnRestart, ReadbackBy, ScopePart, StoreKind, WriteOrder
from simkit.contract.choices import CompletionEvidence, MadeBy, OnOff, Persisted
from simkit.contract.effects import DownstreamKey, Effect
from simkit.contract.effects import Readback as DeclaredReadback
from simkit.contract.layers import Layer
from simkit.contract.record import Binding, OperationIdentity, Record
from simkit.contract.retention import Retention as DeclaredRetention
from simkit.contract.review import Review
from simkit.contract.translated_conditions import wait_of
from simkit.distributions import Wait
from simkit.scenario import Agent, Downstream, Readback, Retention, Server, Stage, Store
from simkit.terms import (
    ClaimKind,
    FaultKind,
    Identity,
    LayerName,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    RetentionKind,
    StalePolicy,
)

__all__ = ["agent_of", "scope_of", "server_of", "stage_of"]

C = TypeVar("C", bound=Enum)

_ORDER_BY_CLAIM = MappingProxyType(
    {
        ClaimKind.NONE: WriteOrder.EFFECT_ONLY,
        ClaimKind.CHECK_THEN_ACT: WriteOrder.EFFECT_THEN_RECEIPT,
        ClaimKind.UNIQUE: WriteOrder.RESERVE_FIRST,
    }
)

AT_ONCE_S = 0.001
"""What "at once" amounts to after a restart, in seconds: some time has to pass."""

FOR_EVER_S = 864_000_000.0
"""What "for ever" and "never stale" amount to in a run: 10,000 days, in seconds."""


def agent_of(review: Review, effect: Effect, notes: list[str]) -> Agent:
    """Who makes the operation ID in this world, and what a restart does to it; `notes` says what stands in.

    Where restarts are among the faults, an errand goes on afterwards, at once or as late as the retry horizon allows.
    """
    declared, restarts = review.identity, FaultKind.RESTART in review.conditions.fault_kinds
    horizon_s = max(review.conditions.retry_horizon_s or 0.0, AT_ONCE_S)
    is_persisted = isinstance(declared, OperationIdentity) and declared.persisted is Persisted.BEFORE_SENDING
    return Agent(
        identity=_identity_of(review, notes, restarts=restarts),
        is_id_persisted=is_persisted or not restarts,
        on_restart=OnRestart.RESUME if restarts else OnRestart.FORGET,
        restart=Wait(s_min=AT_ONCE_S, s_typical=AT_ONCE_S, s_max=horizon_s) if restarts else Wait.of(0.0),
        handover_completes=effect.completion_evidence is CompletionEvidence.HANDOVER,
    )


def _identity_of(review: Review, notes: list[str], *, restarts: bool) -> Identity:
    identity = review.identity
    if not isinstance(identity, OperationIdentity) or identity.made_by is MadeBy.NOBODY:
        return Identity.NONE
    if identity.made_by is MadeBy.SERVER:
        notes.append("an ID that the server makes is new for each call it gets, so it is judged as no ID")
        return Identity.NONE
    if identity.span is Identity.PER_INTENT and identity.made_by is MadeBy.MODEL:
        return Identity.BY_MODEL
    if not restarts and identity.persisted is not Persisted.BEFORE_SENDING and identity.span is Identity.PER_INTENT:
        notes.append(
            "an ID that is not written down before sending is lost by a resume: judged as new for each attempt"
        )
        return Identity.PER_ATTEMPT
    if identity.made_by is MadeBy.GATEWAY and identity.span is Identity.PER_INTENT:
        notes.append("an ID that the gateway makes is judged as new for each attempt of the agent")
        return Identity.PER_ATTEMPT
    return Identity(str(identity.span))


def server_of(review: Review, effect: Effect, identity: Identity, notes: list[str]) -> Server:
    """The write path of the server; without a record, or an ID to keep it by, there is only the effect."""
    record = review.record
    if not isinstance(record, Record) or identity is Identity.NONE:
        return _server_without_record()
    is_in_process = record.store is StoreKind.PROCESS_MEMORY
    if is_in_process:
        notes.append("how many processes keep a record in memory is not declared: judged as two, each with its own")
    readback, stale = _readback(review, effect), _choice(record.stale, StalePolicy, StalePolicy.HOLD)
    if stale is StalePolicy.READ_BACK and readback is None:
        declared = effect.readback
        treats_as_absent = (
            isinstance(declared, DeclaredReadback) and declared.on_uncertain is OnUncertainReadback.TREAT_AS_ABSENT
        )
        stale = StalePolicy.RUN_AGAIN if treats_as_absent else StalePolicy.HOLD
        why = (
            f"by {declared.by} it cannot tell two operations apart"
            if isinstance(declared, DeclaredReadback)
            else "there is none"
        )
        notes.append(f"no readback that could decide ({why}): a stale reservation is judged '{stale}'")
    lease_s = record.lease_s
    claim = _choice(record.claim, ClaimKind, ClaimKind.NONE)
    if record.while_pending is OnPending.WAIT:
        notes.append("how long a repeat waits is not declared: judged as not at all")
    return Server(
        claim=claim,
        order=_ORDER_BY_CLAIM[claim],
        lease_s=FOR_EVER_S if lease_s is None else lease_s,
        on_pending=_choice(record.while_pending, OnPending, OnPending.RETURN_PENDING),
        stale=stale,
        on_mismatch=_on_mismatch(review),
        retention=_retention(record.retention),
        readback=readback,
        scope=scope_of(review),
        store=Store(kind=StoreKind.PROCESS_MEMORY if is_in_process else StoreKind.SHARED),
        replica_count=2 if is_in_process else 1,
    )


def scope_of(review: Review) -> tuple[ScopePart, ...]:
    """What an ID is looked up together with; a scope that leaves the ID out is judged with it."""
    declared = getattr(review.identity, "scope", None)
    parts = declared if isinstance(declared, tuple) else ()
    return tuple(part for part in ScopePart if part in parts or part is ScopePart.OPERATION_ID)


def _server_without_record() -> Server:
    return Server(
        claim=ClaimKind.NONE,
        order=WriteOrder.EFFECT_ONLY,
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
        latency=wait_of(review.latencies.readback, "latencies.readback"),
        on_uncertain=_choice(declared.on_uncertain, OnUncertainReadback, OnUncertainReadback.HOLD),
    )


def stage_of(review: Review, effect: Effect, identity: Identity, notes: list[str]) -> Stage:
    """The effect, its system of record, and the key by which that recognises a repeat.

    In this world a key that is derived per attempt differs between calls of the server, and not between the
    attempts of the SDK below it; where that repeats, there is no key.
    """
    key = effect.downstream_key if identity is not Identity.NONE else None
    sent = key.sent if isinstance(key, DownstreamKey) and isinstance(key.sent, KeySent) else KeySent.OPERATION_ID
    if sent is KeySent.PER_ATTEMPT and _sdk_repeats(review):
        notes.append("a downstream key derived per attempt recognises no repeat of the SDK, so it is judged as no key")
        key = None
    downstream = Downstream(
        name=effect.name,
        **(review.from_catalog.unasked_of(effect.name) if isinstance(key, DownstreamKey) else {}),
        key_retention=_retention(key.retention) if isinstance(key, DownstreamKey) else None,
        on_mismatch=_key_mismatch(effect),
        work=wait_of(review.latencies.downstream_work, "latencies.downstream_work"),
        effect=_choice(effect.kind, EffectKind, EffectKind.CREATE),
        accepts_first=effect.completion_evidence is CompletionEvidence.HANDOVER,
    )
    return Stage(name=effect.name, downstream=downstream, key=sent)


def _retention(declared: object) -> Retention:
    """A retention after which an ID runs as new: a refusal needs a tombstone, which the file cannot declare."""
    if not isinstance(declared, DeclaredRetention):
        return Retention(retention_s=0.0, kind=RetentionKind.NOT_STATED, after=OnExpired.RUN_AS_NEW)
    kind = _choice(declared.kind, RetentionKind, RetentionKind.NOT_STATED)
    return Retention(
        retention_s=min(declared.lasts_s or 0.0, FOR_EVER_S),
        kind=RetentionKind.AT_LEAST if kind is RetentionKind.WITH_OBJECT else kind,
        after=OnExpired.RUN_AS_NEW,
        counted_from=_choice(declared.counted_from, CountedFrom, CountedFrom.FIRST_ATTEMPT),
    )


def _sdk_repeats(review: Review) -> bool:
    layer, name = review.layers.downstream_sdk, LayerName.DOWNSTREAM_SDK
    is_on = review.requested.automatic_retries.of(name) is OnOff.ON
    return is_on and isinstance(layer, Layer) and layer.attempts != 1


def _key_mismatch(effect: Effect) -> OnMismatch:
    """What the system of record does with a known key and other inputs; the worse one where nothing is said."""
    key = effect.downstream_key
    return (
        _choice(key.on_mismatch, OnMismatch, OnMismatch.REPLAY) if isinstance(key, DownstreamKey) else OnMismatch.REPLAY
    )


def _choice(answer: object, kind: type[C], otherwise: C) -> C:
    return answer if isinstance(answer, kind) else otherwise
