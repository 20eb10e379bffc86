"""What one run under load amounts to: calls, requests, effects, what was told, and how long it took."""

from dataclasses import dataclass, fields
from math import nan

import numpy as np

from simkit.terms import Outcome
from simkit.world.load import LoadRun

__all__ = ["RunFigures", "run_figures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """The figures of one run; operations that were open at its end count as neither success nor failure.

    Parameters
    ----------
    operation_count
        Operations that were begun.
    open_count
        Of these, those whose client had not been told anything when the run ended.
    request_count
        Requests that reached the service.
    duplicated_count
        Operations with more than one effect.
    lost_count
        Operations that were reported as done and have no effect.
    denied_count
        Operations that were reported as failed, and have an effect all the same.
    unknown_count
        Operations that were reported as unknown.
    success_fraction
        Operations reported as done, of all.
    amplification
        Requests for each operation.
    effect_count_mean
        Effects for each operation.
    finished_s_mean
        From the start of an operation until its client is told something, in seconds.
    finished_s_max
        When the last client was told something, in seconds from the start of the run.
    """

    operation_count: int
    open_count: int
    request_count: int
    duplicated_count: int
    lost_count: int
    denied_count: int
    unknown_count: int
    success_fraction: float
    amplification: float
    effect_count_mean: float
    finished_s_mean: float
    finished_s_max: float

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of all figures."""
        return tuple(field.name for field in fields(cls))


def run_figures(run: LoadRun) -> RunFigures:
    """Count one run."""
    operations, count = run.operations, len(run.operations)
    told = dict.fromkeys((*Outcome, None), 0)
    for outcome in operations.outcomes:
        told[outcome] += 1
    effects = operations.effect_counts
    is_ok, is_failed = (
        np.array([outcome is wanted for outcome in operations.outcomes], dtype=bool)
        for wanted in (Outcome.OK, Outcome.FAILED)
    )
    is_told = ~np.isnan(operations.finished_at_s)
    lasted_s = (operations.finished_at_s - operations.started_at_s)[is_told]
    return RunFigures(
        operation_count=count,
        open_count=told[None],
        request_count=len(run.requests),
        duplicated_count=int((effects > 1).sum()),
        lost_count=int((is_ok & (effects == 0)).sum()),
        denied_count=int((is_failed & (effects > 0)).sum()),
        unknown_count=told[Outcome.UNKNOWN],
        success_fraction=told[Outcome.OK] / count if count else nan,
        amplification=len(run.requests) / count if count else nan,
        effect_count_mean=float(effects.sum()) / count if count else nan,
        finished_s_mean=float(lasted_s.mean()) if lasted_s.size else nan,
        finished_s_max=float(operations.finished_at_s[is_told].max()) if lasted_s.size else nan,
    )
