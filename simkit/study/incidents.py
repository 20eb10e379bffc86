"""An incident in both forms: what one run shows, what the design deserves, and where that differs from the case.

A case says `allow` or not, and then `hold` or `disable`. The first must be the same here; the second
follows our own rule (`simkit.study.judgement`). Each difference has its reason in the incident's file.
"""

from collections.abc import Callable
from dataclasses import dataclass

from simkit.contract import Incident
from simkit.records import Report
from simkit.scenario import Scenario
from simkit.study.outcome_classes import outcome_classes
from simkit.study.results import Judgement
from simkit.study.running import Story, run_story
from simkit.study.study import design_verdict
from simkit.terms import Outcome, OutcomeClass, Promise, PromiseVerdict, Verdict

__all__ = ["FormResult", "IncidentResult", "study_incident"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormResult:
    """What one form of an incident shows.

    Parameters
    ----------
    form
        `faulty` or `right`.
    outcomes
        What the user was told, in order.
    broken
        Promises that this one run breaks.
    case_verdict
        What the collector of the case says of this form.
    reason
        Why ours is another one; empty where the file gives none.
    """

    form: str
    story: Story
    outcomes: tuple[Outcome, ...]
    broken: frozenset[Promise]
    classes: tuple[OutcomeClass, ...]
    judgement: Judgement
    case_verdict: Verdict
    reason: str

    @property
    def is_allowed_alike(self) -> bool:
        """Whether both allow, or neither does."""
        return (self.judgement.design_verdict is Verdict.ALLOW) is (self.case_verdict is Verdict.ALLOW)

    @property
    def is_same(self) -> bool:
        """Whether ours is the verdict of the case."""
        return self.judgement.design_verdict is self.case_verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentResult:
    """Both forms of one incident."""

    incident: Incident
    faulty: FormResult
    right: FormResult


def study_incident(incident: Incident, *, is_over: Callable[[], bool] = lambda: False) -> IncidentResult:
    """Run, explore and judge both forms of an incident.

    Raises
    ------
    ScenarioError
        If a run never passes a site of its schedule.
    """
    verdicts, reasons = incident.case_verdicts, incident.difference
    return IncidentResult(
        incident=incident,
        faulty=_form("faulty", incident.faulty, verdicts.as_found, reasons.as_found, is_over),
        right=_form("right", incident.right, verdicts.with_fix, reasons.with_fix, is_over),
    )


def _form(form: str, scenario: Scenario, case_verdict: Verdict, reason: str, is_over: Callable[[], bool]) -> FormResult:
    told = run_story(scenario)
    reports = sorted(told.journal.of(Report), key=lambda report: report.at_s)
    return FormResult(
        form=form,
        story=told,
        outcomes=tuple(report.outcome for report in reports),
        broken=frozenset(finding.promise for finding in told.findings if finding.verdict is PromiseVerdict.BROKEN),
        classes=outcome_classes(told.journal, told.findings),
        judgement=design_verdict(scenario, fault_budget=scenario.conditions.fault_budget, is_over=is_over),
        case_verdict=case_verdict,
        reason=reason,
    )
