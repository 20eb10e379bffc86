"""One run as a course over time: what is begun, what the service gets, what comes of it, and what is in flight."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from simkit.terms import Outcome
from simkit.world.load import LoadRun

__all__ = ["in_flight_count_at", "over_time"]


def over_time(run: LoadRun, *, bin_s: float, until_s: float) -> pd.DataFrame:
    """The run in bins of equal length, from 0 on; what follows `until_s` is left out.

    Returns
    -------
    pandas.DataFrame
        Indexed by `at_s`, the middle of the bin. Columns, all but the last per second: `begun` operations, `offered`
        requests that reach the service, `goodput` operations whose client is told that they are done, `effects`, and
        `in_flight` requests at the service at the end of the bin, waiting ones included.
    """
    edges = np.arange(0, round(until_s / bin_s) + 1, dtype=np.float64) * bin_s
    operations, requests = run.operations, run.requests
    is_ok = np.array([outcome is Outcome.OK for outcome in operations.outcomes], dtype=bool)

    def per_s(instants: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.histogram(instants, bins=edges)[0] / bin_s

    columns = {
        "begun": per_s(operations.started_at_s),
        "offered": per_s(requests.arrived_at_s),
        "goodput": per_s(operations.finished_at_s[is_ok]),
        "effects": per_s(requests.left_at_s[requests.are_effective]),
        "in_flight": in_flight_count_at(run, edges[1:]),
    }
    return pd.DataFrame(columns, index=pd.Index((edges[:-1] + edges[1:]) / 2, name="at_s"))


def in_flight_count_at(run: LoadRun, at_s: NDArray[np.float64]) -> NDArray[np.int64]:
    """Requests that have reached the service by each instant and have not left it."""
    requests = run.requests
    left_at_s = np.sort(requests.left_at_s[~np.isnan(requests.left_at_s)])
    arrived_count = np.searchsorted(np.sort(requests.arrived_at_s), at_s, side="right")
    return np.asarray(arrived_count - np.searchsorted(left_at_s, at_s, side="right"), dtype=np.int64)
