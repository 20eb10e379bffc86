"""Promises about the words `completed`, `rejected` and `FAILED`: each is compared with the effects.

A word that later comes true by luck is kept here; `unknown is said` judges what was known when it was said.
"""

from simkit.checks.finding import Finding
from simkit.checks.index import Index
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.checks.stages import COMPLETED, done_stages, stages_in
from simkit.journal import Journal
from simkit.records import Intent, Report
from simkit.terms import Outcome, Promise, State

__all__ = [
    "check_completed_means_done",
    "check_rejected_means_nothing",
    "judge_completed_means_done",
    "judge_rejected_means_nothing",
]


def check_completed_means_done(journal: Journal) -> tuple[Finding, ...]:
    """Where any layer said or heard `completed`, every promised stage has its effect."""
    return findings(journal, Promise.COMPLETED_MEANS_DONE, judge_completed_means_done)


def check_rejected_means_nothing(journal: Journal) -> tuple[Finding, ...]:
    """Where `rejected` or `FAILED` was reported, no effect exists, neither before nor after."""
    return findings(journal, Promise.REJECTED_MEANS_NOTHING, judge_rejected_means_nothing)


def judge_completed_means_done(index: Index, intent: Intent) -> Judged:
    """Decide for one intent."""
    missing = index.missing_stages(intent)
    if not missing:
        return KEPT
    shortfall = f"no effect in {', '.join(missing)}"
    if index.waiting_for is not None:
        return undecided(index, shortfall)
    facts, stages, not_done = index.by_intent[intent.intent], index.promised.stages, set(missing)
    heard = [
        f"{reply.at_s:g} s: {reply.layer} heard completed"
        for reply in facts.replies
        if not_done.intersection(stages_in(reply, COMPLETED, stages))
    ]
    said = [
        f"{report.at_s:g} s: {report.layer} reported completed"
        for report in facts.reports
        if not_done.intersection(done_stages(report, stages))
    ]
    return broken(*heard, *said, shortfall) if heard or said else KEPT


def judge_rejected_means_nothing(index: Index, intent: Intent) -> Judged:
    """Decide for one intent."""
    facts = index.by_intent[intent.intent]
    denials = [report for report in facts.reports if _denies(report)]
    denied = [effect for effect in facts.effects if any(_denies(report, effect.stage) for report in denials)]
    if denied:
        return broken(
            *(f"{report.at_s:g} s: {report.layer} reported {report.state}, {report.outcome}" for report in denials),
            *(f"{effect.at_s:g} s: effect in {effect.stage}" for effect in denied),
        )
    if index.waiting_for is not None and (denials or not facts.reports):
        return undecided(index, "an effect may follow" if denials else "nothing was reported yet")
    return KEPT


def _denies(report: Report, stage: str = "") -> bool:
    """Whether a report says of this stage, or without one of any, that nothing happened and never will."""
    if report.outcome is Outcome.FAILED:
        return True
    if report.stages:
        return any(state is State.REJECTED and stage in ("", name) for name, state in report.stages)
    return report.state is State.REJECTED and report.outcome is not Outcome.PARTIAL
