"""The promise that nothing of one tenant reaches another: no result, no effect, not even that an ID exists.

====================  ==========================================================================
what crossed          how the journal shows it
====================  ==========================================================================
a result, an ID       a reply that speaks of another tenant's intent: any that reaches the caller's
                      side, and below the server one that is taken for done
a status              *found*, where only another tenant has an effect under that ID
an effect             one with inputs that only another tenant sent under that ID
====================  ==========================================================================

The scope is the tenant, not the credential: one that was rotated is no other principal.
"""

from collections.abc import Iterator

from simkit.checks.finding import Finding
from simkit.checks.index import Index
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.checks.known import DONE_BY_HANDOVER
from simkit.journal import Journal
from simkit.records import Effect, Intent, Readback, Reply
from simkit.terms import LayerName, Promise, ReadbackAnswer

__all__ = ["check_tenants_apart", "judge_tenants_apart"]


def check_tenants_apart(journal: Journal) -> tuple[Finding, ...]:
    """No tenant gets, learns or makes what is another's."""
    return findings(journal, Promise.TENANTS_APART, judge_tenants_apart)


def judge_tenants_apart(index: Index, intent: Intent) -> Judged:
    """Decide for the intent whose tenant would get something of another."""
    if len(set(index.tenants.values())) < 2:
        return KEPT
    crossed = (*_replies(index, intent), *_finds(index, intent), *_effects(index, intent))
    if crossed:
        return broken(*crossed)
    if index.waiting_for is not None:
        return undecided(index, "another answer or effect may follow")
    return KEPT


def _replies(index: Index, intent: Intent) -> Iterator[str]:
    for reply in index.by_intent[intent.intent].replies:
        tenant = index.tenants.get(reply.origin, intent.tenant)
        if tenant != intent.tenant and _reaches_caller(reply):
            what = f"{reply.state} {reply.result}".rstrip()
            yield f"{reply.at_s:g} s: {reply.layer} attempt {reply.path} got {what!r} of tenant {tenant!r}"


def _reaches_caller(reply: Reply) -> bool:
    """A downstream SDK is on the server's side: of what it hears only a result goes on to the caller."""
    return reply.layer is not LayerName.DOWNSTREAM_SDK or bool(reply.result) or reply.state in DONE_BY_HANDOVER


def _finds(index: Index, intent: Intent) -> Iterator[str]:
    facts = index.by_intent[intent.intent]
    for readback in facts.readbacks:
        if readback.answer is not ReadbackAnswer.FOUND or any(_is_seen(effect, readback) for effect in facts.effects):
            continue
        for tenant, effect in _effects_of_others(index, intent):
            if effect.operation_id == readback.operation_id and _is_seen(effect, readback):
                yield f"{readback.at_s:g} s: {readback.party} found what tenant {tenant!r} made under this ID"


def _is_seen(effect: Effect, readback: Readback) -> bool:
    return effect.at_s <= readback.at_s and readback.stage in ("", effect.stage)


def _effects_of_others(index: Index, intent: Intent) -> Iterator[tuple[str, Effect]]:
    for other, tenant in index.tenants.items():
        if tenant != intent.tenant:
            for effect in index.by_intent[other].effects:
                yield tenant, effect


def _effects(index: Index, intent: Intent) -> Iterator[str]:
    facts = index.by_intent[intent.intent]
    if not facts.effects:
        return
    own = {intent.inputs, *(attempt.inputs for attempt in facts.attempts)}
    for effect in facts.effects:
        if effect.inputs in own:
            continue
        for attempt in index.attempts:
            tenant = index.tenants.get(attempt.intent, intent.tenant)
            is_same = attempt.operation_id == effect.operation_id and attempt.inputs == effect.inputs
            if tenant != intent.tenant and is_same:
                yield f"{effect.at_s:g} s: effect in {effect.stage} with {effect.inputs!r} of tenant {tenant!r}"
                break
