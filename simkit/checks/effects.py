"""Promises about how many effects an intent has: it happens, and it happens once.

Both count effects in systems of record, stage by stage; a final state that looks right proves neither.
"""

from collections import Counter
from math import inf

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.checks.known import DONE_BY_HANDOVER, completion_states
from simkit.checks.stages import done_stages, stages_in
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

    An intent that was told that its ID is taken by other inputs is owed that conflict, and no effect; one
    that wants none, or that was never approved or no longer when it was first sent, is owed none.
    """
    if not intent.wants_effect:
        return KEPT
    facts = index.by_intent[intent.intent]
    late = _late(index, facts)
    if late:
        return broken("it was acknowledged, nobody was told in time that it is open, and yet:", late)
    missing = index.missing_stages(intent)
    if not missing and (index.faults or _is_completed(index, facts)):
        return KEPT
    if index.waiting_for is not None:
        return undecided(index, _shortfall(missing, facts))
    if not index.faults and not _is_conflict_owed(index, facts) and not _is_unapproved(index, intent, facts):
        return broken("no fault happened, and yet:", _shortfall(missing, facts))
    if _acknowledged_at_s(index, facts).keys() & set(missing) and not _is_told(facts):
        return broken("it was acknowledged, nobody was told that it is open, and yet:", _shortfall(missing, facts))
    return KEPT


def judge_at_most_one_effect(index: Index, intent: Intent) -> Judged:
    """Decide for one intent. One that wants no effect has one too many with its first."""
    facts = index.by_intent[intent.intent]
    may_have_one = intent.wants_effect
    if len(facts.effects) > may_have_one:
        counts = Counter(effect.stage for effect in facts.effects)
        surplus = [effect for effect in facts.effects if counts[effect.stage] > may_have_one]
        if surplus:
            return broken(
                *("no effect was wanted" for _ in range(not may_have_one)),
                *(
                    f"{effect.at_s:g} s: effect in {effect.stage} under ID {effect.operation_id!r}"
                    for effect in surplus
                ),
            )
    if index.waiting_for is not None:
        return undecided(index, "another effect may follow")
    return KEPT


def _shortfall(missing: list[str], facts: IntentFacts) -> str:
    if missing:
        return f"no effect in {', '.join(missing)}"
    said = ", ".join(f"{report.layer} reported {report.state}" for report in facts.reports)
    return f"completed was not reported ({said or 'nothing was'})"


def _is_completed(index: Index, facts: IntentFacts) -> bool:
    """Whether the reports call every promised stage completed, or handed over where that completes it."""
    stages, states = index.promised.stages, completion_states(index)
    said = {stage for report in facts.reports for stage in stages_in(report, states, stages)}
    return said.issuperset(stages) or any(report.outcome is Outcome.OK for report in facts.reports)


def _is_conflict_owed(index: Index, facts: IntentFacts) -> bool:
    """Whether it met a conflict under an ID that another intent used with other inputs; drifting alone is no excuse."""
    taken = {
        reply.operation_id
        for reply in facts.replies
        if reply.state is State.CONFLICT and reply.operation_id in index.shared_ids
    }
    return bool(taken) and any(
        attempt.operation_id in taken
        for other in index.by_intent.values()
        if other is not facts
        for attempt in other.attempts
    )


def _is_unapproved(index: Index, intent: Intent, facts: IntentFacts) -> bool:
    """Whether it named an approval of something else, or every approval of its own had lapsed."""
    named = index.approvals.get(intent.approval)
    if named is not None and (named.inputs != intent.inputs or (named.is_single_use and named.intent != intent.intent)):
        return True
    return _had_lapsed(index, intent, facts)


def _had_lapsed(index: Index, intent: Intent, facts: IntentFacts) -> bool:
    """Whether every approval that was given for the intent had lapsed before anything was sent."""
    expiries_s = [
        inf if approval.expires_at_s is None else approval.expires_at_s
        for approval in index.approvals.values()
        if approval.intent == intent.intent
    ]
    first_s = min((attempt.at_s for attempt in facts.attempts), default=inf)
    return bool(expiries_s) and max(expiries_s) <= first_s


def _acknowledged_at_s(index: Index, facts: IntentFacts) -> dict[str, float]:
    """When each stage was first acknowledged to the user, of those that were."""
    stages, outermost = index.promised.stages, facts.outermost_layer()
    since: dict[str, float] = {}
    for reply in facts.replies:
        if reply.layer is outermost:
            for stage in stages_in(reply, DONE_BY_HANDOVER, stages):
                since[stage] = min(reply.at_s, since.get(stage, reply.at_s))
    for report in facts.reports:
        for stage in (*done_stages(report, stages), *stages_in(report, DONE_BY_HANDOVER, stages)):
            since[stage] = min(report.at_s, since.get(stage, report.at_s))
    return since


def _late(index: Index, facts: IntentFacts) -> str:
    """The stage whose effect came later after its acknowledgement than was promised, in words."""
    deadline_s = index.promised.deadline_s
    if not facts.effects or deadline_s <= 0 or max(effect.at_s for effect in facts.effects) <= deadline_s:
        return ""
    for stage, since_s in _acknowledged_at_s(index, facts).items():
        made_at_s = min((effect.at_s for effect in facts.effects if effect.stage == stage), default=0.0)
        if made_at_s > since_s + deadline_s and not _is_told(facts, by_s=since_s + deadline_s):
            return f"acknowledged at {since_s:g} s, made in {stage} at {made_at_s:g} s, past {deadline_s:g} s"
    return ""


def _is_told(facts: IntentFacts, by_s: float = inf) -> bool:
    return any(report.outcome is Outcome.UNKNOWN and report.owner and report.at_s <= by_s for report in facts.reports)
