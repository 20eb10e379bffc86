"""Incident files: what was reported, and the world in which it happens, in its right form and in its faulty one.

==================  ====================================================================================
field               holds
==================  ====================================================================================
`right`             a scenario, usually `like:` one of the catalog
`fix_taken_out`     what differs in the faulty form; merged into `right`, so that nothing else differs
`requested`         what the right form asks for, where the collector's verdict hangs on a condition
`difference`        why a verdict of ours is not the collector's, where one is not
==================  ====================================================================================
"""

from dataclasses import dataclass, replace
from typing import Final

from simkit.contract.fields import FieldReader
from simkit.contract.likeness import merged_with_entries, resolved
from simkit.contract.parts import Part, part_of, traced
from simkit.contract.reading import read_tree
from simkit.contract.showing import one_line
from simkit.contract.versions import insist_on_version
from simkit.scenario import Scenario
from simkit.terms import CaseEvidence, OutcomeClass, Verdict

__all__ = ["INCIDENT_SCHEMA_VERSION", "CaseVerdicts", "Difference", "EffectCounts", "Incident", "parse_incident"]

INCIDENT_SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectCounts:
    """How many effects were wanted and how many happened, as the case gives them.

    Parameters
    ----------
    intended, actual
        None where the case gives no one number; then `in_words` says what it gives.
    """

    intended: int | None
    actual: int | None
    in_words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseVerdicts:
    """The judgement of whoever collected the case, on the design as found and with its fix.

    Parameters
    ----------
    condition
        On what the second one hangs; empty where on nothing.
    """

    as_found: Verdict
    with_fix: Verdict
    condition: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Why our verdict is another one than the collector's; empty where it is the same."""

    as_found: str = ""
    with_fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One case of the gallery.

    Parameters
    ----------
    source, url
        Where it was reported.
    mechanism, mechanism_in_words
        Letter code of the kind of failure, and what it means.
    reported
        What was reported, in a few sentences.
    requested
        The condition that became the policy of the right form; empty where there is none.
    right
        The world in its right form.
    fix_taken_out
        The same with what differs in the faulty form.
    """

    id: str
    title: str
    source: str
    url: str
    year: int
    evidence: CaseEvidence
    mechanism: str
    mechanism_in_words: str
    reported: str
    effects: EffectCounts
    outcome_classes: tuple[OutcomeClass, ...]
    case_verdicts: CaseVerdicts
    right: Scenario
    fix_taken_out: Scenario
    requested: str = ""
    difference: Difference = Difference()

    @property
    def faulty(self) -> Scenario:
        """The faulty form: the right one with its fix taken out."""
        return self.fix_taken_out


def parse_incident(content: bytes, *, file: str) -> Incident:
    """Read an incident from the bytes of a file; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    shown = one_line(file)
    written = part_of(read_tree(content, shown), shown)
    insist_on_version(written, INCIDENT_SCHEMA_VERSION, "incident")
    source = traced(replace(written, value=_with_both_forms(written)))
    reader = FieldReader(source)
    incident = reader.value(source.value, Incident, ())
    reader.refuse()
    if not isinstance(incident, Incident):
        message = f"{shown}: no incident was read, and no problem was found"
        raise TypeError(message)
    return incident


def _with_both_forms(written: Part) -> dict[str, Part]:
    """The fields of the file, each form as a whole scenario."""
    fields = {name: part for name, part in (written.fields or {}).items() if name != "schema_version"}
    case = fields["id"].value if "id" in fields else ""
    if "right" in fields:
        right = resolved(fields["right"])
        fields["right"] = _titled(right, f"{case}, right form")
        if "fix_taken_out" in fields:
            fields["fix_taken_out"] = _titled(
                merged_with_entries(right, fields["fix_taken_out"]), f"{case}, faulty form"
            )
    return fields


def _titled(form: Part, title: str) -> Part:
    """The form under a name, where it has none of its own."""
    if form.fields is None or "name" in form.fields:
        return form
    return replace(form, value={"name": Part(value=title, origin=form.origin), **form.fields})
