"""The promise that compensation and deletion wait: until it is known that there is something to undo.

=======================  =====================================================================
a clean-up is right      where the party that began it had heard `completed` for that stage, or
                         had *found* it; and where there was an effect
=======================  =====================================================================

*Not seen*, a timeout or a conflict leave the outcome open. After a rejection there is nothing to undo.
"""

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts, is_durable_decision
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.checks.known import completion_states
from simkit.checks.stages import REJECTED, stages_in
from simkit.journal import Journal
from simkit.records import CleanUp, Intent
from simkit.terms import LayerName, Promise, ReadbackAnswer

__all__ = ["check_clean_up_waits", "judge_clean_up_waits"]

_SERVER = "server"
"""The server's downstream SDK is a library inside it: what that hears, it has heard."""


def check_clean_up_waits(journal: Journal) -> tuple[Finding, ...]:
    """Nobody undoes what may still land, or what was never made."""
    return findings(journal, Promise.CLEAN_UP_WAITS, judge_clean_up_waits)


def judge_clean_up_waits(index: Index, intent: Intent) -> Judged:
    """Decide for the intent whose effect is undone."""
    facts = index.by_intent[intent.intent]
    complaints = [
        f"{clean_up.at_s:g} s: {clean_up.party} began to undo {clean_up.stage or 'all'}, {problem}"
        for clean_up in facts.clean_ups
        if (problem := _problem(index, facts, clean_up))
    ]
    if complaints:
        return broken(*complaints)
    if index.waiting_for is not None:
        return undecided(index, "a clean-up may follow")
    return KEPT


def _problem(index: Index, facts: IntentFacts, clean_up: CleanUp) -> str:
    ids = _undone_ids(facts, clean_up)
    undone = (clean_up.stage,) if clean_up.stage else index.promised.stages
    if not _known_stages(index, facts, clean_up, ids).issuperset(undone):
        return "while its outcome was open"
    is_made = any(
        effect.stage in undone and effect.operation_id in ids and effect.at_s <= clean_up.at_s
        for effect in facts.effects
    )
    return "" if is_made else "which was never made"


def _undone_ids(facts: IntentFacts, clean_up: CleanUp) -> set[str]:
    """The operation that is undone; all of the intent's, where the clean-up bears an ID of its own."""
    sent = {attempt.operation_id for attempt in facts.attempts} | {effect.operation_id for effect in facts.effects}
    return {clean_up.operation_id} if clean_up.operation_id in sent else sent


def _known_stages(index: Index, facts: IntentFacts, clean_up: CleanUp, ids: set[str]) -> set[str]:
    """Stages whose outcome was definite for the party by then: done, found, or durably rejected."""
    layers = {clean_up.party, LayerName.DOWNSTREAM_SDK if clean_up.party == _SERVER else clean_up.party}
    states, stages = completion_states(index), index.promised.stages
    known: set[str] = set()
    for reply in facts.replies:
        if reply.layer in layers and reply.operation_id in ids and reply.at_s <= clean_up.at_s:
            known.update(stages_in(reply, states | REJECTED if is_durable_decision(reply) else states, stages))
    for readback in facts.readbacks:
        is_own = readback.party == clean_up.party and readback.operation_id in ids
        if is_own and readback.answer is ReadbackAnswer.FOUND and readback.at_s <= clean_up.at_s:
            known.update((readback.stage,) if readback.stage else stages)
    return known
