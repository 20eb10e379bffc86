"""The table of backoff and jitter: the committed one is what the command makes, and what was stopped goes on."""

from functools import partial
from pathlib import Path

import pytest

from simkit.study.load import ALGORITHMS, CLIENT_COUNTS, backoff_frame, backoff_row, write_backoff_table
from tests.command_line import run

__all__: list[str] = []


def test_the_committed_table_has_its_digest_and_every_point_of_both_plots() -> None:
    frame = backoff_frame()

    assert set(zip(frame.algorithm, frame.client_count, strict=True)) == {
        (algorithm, count) for algorithm in ALGORITHMS for count in CLIENT_COUNTS
    }
    assert len(frame) == 5 * 19


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rows_made_again_are_exactly_those_of_the_committed_table(algorithm: str) -> None:
    frame = backoff_frame()
    (stored,) = frame[(frame.algorithm == algorithm) & (frame.client_count == 10)].to_dict("records")

    row = backoff_row(algorithm, 10)

    assert {name: getattr(row, str(name)) for name in stored} == stored


def test_a_table_that_was_stopped_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    told: list[str] = []
    make = partial(write_backoff_table, path, process_count=1, algorithms=ALGORITHMS[:1], client_counts=(10, 20))

    first = make(is_over=lambda: True)
    second = make(tell=told.append)

    assert (first, second) == (1, 0)
    assert told == ["backoff-none, 10 clients: 2 of 2 rows"]


def test_the_command_says_what_it_counted_with_intervals() -> None:
    result = run("load", "retries-three", "--trials", "2")

    assert result.exit_code == 0
    assert "2 independent runs, 95% intervals" in result.stdout


def test_an_unknown_world_under_load_is_refused_with_the_nearest_names() -> None:
    result = run("load", "retries-braker")

    assert result.exit_code == 2
    assert "nearest names: retries-breaker" in result.stderr


def test_the_table_is_refused_without_a_file_to_write_it_to() -> None:
    assert run("load", "backoff-and-jitter").exit_code == 2
