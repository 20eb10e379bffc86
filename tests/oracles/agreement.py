"""One scenario, solved twice: enumerated by simkit, and by Storm from a model that knows nothing of simkit's world."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from simkit.journal import Journal
from simkit.records import Effect, Report
from simkit.scenario import Scenario
from simkit.study.tree import Leaf
from simkit.terms import Outcome, Promise
from tests.oracles.agreement_table import row_of
from tests.oracles.enumerated import Range, all_leaves, breaks, exact_ranges
from tests.oracles.prism_model import prism_of
from tests.oracles.storm import solve

__all__ = ["EVENTS", "Agreement", "happened", "solved_twice"]

EVENTS: Mapping[str, str] = MappingProxyType(
    {
        "more than one effect": "effects>=2",
        "OK said, no effect": '"over" & said=1 & effects=0',
        "FAILED said, an effect": "said=3 & effects>=1",
        "not acknowledged": '"over" & said!=1',
        "no effect": '"over" & effects=0',
    }
)
"""What is compared, with the formula that Storm is asked."""


def happened(journal: Journal) -> list[bool]:
    """Which of the events happened in a run of simkit's world; of promises simkit's own checks decide."""
    broken = breaks(journal, Promise.AT_MOST_ONE_EFFECT, Promise.COMPLETED_MEANS_DONE, Promise.REJECTED_MEANS_NOTHING)
    is_acknowledged = any(report.outcome is Outcome.OK for report in journal.of(Report))
    return [*broken, not is_acknowledged, not journal.of(Effect)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What both found, by event.

    Parameters
    ----------
    leaves
        Every run of simkit's.
    is_chain
        Whether Storm's model leaves nothing open, not even the order of two steps of one instant.
    """

    scenario: str
    ours: Mapping[str, Range]
    theirs: Mapping[str, Range]
    state_count: int
    leaves: tuple[Leaf, ...]
    is_chain: bool

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """One row of the table for each event that may happen, and for a second effect always."""
        return [
            row_of(
                self.scenario,
                event,
                self.ours[event],
                self.theirs[event],
                state_count=self.state_count,
                leaf_count=len(self.leaves),
            )
            for event in EVENTS
            if event == "more than one effect" or any((*self.ours[event], *self.theirs[event]))
        ]


def solved_twice(scenario: Scenario, folder: Path, *, has_episodes: bool = False) -> Agreement:
    """Solve a scenario by both; Storm's model is written into `folder`."""
    solved = solve(prism_of(scenario, has_episodes=has_episodes), tuple(EVENTS.values()), folder)
    found = all_leaves(scenario, has_episodes=has_episodes)
    return Agreement(
        scenario=scenario.name,
        ours=dict(zip(EVENTS, exact_ranges(scenario, found, happened), strict=True)),
        theirs=dict(zip(EVENTS, solved.ranges, strict=True)),
        state_count=solved.state_count,
        leaves=found,
        is_chain=solved.is_chain,
    )
