"""What holds for the whole test run: skips fail under CI, and the tables of agreement stand at its end."""

import os
from collections.abc import Generator

import pytest

from tests.agreement.agreement_table import WAITS, WRITES, lines_of_waits, lines_of_writes
from tests.oracles.agreement_table import AGREEMENT, lines_of

__all__ = ["SkipsFail", "pytest_configure", "pytest_terminal_summary"]

TABLES = ((AGREEMENT, lines_of), (WRITES, lines_of_writes), (WAITS, lines_of_waits))
"""Names of the properties under which tests hand over rows, each with what makes lines of them."""


class SkipsFail:
    """Turns every skip into a failure: a check that did not run has shown nothing."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Judge tests, doctests and notebook cells."""
        report = yield
        _fail_if_skipped(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Judge modules that leave while they are imported."""
        report = yield
        _fail_if_skipped(report)
        return report


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped:
        # pytest leaves what was expected to fail out of its exit code, so the expectation must go too.
        vars(report).pop("wasxfail", None)
        report.outcome = "failed"
        report.longrepr = f"skipped under CI: {report.longrepr}"


def pytest_configure(config: pytest.Config) -> None:
    """Register the rule for all folders; a hook that stands in this file would see only this one."""
    if os.environ.get("CI"):
        config.pluginmanager.register(SkipsFail(), "skips-fail")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the rows that tests handed over as a property of theirs, in whatever process they ran."""
    handed_over = [
        handed
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for handed in report.user_properties
    ]
    for title, lines_of_table in TABLES:
        rows = [row for name, row in handed_over if name == title]
        if rows:
            terminalreporter.section(title)
            for line in lines_of_table(rows):
                terminalreporter.write_line(line)
