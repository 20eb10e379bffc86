"""Promises about how many effects an intent has: it happens, and it happens once.

Both count effects in systems of record, stage by stage; a final state that looks right proves neither.
"""

from collections import Counter

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.journal import Journal
from simkit.records import Intent
from simkit.terms import Outcome, Promise, State

__all__ = [
    "check_at_most_one_effect",
    "check_effect_happens",
    "judge_at_most_one_effect",
    "judge_effect_happens",
]


def check_effect_happens(journal: Journal) -> tuple[Finding, ...]:
    """Without a fault it is completed; with one, nobody is left believing in an effect that isn't there."""
    return findings(journal, Promise.EFFECT_HAPPENS, judge_effect_happens)


def check_at_most_one_effect(journal: Journal) -> tuple[Finding, ...]:
    """No intent has two effects in one stage, whatever the final state looks like."""
    return findings(journal, Promise.AT_MOST_ONE_EFFECT, judge_at_most_one_effect)


def judge_effect_happens(index: Index, intent: Intent) -> Judged:
    """Decide for one intent.

    An intent that was told that its ID is taken by other inputs is owed that conflict, and no effect.
    """
    facts = index.by_intent[intent.intent]
    missing = facts.missing_stages(index.promised.stages)
    is_completed = any(report.state is State.COMPLETED for report in facts.reports)
    if not missing and (is_completed or index.has_fault):
        return KEPT
    if index.waiting_for is not None:
        return undecided(index, _shortfall(missing, facts))
    if not index.has_fault and not _is_conflict_owed(index, facts):
        return broken("no fault happened, and yet:", _shortfall(missing, facts))
    if missing and _is_acknowledged(facts) and not _is_told(facts):
        return broken("it was acknowledged, nobody was told that it is open, and yet:", _shortfall(missing, facts))
    return KEPT


def judge_at_most_one_effect(index: Index, intent: Intent) -> Judged:
    """Decide for one intent."""
    facts = index.by_intent[intent.intent]
    counts = Counter(effect.stage for effect in facts.effects) if len(facts.effects) > 1 else {}
    repeated = [effect for effect in facts.effects if counts.get(effect.stage, 0) > 1]
    if repeated:
        return broken(
            *(f"{effect.at_s:g} s: effect in {effect.stage} under ID {effect.operation_id!r}" for effect in repeated)
        )
    if index.waiting_for is not None:
        return undecided(index, "another effect may follow")
    return KEPT


def _shortfall(missing: list[str], facts: IntentFacts) -> str:
    if missing:
        return f"no effect in {', '.join(missing)}"
    said = ", ".join(f"{report.layer} reported {report.state}" for report in facts.reports)
    return f"completed was not reported ({said or 'nothing was'})"


def _is_conflict_owed(index: Index, facts: IntentFacts) -> bool:
    return any(reply.state is State.CONFLICT and reply.operation_id in index.shared_ids for reply in facts.replies)


def _is_acknowledged(facts: IntentFacts) -> bool:
    outermost = facts.outermost_layer()
    return any(report.state is State.COMPLETED for report in facts.reports) or any(
        reply.layer is outermost and reply.state in (State.COMPLETED, State.ACCEPTED) for reply in facts.replies
    )


def _is_told(facts: IntentFacts) -> bool:
    return any(report.outcome is Outcome.UNKNOWN and report.owner for report in facts.reports)
