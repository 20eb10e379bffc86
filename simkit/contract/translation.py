"""The scenario that a review file amounts to, one for each effect.

A declaration says more than the world can act out, and less. Where it names something that this
world does not know, the nearest worse thing stands in, and a note says so. What has no worse thing that could
stand in is listed as not judged; while there is any of that, nothing is allowed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from simkit.choices import ScopePart
from simkit.contract.answers import NotApplicable
from simkit.contract.choices import Canonicalisation, CompletionEvidence
from simkit.contract.effects import Effect
from simkit.contract.record import Binding, OperationIdentity
from simkit.contract.review import Review
from simkit.contract.translated_conditions import conditions_of, hops_of, wait_of
from simkit.contract.translated_layers import layers_of
from simkit.contract.translated_server import identity_of, key_mismatch_of, key_retention_of, server_of
from simkit.errors import ScenarioError
from simkit.scenario import Agent, Downstream, PlannedCall, Scenario, Stage
from simkit.terms import Identity, OnExpired

__all__ = ["Translation", "scenario_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A scenario, and how it differs from what was declared.

    Parameters
    ----------
    notes
        What stands in for what was declared, always something worse, in words.
    unjudged
        What was declared and is not acted out, although it could break a promise, in words.
    """

    scenario: Scenario
    notes: tuple[str, ...]
    unjudged: tuple[str, ...]


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
    identity = identity_of(review, notes)
    server = server_of(review, effect, identity, notes)
    scenario = Scenario(
        name=f"{review.tool.name}/{effect.name}",
        calls=(PlannedCall(intent="intent-1", operation="op-1", tenant="tenant-1", inputs="inputs-1", start_s=0.0),),
        agent=Agent(identity=identity),
        layers=layers_of(review, notes),
        hops=hops_of(review),
        server=server,
        stages=(Stage(name=effect.name, downstream=_downstream(review, effect, identity, notes)),),
        conditions=conditions_of(review, server),
    )
    notes.extend(_refusals(review, effect))
    return Translation(scenario=scenario, notes=tuple(notes), unjudged=tuple(_unjudged(review, effect)))


def _downstream(review: Review, effect: Effect, identity: Identity, notes: list[str]) -> Downstream:
    return Downstream(
        name=effect.name,
        key_retention=key_retention_of(effect, identity, notes),
        on_mismatch=key_mismatch_of(effect),
        work=wait_of(review.latencies.downstream_work, "latencies.downstream_work"),
    )


def _refusals(review: Review, effect: Effect) -> Iterator[str]:
    for name, part in (("record", review.record), ("downstream key", effect.downstream_key)):
        retention = getattr(part, "retention", None)
        if getattr(retention, "after_expiry", None) is OnExpired.REFUSE:
            yield f"{name}: refusing an expired ID needs a tombstone, which a file cannot declare: judged as run as new"


def _unjudged(review: Review, effect: Effect) -> Iterator[str]:
    if len(review.effects) > 1:
        yield "the order of several effects, and what a repeat does to the ones that are done"
    if effect.completion_evidence is CompletionEvidence.HANDOVER:
        yield "what happens to the effect after the handover"
    if not isinstance(review.approval, NotApplicable):
        yield "whether the approval is respected by every repeat"
    identity, binding = review.identity, review.binding
    if isinstance(identity, OperationIdentity) and identity.span is not Identity.NONE:
        scope = identity.scope if isinstance(identity.scope, tuple) else ()
        missing = [part for part in (ScopePart.TENANT, ScopePart.OPERATION_ID) if part not in scope]
        if missing:
            yield f"a scope without {' and '.join(missing)}: whose record a call meets"
    if isinstance(binding, Binding) and binding.canonicalisation in (
        Canonicalisation.EXACT_BYTES,
        Canonicalisation.NONE,
    ):
        yield f"canonicalisation '{binding.canonicalisation}': a repeat that is written otherwise"
