"""What the runs of an exploration say about each promise, and the results that follow when it ends."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from simkit.checks import verdicts
from simkit.records import End
from simkit.scenario import Scenario
from simkit.study.results import Level, PromiseResult, Schedule, UndecidedStep
from simkit.study.story import story
from simkit.study.structure.schedule_ids import schedule_ids
from simkit.study.tree import Leaf, Script
from simkit.terms import Promise, PromiseVerdict
from simkit.world import Witness, solve_witness

__all__ = ["LevelCounts", "Tally", "Witnessed", "promise_results"]

STORY_COUNT_MAX = 3
"""Smallest schedules of one promise that are told in words; all are listed."""

TRIED_COUNT_MAX = 8
"""Runs of one schedule that are kept, to be replayed until one of them breaks the promise on a clock too."""

UNSHOWN = "an order that no clock showed"
"""What leaves a promise open where a run broke it on intervals, by the order of facts of different parties alone."""


@dataclass(slots=True)
class Tally:
    """What was found about one promise so far.

    Parameters
    ----------
    scripts
        Some runs for each smallest schedule, by its faults in any order.
    undecided
        Runs that could not decide it, by the step that they were cut before and their number of faults.
    """

    fewest_faults: int | None = None
    scripts: dict[tuple[str, ...], list[Script]] = field(default_factory=dict)
    undecided: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, leaf: Leaf, verdict: PromiseVerdict) -> None:
        """Take the verdict of one run into account, in whatever order runs come."""
        if verdict is PromiseVerdict.UNDECIDED:
            waiting_for = next(end.waiting_for for end in leaf.run.journal.of(End))
            self.undecided[waiting_for, leaf.fault_count] += 1
        elif verdict is PromiseVerdict.BROKEN:
            if self.fewest_faults is None or leaf.fault_count < self.fewest_faults:
                self.fewest_faults, self.scripts = leaf.fault_count, {}
            if leaf.fault_count == self.fewest_faults:
                runs = self.scripts.setdefault(tuple(sorted(leaf.faults)), [])
                if len(runs) < TRIED_COUNT_MAX:
                    runs.append(leaf.trace)

    def is_undecided_below(self, fault_count: int) -> bool:
        """Whether some run of fewer faults could not be decided."""
        return any(faults < fault_count for _, faults in self.undecided)


class LevelCounts:
    """How many runs there were for each number of faults, and how many schedules they showed."""

    def __init__(self) -> None:
        self._run_counts: Counter[int] = Counter()
        self._schedules: dict[int, set[tuple[str, ...]]] = {}

    def add(self, leaf: Leaf) -> None:
        """Count one run."""
        self._run_counts[leaf.fault_count] += 1
        self._schedules.setdefault(leaf.fault_count, set()).add(tuple(sorted(leaf.faults)))

    def levels(self, explored_faults: int) -> tuple[Level, ...]:
        """The levels that were begun, fewest faults first; those above `explored_faults` were not finished."""
        return tuple(
            Level(
                fault_count=fault_count,
                schedule_count=len(self._schedules[fault_count]),
                run_count=self._run_counts[fault_count],
                is_complete=fault_count <= explored_faults,
            )
            for fault_count in sorted(self._run_counts)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """The results, and for each smallest schedule, by its ID, the answers that lead to its run."""

    promises: tuple[PromiseResult, ...]
    scripts: tuple[tuple[str, Script], ...]


def promise_results(
    scenario: Scenario, tallies: Mapping[Promise, Tally], *, explored_faults: int, is_complete: bool, has_trials: bool
) -> Witnessed:
    """A result for each promise; every smallest schedule is replayed on a clock first.

    A schedule of which no run breaks the promise on a clock is not listed, and leaves the promise undecided.
    """
    named = [(promise, faults) for promise, tally in tallies.items() for faults in sorted(tally.scripts)]
    ids = schedule_ids(named)
    promises, scripts = [], []
    for promise, tally in tallies.items():
        schedules: list[Schedule] = []
        for faults in sorted(tally.scripts):
            shown = _shown(scenario, promise, tally.scripts[faults], has_trials=has_trials)
            if shown is None:
                tally.undecided[UNSHOWN, len(faults)] += 1
                continue
            script, witness = shown
            told = story(witness.journal) if len(schedules) < STORY_COUNT_MAX else ()
            schedule_id = ids[promise, faults]
            schedules.append(Schedule(schedule_id=schedule_id, faults=witness.faults, story=told))
            scripts.append((schedule_id, script))
        promises.append(_result(promise, tally, tuple(schedules), explored_faults, is_complete=is_complete))
    return Witnessed(promises=tuple(promises), scripts=tuple(scripts))


def _shown(
    scenario: Scenario, promise: Promise, runs: list[Script], *, has_trials: bool
) -> tuple[Script, Witness] | None:
    """The first of some runs that breaks a promise when it is replayed on a clock."""
    for script in runs:
        witness = solve_witness(scenario, script, has_trials=has_trials)
        if verdicts(witness.journal, (promise,))[promise] is PromiseVerdict.BROKEN:
            return script, witness
    return None


def _result(
    promise: Promise, tally: Tally, schedules: tuple[Schedule, ...], explored_faults: int, *, is_complete: bool
) -> PromiseResult:
    fewest = tally.fewest_faults if schedules or not tally.scripts else None
    steps = sorted({step for step, _ in tally.undecided})
    return PromiseResult(
        promise=promise,
        fewest_faults=fewest,
        is_proved=is_complete and fewest is None and not tally.undecided,
        undecided_count=tally.undecided.total(),
        schedules=schedules,
        is_smallest=fewest is not None and fewest - 1 <= explored_faults and not tally.is_undecided_below(fewest),
        are_all_listed=fewest is not None and fewest <= explored_faults,
        undecided_steps=tuple(_undecided_step(step, tally.undecided) for step in steps),
    )


def _undecided_step(step: str, undecided: Counter[tuple[str, int]]) -> UndecidedStep:
    counts = {fault_count: count for (other, fault_count), count in undecided.items() if other == step}
    return UndecidedStep(waiting_for=step, run_count=sum(counts.values()), fault_count_min=min(counts))
