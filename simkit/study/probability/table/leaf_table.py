"""The leaves of a scenario as a table: one row per schedule, whatever the rates are.

========================  ========================================================================
column                    what it holds
========================  ========================================================================
`path`                    in order, what was answered otherwise than usual, and every pick, as a
                          scenario's `schedule` names it, separated by `; `; empty for a plain run
`picks`                   those entries of the path that are picks, each with `/` and how many
                          options there were
`faults`                  those entries of the path that are faults
`fault_count`             how many
`<site>.passed`           how often the site was passed, so that a fault could happen there
`<site>.failed`           how often it happened there
`single_count`            of the faults, with common episodes: those that were no onset of an episode
`onset_count`             and those that were
`weight`                  probability of what has weights of its own, which are no site's rate; 1 for none
`probability`             at the scenario's rates; of a run with picks: given the picks; no number where
                          a rate is unknown
a promise's words         `kept`, `broken` or `undecided`
========================  ========================================================================

Counts have no unit, probabilities lie in 0..1. The frame's `attrs` keep the scenario's digest, its rates and its share
of common causes, and whether every schedule is there. Parquet keeps all of it.

The table holds every run that can happen at some rates: sites whose rate is 0, 1 or unknown take part too.
So new rates need no new run (`rate_polynomial`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from simkit.chance import Answered, Chance, Question
from simkit.checks import JUDGED, verdicts
from simkit.scenario import Scenario
from simkit.study.probability.answer_tree import insist_on_whole_mass
from simkit.study.probability.table.leaf_row import SEPARATOR, entry_of, factors_of, failed_column, passed_column
from simkit.study.probability.table.monomials import Floats
from simkit.study.probability.table.pick_segments import PickSegments
from simkit.study.tree import Leaf, leaves
from simkit.world import Plan, Run, planned, run_concrete

__all__ = ["leaf_table"]

OPEN_PROBABILITY = 0.5
"""At which every answer can happen; the table does not depend on it."""


def leaf_table(
    scenario: Scenario,
    *,
    fault_budget: int | None,
    has_episodes: bool = False,
    runs_twice: bool = False,
    is_over: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Run every schedule of at most `fault_budget` faults (None: all) and write down what its probability is made of.

    Parameters
    ----------
    has_episodes
        Whether the share β of each rate is in common episodes.
    is_over
        Asked before each run; once it is True, the table ends there and says that it is not complete. So does
        Ctrl-C.

    Raises
    ------
    ScenarioError
        If a fault has a probability of its own that is not its site's rate: then new rates say nothing about it.
    Divergence
        If a run depends on anything but its answers, or the rows of a complete table do not hold all the probability.
    """
    was_stopped = False

    def is_dropped(_: Sequence[Answered]) -> bool:
        nonlocal was_stopped
        was_stopped = was_stopped or is_over()
        return was_stopped

    play = partial(_play, planned(_with_open_rates(scenario)), has_episodes)
    sites = tuple(rate.site for rate in scenario.conditions.rates)
    rows: list[dict[str, Any]] = []
    try:
        found = leaves(play, fault_budget=fault_budget, runs_twice=runs_twice, is_dropped=is_dropped)
        rows.extend(_row(leaf, sites) for leaf in found)
    except KeyboardInterrupt:  # the rows so far still hold
        was_stopped = True
    rates = {rate.site: rate.probability for rate in scenario.conditions.rates}
    share = scenario.conditions.common_cause_share
    frame = pd.DataFrame(rows, columns=_columns(sites))
    frame = frame.astype({name: "int16" for name in frame.columns if name.endswith((".passed", ".failed", "_count"))})
    frame["probability"] = _masses(frame, rates, share)
    # A run with as many faults as are allowed may have others behind it, with more.
    is_whole = fault_budget is None or max((row["fault_count"] for row in rows), default=0) < fault_budget
    if is_whole and not was_stopped:
        _insist_on_whole_mass(frame, sites)
    frame.attrs = {
        "scenario_digest": scenario.digest(),
        "rates": rates,
        "common_cause_share": share,
        "is_complete": is_whole and not was_stopped,
    }
    return frame


def _columns(sites: tuple[str, ...]) -> list[str]:
    counts = [column(site) for site in sites for column in (passed_column, failed_column)]
    plain = ["single_count", "onset_count", "weight", "probability"]
    return ["path", "picks", "faults", "fault_count", *counts, *plain, *map(str, JUDGED)]


def _row(leaf: Leaf, sites: tuple[str, ...]) -> dict[str, Any]:
    factors = factors_of(leaf.trace, sites, OPEN_PROBABILITY)
    picks = [asked for asked in leaf.trace if asked.kind is Question.PICK]
    row: dict[str, Any] = {
        "path": SEPARATOR.join(entry_of(asked) for asked in leaf.trace if asked.answer or asked.kind is Question.PICK),
        "picks": SEPARATOR.join(f"{entry_of(asked)}/{len(asked.weights)}" for asked in picks),
        "faults": SEPARATOR.join(entry_of(asked) for asked in leaf.trace if asked.fault_cost),
        "fault_count": leaf.fault_count,
        "single_count": factors.single_count,
        "onset_count": factors.onset_count,
        "weight": factors.weight,
    }
    for site in sites:
        row[passed_column(site)] = factors.passed_count.get(site, 0)
        row[failed_column(site)] = factors.failed_count.get(site, 0)
    return row | {str(promise): str(verdict) for promise, verdict in verdicts(leaf.run.journal).items()}


def _masses(frame: pd.DataFrame, rates: Mapping[str, float | None], share: float) -> Floats:
    """Probability of each row at given rates."""
    masses = frame["weight"].to_numpy() * share ** frame["onset_count"] * (1 - share) ** frame["single_count"]
    for site, probability in rates.items():
        failed = frame[failed_column(site)].to_numpy()
        rate = np.nan if probability is None else probability
        masses = masses * rate**failed * (1 - rate) ** (frame[passed_column(site)].to_numpy() - failed)
    return np.asarray(masses, dtype=float)


def _insist_on_whole_mass(frame: pd.DataFrame, sites: tuple[str, ...]) -> None:
    """Raise `Divergence` unless the rows hold all the probability at some rates, whatever the picks."""
    masses = _masses(frame, dict.fromkeys(sites, OPEN_PROBABILITY), OPEN_PROBABILITY)
    segments = PickSegments(list(frame["path"]), list(frame["picks"]))
    sums = np.bincount(segments.of_rows, masses, minlength=segments.count).astype(np.float64)
    insist_on_whole_mass(*(segments.resolved(sums, takes_greatest=is_upper) for is_upper in (False, True)))


def _play(plan: Plan, has_episodes: bool, chance: Chance) -> Run:  # noqa: FBT001 (bound by partial)
    return run_concrete(plan, chance, has_episodes=has_episodes)


def _with_open_rates(scenario: Scenario) -> Scenario:
    """The same world at rates at which everything that can go wrong may, and need not."""
    conditions = scenario.conditions
    rates = tuple(replace(rate, probability=OPEN_PROBABILITY) for rate in conditions.rates)
    return replace(scenario, conditions=replace(conditions, rates=rates, common_cause_share=OPEN_PROBABILITY))
