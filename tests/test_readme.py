"""The README: its commands run, the files that it names are there, its examples do what is said of them."""

import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from simkit.cli import main
from simkit.contract import named_scenario, parse_composed, parse_scenario, system_schema
from simkit.contract.reading import read_tree
from simkit.scenario import Scenario, kind_of
from simkit.scenario.sites import DOWNSTREAM_SITES
from simkit.terms import FaultKind
from simkit.world.system_answers import IN_FRONT
from tests.command_line import run

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """What stands between fences of that language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


COMMANDS = [line.removeprefix(".venv/bin/simkit ") for block in blocks("sh") for line in block.splitlines()]
OWN = [line for line in COMMANDS if not line.startswith("python3 ")]
"""Without the two commands that set themselves up, which CI runs as they stand."""

NAMED_COMMANDS = sorted(set(re.findall(r"`(?:\.venv/bin/)?simkit ([a-z]+)", TEXT)))
NAMED_FILES = sorted(set(re.findall(r"`((?:simkit|tests|review_templates|notebooks)/[\w/.]*)`", TEXT)))


def entry_text() -> str:
    """The entry that the README shows, which people save as `billing.yaml`."""
    (text,) = (block for block in blocks("yaml") if "\nid: billing\n" in block)
    return text


def shown_scenario() -> Scenario:
    return parse_scenario(blocks("yaml")[0].encode(), file="shown.yaml")


@pytest.mark.parametrize("line", OWN)
def test_a_command_of_the_readme_runs_as_it_stands(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "billing.yaml").write_text(entry_text(), encoding="utf-8")

    result = run(*line.split())

    assert result.exit_code == 0, result.stderr
    assert result.stdout


def test_every_command_is_in_the_readme_and_every_one_there_is_a_command() -> None:
    blockwise = {line.split()[0] for line in OWN} | {"review"}

    assert blockwise | set(NAMED_COMMANDS) == set(main.commands)


@pytest.mark.parametrize("name", NAMED_FILES)
def test_a_file_that_the_readme_names_is_there(name: str) -> None:
    assert (ROOT / name).exists()


def test_the_scenario_that_the_readme_shows_is_like_the_other_but_for_what_it_says() -> None:
    other, shown = named_scenario("response-dropped-protected"), shown_scenario()

    assert shown.layers == (replace(other.layers[0], attempts=3), *other.layers[1:])
    assert other.layers[0].attempts == 2
    assert {rate.site for rate in other.conditions.rates} - {rate.site for rate in shown.conditions.rates} == {
        "readback.cannot_tell"
    }
    assert (shown.server, shown.stages, shown.calls) == (other.server, other.stages, other.calls)


def test_the_scenario_that_the_readme_shows_runs(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(blocks("yaml")[0])

    result = run("run", file)

    assert result.exit_code == 0, result.stderr
    # The server dies with the ticket filed; within 15 min its lease stands, so nobody files another.
    assert "SERVER CRASHES" in result.stdout.upper()
    assert "effects: 1" in result.stdout


def test_the_example_of_a_recipe_stands_where_the_recipe_says() -> None:
    site = "downstream.credential_refused"

    assert site in DOWNSTREAM_SITES
    assert kind_of(site) is FaultKind.CREDENTIAL_REFUSED
    assert site in IN_FRONT
    mentions = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "simkit").rglob("*.py"))
        if "credential_refused" in path.read_text(encoding="utf-8").lower()
    ]
    assert mentions == ["simkit/scenario/sites.py", "simkit/terms.py", "simkit/world/system_answers.py"]


def test_the_python_example_says_why_a_driver_was_taken_and_what_the_duplicate_follows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (example,) = blocks("python")

    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 (the example is ours, and runs as it stands)

    printed = capsys.readouterr().out
    assert "likeliest first" in printed
    # Losing the answer after the effect makes the duplicate; losing the request makes none.
    assert printed.index("server.after_effect") < printed.index("gateway_to_server.request_lost")
    assert "rate_probability" in printed


def test_the_stack_that_the_readme_shows_takes_two_entries_and_overrides_two_numbers() -> None:
    (text,) = (block for block in blocks("yaml") if "\nstack:\n" in block)

    found = parse_composed(text.encode(), file="shown.yaml")

    assert [(taken.entry_id, taken.overridden) for taken in found.taken] == [
        ("botocore-standard-v2", ("attempts",)),
        ("stripe-v1", ("key_retention.retention",)),
    ]


def test_the_entry_that_the_readme_shows_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "billing.yaml").write_text(entry_text(), encoding="utf-8")
    text = "schema_version: 1\nname: mine\nlike: plain-write\nstack: {downstream: billing.yaml}\n"

    found = parse_composed(text.encode(), file=str(tmp_path / "mine.yaml"))

    jsonschema.validate(read_tree(entry_text().encode(), "billing.yaml").value, system_schema())
    assert found.taken[0].guessed == ("on_concurrent",)
