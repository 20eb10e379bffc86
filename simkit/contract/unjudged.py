"""What a review declares and its scenario does not act out, although it could break a promise.

Nothing worse could stand in for it, or nobody said the number that it takes. While there is any of that,
nothing is allowed.
"""

from collections.abc import Iterator
from types import MappingProxyType

from simkit.choices import ScopePart
from simkit.contract.answers import NotApplicable
from simkit.contract.choices import Canonicalisation, CompletionEvidence, OnOff
from simkit.contract.effects import Effect
from simkit.contract.record import Binding, OperationIdentity
from simkit.contract.retention import Retention
from simkit.contract.review import Review
from simkit.scenario import Server
from simkit.terms import ClaimKind, FaultKind, Identity, LayerName, RetentionKind

__all__ = ["unjudged_in"]

_MISSING = MappingProxyType(
    {
        FaultKind.PAUSE: "how long a worker may pause",
        FaultKind.STORE_OUTAGE: "how long the record store is away, and what the server does meanwhile",
        FaultKind.STORE_FAILOVER: "how much the record store loses",
        FaultKind.HUMAN_ERROR: "when somebody reconciles, and what follows where nothing is seen",
    }
)
"""What no file declares yet, and without which that kind of fault cannot be acted out."""

_OF_A_RECORD = frozenset({FaultKind.STORE_OUTAGE, FaultKind.STORE_FAILOVER})


def unjudged_in(review: Review, effect: Effect, server: Server) -> Iterator[str]:
    """Sentences about what is declared of one effect and not acted out."""
    if len(review.effects) > 1:
        yield "the order of several effects, and what a repeat does to the ones that are done"
    is_loss_judged = FaultKind.LOST_AFTER_ACCEPTANCE in review.conditions.fault_kinds
    if effect.completion_evidence is CompletionEvidence.HANDOVER and not is_loss_judged:
        yield f"what happens to the effect after the handover: '{FaultKind.LOST_AFTER_ACCEPTANCE}' is not listed"
    if not isinstance(review.approval, NotApplicable):
        yield "whether the approval is respected by every repeat"
    yield from _of_scope(review, server)
    binding = review.binding
    if isinstance(binding, Binding) and binding.canonicalisation in (
        Canonicalisation.EXACT_BYTES,
        Canonicalisation.NONE,
    ):
        yield f"canonicalisation '{binding.canonicalisation}': a repeat that is written otherwise"
    yield from _of_retentions(review, effect)
    yield from _of_faults(review, server)
    yield from _of_guesses(review, effect)


def _of_scope(review: Review, server: Server) -> Iterator[str]:
    identity = review.identity
    if not isinstance(identity, OperationIdentity) or identity.span is Identity.NONE:
        return
    scope = identity.scope if isinstance(identity.scope, tuple) else ()
    if ScopePart.OPERATION_ID not in scope:
        yield "a scope without operation ID: whose record a call meets"
    if ScopePart.TENANT not in scope and server.claim is ClaimKind.NONE:
        yield "a scope without tenant, and no record that looks it up: whose key a call meets"
    if ScopePart.CREDENTIAL in scope:
        yield "a scope with the credential: a repeat after that was rotated"


def _of_retentions(review: Review, effect: Effect) -> Iterator[str]:
    for name, part in (("record", review.record), ("downstream key", effect.downstream_key)):
        retention = getattr(part, "retention", None)
        if isinstance(retention, Retention) and retention.kind is RetentionKind.WITH_OBJECT:
            yield f"{name}: kept as long as the object, and what a repeat does once that was deleted"


def _of_faults(review: Review, server: Server) -> Iterator[str]:
    for kind, missing in _MISSING.items():
        is_possible = server.claim is not ClaimKind.NONE or kind not in _OF_A_RECORD
        if kind in review.conditions.fault_kinds and is_possible:
            yield f"fault kind '{kind}': no answer says {missing}"


def _of_guesses(review: Review, effect: Effect) -> Iterator[str]:
    """What a review does not ask, and an entry of the catalog only guesses."""
    for name, layer in review.from_catalog.layers.items():
        is_on = review.requested.automatic_retries.of(LayerName(name)) is OnOff.ON
        for field in layer.unjudged if is_on and layer.policy.repeats else ():
            yield f"layers.{name}: {layer.taken.entry_id} only guesses {field}; write it beside the ID"
    found = review.from_catalog.effects.get(effect.name)
    if found is None:
        return
    for field in found.unjudged:
        yield f"{effect.name}: {found.taken[0].entry_id} only guesses {field}; write it into downstream_key"
