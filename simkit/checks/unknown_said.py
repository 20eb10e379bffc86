"""The promise that an open outcome is called unknown. A lucky guess breaks it.

================  ===========================================================================
a layer reports   what it must have heard before
================  ===========================================================================
OK                for every stage `completed` in reply to one of its attempts (`accepted`, where
                  handover is the evidence of completion), or *found* when it read back
PARTIAL           the same for each stage that it calls completed, `rejected` for each that it
                  calls rejected; and no stage is open
FAILED            for every operation that it sent: a durable rejection under that ID, a settling
                  readback, or that each attempt was refused; and so for every layer below it
                  that sent something
UNKNOWN           nothing; but it names an owner and a deadline
================  ===========================================================================

`simkit.checks.known` says what settles an operation, and what doesn't.
"""

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.checks.known import NO_EFFECT, Step, known_stages, open_paths, settled_ids
from simkit.checks.stages import COMPLETED, REJECTED, stages_in
from simkit.journal import Journal
from simkit.records import Attempt, Intent, Reply, Report
from simkit.terms import LayerName, Outcome, Promise

__all__ = ["check_unknown_is_said", "judge_unknown_is_said"]

_DEFINITE = COMPLETED | NO_EFFECT
"""States of single stages that a partial outcome may bear; a stage that never began has no effect."""


def check_unknown_is_said(journal: Journal) -> tuple[Finding, ...]:
    """Nobody says more than was known, and an open outcome has an owner and a deadline."""
    return findings(journal, Promise.UNKNOWN_IS_SAID, judge_unknown_is_said)


def judge_unknown_is_said(index: Index, intent: Intent) -> Judged:
    """Decide for one intent."""
    facts = index.by_intent[intent.intent]
    evidence = [line for report in facts.reports if (line := _complaint(index, report, facts))]
    if evidence:
        return broken(*evidence)
    reporters = {report.layer for report in facts.reports}
    outermost = facts.outermost_layer()
    if outermost in reporters:
        return KEPT
    if index.waiting_for is not None:
        return undecided(index, "nothing was reported yet")
    return KEPT if outermost is None else broken(f"{outermost} sent something, and nobody was told how it ended")


def _complaint(index: Index, report: Report, facts: IntentFacts) -> str:
    said = f"{report.at_s:g} s: {report.layer} reported {report.outcome}"
    if report.outcome is Outcome.UNKNOWN:
        absent = [
            word for word, is_given in (("owner", report.owner), ("deadline", report.deadline_s > 0)) if not is_given
        ]
        return f"{said} without {' and '.join(absent)}" if absent else ""
    before = _steps_before(report, facts)
    if not any(isinstance(step, Attempt) and step.layer is report.layer for step in before):
        return ""
    if report.outcome is Outcome.FAILED:
        left_open = _open_below(index, report, facts, before)
        return f"{said}, while open for {left_open}" if left_open else ""
    guess = _guess(index, report, before)
    return f"{said}, {guess}" if guess else ""


def _guess(index: Index, report: Report, before: list[Step]) -> str:
    """What a report of OK or PARTIAL says beyond what was known; empty where it says no more."""
    stages, known = index.promised.stages, known_stages(index, before, report.layer)
    if report.outcome is Outcome.OK:
        claimed = set(stages)
    elif report.stages:
        claimed = set(stages_in(report, COMPLETED, stages))
    else:
        return "" if known else "and had heard neither completed nor found"
    unheard = [stage for stage in stages if stage in claimed - known]
    if unheard:
        return f"and had heard neither completed nor found{_of(index, unheard)}"
    if report.outcome is Outcome.OK:
        return ""
    left_open = [f"{stage} is {state}" for stage, state in report.stages if state not in _DEFINITE]
    if left_open:
        return f"while {', '.join(left_open)}"
    rejected = {
        stage
        for step in before
        if isinstance(step, Reply) and step.layer is report.layer
        for stage in stages_in(step, REJECTED, stages)
    }
    unheard = [stage for stage in stages_in(report, REJECTED, stages) if stage not in rejected]
    return f"and had not heard rejected{_of(index, unheard)}" if unheard else ""


def _of(index: Index, named: list[str]) -> str:
    return f" of {', '.join(named)}" if len(index.promised.stages) > 1 else ""


def _open_below(index: Index, report: Report, facts: IntentFacts, before: list[Step]) -> str:
    """The first layer, from the reporter down, for which something is open, with its attempts."""
    settled = settled_ids(index, facts, report.at_s) if facts.settlements else frozenset[str]()
    layers = tuple(LayerName)
    for layer in layers[layers.index(report.layer) :]:
        paths = open_paths(before if layer is report.layer else facts.steps, layer, settled)
        if paths:
            return f"{layer}: attempt {', '.join(paths)}"
    return ""


def _steps_before(report: Report, facts: IntentFacts) -> list[Step]:
    position = next(index for index, step in enumerate(facts.steps) if step is report)
    return facts.steps[:position]
