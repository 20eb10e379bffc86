"""The promise that an open outcome is called unknown. A lucky guess breaks it.

================  ===========================================================================
a layer reports   what it must have heard before
================  ===========================================================================
OK, PARTIAL       `completed` in reply to one of its attempts, or *found* when it read back
FAILED            for every operation that it sent: a durable rejection under that ID, or that
                  each attempt was refused; and so for every layer below it that sent something
UNKNOWN           nothing; but it names an owner and a deadline
================  ===========================================================================

An attempt without an operation ID is an operation of its own. A rejection that a layer only says because
it gave up decides nothing, and a conflict or a *not seen* settles nothing.
"""

from collections.abc import Iterable

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts, is_durable_decision
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.journal import Journal
from simkit.records import Attempt, Intent, Readback, Reply, Report
from simkit.terms import LayerName, Outcome, Promise, ReadbackAnswer, State

__all__ = ["check_unknown_is_said", "judge_unknown_is_said"]

Step = Attempt | Reply | Readback | Report


def check_unknown_is_said(journal: Journal) -> tuple[Finding, ...]:
    """Nobody says more than was known, and an open outcome has an owner and a deadline."""
    return findings(journal, Promise.UNKNOWN_IS_SAID, judge_unknown_is_said)


def judge_unknown_is_said(index: Index, intent: Intent) -> Judged:
    """Decide for one intent."""
    facts = index.by_intent[intent.intent]
    evidence = [line for report in facts.reports if (line := _complaint(report, facts))]
    if evidence:
        return broken(*evidence)
    reporters = {report.layer for report in facts.reports}
    outermost = facts.outermost_layer()
    if outermost in reporters:
        return KEPT
    if index.waiting_for is not None:
        return undecided(index, "nothing was reported yet")
    return KEPT if outermost is None else broken(f"{outermost} sent something, and nobody was told how it ended")


def _complaint(report: Report, facts: IntentFacts) -> str:
    said = f"{report.at_s:g} s: {report.layer} reported {report.outcome}"
    if report.outcome is Outcome.UNKNOWN:
        absent = [
            word for word, is_given in (("owner", report.owner), ("deadline", report.deadline_s > 0)) if not is_given
        ]
        return f"{said} without {' and '.join(absent)}" if absent else ""
    before = _steps_before(report, facts)
    if not any(isinstance(step, Attempt) and step.layer is report.layer for step in before):
        return ""
    if report.outcome is not Outcome.FAILED:
        return "" if _is_known_done(before, report.layer) else f"{said}, and had heard neither completed nor found"
    is_below = False
    for layer in LayerName:
        is_below = is_below or layer is report.layer
        open_paths = _open_paths(before if layer is report.layer else facts.steps, layer) if is_below else []
        if open_paths:
            return f"{said}, while open for {layer}: attempt {', '.join(open_paths)}"
    return ""


def _steps_before(report: Report, facts: IntentFacts) -> list[Step]:
    position = next(index for index, step in enumerate(facts.steps) if step is report)
    return facts.steps[:position]


def _is_known_done(steps: Iterable[Step], layer: LayerName) -> bool:
    return any(
        (isinstance(step, Reply) and step.layer is layer and step.state is State.COMPLETED)
        or (isinstance(step, Readback) and step.party == layer and step.answer is ReadbackAnswer.FOUND)
        for step in steps
    )


def _open_paths(steps: Iterable[Step], layer: LayerName) -> list[str]:
    """Paths of the attempts of a layer about whose operation nothing durable was heard."""
    sent: list[Attempt] = []
    refused: set[str] = set()
    decided: set[str] = set()
    for step in steps:
        if isinstance(step, Attempt) and step.layer is layer:
            sent.append(step)
        elif isinstance(step, Reply) and step.layer is layer:
            if step.state is State.REFUSED:
                refused.add(step.path)
            elif is_durable_decision(step):
                decided.add(step.operation_id or step.path)
    return [step.path for step in sent if step.path not in refused and (step.operation_id or step.path) not in decided]
