"""The command that shows one schedule: from a name, a scenario file or a review file, without a stored result."""

import json
from pathlib import Path

import jsonschema
import pytest

from tests.command_line import run, schema

__all__: list[str] = []

GITHUB = Path(__file__).parent.parent / "review_templates" / "examples" / "github_create_issue.yaml"
NAME = "crash-before-receipt-unprotected"
LIKE_IT = f"schema_version: 1\nname: another name\nlike: {NAME}\n"


def id_of(source: str | Path, fault: str, promise: str = "at most one effect") -> str:
    """The ID that `explore` gives the schedule of one fault."""
    found = json.loads(run("explore", source, "--faults", "1", "--json").stdout)
    (result,) = (result for result in found["exploration"]["promises"] if result["promise"] == promise)
    (name,) = (schedule["schedule_id"] for schedule in result["schedules"] if schedule["faults"] == [fault])
    return str(name)


def test_replay_shows_the_diagram_and_marks_the_line_at_which_the_promise_broke() -> None:
    """The server dies between the ticket and its receipt; the next attempt runs again, and makes the second ticket."""
    result = run("replay", NAME, id_of(NAME, "server.after_effect@1"))

    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[1] == "what goes wrong: server crashes after the effect (attempt 1)"
    assert any("server CRASHES after the effect" in line for line in lines)  # in the diagram
    (broken,) = (index for index, line in enumerate(lines) if line.startswith(">>"))
    assert lines[broken].endswith("EFFECT in ticket, ID op-1")
    assert lines[broken + 1].strip() == "^ here it is broken: at most one effect"


def test_replay_writes_the_diagram_too(tmp_path: Path) -> None:
    file = tmp_path / "run.svg"

    result = run("replay", NAME, id_of(NAME, "server.after_effect@1"), "--diagram", file)

    assert result.exit_code == 0
    assert file.read_text(encoding="utf-8").startswith("<svg")


def test_the_same_schedule_has_the_same_id_in_a_file_that_is_like_the_scenario(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(LIKE_IT)
    name = id_of(NAME, "server.after_effect@1")

    result = run("replay", file, name)

    assert result.stdout == run("replay", NAME, name).stdout


def test_a_review_file_is_replayed_as_well() -> None:
    name = id_of(GITHUB, "agent_to_gateway.request_lost@1", "unknown is said")

    result = run("replay", GITHUB, name, "--faults", "1")

    assert result.exit_code == 0
    assert ">>" in result.stdout
    assert f"{name}: broken: unknown is said" in result.stdout


def test_the_json_keeps_to_its_schema_and_says_where_it_broke() -> None:
    result = run("replay", NAME, id_of(NAME, "server.after_effect@1"), "--json")

    found = json.loads(result.stdout)
    jsonschema.validate(found, schema("replay"))
    assert "EFFECT" in found["story"][found["breaking_line_index"]]
    assert found["is_smallest"]


@pytest.mark.parametrize("name", ("zzzzzz", ""))
def test_an_unknown_id_is_refused_with_those_that_there_are(name: str) -> None:
    known = id_of(NAME, "server.after_effect@1")

    result = run("replay", NAME, name)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("no smallest schedule of up to 1 fault has the ID ")
    assert known in result.stderr


def test_without_time_it_is_not_said_that_there_is_no_such_schedule() -> None:
    result = run("replay", NAME, id_of(NAME, "server.after_effect@1"), "--seconds", "0")

    assert result.exit_code == 2
    assert "stopped before all of them were seen: it may be one of the others" in result.stderr
