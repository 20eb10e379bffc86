"""Incident files: both forms from one description, and what is wrong said where it stands."""

from dataclasses import replace

import pytest

from simkit.catalog import incident_content
from simkit.contract import Incident, parse_incident, parse_scenario
from simkit.errors import InputError, Problem
from simkit.scenario import Scenario
from simkit.terms import CaseEvidence, ClaimKind, OutcomeClass, Verdict

__all__: list[str] = []

TEXT = """\
schema_version: 1
id: X-1
title: Twice
source: somebody/something#1
url: https://example.org/1
year: 2026
evidence: reproduced
mechanism: S4
mechanism_in_words: the receipt comes later
reported: It came out twice.
effects: {intended: 1, actual: none, in_words: twice and more}
outcome_classes: [duplicate effect]
case_verdicts: {as_found: disable, with_fix: allow, condition: a reservation is made}
right:
  like: plain-write
  layers:
    - {name: agent, attempts: 3}
fix_taken_out:
  server:
    claim: check then act
    order: effect, receipt
"""


def read(text: str) -> Incident:
    return parse_incident(text.encode(), file="x-1.yaml")


def problems_with(old: str, new: str) -> tuple[Problem, ...]:
    """What is said about the file with one part replaced; that it is there is part of the test."""
    assert TEXT.count(old) == 1
    with pytest.raises(InputError) as refusal:
        read(TEXT.replace(old, new))
    return refusal.value.problems


def line_of(start: str) -> int:
    return next(number for number, line in enumerate(TEXT.splitlines(), 1) if line.startswith(start))


def test_what_is_written_is_read() -> None:
    incident = read(TEXT)

    assert (incident.id, incident.year, incident.evidence) == ("X-1", 2026, CaseEvidence.REPRODUCED)
    assert (incident.effects.intended, incident.effects.actual) == (1, None)
    assert incident.outcome_classes == (OutcomeClass.DUPLICATE_EFFECT,)
    assert (incident.case_verdicts.as_found, incident.case_verdicts.with_fix) == (Verdict.DISABLE, Verdict.ALLOW)
    assert (incident.requested, incident.difference.as_found, incident.difference.with_fix) == ("", "", "")


def test_the_forms_bear_the_case_in_their_names() -> None:
    incident = read(TEXT)

    assert (incident.right.name, incident.faulty.name) == ("X-1, right form", "X-1, faulty form")


def test_the_faulty_form_is_the_right_one_but_for_what_is_taken_out() -> None:
    right, faulty = read(TEXT).right, read(TEXT).faulty

    assert (right.server.claim, faulty.server.claim) == (ClaimKind.UNIQUE, ClaimKind.CHECK_THEN_ACT)
    put_back = replace(faulty.server, claim=right.server.claim, order=right.server.order)
    assert replace(faulty, server=put_back, name=right.name) == right
    assert right.layers[0].attempts == faulty.layers[0].attempts == 3


def test_where_nothing_is_taken_out_both_forms_are_one() -> None:
    i = TEXT.index("fix_taken_out:")

    incident = read(f"{TEXT[:i]}fix_taken_out: {{}}\n")

    assert replace(incident.faulty, name=incident.right.name) == incident.right


def test_the_right_form_is_what_a_scenario_file_of_that_text_gives() -> None:
    scenario: Scenario = parse_scenario(
        b"schema_version: 1\nname: 'X-1, right form'\nlike: plain-write\nlayers:\n  - {name: agent, attempts: 3}\n",
        file="alone.yaml",
    )

    assert read(TEXT).right == scenario


@pytest.mark.parametrize(
    ("old", "new", "field", "value", "allowed"),
    (
        ("evidence: reproduced", "evidence: seen", "evidence", "seen", "production, reproduced, confirmed, reasoned"),
        ("year: 2026", "year: last", "year", "last", "a whole number"),
        ("[duplicate effect]", "[duplicates]", "outcome_classes.0", "duplicates", "none, duplicate effect"),
        ("as_found: disable", "as_found: forbid", "case_verdicts.as_found", "forbid", "allow, hold, disable"),
        ("actual: none", "actual: many", "effects.actual", "many", "a whole number"),
        ("attempts: 3", "attempts: few", "right.layers.0.attempts", "few", "a whole number"),
        ("like: plain-write", "like: plain-wrote", "right.like", "plain-wrote", "plain-write"),
        ("claim: check then act", "claim: maybe", "fix_taken_out.server.claim", "maybe", "none, check then act"),
        ("year: 2026", "year: 2026\nexpected: 2", "expected", "2", "id, title, source"),
    ),
)
def test_a_wrong_value_is_named_with_file_line_field_value_and_what_is_allowed(
    old: str, new: str, field: str, value: str, allowed: str
) -> None:
    (problem,) = problems_with(old, new)

    assert (problem.file, problem.field, problem.value) == ("x-1.yaml", field, value)
    written = new.splitlines()[-1]
    assert problem.line == next(n for n, line in enumerate(TEXT.replace(old, new).splitlines(), 1) if written in line)
    assert problem.allowed.startswith(allowed)


@pytest.mark.parametrize("field", ("id", "title", "url", "reported", "mechanism"))
def test_a_missing_field_is_named(field: str) -> None:
    line = TEXT.splitlines()[line_of(f"{field}:") - 1]

    (problem,) = problems_with(f"{line}\n", "")

    assert (problem.field, problem.message) == (field, "the field is missing")


def test_each_form_is_missed_by_the_name_that_the_file_has_for_it() -> None:
    i, j = TEXT.index("right:"), TEXT.index("fix_taken_out:")

    (no_fix,) = problems_with(TEXT[j:], "")
    no_right = problems_with(TEXT[i:j], "")

    assert (no_fix.field, no_fix.message) == ("fix_taken_out", "the field is missing")
    assert ("right", "the field is missing") in {(problem.field, problem.message) for problem in no_right}


def test_what_excludes_itself_only_without_the_fix_is_a_problem_of_what_takes_it_out() -> None:
    (problem,) = problems_with("    order: effect, receipt\n", "    order: effect only\n")

    assert problem.field == "fix_taken_out.server"
    assert "exclude each other" in problem.message


def test_a_form_that_is_no_mapping_is_refused() -> None:
    (problem,) = problems_with(
        "fix_taken_out:\n  server:\n    claim: check then act\n    order: effect, receipt\n", "fix_taken_out: 5\n"
    )

    assert (problem.field, problem.value, problem.message) == (
        "fix_taken_out",
        "5",
        "fields with their values are expected",
    )


@pytest.mark.parametrize("version", ("2", "one", "true"))
def test_a_file_of_another_version_is_no_incident(version: str) -> None:
    (problem,) = problems_with("schema_version: 1", f"schema_version: {version}")

    assert problem.message == "this is no incident of version 1"


def test_an_incident_holds_no_expectation_of_ours() -> None:
    text = incident_content("RS-067").decode()

    assert not [word for word in ("expected", "expect:", "verdict:", "ours") if word in text]
