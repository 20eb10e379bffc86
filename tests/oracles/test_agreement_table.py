"""The table of the agreement with Storm, and its way to the end of a test run."""

import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tests.oracles.agreement_table import AGREEMENT, lines_of, row_of

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent.parent

SOME, OTHER = Fraction(1, 8), Fraction(1, 4)

THREE_TESTS = f"""
import pytest

@pytest.mark.parametrize("number", range(3))
def test_of_an_oracle(number, record_property):
    record_property({AGREEMENT!r}, ("plain", f"event {{number}}", "0.5", "0.5", "yes", "7/8"))
    assert number < 2
"""


def test_a_row_says_whether_both_got_the_same_fraction() -> None:
    same = row_of("s", "e", (SOME, SOME), (SOME, SOME), state_count=5, leaf_count=3)
    # The difference is far below what a float can tell.
    other = row_of("s", "e", (SOME, SOME), (SOME, SOME + Fraction(1, 10**40)), state_count=5, leaf_count=3)

    assert same == ("s", "e", "0.125", "0.125", "yes", "5/3")
    assert other[4] == "NO"


def test_where_something_is_left_open_a_row_gives_both_ends() -> None:
    row = row_of("s", "e", (SOME, OTHER), (SOME, OTHER), state_count=5, leaf_count=3)

    assert row[2:5] == ("[0.125, 0.25]", "[0.125, 0.25]", "yes")


def test_the_table_has_one_line_for_each_row_whatever_their_order() -> None:
    rows = [("b", "e", "1", "1", "yes", "5/3"), ("a", "e", "1", "1", "yes", "5/3")]

    head, first, second = lines_of(rows)

    assert head.split()[0] == "scenario"
    assert [first[0], second[0]] == ["a", "b"]
    assert list(lines_of(reversed(rows))) == [head, first, second]


def closing_lines(folder: Path, content: str, process_count: int) -> list[str]:
    """What a run of one file of tests prints, under the conftest of this suite; in another interpreter."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "test_made_up.py").write_text(content, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "xdist", "-n", str(process_count)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stdout.splitlines()


@pytest.mark.parametrize("process_count", (0, 2))
def test_a_test_run_closes_with_the_table_whichever_process_ran_the_tests(tmp_path: Path, process_count: int) -> None:
    lines = closing_lines(tmp_path, THREE_TESTS, process_count)

    (title,) = [index for index, line in enumerate(lines) if f"= {AGREEMENT} =" in line]
    # The rows of a test that failed are those that matter most.
    assert [re.split(" {2,}", line) for line in lines[title + 2 : title + 5]] == [
        ["plain", f"event {number}", "0.5", "0.5", "yes", "7/8"] for number in range(3)
    ]
    assert "1 failed, 2 passed" in lines[-1]


def test_a_test_run_without_an_oracle_closes_without_a_table(tmp_path: Path) -> None:
    lines = closing_lines(tmp_path, "def test_of_nothing():\n    pass\n", 0)

    assert not [line for line in lines if f"= {AGREEMENT} =" in line]
    assert "1 passed" in lines[-1]
