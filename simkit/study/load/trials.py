"""Independent runs of one world under load, and what their mean is known to within.

Operations of one run share a service and buckets, so they are no independent sample; runs are. Run number i depends on
the seed and on i alone: any chunking, any number of processes gives the same runs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from simkit.scenario import LoadScenario
from simkit.stats import t_interval
from simkit.study.load.counting import RunFigures, run_figures
from simkit.world.load import REQUEST_COUNT_MAX, LoadRun, run_load

__all__ = ["CONFIDENCE", "Estimate", "LoadTrials", "estimated", "load_trials", "runs_of"]

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over independent runs, with Student's interval; both ends are its value where there was one run."""

    mean: float
    low: float
    high: float
    trial_count: int

    def contains(self, value: float) -> bool:
        """Whether a value lies within the interval."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTrials:
    """Several runs of one scenario.

    Parameters
    ----------
    cuts
        Why runs were cut, each reason once; empty where none was.
    """

    scenario_name: str
    scenario_digest: str
    seed: int
    runs: tuple[RunFigures, ...]
    cuts: tuple[str, ...]

    def of(self, name: str) -> Estimate:
        """The mean of one figure over the runs, by the name that `RunFigures` gives it."""
        return estimated([float(getattr(run, name)) for run in self.runs])


def runs_of(
    scenario: LoadScenario,
    *,
    trial_count: int,
    seed: int,
    first_index: int = 0,
    request_count_max: int = REQUEST_COUNT_MAX,
) -> Iterator[LoadRun]:
    """Runs number `first_index` and those that follow, one at a time."""
    for index in range(first_index, first_index + trial_count):
        yield run_load(scenario, seed=seed, replication_index=index, request_count_max=request_count_max)


def load_trials(
    scenario: LoadScenario,
    *,
    trial_count: int,
    seed: int,
    first_index: int = 0,
    request_count_max: int = REQUEST_COUNT_MAX,
    is_over: Callable[[], bool] = lambda: False,
) -> LoadTrials:
    """Run a scenario several times, and count each run.

    Parameters
    ----------
    is_over
        Asked before each run but the first; once it says so, no further one begins.
    """
    found: list[RunFigures] = []
    cuts: dict[str, None] = {}
    for run in runs_of(
        scenario, trial_count=trial_count, seed=seed, first_index=first_index, request_count_max=request_count_max
    ):
        found.append(run_figures(run))
        if run.cut:
            cuts[run.cut] = None
        if is_over():
            break
    return LoadTrials(
        scenario_name=scenario.name,
        scenario_digest=scenario.digest(),
        seed=seed,
        runs=tuple(found),
        cuts=tuple(cuts),
    )


def estimated(values: ArrayLike) -> Estimate:
    """The mean of one number for each run, with its interval."""
    sample = np.asarray(values, dtype=float)
    mean = float(sample.mean())
    low, high = (mean, mean) if sample.size < 2 else t_interval(sample, confidence=CONFIDENCE)
    return Estimate(mean=mean, low=low, high=high, trial_count=int(sample.size))
