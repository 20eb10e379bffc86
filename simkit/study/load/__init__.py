"""Worlds under load: independent runs, what is counted in them, and what follows from it.

==============================  ================================================================================
question                        asked by
==============================  ================================================================================
what happens on average         `load_trials(scenario, trial_count=..., seed=...)`, then `.of("success_fraction")`
what one run looks like         `runs_of(...)` gives runs; `over_time(run, ...)` and `run_figures(run)` count one
how many runs stay collapsed    `collapsed_runs(scenario, ...)`
the plot of backoff and jitter  `backoff_frame()`, the committed table; `write_backoff_table` makes it
==============================  ================================================================================

A scenario comes from the catalog (`simkit.contract.named_load`), from a file (`load_at`), or is put together from
`simkit.scenario.LoadScenario`, with `LoadLayer.of(policy, name=..., link=...)` for a policy of the catalog.
"""

from simkit.study.load.backoff_table import (
    ALGORITHMS,
    CLIENT_COUNTS,
    BackoffRow,
    backoff_frame,
    backoff_row,
    write_backoff_table,
)
from simkit.study.load.collapse import CollapsedRuns, collapsed_among, collapsed_runs, stays_collapsed
from simkit.study.load.counting import RunFigures, run_figures
from simkit.study.load.over_time import in_flight_count_at, over_time
from simkit.study.load.sweeping import LoadStep, Sweep, failure_sweep, goodput_steps
from simkit.study.load.telling import load_document, load_lines
from simkit.study.load.trials import CONFIDENCE, Estimate, LoadTrials, estimated, load_trials, runs_of

__all__ = [
    "ALGORITHMS",
    "CLIENT_COUNTS",
    "CONFIDENCE",
    "BackoffRow",
    "CollapsedRuns",
    "Estimate",
    "LoadStep",
    "LoadTrials",
    "RunFigures",
    "Sweep",
    "backoff_frame",
    "backoff_row",
    "collapsed_among",
    "collapsed_runs",
    "estimated",
    "failure_sweep",
    "goodput_steps",
    "in_flight_count_at",
    "load_document",
    "load_lines",
    "load_trials",
    "over_time",
    "run_figures",
    "runs_of",
    "stays_collapsed",
    "write_backoff_table",
]
