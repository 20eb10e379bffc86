"""In how many runs what is in flight does not return to what it was before a spike."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from simkit.scenario import LoadScenario
from simkit.stats import clopper_pearson_interval
from simkit.study.load.over_time import in_flight_count_at
from simkit.study.load.trials import CONFIDENCE, runs_of
from simkit.world.load import LoadRun

__all__ = ["CollapsedRuns", "collapsed_among", "collapsed_runs", "stays_collapsed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapsedRuns:
    """How many runs stay collapsed, with the exact interval for their part."""

    collapsed_count: int
    trial_count: int
    lower: float
    upper: float


def stays_collapsed(run: LoadRun, *, before_s: float, after_s: float, factor: float) -> bool:
    """Whether more is in flight late in a run than ever before the trigger, times a factor.

    Parameters
    ----------
    before_s
        Up to this instant nothing special has happened; the busiest instant until then is what it is compared with.
    after_s
        From this instant on to the end of the arrivals it must at no time have been so little; looked at each second.
    """
    usual_count = in_flight_count_at(run, np.arange(0, before_s, 0.1)).max()
    end_s = run.requests.arrived_at_s[-1]
    late_counts = in_flight_count_at(run, np.arange(after_s, end_s, 1.0))
    return bool(late_counts.size and late_counts.min() > factor * usual_count)


def collapsed_runs(
    scenario: LoadScenario, *, trial_count: int, seed: int, before_s: float, after_s: float, factor: float = 1.0
) -> CollapsedRuns:
    """Run a scenario several times, and count the runs that stay collapsed."""
    runs = runs_of(scenario, trial_count=trial_count, seed=seed)
    return collapsed_among(runs, before_s=before_s, after_s=after_s, factor=factor)


def collapsed_among(runs: Iterable[LoadRun], *, before_s: float, after_s: float, factor: float = 1.0) -> CollapsedRuns:
    """Count the runs that stay collapsed, of runs that are there already."""
    are_collapsed = [stays_collapsed(run, before_s=before_s, after_s=after_s, factor=factor) for run in runs]
    collapsed_count, trial_count = sum(are_collapsed), len(are_collapsed)
    low, high = clopper_pearson_interval(collapsed_count, trial_count, confidence=CONFIDENCE)
    return CollapsedRuns(collapsed_count=collapsed_count, trial_count=trial_count, lower=float(low), upper=float(high))
