"""What one crash in each window leads to: the range over all orders of steps."""

from collections.abc import Callable
from dataclasses import replace

from simkit.checks import verdicts
from simkit.records import Effect, Report
from simkit.scenario import Scenario
from simkit.study.results import WindowRow
from simkit.study.tree import leaves
from simkit.terms import FaultKind, Outcome, Promise, PromiseVerdict
from simkit.world import planned, run_intervals

__all__ = ["crash_windows"]


def crash_windows(scenario: Scenario, is_over: Callable[[], bool] = lambda: False) -> tuple[WindowRow, ...]:
    """One row for each crash window of the scenario, in the order of its steps; nothing else goes wrong.

    Windows for which `is_over` left no time have no row.
    """
    rows = []
    for rate in scenario.conditions.rates:
        if rate.kind is FaultKind.CRASH:
            row = _row(scenario, rate.site, is_over)
            if is_over():
                break
            rows.append(row)
    return tuple(rows)


def _row(scenario: Scenario, site: str, is_over: Callable[[], bool]) -> WindowRow:
    rates = tuple(rate for rate in scenario.conditions.rates if rate.site == site)
    alone = planned(replace(scenario, conditions=replace(scenario.conditions, rates=rates)))
    effect_counts: set[int] = set()
    outcomes: set[Outcome] = set()
    broken: set[Promise] = set()
    for leaf in leaves(lambda chance: run_intervals(alone, chance), fault_budget=1, is_dropped=lambda _: is_over()):
        if leaf.fault_count == 0:
            continue
        journal = leaf.run.journal
        effect_counts.add(len(journal.of(Effect)))
        outcomes.update(report.outcome for report in journal.of(Report))
        broken.update(promise for promise, verdict in verdicts(journal).items() if verdict is PromiseVerdict.BROKEN)
    return WindowRow(
        site=site,
        effect_count_min=min(effect_counts, default=0),
        effect_count_max=max(effect_counts, default=0),
        outcomes=tuple(outcome for outcome in Outcome if outcome in outcomes),
        broken=tuple(promise for promise in Promise if promise in broken),
    )
