"""What holds for the whole test run: under CI a test that is skipped, or expected to fail, fails."""

import os
from collections.abc import Generator

import pytest

__all__ = ["SkipsFail", "pytest_configure"]


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
