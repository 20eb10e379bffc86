"""The incident gallery in lines for a terminal."""

from collections.abc import Iterable, Iterator

from simkit.contract import Incident
from simkit.study import FormResult, IncidentResult

__all__ = ["HEADINGS", "listed", "rows", "told"]

HEADINGS = (
    f"{'case':8}{'form':8}{'effects':16}{'outcome':34}{'verdict':22}note\n"
    f"{'':8}{'':8}{'case / run':16}{'of the run':34}{'case / ours':22}"
)
REASON_COUNT = 3


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
        yield f"{result.incident.id:8}{form.form:8}{counts:16}{classes:34}{verdicts:22}{_note(form)}".rstrip()


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
    for reason in form.judgement.reasons[:REASON_COUNT]:
        yield f"  - {reason}"
    if not form.is_same:
        yield f"  why it differs: {form.reason or 'nobody has said why'}"


def _note(form: FormResult) -> str:
    if form.is_same:
        return ""
    kind = "" if form.is_allowed_alike else "ANOTHER ANSWER: "
    return f"{kind}{form.reason or 'no reason is given'}"
