"""What kind of harm a run did, in the words in which incidents are classed.

Some kinds follow from a broken promise alone; the others from what was made and what was told:

============================  =====================================  ====================
made, of what was wanted      told                                   kind
============================  =====================================  ====================
nothing, or not all           OK                                     lost effect
nothing, and nothing sent     OK                                     suppressed, too
nothing, or not all           UNKNOWN, or nothing at all             stuck
nothing, without any fault    FAILED                                 stuck
all, and undone by a repeat   whatever                               lost effect
============================  =====================================  ====================
"""

from collections.abc import Iterable
from types import MappingProxyType

from simkit.checks import Finding
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Intent, Promised, Report
from simkit.terms import Outcome, OutcomeClass, Promise, PromiseVerdict

__all__ = ["outcome_classes"]

_BY_PROMISE = MappingProxyType(
    {
        Promise.AT_MOST_ONE_EFFECT: OutcomeClass.DUPLICATE_EFFECT,
        Promise.COMPLETED_MEANS_DONE: OutcomeClass.FAILURE_REPORTED_SUCCESS,
        Promise.CHANGED_INPUT_CONFLICTS: OutcomeClass.WRONG_RESULT_REPLAYED,
        Promise.DISTINCT_INTENTS: OutcomeClass.LEGITIMATE_OPERATION_SUPPRESSED,
        Promise.TENANTS_APART: OutcomeClass.DATA_LEAK,
        Promise.APPROVAL_RESPECTED: OutcomeClass.UNAUTHORISED_EFFECT,
        Promise.AUDIENCE_APPROVED: OutcomeClass.UNAUTHORISED_EFFECT,
        Promise.CLEAN_UP_WAITS: OutcomeClass.CORRUPTION_BY_CLEAN_UP,
        Promise.REJECTED_MEANS_NOTHING: OutcomeClass.EFFECT_DONE_REPORTED_FAILED,
        Promise.WORK_IN_BUDGET: OutcomeClass.LOAD_AMPLIFICATION,
    }
)


def outcome_classes(journal: Journal, findings: Iterable[Finding]) -> tuple[OutcomeClass, ...]:
    """Every kind of harm that the run did; `none` alone where it did none."""
    broken = [finding for finding in findings if finding.verdict is PromiseVerdict.BROKEN]
    found = {_BY_PROMISE[finding.promise] for finding in broken if finding.promise in _BY_PROMISE}
    unfulfilled = {finding.intent for finding in broken if finding.promise is Promise.EFFECT_HAPPENS}
    stages = {stage for promised in journal.of(Promised) for stage in promised.stages}
    for intent in journal.of(Intent):
        if intent.wants_effect:
            found |= _by_facts(journal, intent.intent, stages, is_owed=intent.intent in unfulfilled)
    return tuple(kind for kind in OutcomeClass if kind in found) or (OutcomeClass.NONE,)


def _by_facts(journal: Journal, intent: str, stages: set[str], *, is_owed: bool) -> set[OutcomeClass]:
    effects = [effect for effect in journal.of(Effect) if effect.intent == intent]
    told = {report.outcome for report in journal.of(Report) if report.intent == intent}
    if not stages - {effect.stage for effect in effects}:
        return {OutcomeClass.LOST_EFFECT} if _is_undone_by_a_repeat(effects) else set()
    if Outcome.OK in told:
        is_sent = any(attempt.intent == intent for attempt in journal.of(Attempt))
        return {OutcomeClass.LOST_EFFECT} | (set() if is_sent else {OutcomeClass.LEGITIMATE_OPERATION_SUPPRESSED})
    return {OutcomeClass.STUCK} if is_owed or Outcome.FAILED not in told else set()


def _is_undone_by_a_repeat(effects: list[Effect]) -> bool:
    """Whether what the first effect in a stage made of its target is no longer so after the last."""
    first = {effect.stage: effect.state for effect in reversed(effects)}
    last = {effect.stage: effect.state for effect in effects}
    return any(last[stage] != state for stage, state in first.items())
