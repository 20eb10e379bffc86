"""The likeliest runs first, until the two ends are as near to each other as is wanted.

What was not run yet waits in a heap, ordered by its probability (along picks, which have none, by that of the
answers around them). At any time the answer is [hit, hit + residual], rigorous; so it can be stopped at any time.
"""

import heapq
from collections.abc import Iterator
from contextlib import suppress
from itertools import count

from simkit.chance import Answered, Question, Scripted
from simkit.errors import Divergence
from simkit.study.probability.answer_tree import AnswerTree
from simkit.study.probability.enumerated import faults_of
from simkit.study.probability.estimates import EXACT, RIGOROUS, Estimate, Task

__all__ = ["weigh_best_first"]

Trace = tuple[Answered, ...]

ROUNDED_PROBABILITY = 1e-15
"""A residual below it is not made smaller: 1 − p is rounded at that size."""
NEGLIGIBLE_FRACTION = 1e-6
"""Of the accepted probability: a residual below it ends the search while no run has broken anything."""


def weigh_best_first(task: Task) -> Estimate:
    """Run the likeliest schedules until what is left is at most the wanted part of the upper end.

    Raises
    ------
    Divergence
        If a run depends on anything but its answers, or all runs together do not hold all the probability.
    """
    tree, frontier, schedules = AnswerTree(), _Frontier(task), set()
    negligible_probability = NEGLIGIBLE_FRACTION * task.scenario.conditions.risk_limit_probability
    run_count = 0
    is_near = was_stopped = has_run_all = False
    with suppress(KeyboardInterrupt):  # what was found until then still holds
        while not (is_near or was_stopped or has_run_all):
            trace, is_hit = frontier.run_next()
            run_count += 1
            tree.add(trace, is_hit=is_hit)
            if is_hit:
                schedules.add(faults_of(trace))
            enough_probability = max(task.width_fraction * tree.bounds.upper, ROUNDED_PROBABILITY)
            if not schedules and task.fewest_faults is None:
                enough_probability = max(enough_probability, negligible_probability)
            is_near = tree.residual <= enough_probability
            has_run_all = frontier.is_empty
            was_stopped = run_count == task.run_count_max or task.is_over()
    is_whole = has_run_all and not frontier.has_refused
    if is_whole:
        tree.insist_on_whole_mass()
    bounds = tree.bounds
    within = "" if task.fault_budget is None else f" of up to {task.fault_budget} faults"
    return Estimate(
        lower=bounds.lower,
        upper=bounds.upper,
        kind=EXACT if is_whole else RIGOROUS,
        how=f"{run_count:,} schedules{within}",
        run_count=run_count,
        is_complete=is_near or has_run_all,
        schedules=frozenset(schedules),
    )


class _Frontier:
    """What was not run yet: other answers to questions of runs that were made, the likeliest first.

    Attributes
    ----------
    has_refused
        Whether something is left out because it has more faults than the task's budget.
    """

    def __init__(self, task: Task) -> None:
        self.has_refused = False
        self._task = task
        self._serial = count()
        # (−mass, serial number, run that is left, index of the question, answer there instead)
        self._heap: list[tuple[float, int, Trace, int, int]] = [(-1.0, next(self._serial), (), -1, 0)]

    @property
    def is_empty(self) -> bool:
        """Whether everything that can happen was run."""
        return not self._heap

    def run_next(self) -> tuple[Trace, bool]:
        """Make the likeliest run; its answers, and whether it is a hit."""
        negative_mass, _, left, index, answer = heapq.heappop(self._heap)
        script = left[:index] + tuple(_otherwise(left, index, answer))
        chance = Scripted(script)
        run = self._task.play(chance)
        chance.assert_script_used()
        trace = tuple(chance.trace)
        if self._task.runs_twice:
            again = self._task.play(Scripted(trace))
            if again.journal.digest() != run.journal.digest():
                message = f"the same {len(trace)} answers ended in two ways: something other than chance decided"
                raise Divergence(message)
        self._push_others(trace, len(script), -negative_mass)
        return trace, self._task.is_hit(run)

    def _push_others(self, trace: Trace, first: int, mass: float) -> None:
        """Push each other answer to each question from `first` on, where it can happen."""
        budget = self._task.fault_budget
        spent = sum(answered.fault_cost for answered in trace[:first])
        for index in range(first, len(trace)):
            kind, _, weights, taken, *_ = trace[index]
            is_pick = kind is Question.PICK
            for answer, weight in enumerate(weights):
                if answer == taken or weight == 0:
                    continue
                if not is_pick and budget is not None and spent >= budget:
                    self.has_refused = True
                    continue
                other_mass = mass if weight is None else mass * weight
                heapq.heappush(self._heap, (-other_mass, next(self._serial), trace, index, answer))
            if not is_pick:
                mass *= weights[taken] or 0.0
                if mass == 0:
                    return


def _otherwise(left: Trace, index: int, answer: int) -> Iterator[Answered]:
    """The question at which a run is left, with the other answer; nothing for the first run of all."""
    if index >= 0:
        kind, site, weights, *_ = left[index]
        yield Answered(kind, site, weights, answer, 0 if kind is Question.PICK else 1)
