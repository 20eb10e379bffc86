"""Structure: which schedules of faults break which promise, and the proof that no smaller one does.

Every order of steps that the latencies allow is tried. Levels are explored one after the other, from
no faults up to the budget; once an effect promise is broken, larger schedules can no longer change
the verdict, and the exploration stops after that level, and says so.
"""

from collections.abc import Callable
from dataclasses import dataclass

from simkit.chance import fault_count
from simkit.checks import JUDGED, verdicts
from simkit.scenario import Scenario
from simkit.study.results import Cell, Exploration
from simkit.study.structure.permissions import PermissionLedger, resumes_by_receipts
from simkit.study.structure.tallies import LevelCounts, Tally, promise_results
from simkit.study.tree import Leaf, Script, departure_count, leaves
from simkit.terms import Promise, PromiseVerdict
from simkit.world import planned, run_intervals

__all__ = ["Explored", "explore"]

EFFECT_PROMISES = frozenset(promise for promise in JUDGED if promise.is_about_effects)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """An exploration, the permission table that came with it, and how each smallest schedule is run again.

    Parameters
    ----------
    scripts
        The ID of each smallest schedule, and the answers that lead to its run.
    """

    exploration: Exploration
    scripts: tuple[tuple[str, Script], ...]
    cells: tuple[Cell, ...]
    are_cells_complete: bool


def explore(
    scenario: Scenario,
    *,
    fault_budget: int,
    policy: str,
    counts: frozenset[Promise] = EFFECT_PROMISES,
    has_trials: bool = False,
    is_over: Callable[[], bool] | None = None,
    runs_twice: bool = False,
    run_count_after_break: int | None = None,
) -> Explored:
    """Explore all schedules of up to `fault_budget` faults.

    Parameters
    ----------
    policy
        Name of the callers' policy, for the result.
    counts
        The promises of which a broken one ends the exploration after its level.
    has_trials
        Whether each action of the permission table is tried as well.
    is_over
        Asked before each run; True ends the exploration, which then proves nothing.
    runs_twice
        Whether each run is made twice and must end the same way.
    run_count_after_break
        After how many more runs the exploration ends once a promise that counts is broken: the verdict is
        clear then. None finishes the level, so that every smallest schedule is listed.
    """
    search = _Search(
        fault_budget=fault_budget,
        counts=counts,
        is_over=is_over,
        run_count_after_break=run_count_after_break,
        ledger=PermissionLedger(
            tuple(stage.name for stage in scenario.stages), can_resume=resumes_by_receipts(scenario)
        ),
    )
    plan = planned(scenario)
    for leaf in leaves(
        lambda chance: run_intervals(plan, chance, has_trials=has_trials),
        fault_budget=fault_budget,
        runs_twice=runs_twice,
        is_dropped=search.is_dropped,
    ):
        search.add(leaf)
    is_complete = search.explored_faults == fault_budget
    witnessed = promise_results(
        scenario,
        search.tallies,
        explored_faults=search.explored_faults,
        is_complete=is_complete,
        has_trials=has_trials,
    )
    exploration = Exploration(
        policy=policy,
        fault_budget=fault_budget,
        explored_faults=search.explored_faults,
        is_complete=is_complete,
        run_count=search.run_count,
        promises=witnessed.promises,
        levels=search.levels.levels(search.explored_faults),
    )
    are_cells_complete = has_trials and is_complete and not search.is_cut
    return Explored(
        exploration=exploration,
        scripts=witnessed.scripts,
        cells=search.ledger.cells(is_complete=are_cells_complete),
        are_cells_complete=are_cells_complete,
    )


class _Search:
    """Decides which scripts are still worth a run, and keeps what the runs showed."""

    def __init__(
        self,
        *,
        fault_budget: int,
        counts: frozenset[Promise],
        is_over: Callable[[], bool] | None,
        run_count_after_break: int | None,
        ledger: PermissionLedger,
    ) -> None:
        self.explored_faults = fault_budget
        self.is_cut = False
        self.run_count = 0
        self.tallies = {promise: Tally() for promise in JUDGED}
        self.levels = LevelCounts()
        self.ledger = ledger
        self._fault_budget = fault_budget
        self._counts = counts
        self._is_over = is_over
        self._run_count_after_break = run_count_after_break
        self._run_count_max: int | None = None

    def is_dropped(self, script: Script) -> bool:
        """Whether nothing that hangs on this script can change the result, or the time is over."""
        is_over = self._is_over is not None and self._is_over()
        if is_over or (self._run_count_max is not None and self.run_count >= self._run_count_max):
            self.is_cut = True
        if count := departure_count(script):
            is_short = self.is_cut or self.explored_faults < self._fault_budget
            return is_short or self.ledger.is_settled(script, departure_count=count)
        if self.is_cut:
            self.explored_faults = min(self.explored_faults, fault_count(script) - 1)
        return fault_count(script) > self.explored_faults

    def add(self, leaf: Leaf) -> None:
        """Take one run into account."""
        has_departed = leaf.departure_count > 0
        # A run that departed from what is declared is seen by the permission table alone, which asks for what counts.
        found = verdicts(leaf.run.journal, self._counts if has_departed else JUDGED)
        broken = {promise for promise, verdict in found.items() if verdict is PromiseVerdict.BROKEN}
        is_broken = not broken.isdisjoint(self._counts)
        self.run_count += 1
        self.ledger.add(leaf, is_broken=is_broken)
        if not has_departed:
            self.levels.add(leaf)
            for promise, verdict in found.items():
                self.tallies[promise].add(leaf, verdict)
            if is_broken:
                self.explored_faults = min(self.explored_faults, leaf.fault_count)
                if self._run_count_after_break is not None and self._run_count_max is None:
                    self._run_count_max = self.run_count + self._run_count_after_break
