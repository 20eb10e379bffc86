"""The tables with which a test run closes, and which entries of the catalog stand in them."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType

import pytest

from simkit.catalog import policy_names
from simkit.catalog.entries import CheckedAgainst, PolicyGrade
from tests.agreement import test_cloud_clients, test_http_libraries, test_retry_libraries, test_service_clients
from tests.agreement.agreement_table import WAITS, WRITES, lines_of_waits, lines_of_writes
from tests.agreement.conduct import catalog_entry
from tests.agreement.faults import RealFault
from tests.agreement.judging import COMPARISON_COUNT_MAX
from tests.oracles.test_agreement_table import closing_lines

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent.parent

CASES = (
    *test_cloud_clients.CASES,
    *test_service_clients.CASES,
    *test_http_libraries.CASES,
    *test_retry_libraries.CASES,
)

NOT_COMPARED_HERE = MappingProxyType(
    {
        "botocore-adaptive": "beside its retries it holds requests back in a wait of real time",
        "botocore-standard-v1": "of a version before the one that is installed",
        "grpc-default": "its core is out of reach of the clock; the variant that retries is counted in its own file",
        "grpc-hedging": "as of grpc-default",
        "grpc-retry-policy": "as of grpc-default",
        "openai-node": "the library of another language that bears the same name",
        "stripe-node": "as of openai-node",
    }
)
"""Entries whose library is installed, with why they have no row of every fault."""

TESTS_OF_TWO_ROWS = f"""
import pytest

@pytest.mark.parametrize("fault", ("close", "500"))
def test_of_a_library(fault, record_property):
    record_property({WRITES!r}, ("policy POST", "library 1.0", fault, "3|3" if fault == "close" else "3|2 !"))
    record_property({WAITS!r}, ("policy POST", fault, "1", "1 s", "200", "1 s", "1", "1 s", "1"))
    assert fault == "close"
"""


def test_every_entry_whose_library_was_run_and_is_installed_is_compared() -> None:
    run = {
        name
        for name in policy_names()
        if (entry := catalog_entry(name)).grade is PolicyGrade.EXECUTED and is_installed(entry.package)
    }

    assert run - set(NOT_COMPARED_HERE) == {case.entry for case in CASES}


def is_installed(package: str) -> bool:
    """Whether a package of that name, as people install it, is installed here."""
    try:
        version(package)
    except (PackageNotFoundError, ValueError):
        return False
    return True


def test_an_entry_speaks_of_the_version_that_the_pins_install_and_was_compared_with_a_run_of_it() -> None:
    pins = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    entries = [catalog_entry(case.entry) for case in CASES]

    assert {f"{entry.package}=={entry.version}" for entry in entries} - set(pins) == set()
    assert {entry.checked_against for entry in entries} == {CheckedAgainst.RUN}


def test_a_measured_count_stands_for_every_fault_of_every_case() -> None:
    assert {tuple(case.attempts) for case in CASES} == {tuple(RealFault)}


def test_no_more_samples_are_compared_than_the_false_alarms_are_shared_out_for() -> None:
    # Each retry has two: the library's waits and the simulated policy's.
    counts = [2 * (case.attempts[fault] - 1) for case in CASES for fault in case.sampled_under]

    assert 0 < sum(counts) <= COMPARISON_COUNT_MAX


def test_a_policy_has_one_line_and_a_fault_one_column() -> None:
    rows = [
        ("b POST", "x 1.0", "500", "3|3"),
        ("a PUT", "y 2.0", "refuse", "1|1"),
        ("b POST", "x 1.0", "refuse", "4|5 !"),
    ]

    head, first, second = lines_of_writes(rows)

    assert head.split() == ["policy", "library", *(fault.word for fault in RealFault)]
    # Nothing is known of the other ten faults.
    assert first.split() == ["a", "PUT", "y", "2.0", "1|1", *"-----------"]
    assert second.split() == ["b", "POST", "x", "1.0", "4|5", "!", *"------", "3|3", *"----"]


def test_the_waits_have_one_line_for_each_retry() -> None:
    row = ("a POST", "close", "1", "0 to 1 s", "200", "0.01 to 0.99 s", "0.4", "0.02 to 0.98 s", "0.5")

    head, *lines = lines_of_waits([row, (*row[:2], "2", *row[3:]), row])

    assert head.startswith("policy")
    assert [line.split()[3] for line in lines] == ["1", "2"]


@pytest.mark.parametrize("process_count", (0, 2))
def test_a_test_run_closes_with_both_tables_whichever_process_ran_the_tests(tmp_path: Path, process_count: int) -> None:
    lines = closing_lines(tmp_path, TESTS_OF_TWO_ROWS, process_count)

    (writes,) = [index for index, line in enumerate(lines) if WRITES in line and line.startswith("=")]
    (waits,) = [index for index, line in enumerate(lines) if WAITS in line and line.startswith("=")]
    # The rows of a test that failed are those that matter most.
    assert lines[writes + 2].split() == ["policy", "POST", "library", "1.0", "-", "3|3", *"-----", "3|2", "!", *"----"]
    assert [line.split()[2] for line in lines[waits + 2 : waits + 4]] == ["500", "close"]
    assert "1 failed, 1 passed" in lines[-1]
