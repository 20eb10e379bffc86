"""Identity, server and keys of the scenario that a review amounts to.

Where a declaration names something that this world does not know, the nearest worse thing stands in,
and a note says so.
"""

from enum import Enum
from types import MappingProxyType
from typing import TypeVar

from simkit.choices import KeySent, ReadbackBy, StoreKind, WriteOrder
from simkit.contract.choices import MadeBy, Persisted
from simkit.contract.effects import DownstreamKey, Effect
from simkit.contract.effects import Readback as DeclaredReadback
from simkit.contract.record import Binding, OperationIdentity, Record
from simkit.contract.retention import Retention as DeclaredRetention
from simkit.contract.review import Review
from simkit.contract.translated_conditions import wait_of
from simkit.scenario import Readback, Retention, Server
from simkit.terms import (
    ClaimKind,
    Identity,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    RetentionKind,
    StalePolicy,
)

__all__ = ["identity_of", "key_mismatch_of", "key_retention_of", "server_of"]

C = TypeVar("C", bound=Enum)

_ORDER_BY_CLAIM = MappingProxyType(
    {
        ClaimKind.NONE: WriteOrder.EFFECT_ONLY,
        ClaimKind.CHECK_THEN_ACT: WriteOrder.EFFECT_THEN_RECEIPT,
        ClaimKind.UNIQUE: WriteOrder.RESERVE_FIRST,
    }
)

FOR_EVER_S = 864_000_000.0
"""What "for ever" and "never stale" amount to in a run: 10,000 days, in seconds."""


def identity_of(review: Review, notes: list[str]) -> Identity:
    """Who makes the operation ID in this world; `notes` says what stands in."""
    identity = review.identity
    if not isinstance(identity, OperationIdentity) or identity.made_by is MadeBy.NOBODY:
        return Identity.NONE
    if identity.made_by is MadeBy.SERVER:
        notes.append("an ID that the server makes is new for each call it gets, so it is judged as no ID")
        return Identity.NONE
    if identity.persisted is not Persisted.BEFORE_SENDING and identity.span is Identity.PER_INTENT:
        notes.append(
            "an ID that is not written down before sending is lost by a resume: judged as new for each attempt"
        )
        return Identity.PER_ATTEMPT
    if identity.made_by in (MadeBy.GATEWAY, MadeBy.MODEL) and identity.span is Identity.PER_INTENT:
        notes.append(f"an ID that the {identity.made_by} makes is judged as new for each attempt of the agent")
        return Identity.PER_ATTEMPT
    return Identity(str(identity.span))


def server_of(review: Review, effect: Effect, identity: Identity, notes: list[str]) -> Server:
    """The write path of the server; without a record, or an ID to keep it by, there is only the effect."""
    record = review.record
    if isinstance(record, Record) and record.store is StoreKind.PROCESS_MEMORY:
        notes.append("a record in process memory does not survive a crash, so it is judged as no record")
    if not isinstance(record, Record) or record.store is StoreKind.PROCESS_MEMORY or identity is Identity.NONE:
        return _server_without_record()
    readback, stale = _readback(review, effect), _choice(record.stale, StalePolicy, StalePolicy.HOLD)
    if stale is StalePolicy.READ_BACK and readback is None:
        declared = effect.readback
        treats_as_absent = (
            isinstance(declared, DeclaredReadback) and declared.on_uncertain is OnUncertainReadback.TREAT_AS_ABSENT
        )
        stale = StalePolicy.RUN_AGAIN if treats_as_absent else StalePolicy.HOLD
        why = (
            "by list or search it cannot tell two operations apart"
            if isinstance(declared, DeclaredReadback)
            else "there is none"
        )
        notes.append(f"no readback that could decide ({why}): a stale reservation is judged '{stale}'")
    lease_s = record.lease_s
    claim = _choice(record.claim, ClaimKind, ClaimKind.NONE)
    return Server(
        claim=claim,
        order=_ORDER_BY_CLAIM[claim],
        lease_s=FOR_EVER_S if lease_s is None else lease_s,
        on_pending=_choice(record.while_pending, OnPending, OnPending.RETURN_PENDING),
        stale=stale,
        on_mismatch=_on_mismatch(review),
        retention=_retention(record.retention),
        readback=readback,
    )


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


def key_retention_of(effect: Effect, identity: Identity, notes: list[str]) -> Retention | None:
    """How long the system of record remembers a key that protects; None where it does not."""
    key = effect.downstream_key
    if not isinstance(key, DownstreamKey) or identity is Identity.NONE:
        return None
    if key.sent is KeySent.PER_ATTEMPT:
        notes.append("a downstream key derived per attempt recognises no repeat, so it is judged as no key")
        return None
    return _retention(key.retention)


def _retention(declared: object) -> Retention:
    """A retention after which an ID runs as new: a refusal needs a tombstone, which the file cannot declare."""
    if not isinstance(declared, DeclaredRetention):
        return Retention(retention_s=0.0, kind=RetentionKind.NOT_STATED, after=OnExpired.RUN_AS_NEW)
    return Retention(
        retention_s=min(declared.lasts_s or 0.0, FOR_EVER_S),
        kind=_choice(declared.kind, RetentionKind, RetentionKind.NOT_STATED),
        after=OnExpired.RUN_AS_NEW,
    )


def key_mismatch_of(effect: Effect) -> OnMismatch:
    """What the system of record does with a known key and other inputs; the worse one where nothing is said."""
    key = effect.downstream_key
    return (
        _choice(key.on_mismatch, OnMismatch, OnMismatch.REPLAY) if isinstance(key, DownstreamKey) else OnMismatch.REPLAY
    )


def _choice(answer: object, kind: type[C], otherwise: C) -> C:
    return answer if isinstance(answer, kind) else otherwise
