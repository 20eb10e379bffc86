"""Tilted sampling: faults are drawn more often than they happen, until as many as it takes have happened.

How many it takes comes from the structure exploration. With fewer, nearly all that is drawn is beside the
point, and what is seen may be off by any factor; so an interval is given only where enough hits carry it,
and only where it meets the bounds that the likeliest schedules of the same scenario prove.
"""

from dataclasses import replace

from simkit.chance import Luck, Scripted, Tilted
from simkit.errors import ScenarioError
from simkit.stats import fay_feuer_interval, why_no_interval
from simkit.study.probability.best_first import weigh_best_first
from simkit.study.probability.estimates import Estimate, Task

__all__ = ["RUN_COUNT_MAX", "raised_probability", "weigh_tilted"]

CONFIDENCE = 0.95
CHUNK_COUNT = 1000
CHECKED_RUN_COUNT = 300
RUN_COUNT_MAX = 200_000
RAISED_PROBABILITY_MIN = 0.02
RAISED_PROBABILITY_MAX = 0.5
ROUNDING = 1e-9


def weigh_tilted(task: Task) -> Estimate:
    """Sample until the interval is as narrow as the task wants, or there were enough runs.

    Raises
    ------
    ScenarioError
        If nobody says how many faults it takes.
    """
    fault_count = task.fewest_faults
    if fault_count is None:
        message = (
            "tilted sampling needs the size of the smallest schedule that breaks a promise: explore the "
            "structure first, and give the schedules that it found"
        )
        raise ScenarioError(message)
    raised = raised_probability(task, fault_count)
    sample = _Sample(task, fault_count, raised)
    run_count_max = task.run_count_max or RUN_COUNT_MAX
    try:
        while sample.run_count < run_count_max and not sample.was_stopped:
            sample.extend(min(CHUNK_COUNT, run_count_max - sample.run_count))
            if sample.width_fraction <= task.width_fraction:
                break
    except KeyboardInterrupt:  # what was drawn so far still holds
        sample.was_stopped = True
    proved = weigh_best_first(replace(task, fault_budget=None, run_count_max=CHECKED_RUN_COUNT))
    lower, upper, problem = sample.interval
    if not problem and (upper < proved.lower * (1 - ROUNDING) or lower > proved.upper * (1 + ROUNDING)):
        problem = (
            f"sampled {lower:.3g} to {upper:.3g}, but {proved.lower:.3g} to {proved.upper:.3g} is proved: "
            "faults that matter were hardly drawn"
        )
    faults = "fault" if fault_count == 1 else "faults"
    return Estimate(
        lower=0.0 if problem else lower,
        upper=1.0 if problem else upper,
        kind="95 % interval (Fay-Feuer)" + (", picks drawn uniformly" if sample.has_picked else ""),
        how=f"{sample.run_count:,} runs, rates raised to {raised:.2g} until {fault_count} {faults}",
        run_count=sample.run_count,
        is_complete=not sample.was_stopped,
        schedules=frozenset(sample.schedules),
        problem=problem,
    )


def raised_probability(task: Task, fault_count: int) -> float:
    """q: with it, m given ones of n + m questions are likeliest to go wrong alone; n are asked without a fault."""
    chance = Scripted()
    task.play(chance)
    fair = fault_count / max(len(chance.trace) + fault_count, 1)
    return min(max(fair, RAISED_PROBABILITY_MIN), RAISED_PROBABILITY_MAX)


class _Sample:
    """Runs that were drawn so far; each depends on the seed and its own index alone."""

    def __init__(self, task: Task, fault_count: int, raised_probability: float) -> None:
        self._task = task
        self._fault_count = fault_count
        self._raised_probability = raised_probability
        self._weights: list[float] = []
        self.run_count = 0
        self.was_stopped = self.has_picked = False
        self.schedules: set[tuple[str, ...]] = set()

    def extend(self, count: int) -> None:
        """Draw so many more."""
        for index in range(self.run_count, self.run_count + count):
            if self._task.is_over():
                self.was_stopped = True
                return
            chance = Tilted(
                Luck(self._task.seed, index), fault_count=self._fault_count, fault_probability=self._raised_probability
            )
            run = self._task.play(chance)
            self.run_count += 1
            self.has_picked |= chance.has_picked
            if self._task.is_hit(run):
                self._weights.append(chance.weight)
                self.schedules.add(tuple(sorted(chance.faults)))

    @property
    def interval(self) -> tuple[float, float, str]:
        """Lower and upper end of the probability, and why they must not be shown."""
        problem = why_no_interval(self._weights)
        if problem:
            return 0.0, 1.0, problem
        lower, upper = fay_feuer_interval([1] * len(self._weights), self._weights, confidence=CONFIDENCE)
        return lower / self.run_count, min(upper / self.run_count, 1.0), ""

    @property
    def width_fraction(self) -> float:
        """The interval's (upper − lower) / upper."""
        lower, upper, _ = self.interval
        return (upper - lower) / upper
