"""The door, for reviews: what is printed, what is written, which code it exits with."""

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result
from pypdf import PdfReader

from simkit.contract import review_digest
from tests.command_line import run, schema

EXAMPLES = Path(__file__).parent.parent / "review_templates" / "examples"
CREATE_TICKET = EXAMPLES / "create_ticket.yaml"
GITHUB = EXAMPLES / "github_create_issue.yaml"


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    directory = tmp_path_factory.mktemp("page")
    return run("review", CREATE_TICKET, "-o", directory, "--json"), directory


def test_review_writes_three_files_named_after_the_input(reviewed: tuple[Result, Path]) -> None:
    result, directory = reviewed

    assert result.exit_code == 0
    assert sorted(path.name for path in directory.iterdir()) == [
        "create_ticket.html",
        "create_ticket.pdf",
        "create_ticket.png",
    ]
    assert json.loads(result.stdout)["files"] == [
        str(directory / f"create_ticket.{ending}") for ending in ("html", "pdf", "png")
    ]


def test_the_page_has_one_page_and_stays_small(reviewed: tuple[Result, Path]) -> None:
    _, directory = reviewed

    assert len(PdfReader(directory / "create_ticket.pdf").pages) == 1
    assert (directory / "create_ticket.html").stat().st_size < 300_000


def test_the_example_would_be_allowed_and_is_held_because_nothing_was_observed(reviewed: tuple[Result, Path]) -> None:
    found = json.loads(reviewed[0].stdout)

    assert found["design_verdict"] == "allow"
    assert found["verdict"] == "hold"
    assert found["wording"] == "the design would allow; not observed"
    assert found["review_digest"] == review_digest(CREATE_TICKET)


def test_the_json_keeps_to_its_schema_and_is_the_only_thing_on_standard_output(reviewed: tuple[Result, Path]) -> None:
    result, _ = reviewed

    jsonschema.validate(json.loads(result.stdout), schema("result"))


def test_a_result_without_a_verdict_breaks_the_schema(reviewed: tuple[Result, Path]) -> None:
    found = json.loads(reviewed[0].stdout)
    del found["verdict"]

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema("result"))


def test_review_prints_the_verdict_at_most_three_reasons_and_the_files(tmp_path: Path) -> None:
    result = run("review", GITHUB, "-o", tmp_path)

    lines = result.stdout.splitlines()
    assert lines[0].startswith("create_issue: HOLD")
    assert lines[1] == "  report-unsafe: somebody may be told something untrue"
    assert 1 <= len(lines[2:-1]) <= 3
    assert all(line.startswith("  - simulated") for line in lines[2:-1])
    assert "'at most one effect' is broken by 1 fault" in lines[2]
    assert lines[-1].startswith("written: ")
    assert result.exit_code == 0


def test_reasons_that_are_not_printed_are_counted(tmp_path: Path) -> None:
    lines = run("review", EXAMPLES.parent / "minimal.yaml", "-o", tmp_path).stdout.splitlines()

    found = json.loads(run("review", EXAMPLES.parent / "minimal.yaml", "-o", tmp_path, "--json").stdout)
    assert lines[4] == f"  and {len(found['reasons']) - 3} more, on the page and with --json"


def test_letter_paper_gives_one_letter_page(tmp_path: Path) -> None:
    run("review", GITHUB, "-o", tmp_path, "--paper", "letter")

    pages = PdfReader(tmp_path / "github_create_issue.pdf").pages
    assert len(pages) == 1
    assert (float(pages[0].mediabox.width), float(pages[0].mediabox.height)) == (612.0, 792.0)


def test_a_template_full_of_unknowns_is_disabled_and_still_gets_its_page(tmp_path: Path) -> None:
    template = EXAMPLES.parent / "minimal.yaml"

    result = run("review", template, "-o", tmp_path, "--json")

    found = json.loads(result.stdout)
    assert (found["design_verdict"], found["verdict"]) == ("disable", "disable")
    assert found["effects"][0]["study"] is None
    assert any(gap.startswith("unknown: ") for gap in found["gaps"])
    assert (tmp_path / "minimal.pdf").exists()
    jsonschema.validate(found, schema("result"))


def test_an_exploration_without_time_proves_nothing(tmp_path: Path) -> None:
    result = run("review", CREATE_TICKET, "-o", tmp_path, "--seconds", "0", "--json")

    found = json.loads(result.stdout)
    study = found["effects"][0]["study"]
    assert found["design_verdict"] == "disable"
    assert not study["as_requested"]["is_complete"]
    applying = [promise for promise in study["one_attempt"]["promises"] if "does not apply" not in promise["scope"]]
    assert len(applying) >= 8
    assert not any(promise["is_proved"] for promise in applying)


def test_check_accepts_the_examples_and_names_what_is_open() -> None:
    result = run("check", CREATE_TICKET, EXAMPLES.parent / "minimal.yaml")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == f"{CREATE_TICKET}: valid"
    assert result.stdout.splitlines()[1].endswith("open, so retries stay off:")
    assert "  unknown: record" in result.stdout.splitlines()


def test_check_as_json_says_the_same(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("schema_version: 1\nlease: -5 s\n")

    result = run("check", CREATE_TICKET, broken, "--json")

    found = json.loads(result.stdout)["files"]
    assert result.exit_code == 2
    assert [one["is_valid"] for one in found] == [True, False]
    assert any("lease" in problem for problem in found[1]["problems"])


def changed(old: str, new: str) -> bytes:
    text = CREATE_TICKET.read_text(encoding="utf-8")
    assert text.count(old) == 1
    return text.replace(old, new).encode()


BAD_CONTENT = {
    "YAML that does not parse": (b"tool: [1, 2\n", "bad.yaml"),
    "a negative duration": (changed("lease: 15 min", "lease: -15 min"), "lease"),
    "an unknown field": (changed("  lease: 15 min", "  lease: 15 min\n  leese: 3 s"), "leese"),
    "a wrong type": (changed("attempts: 2\n    timeout: 60 s", "attempts: many\n    timeout: 60 s"), "attempts"),
    "a layer named twice": (changed("  client_sdk:\n", "  agent:\n    attempts: 1\n  client_sdk:\n"), "agent"),
    "not UTF-8": (b"\xff\xfe\x00tool", "bad.yaml"),
    "an alias": (b"a: &x 1\nb: *x\n", "bad.yaml:"),
    "ten megabytes of noise": (bytes(range(32, 127)) * 110_000, "bad.yaml"),
}


@pytest.mark.parametrize("case", BAD_CONTENT)
def test_bad_input_is_named_in_lines_and_writes_nothing(case: str, tmp_path: Path) -> None:
    content, named = BAD_CONTENT[case]
    file, directory = tmp_path / "bad.yaml", tmp_path / "out"
    file.write_bytes(content)

    result = run("review", file, "-o", directory)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(str(file))
    assert named in result.stderr
    assert "Traceback" not in result.stderr
    assert not directory.exists()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = run("review", tmp_path / "nowhere.yaml", "-o", tmp_path / "out")

    assert result.exit_code == 2
    assert "nowhere.yaml" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_directory_that_cannot_be_made_is_named_and_what_was_there_stays(tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("mine")

    result = run("review", GITHUB, "-o", occupied)

    assert result.exit_code == 2
    assert "occupied" in result.stderr
    assert occupied.read_text() == "mine"


def test_markup_in_a_field_comes_out_as_text(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_bytes(changed("system: the ticketing system", "system: <script>alert(1)</script>"))

    result = run("review", file, "-o", tmp_path)

    page = (tmp_path / "bad.html").read_text(encoding="utf-8")
    assert result.exit_code == 0
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_the_review_schema_accepts_every_example_and_template() -> None:
    from ruamel.yaml import YAML

    review_schema = schema("review")

    for file in (CREATE_TICKET, GITHUB, EXAMPLES.parent / "minimal.yaml", EXAMPLES.parent / "full.yaml"):
        jsonschema.validate(YAML(typ="safe").load(file), review_schema)
