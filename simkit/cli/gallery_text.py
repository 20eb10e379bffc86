"""The incident gallery in lines for a terminal."""

from collections.abc import Iterable, Iterator

from simkit.contract import Incident
from simkit.study import FormResult, IncidentResult

__all__ = ["HEADINGS", "listed", "rows", "told"]

HEADINGS = (
    f"{'case':8}{'form':8}{'effects':12}{'verdict':20}{'outcome':32}  note\n"
    f"{'':8}{'':8}{'case / run':12}{'case / ours':20}{'of the run':32}"
)
REASON_COUNT = 3
NO_REASON = "no reason is given"


def listed(incidents: Iterable[Incident]) -> Iterator[str]:
    """One line for each: what it is called, what kind it is, and where it comes from."""
    for one in incidents:
        yield f"{one.id}  {one.title}  [{one.mechanism}: {one.mechanism_in_words}]  {one.source}"


def rows(result: IncidentResult) -> Iterator[str]:
    """Two lines of the table: the faulty form, and the right one."""
    effects = result.incident.effects
    for form, given in ((result.faulty, effects.actual), (result.right, effects.intended)):
        case_count = "-" if given is None else str(given)
        counts = f"{case_count} / {form.story.effect_count}"
        verdicts = f"{form.case_verdict} / {form.judgement.design_verdict}"
        classes = ", ".join(form.classes)
        yield f"{result.incident.id:8}{form.form:8}{counts:12}{verdicts:20}{classes:32}  {_note(form)}".rstrip()


def told(result: IncidentResult) -> Iterator[str]:
    """What was reported, then each form as a timeline with its verdict."""
    incident = result.incident
    yield f"{incident.id}: {incident.title}"
    yield f"{incident.source} ({incident.year}, {incident.evidence}); {incident.url}"
    yield f"{incident.mechanism}: {incident.mechanism_in_words}"
    yield incident.reported
    if incident.requested:
        yield f"requested: {incident.requested}"
    for form in (result.faulty, result.right):
        yield ""
        yield f"The {form.form} form"
        yield from form.story.lines
        yield from _conclusions(form)


def _conclusions(form: FormResult) -> Iterator[str]:
    outcomes = ", ".join(form.outcomes) or "nothing"
    yield f"effects: {form.story.effect_count}; told: {outcomes}; harm: {', '.join(form.classes)}"
    for finding in form.story.findings:
        if finding.promise in form.broken and finding.evidence:
            yield f"broken: {finding.promise} ({finding.intent}): {'; '.join(finding.evidence)}"
    yield f"verdict: {form.judgement.design_verdict.upper()} (the case's: {form.case_verdict})"
    if form.judgement.is_report_unsafe:
        yield "  report-unsafe: somebody may be told something untrue"
    for reason in form.judgement.reasons[:REASON_COUNT]:
        yield f"  - {reason}"
    if not form.is_same:
        yield f"  why it differs: {form.reason or NO_REASON}"


def _note(form: FormResult) -> str:
    said = ["report-unsafe"] if form.judgement.is_report_unsafe else []
    if not form.is_same:
        kind = "" if form.is_allowed_alike else "ANOTHER ANSWER: "
        said.append(f"{kind}{form.reason or NO_REASON}")
    return "; ".join(said)
