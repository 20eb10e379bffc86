"""What one crash in each window leads to: the range over all orders of steps."""

from collections.abc import Callable
from dataclasses import replace

from simkit.scenario import Scenario
from simkit.study.results import WindowRow
from simkit.study.structure.single_faults import SiteRuns, single_faults
from simkit.terms import FaultKind, Outcome, Promise

__all__ = ["crash_windows"]


def crash_windows(scenario: Scenario, is_over: Callable[[], bool] = lambda: False) -> tuple[WindowRow, ...]:
    """One row for each crash window of the scenario, in the order of its steps; nothing else goes wrong.

    There are none where `is_over` left no time for all of them.
    """
    crashes = tuple(rate for rate in scenario.conditions.rates if rate.kind is FaultKind.CRASH)
    alone = replace(scenario, conditions=replace(scenario.conditions, rates=crashes))
    found = single_faults(alone, is_over)
    if not found.is_complete:
        return ()
    return tuple(_row(rate.site, found.at.get(rate.site, SiteRuns())) for rate in crashes)


def _row(site: str, runs: SiteRuns) -> WindowRow:
    return WindowRow(
        site=site,
        effect_count_min=min(runs.effect_counts, default=0),
        effect_count_max=max(runs.effect_counts, default=0),
        outcomes=tuple(outcome for outcome in Outcome if outcome in runs.outcomes),
        broken=tuple(promise for promise in Promise if promise in runs.broken_by),
    )
