"""Layered retries with effects: both risks of a stack, duplicates and overload, from the same names of the catalog.

========  =====================================================================================================
what      how it is found
========  =====================================================================================================
counts    attempts and effects of one operation against the failure rate: enumerated, exact for the model
budgets   how long each layer may take, against the timeout of the layer above: by arithmetic
outages   many operations around an outage, once where nothing is done meanwhile, once where all is done and
          nobody is told: one sampled run each
========  =====================================================================================================
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from simkit.scenario import Scenario
from simkit.study.stacks.budgets import LayerBudget, layer_budgets
from simkit.study.stacks.layer_counts import counts_frame
from simkit.study.stacks.outage import OutageCourse, outage_course, stack_under_load
from simkit.study.stacks.stack import Stack, stack_scenario

__all__ = ["COUNTED_FAILURES", "PROBABILITIES", "LayeredResult", "budgets_frame", "layered"]

COUNTED_FAILURES: Final = ("503", "closed after read", "read timeout")
PROBABILITIES: Final = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

OUTAGE_NUMBERS: Final = MappingProxyType(
    {
        "calls_per_s": 10.0,
        "client_count": 10,
        "capacity_per_s": 20.0,
        "from_s": 60.0,
        "duration_s": 60.0,
        "until_s": 240.0,
    }
)
"""Assumed: ten callers, half of the capacity in use, and an outage of a minute."""

BIN_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LayeredResult:
    """What a stack does to the system below it, and to the work of the users above it.

    Parameters
    ----------
    counts
        A pandas frame of `counts_frame`, one row for each failure and rate.
    budgets
        Outermost layer first.
    outages
        By how they end: `503` where nothing is done, `read timeout` where it is done and nobody is told.
    """

    scenario: Scenario
    counts: Any
    budgets: tuple[LayerBudget, ...]
    outages: MappingProxyType[str, OutageCourse]

    def at(self, failure: str, failure_probability: float) -> Any:
        """The row of the counts for one failure at one of the rates."""
        rows = self.counts[
            (self.counts["failure"] == failure) & (self.counts["failure_probability"] == failure_probability)
        ]
        return rows.iloc[0]

    @property
    def is_known(self) -> bool:
        """Whether the runs were followed so far that every count is known."""
        return bool(self.counts["duplicate_probability"].notna().all())

    @property
    def gives_up_first(self) -> LayerBudget | None:
        """The innermost layer that stops waiting while those below are at work; None where none does."""
        return next((budget for budget in reversed(self.budgets) if budget.gives_up_first), None)


def layered(
    stack: Stack,
    *,
    seed: int = 1,
    failures: tuple[str, ...] = COUNTED_FAILURES,
    failure_probabilities: tuple[float, ...] = PROBABILITIES,
    outage_numbers: MappingProxyType[str, float] = OUTAGE_NUMBERS,
) -> LayeredResult:
    """Weigh both risks of a stack.

    Parameters
    ----------
    seed
        Of the runs around an outage; nothing else is sampled.
    failures
        Of `simkit.study.stacks.FAILURES`.
    failure_probabilities
        That a request fails, one row each.
    outage_numbers
        Numbers of `stack_under_load`.

    Raises
    ------
    InputError
        If the catalog has no such entry, or a policy does not fit its place.
    """
    import pandas as pd

    scenario = stack_scenario(stack)
    numbers: dict[str, Any] = dict(outage_numbers)
    outages = {
        ending: outage_course(
            stack_under_load(scenario, ending=ending, **numbers),
            seed=seed,
            bin_s=BIN_S,
            capacity_per_s=numbers["capacity_per_s"],
        )
        for ending in ("503", "read timeout")
    }
    return LayeredResult(
        scenario=scenario,
        counts=pd.concat(
            [counts_frame(scenario, failure, failure_probabilities) for failure in failures], ignore_index=True
        ),
        budgets=layer_budgets(scenario),
        outages=MappingProxyType(outages),
    )


def budgets_frame(budgets: tuple[LayerBudget, ...]) -> Any:
    """The time budget as a pandas frame, a row for each layer; its columns are those of `LayerBudget`, in seconds."""
    import pandas as pd

    rows = [
        {
            "layer": str(budget.layer),
            "attempts": "no end" if budget.attempts is None else str(budget.attempts),
            "timeout_s": budget.timeout_s,
            "waits_s": budget.waits_s,
            "longest_s": budget.longest_s,
            "below_s": budget.below_s,
            "runs_on_s": budget.runs_on_s,
        }
        for budget in budgets
    ]
    return pd.DataFrame(rows)
