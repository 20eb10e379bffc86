"""What holds for the whole test run: skips fail under CI, and the agreement with Storm stands at its end."""

import os
from collections.abc import Generator

import pytest

from tests.oracles.agreement_table import AGREEMENT, lines_of

__all__ = ["SkipsFail", "pytest_configure", "pytest_terminal_summary"]


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
    rows = [
        row
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, row in report.user_properties
        if name == AGREEMENT
    ]
    if rows:
        terminalreporter.section(AGREEMENT)
        for line in lines_of(rows):
            terminalreporter.write_line(line)
