"""Bad input: one line for each problem, with file, line, field, value and what is allowed."""

import os
from pathlib import Path

import pytest

from simkit.contract import load_review, review_digest
from simkit.contract.loading import SIZE_LIMIT_BYTES
from simkit.errors import InputError
from tests.contract.ticket_review import TICKET_TEXT, line_of, problems_in, text_with

LEASE = "lease: 15 min"
FAULT_KINDS = "fault_kinds: [request lost, response lost, late, crash, readback cannot tell, downstream error]"
DURATIONS = "a number and a unit (ms, s, min, h, d), such as 50 ms, 90 s, 15 min, 24 h, 7 d"
OR_NONE = ", or none"
OR_UNKNOWN = ", or unknown"
OR_ANY = ", or unknown, or {not_applicable: because ...}"


@pytest.mark.parametrize(
    ("old", "new", "field", "value", "message", "allowed"),
    (
        (LEASE, "lease: -15 min", "record.lease", "-15 min", "a duration cannot be negative", DURATIONS + OR_ANY),
        (LEASE, "lease: 15", "record.lease", "15", "a duration needs a unit", DURATIONS + OR_ANY),
        (LEASE, "lease: soon", "record.lease", "soon", "this is not a duration", DURATIONS + OR_ANY),
        (LEASE, "lease:", "record.lease", "nothing", "a duration is expected", DURATIONS + OR_ANY),
        (
            "timeout: 60 s", "timeout: never", "layers.agent.timeout", "never",
            "this is not a duration", f"{DURATIONS}, or none{OR_UNKNOWN}",
        ),
        (
            "lasts: 7 d", "lasts: always", "record.retention.lasts", "always",
            "this is not a duration", f"{DURATIONS}, or 'for ever'{OR_UNKNOWN}",
        ),
        (
            "claim: unique reservation", "claim: uniqe", "record.claim", "uniqe",
            "this is none of the choices", "none, check then act or unique reservation" + OR_UNKNOWN,
        ),
        (
            "idempotent_hint: false", "idempotent_hint: no", "tool.annotations.idempotent_hint", "no",
            "a truth value is expected", "true or false" + OR_ANY,
        ),
        (
            "gateway: on", "gateway: true", "requested.automatic_retries.gateway", "true",
            "this is none of the choices", "on or off",
        ),
        (
            'version: "2.1.0"', "version: 2.1", "tool.version", "2.1",
            "text is expected", "text; write it in quotes" + OR_UNKNOWN,
        ),
        (
            "attempts: 2\n    timeout: 60 s", "attempts: 0\n    timeout: 60 s", "layers.agent.attempts", "0",
            "the number is too small", "at least 1" + OR_NONE + OR_UNKNOWN,
        ),
        (
            "attempts: 2\n    timeout: 60 s", "attempts: true\n    timeout: 60 s", "layers.agent.attempts", "true",
            "a whole number is expected", "a whole number" + OR_NONE + OR_UNKNOWN,
        ),
        ("fault_budget: 2", "fault_budget: 9", "conditions.fault_budget", "9", "the number is too large", "at most 4"),
        (
            "risk_limit: 0.0001", "risk_limit: 1.5", "conditions.risk_limit", "1.5",
            "the number is too large", "at most 1",
        ),
        (
            "risk_limit: 0.0001", "risk_limit: 1e999", "conditions.risk_limit", "inf",
            "a finite number is expected", "a number between 0 and 1",
        ),
        ("schema_version: 1", "schema_version: 2", "schema_version", "2", "this is none of the choices", "1"),
        ("schema_version: 1", "schema_version: true", "schema_version", "true", "a whole number is expected", "1"),
        (
            "name: create_ticket", "name: create ticket!", "tool.name", "create ticket!",
            "characters that a name cannot have", "letters, digits and . _ - /",
        ),
        ("name: ticket", "name: ''", "effects.0.name", "empty text", "the text is empty", "at least one character"),
        (
            FAULT_KINDS, "fault_kinds: late", "conditions.fault_kinds", "late",
            "a list is expected", "a list such as [a, b]",
        ),
        (
            FAULT_KINDS, "fault_kinds: []", "conditions.fault_kinds", "a list of 0",
            "the list is too short", "at least 1 of them",
        ),
        (
            "scope: [tenant, action, operation ID]", "scope: [tenant, tenant]", "identity.scope", "a list of 2",
            "'tenant' is listed twice", "each entry once" + OR_ANY,
        ),
        (
            "{least: 2 s, most: 23 h}", "{least: 24 h, most: 23 h}", "layers.agent.backoff", "a mapping with 2 fields",
            "the shortest wait is above the longest", "least <= most" + OR_ANY,
        ),
        (
            "{fastest: 20 ms, typical", "{fastest: 20 s, typical", "latencies.readback", "a mapping with 4 fields",
            "the three times are not in order", "fastest <= typical <= slowest" + OR_ANY,
        ),
    ),
)  # fmt: skip
def test_a_wrong_value_gives_one_line_with_place_value_and_what_is_allowed(
    old: str, new: str, field: str, value: str, message: str, allowed: str
) -> None:
    (problem,) = problems_in(text_with(old, new))

    assert (problem.file, problem.line) == ("review.yaml", line_of(old))
    assert (problem.field, problem.value, problem.message, problem.allowed) == (field, value, message, allowed)
    assert "\n" not in str(problem)


def test_a_misspelt_field_is_named_with_the_one_that_was_meant_and_the_one_that_is_missing() -> None:
    missing, misspelt = problems_in(text_with(LEASE, "leese: 15 min"))

    assert (missing.line, missing.field, missing.message) == (
        line_of("record:\n"),
        "record.lease",
        "the field is missing",
    )
    assert missing.allowed == "an answer; unknown is one"
    assert (misspelt.line, misspelt.field, misspelt.value) == (line_of(LEASE), "record.leese", "15 min")
    assert misspelt.message == "there is no such field; did you mean 'lease'?"
    assert misspelt.allowed == "store, store_name, claim, lease, while_pending, stale, retention"


@pytest.mark.parametrize("name", ("<or unknown>", "<not applicable>", "<x>", "''", "<<"))
def test_an_invented_name_is_shown_whatever_it_looks_like(name: str) -> None:
    problems = problems_in(text_with("unknown_outcome:", f"{name}: 1\nunknown_outcome:"))

    assert [(problem.field, problem.value) for problem in problems] == [(name, "1")]
    assert problems[0].message == "there is no such field"


def test_a_field_beside_not_applicable_is_refused() -> None:
    (problem,) = problems_in(text_with("tickets are filed without a person's approval", "nobody asks\n  expires: 1 h"))

    assert (problem.field, problem.message) == ("approval.expires", "there is no such field")
    assert problem.allowed == "not_applicable"


def test_a_value_where_a_section_belongs_names_the_fields_of_the_section() -> None:
    (problem,) = problems_in(text_with("common_cause:\n    share: 0.1\n    lasts: 5 min", "common_cause: rare"))

    assert (problem.field, problem.value) == ("conditions.common_cause", "rare")
    assert problem.allowed == "the fields share, lasts"


def test_two_effects_of_one_name_are_refused() -> None:
    start, end = TICKET_TEXT.index("  - name: ticket"), TICKET_TEXT.index("# The identity that survives")
    twice = TICKET_TEXT[:end] + TICKET_TEXT[start:end] + TICKET_TEXT[end:]

    (problem,) = problems_in(twice)

    assert (problem.field, problem.message) == ("effects", "two effects are called 'ticket'")


def test_a_retry_layer_named_twice_is_refused_with_both_lines() -> None:
    (problem,) = problems_in(text_with("  gateway:\n    attempts", "  agent:\n    attempts"))

    assert (problem.line, problem.field) == (line_of("  gateway:\n    attempts"), "layers.agent")
    assert problem.message == f"the field is written twice, first on line {line_of('  agent:')}"


def test_all_problems_of_a_file_come_at_once_and_in_file_order() -> None:
    text = text_with("fault_budget: 2", "fault_budget: two")
    text = text_with("attempts: 2\n    timeout: 60 s", "attempts: many\n    timeout: 60 s", text)

    problems = problems_in(text_with('version: "2.1.0"', "version: [2]", text))

    assert [problem.field for problem in problems] == [
        "tool.version",
        "layers.agent.attempts",
        "conditions.fault_budget",
    ]
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


def test_a_long_text_is_refused_by_its_cap_and_shown_shortened() -> None:
    (problem,) = problems_in(text_with("summary: Files", "summary: " + "x" * 341))

    assert (problem.field, problem.message) == ("tool.summary", "the text is too long")
    assert problem.allowed == "at most 340 characters, or unknown"
    assert problem.value == "x" * 39 + "…"


def test_markup_in_a_field_is_text_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "review.yaml"
    path.write_text(text_with("owner: Support Platform\n", "owner: <script>alert('1')</script> & {{ 7*7 }}\n"))

    review = load_review(path)

    assert review.tool.owner == "<script>alert('1')</script> & {{ 7*7 }}"


def test_a_missing_file_a_folder_and_an_impossible_path_are_problems_of_the_file_as_a_whole(tmp_path: Path) -> None:
    places = {
        tmp_path / "none.yaml": "there is no such file",
        tmp_path: "this is not a file",
        Path("a\0b"): "the file cannot",
    }

    for path, message in places.items():
        with pytest.raises(InputError) as caught:
            load_review(path)
        (problem,) = caught.value.problems
        assert problem.line == 0
        assert problem.message.startswith(message)
        assert "\n" not in str(problem)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)

    with pytest.raises(InputError, match="this is not a file"):
        load_review(pipe)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "noise.yaml"
    path.write_bytes(b"\xff" * 10_000_000)
    opened: list[Path] = []
    monkeypatch.setattr(Path, "open", lambda self, *_: opened.append(self))

    with pytest.raises(InputError) as caught:
        load_review(path)

    (problem,) = caught.value.problems
    assert (problem.message, problem.value) == ("the file is too large", "10000000 bytes")
    assert problem.allowed == f"at most {SIZE_LIMIT_BYTES} bytes"
    assert opened == []


def test_bytes_that_are_too_many_are_refused_like_a_file() -> None:
    at_the_limit, above = b"#" * 999 + b"\n", b"#" * 1000 + b"\n"

    assert problems_in(at_the_limit * 1000)[0].message == "this is no review file"
    assert problems_in(above * 1000)[0].message == "the file is too large"


def test_the_digest_of_a_file_is_that_of_its_bytes_and_a_missing_file_has_none(tmp_path: Path) -> None:
    path = tmp_path / "review.yaml"
    path.write_bytes(b"abc")
    by_fips_180 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    assert review_digest(path) == review_digest(b"abc") == by_fips_180
    with pytest.raises(InputError, match="there is no such file"):
        review_digest(tmp_path / "none.yaml")
