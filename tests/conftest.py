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
        if report.skipped:
            report.outcome = "failed"
            report.longrepr = f"skipped under CI: {report.longrepr}"
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Judge modules that skip themselves while they are imported."""
        report = yield
        if report.skipped:
            report.outcome = "failed"
            report.longrepr = f"skipped under CI: {report.longrepr}"
        return report


def pytest_configure(config: pytest.Config) -> None:
    """Register the rule for all folders; a hook that stands in this file would see only this one."""
    if os.environ.get("CI"):
        config.pluginmanager.register(SkipsFail(), "skips-fail")
