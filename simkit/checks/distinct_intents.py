"""The promise that a second intent is not swallowed by the record or the effect of another one.

It was swallowed where somebody who worked for it heard `completed` or `accepted` of another intent, the user
was told that it is done, and a promised stage has no effect of its own. A conflict or a refusal that reaches
the caller swallows nothing: it says so.
"""

from collections.abc import Iterator

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.checks.known import DONE_BY_HANDOVER
from simkit.checks.stages import done_stages, stages_in
from simkit.journal import Journal
from simkit.records import Intent
from simkit.terms import Promise

__all__ = ["check_distinct_intents", "judge_distinct_intents"]


def check_distinct_intents(journal: Journal) -> tuple[Finding, ...]:
    """Nobody is told that it is done because another intent was."""
    return findings(journal, Promise.DISTINCT_INTENTS, judge_distinct_intents)


def judge_distinct_intents(index: Index, intent: Intent) -> Judged:
    """Decide for the intent that may have been swallowed."""
    if len(index.intents) < 2:
        return KEPT
    missing = set(index.missing_stages(intent))
    if not missing:
        return KEPT
    if index.waiting_for is not None:
        return undecided(index, f"no effect in {', '.join(sorted(missing))} yet")
    facts, stages = index.by_intent[intent.intent], index.promised.stages
    swallowed = [
        f"{reply.at_s:g} s: attempt {reply.path} of {reply.layer} got {reply.result or reply.state} of {reply.origin!r}"
        for reply in facts.replies
        if reply.origin not in ("", intent.intent) and missing.intersection(stages_in(reply, DONE_BY_HANDOVER, stages))
    ]
    if not swallowed or missing.isdisjoint(_told_done(index, facts)):
        return KEPT
    return broken(*swallowed, f"no effect of its own in {', '.join(sorted(missing))}")


def _told_done(index: Index, facts: IntentFacts) -> Iterator[str]:
    """Stages that the outermost layer heard of, or reported, as done."""
    outermost, stages = facts.outermost_layer(), index.promised.stages
    for reply in facts.replies:
        if reply.layer is outermost:
            yield from stages_in(reply, DONE_BY_HANDOVER, stages)
    for report in facts.reports:
        yield from done_stages(report, stages)
