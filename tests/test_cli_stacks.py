"""The commands about stacks: both risks of one, and the table of all systems of record."""

from pathlib import Path

import pytest

from simkit.catalog import read_table
from tests.command_line import run

__all__: list[str] = []


def test_a_stack_is_weighed_in_numbers_and_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "stack.svg"

    result = run("stack", "--sdk", "botocore-standard-v2", "--downstream", "jira", "--picture", picture)

    assert result.exit_code == 0, result.output
    # Three attempts of the agent, each of them three of the SDK; the agent waits 60 s for what may take 183 s.
    assert "downstream_sdk_attempts" in result.output
    assert "agent gives up first" in result.output
    assert picture.read_text().startswith("<?xml")


def test_what_a_stack_takes_from_the_catalog_is_said_with_its_guesses() -> None:
    result = run("stack", "--sdk", "stripe-python-module", "--downstream", "stripe-v1")

    # Both are what the entry of the system lists as guessed.
    (line,) = (line for line in result.output.splitlines() if "downstream: stripe-v1" in line)
    assert "guessed: key_retention.counted_from, key_recorded" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    (
        (("--downstream", "strpe-v1"), "stripe-v1"),
        (("--downstream", "jira", "--gateway", "botocore-standard-v2"), "downstream_sdk"),
        (("--downstream", "jira", "--picture", "stack.pdf"), ".svg or .png"),
    ),
)
def test_a_stack_that_there_cannot_be_is_refused(arguments: tuple[str, ...], said: str) -> None:
    result = run("stack", *arguments)

    assert result.exit_code == 2
    assert said in result.output


def test_the_table_of_a_system_is_explored_and_stored_with_its_digest(tmp_path: Path) -> None:
    out = tmp_path / "systems.csv"

    result = run(
        "catalog", "explore", "--out", out, "--system", "s3-if-none-match", "--processes", "1", "--faults", "0"
    )

    assert result.exit_code == 0, result.output
    assert read_table(out).decode().count("\n") == 1 + 3


def test_an_unknown_system_is_refused_before_anything_is_explored(tmp_path: Path) -> None:
    out = tmp_path / "systems.csv"

    result = run("catalog", "explore", "--out", out, "--system", "s3-if-non-match")

    assert result.exit_code == 2
    assert "s3-if-none-match" in result.output
    assert list(tmp_path.iterdir()) == []
