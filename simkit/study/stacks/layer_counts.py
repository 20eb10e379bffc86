"""Attempts and effects of one operation against the failure rate of the system below, enumerated and therefore exact.

Each request meets one kind of failure with one probability, independently of the others. A run is one list of which
requests fail; with n requests of which f fail it has the probability p^f (1−p)^(n−f), whatever p is, so that runs are
made once and weighed for every p.

==================  =========================================  =====================
failure             site                                       is the effect made?
==================  =========================================  =====================
refused             `server_to_downstream.connection_refused`  no
503                 `downstream.unavailable`                   no
429                 `downstream.overloaded`                    no
409                 `downstream.conflict`                      no
500                 `downstream.error_after_effect`            yes
closed after read   `server_to_downstream.response_closed`     yes
read timeout        `server_to_downstream.response_lost`       yes
==================  =========================================  =====================
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from simkit.chance import Answered
from simkit.distributions import Backoff, Wait
from simkit.errors import ScenarioError
from simkit.records import Attempt, Effect, Report
from simkit.scenario import RetryLayer, Scenario, SiteRate
from simkit.study.tree import leaves
from simkit.terms import LayerName, Outcome
from simkit.world import planned, run_concrete

__all__ = ["FAILURES", "CountedRun", "counted_runs", "counts_frame"]

FAILURES: Mapping[str, str] = MappingProxyType(
    {
        "refused": "server_to_downstream.connection_refused",
        "503": "downstream.unavailable",
        "429": "downstream.overloaded",
        "409": "downstream.conflict",
        "500": "downstream.error_after_effect",
        "closed after read": "server_to_downstream.response_closed",
        "read timeout": "server_to_downstream.response_lost",
    }
)

RUN_COUNT_MAX: Final = 2_000
"""Lists of failures that are followed at most; the probability of the others is said."""

REST_PROBABILITY_MAX: Final = 1e-3
"""Where more than this was not followed, nothing is known of the mean: the longest runs are those that are missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedRun:
    """One list of failures, and what it made.

    Parameters
    ----------
    request_count, failed_count
        Requests that could fail, and those that did.
    attempts
        By layer, over all its calls.
    is_done
        Whether the user was told so in the end.
    """

    request_count: int
    failed_count: int
    attempts: Mapping[LayerName, int]
    effect_count: int
    is_done: bool

    def weight(self, failure_probability: float) -> float:
        """Its probability at a failure rate."""
        passed_count = self.request_count - self.failed_count
        return math.pow(failure_probability, self.failed_count) * math.pow(1 - failure_probability, passed_count)


def counted_runs(scenario: Scenario, failure: str) -> tuple[CountedRun, ...]:
    """Every list of failures of one kind, fewest first, each run on a clock with typical waits.

    Raises
    ------
    ScenarioError
        If there is no such kind of failure.
    """
    if failure not in FAILURES:
        message = f"failure: one of {', '.join(FAILURES)}; got {failure!r}"
        raise ScenarioError(message)
    site = FAILURES[failure]
    world = _with_failures_at(scenario, site)
    plan, made = planned(world), 0

    def is_dropped(script: tuple[Answered, ...]) -> bool:
        return made >= RUN_COUNT_MAX or any(one.answer and not one.fault_cost for one in script)

    runs = []
    for leaf in leaves(lambda chance: run_concrete(plan, chance), fault_budget=None, is_dropped=is_dropped):
        made += 1
        journal = leaf.run.journal
        runs.append(
            CountedRun(
                request_count=sum(one.site.startswith(f"{site}@") for one in leaf.trace),
                failed_count=leaf.fault_count,
                attempts=Counter(attempt.layer for attempt in journal.of(Attempt)),
                effect_count=len(journal.of(Effect)),
                is_done=any(report.outcome is Outcome.OK for report in journal.of(Report)),
            )
        )
    return tuple(runs)


def counts_frame(scenario: Scenario, failure: str, failure_probabilities: tuple[float, ...]) -> Any:
    """Means per operation against the failure rate, as a pandas frame with one row for each rate.

    Returns
    -------
    pandas.DataFrame
        Columns: `failure`; `failure_probability` of each request; for each layer `<layer>_attempts`, the mean over all
        its calls; `effects`, the mean; `duplicate_probability`, that there is more than one; `done_probability`, that
        the user is told that it is done; `rest_probability` of what was not followed, which no other column holds.
        Where that is more than `REST_PROBABILITY_MAX`, the others are NaN: unknown, and never few for that reason.
    """
    import pandas as pd

    runs = counted_runs(scenario, failure)
    names = [layer.name for layer in scenario.layers]
    return pd.DataFrame([_row(runs, names, failure, p) for p in failure_probabilities])


def _row(runs: tuple[CountedRun, ...], names: list[LayerName], failure: str, probability: float) -> dict[str, Any]:
    weights = [run.weight(probability) for run in runs]
    rest_probability = max(0.0, 1 - math.fsum(weights))

    def mean(counts: list[int]) -> float:
        if rest_probability > REST_PROBABILITY_MAX:
            return math.nan
        return math.fsum(weight * count for weight, count in zip(weights, counts, strict=True))

    attempts = {f"{name}_attempts": mean([run.attempts[name] for run in runs]) for name in names}
    return {
        "failure": failure,
        "failure_probability": probability,
        **attempts,
        "effects": mean([run.effect_count for run in runs]),
        "duplicate_probability": mean([run.effect_count > 1 for run in runs]),
        "done_probability": mean([run.is_done for run in runs]),
        "rest_probability": rest_probability,
    }


def _with_failures_at(scenario: Scenario, site: str) -> Scenario:
    """The world in which that alone goes wrong, and every wait is its typical one."""
    rates = (SiteRate(site=site, probability=None, source="asked for"),)
    layers = tuple(_with_typical_waits(layer) for layer in scenario.layers)
    return replace(scenario, layers=layers, conditions=replace(scenario.conditions, rates=rates))


def _with_typical_waits(layer: RetryLayer) -> RetryLayer:
    overloaded = layer.backoff_overloaded
    return replace(
        layer,
        backoff=_typical(layer.backoff),
        backoff_overloaded=None if overloaded is None else _typical_formula(overloaded),
    )


def _typical(backoff: Wait | Backoff) -> Wait | Backoff:
    return Wait.of(backoff.s_typical) if isinstance(backoff, Wait) else _typical_formula(backoff)


def _typical_formula(backoff: Backoff) -> Backoff:
    """The formula with its jitter at the mean; of decorrelated jitter, that of the mean of each draw."""
    if backoff.previous_factor is not None:
        return Backoff(first_s=backoff.first_s, factor=(1 + backoff.previous_factor) / 2, cap_s=backoff.cap_s)
    mean = (backoff.scale_min + backoff.scale_max) / 2
    added_s = backoff.added_s_max / 2
    return replace(backoff, offset_s=backoff.offset_s + added_s, scale_min=mean, scale_max=mean, added_s_max=0.0)
