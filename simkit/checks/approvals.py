"""Promises about what somebody approved: the content, for this intent, until it expires, and the audience.

An effect begins with a `Start`; there the approval is looked at, each time. That a finished result is
returned later is no start. An intent needs an approval where somebody gave one for it.
"""

from collections.abc import Iterator

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.journal import Journal
from simkit.records import Approval, Intent, Start
from simkit.terms import Promise

__all__ = [
    "check_approval_respected",
    "check_audience_approved",
    "judge_approval_respected",
    "judge_audience_approved",
]


def check_approval_respected(journal: Journal) -> tuple[Finding, ...]:
    """No effect begins without its approval, after it expired, or with other content."""
    return findings(journal, Promise.APPROVAL_RESPECTED, judge_approval_respected)


def check_audience_approved(journal: Journal) -> tuple[Finding, ...]:
    """No delivery reaches another audience than the approved one."""
    return findings(journal, Promise.AUDIENCE_APPROVED, judge_audience_approved)


def judge_approval_respected(index: Index, intent: Intent) -> Judged:
    """Decide for the intent whose effect began."""
    facts = index.by_intent[intent.intent]
    if not index.approvals and not facts.starts:
        return KEPT
    given = [approval for approval in index.approvals.values() if approval.intent == intent.intent]
    complaints = (*_starts(index, intent, facts, is_needed=bool(given)), *_contents(index, facts, given))
    if complaints:
        return broken(*complaints)
    if index.waiting_for is not None:
        return undecided(index, "another effect may begin")
    return KEPT


def judge_audience_approved(index: Index, intent: Intent) -> Judged:
    """Decide for the intent whose effect is delivered.

    Approved is the audience of the approval, else the one that the intent names, else that of the first
    delivery of the stage. Where the policy is to work it out anew, whatever comes out is allowed.
    """
    facts = index.by_intent[intent.intent]
    approved = {
        approval.audience
        for approval in index.approvals.values()
        if approval.audience and approval.intent == intent.intent
    }
    approved = approved or ({intent.audience} if intent.audience else set())
    delivered = [effect for effect in facts.effects if effect.audience]
    if index.promised.audience_may_change or not (approved or delivered):
        return KEPT
    reached: dict[str, set[str]] = {}
    for effect in delivered:
        reached.setdefault(effect.stage, set()).add(effect.audience)
    for effect in delivered:
        audiences = reached[effect.stage]
        if effect.audience not in approved if approved else len(audiences) > 1:
            return broken(
                *(f"{made.at_s:g} s: effect in {made.stage} reached {made.audience!r}" for made in delivered),
                f"approved: {', '.join(sorted(approved)) or 'one audience'}",
            )
    if index.waiting_for is not None:
        return undecided(index, "another delivery may follow")
    return KEPT


def _starts(index: Index, intent: Intent, facts: IntentFacts, *, is_needed: bool) -> Iterator[str]:
    for start in facts.starts:
        if not start.approval:
            problem = "without an approval" if is_needed else ""
        else:
            problem = _problem(index.approvals.get(start.approval), intent, start)
        if problem:
            yield f"{start.at_s:g} s: {start.party} began {start.stage} {problem}"


def _problem(approval: Approval | None, intent: Intent, start: Start) -> str:
    if approval is None:
        return f"under {start.approval!r}, which nobody gave"
    if approval.is_single_use and approval.intent != intent.intent:
        return f"under {approval.approval!r}, which was given for {approval.intent!r} alone"
    if approval.expires_at_s is not None and start.at_s >= approval.expires_at_s:
        return f"under {approval.approval!r}, which had expired at {approval.expires_at_s:g} s"
    if approval.inputs != start.inputs:
        return f"with {start.inputs!r}, while {approval.approval!r} is for {approval.inputs!r}"
    return ""


def _contents(index: Index, facts: IntentFacts, given: list[Approval]) -> Iterator[str]:
    """Effects with other content than that of any approval they can have begun under."""
    for effect in facts.effects:
        used = [
            index.approvals[start.approval]
            for start in facts.starts
            if start.stage == effect.stage and start.approval in index.approvals
        ]
        contents = {approval.inputs for approval in used or given}
        if contents and effect.inputs not in contents:
            approved = ", ".join(sorted(contents))
            yield f"{effect.at_s:g} s: effect in {effect.stage} with {effect.inputs!r}, approved: {approved}"
