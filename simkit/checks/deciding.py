"""All promises of a journal at once: as findings with evidence, or as one verdict for each promise.

An exploration asks for the verdicts of every run, so the journal is read once and shared.
"""

from collections.abc import Iterable
from types import MappingProxyType

from simkit.checks.approvals import judge_approval_respected, judge_audience_approved
from simkit.checks.budget import judge_work_in_budget
from simkit.checks.changed_input import judge_changed_input_conflicts
from simkit.checks.clean_up import judge_clean_up_waits
from simkit.checks.distinct_intents import judge_distinct_intents
from simkit.checks.effects import judge_at_most_one_effect, judge_effect_happens
from simkit.checks.finding import Finding
from simkit.checks.index import Index, index_journal
from simkit.checks.judging import Judge, findings_of
from simkit.checks.pending import judge_nothing_pends
from simkit.checks.repeats import judge_repeat_converges
from simkit.checks.settlements import judge_nothing_after_settlement
from simkit.checks.tenants import judge_tenants_apart
from simkit.checks.unknown_said import judge_unknown_is_said
from simkit.checks.words import judge_completed_means_done, judge_rejected_means_nothing
from simkit.journal import Journal
from simkit.terms import Promise, PromiseVerdict

__all__ = ["JUDGED", "check_all", "verdicts"]

_JUDGES = MappingProxyType(
    {
        Promise.EFFECT_HAPPENS: judge_effect_happens,
        Promise.AT_MOST_ONE_EFFECT: judge_at_most_one_effect,
        Promise.COMPLETED_MEANS_DONE: judge_completed_means_done,
        Promise.CHANGED_INPUT_CONFLICTS: judge_changed_input_conflicts,
        Promise.DISTINCT_INTENTS: judge_distinct_intents,
        Promise.TENANTS_APART: judge_tenants_apart,
        Promise.APPROVAL_RESPECTED: judge_approval_respected,
        Promise.AUDIENCE_APPROVED: judge_audience_approved,
        Promise.NOTHING_AFTER_SETTLEMENT: judge_nothing_after_settlement,
        Promise.CLEAN_UP_WAITS: judge_clean_up_waits,
        Promise.REJECTED_MEANS_NOTHING: judge_rejected_means_nothing,
        Promise.UNKNOWN_IS_SAID: judge_unknown_is_said,
        Promise.REPEAT_CONVERGES: judge_repeat_converges,
        Promise.NOTHING_PENDS: judge_nothing_pends,
        Promise.WORK_IN_BUDGET: judge_work_in_budget,
    }
)

JUDGED = tuple(_JUDGES)
"""The promises that are judged, in the order of the page."""

# Compared for each promise of millions of runs: to read a member by its class is slow (Python 3.11).
_KEPT, _BROKEN, _UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED


def check_all(journal: Journal) -> tuple[Finding, ...]:
    """Every promise for every intent: by promise, then in the order of the intents."""
    index = index_journal(journal)
    return tuple(finding for promise, judge in _JUDGES.items() for finding in findings_of(index, promise, judge))


def verdicts(journal: Journal, promises: Iterable[Promise] = JUDGED) -> dict[Promise, PromiseVerdict]:
    """The worst verdict over all intents, for each of some promises: broken, else undecided, else kept."""
    index = index_journal(journal)
    return {promise: _worst(index, _JUDGES[promise]) for promise in promises}


def _worst(index: Index, judge: Judge) -> PromiseVerdict:
    worst = _KEPT
    for intent in index.intents:
        verdict, _ = judge(index, intent)
        if verdict is _BROKEN:
            return verdict
        if verdict is _UNDECIDED:
            worst = verdict
    return worst
