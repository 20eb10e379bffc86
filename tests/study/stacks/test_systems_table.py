"""The stored table of systems: made of the catalog as it is now, and right in the rows that are explored again."""

from dataclasses import replace
from pathlib import Path

import pytest

from simkit.catalog import read_table, system_names, table_path
from simkit.errors import InputError
from simkit.study.stacks import (
    SYSTEMS_TABLE,
    WritePath,
    explored_rows,
    stale_systems,
    system_row,
    systems_frame,
    table_content,
)
from simkit.terms import Promise, Verdict

__all__: list[str] = []

REMADE = (
    ("s3-if-none-match", WritePath.NO_KEY),
    ("jira", WritePath.KEY_PASSED_ON),
    ("stripe-v1", WritePath.RECORDED_FIRST),
    ("azure-servicebus", WritePath.NO_KEY),
)


def line_of(content: bytes, name: str, path: WritePath) -> str:
    return next(line for line in content.decode().splitlines() if line.startswith(f"{name},") and f",{path}," in line)


def test_the_stored_table_is_about_the_catalog_as_it_is_now_and_another_row_would_be_found() -> None:
    """Where this fails, an entry or a write path has changed: `simkit catalog explore --out` makes the table again."""
    frame = systems_frame()
    first = f"{frame.loc[0, 'system']}, {frame.loc[0, 'write_path']}"
    changed = frame.copy()
    changed.loc[0, "scenario_digest"] = "0" * 64

    stale = list(stale_systems(changed))

    assert stale == [first]
    assert frame.loc[0, "scenario_digest"] == system_row(frame.loc[0, "system"], WritePath.NO_KEY).scenario_digest
    assert len(frame) == len(system_names()) * len(WritePath)


@pytest.mark.parametrize(("name", "path"), REMADE)
def test_a_row_that_is_explored_again_is_the_stored_one(name: str, path: WritePath) -> None:
    stored = line_of(read_table(table_path(SYSTEMS_TABLE)), name, path)

    again = table_content([system_row(name, path)])

    assert line_of(again, name, path) == stored


def test_what_a_row_says_of_a_system_without_any_recognition_is_what_follows() -> None:
    """Whoever files a ticket again that was filed already has two: no key is looked at, and the SDK repeats."""
    row = system_row("jira", WritePath.RECORDED_FIRST)

    said = dict(row.promises)
    assert row.verdict is Verdict.HOLD
    assert row.protected_by == "nothing"
    assert said[Promise.AT_MOST_ONE_EFFECT].startswith("broken with 1 fault")
    # The record keeps the agent's repeats apart; what it cannot see is the SDK's, below it.
    assert row.sdk_once == Verdict.ALLOW


def test_beyond_its_window_a_key_protects_no_longer() -> None:
    row = system_row("stripe-v1", WritePath.KEY_PASSED_ON)

    assert (row.verdict, row.window_s) == (Verdict.ALLOW, 86_400.0)
    assert row.beyond_window == Verdict.HOLD


def test_rows_come_in_order_and_an_end_before_the_last_gives_none() -> None:
    names = ("s3-if-none-match",)

    rows = explored_rows(names, process_count=1, fault_budget=0)
    ended = explored_rows(names, process_count=1, fault_budget=0, is_over=lambda: True)

    assert rows is not None
    assert [row.write_path for row in rows] == list(WritePath)
    assert ended is None


def test_two_processes_find_what_one_finds() -> None:
    names = ("s3-if-none-match",)

    one, two = (explored_rows(names, process_count=count, fault_budget=0) for count in (1, 2))

    assert one == two


def test_bad_input_found_in_another_process_arrives_whole() -> None:
    with pytest.raises(InputError) as caught:
        explored_rows(("no-such-system",), process_count=2, fault_budget=0)

    assert caught.value.problems[0].value == "no-such-system"


def test_a_table_written_and_read_again_has_the_same_cells(tmp_path: Path) -> None:
    row = system_row("s3-if-none-match", WritePath.NO_KEY, fault_budget=0)
    renamed = replace(row, name='with "quotes", and a comma')

    content = table_content([renamed])

    (tmp_path / "one.csv").write_bytes(content)
    assert content.decode().count("\n") == 2
    assert '"with ""quotes"", and a comma"' in content.decode()
