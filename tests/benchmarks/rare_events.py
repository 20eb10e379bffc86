"""Prints what rare events cost: `python -m tests.benchmarks.rare_events`. Nothing here is a test.

Latency cells on the heavy tail of the late originals and on a race of two latencies; tilted sampling against plain
sampling on the three policies of the rare duplicate. What could not be measured is extrapolated, and marked (x).
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from time import process_time

import numpy as np

from simkit.chance import Chance, Luck, Sampled, Tilted
from simkit.scenario import Scenario
from simkit.study.probability import Task, task_of
from simkit.study.probability.cuts import found_cuts
from simkit.study.probability.latency_cells import replicates
from simkit.study.probability.tilted import raised_probability
from simkit.terms import Promise
from simkit.world import START, Cut, Cuts
from tests.builders import engine_policy
from tests.late_originals import late_originals, two_that_race

__all__ = ["main"]

DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})
KNOWN = ((1, 9.999522712e-4), (2, 9.979751506e-7), (3, 9.979731735e-10))
LATE_OR_NOT: Cuts = {
    f"gateway_to_server.request@{number}": (Cut(START, number * 1_000_000 - 10_000),) for number in (1, 2, 3)
}
REPLICATE_COUNT, PLAIN_RUN_COUNT, TILTED_RUN_COUNT = 200, 100_000, 30_000
WANTED_ERROR = 0.1


def cell_lines(name: str, scenario: Scenario, fault_budget: int | None) -> Iterator[str]:
    """The spread of one replicate, and how many of them give 1 %."""
    task = task_of(scenario, DUPLICATES, fault_budget=fault_budget)
    started_s = process_time()
    cuts = found_cuts(task)
    found_s = process_time() - started_s
    made = list(islice(replicates(task, cuts), REPLICATE_COUNT))
    each_s = (process_time() - started_s - found_s) / REPLICATE_COUNT
    lowers, uppers = np.array([one.lower for one in made]), np.array([one.upper for one in made])
    mean, spread = float(lowers.mean()), float(lowers.std(ddof=1))
    needed = (spread / mean / 0.01) ** 2
    runs = np.mean([one.run_count for one in made])
    yield f"{name}, faults <= {fault_budget}: {sum(map(len, cuts.values()))} cuts found in {found_s:.2f} s"
    yield f"  {mean:.4e} +- {spread / REPLICATE_COUNT**0.5:.1e}, residual {float((uppers - lowers).mean()):.1e}"
    yield f"  one replicate: {runs:.0f} runs, {each_s * 1e3:.1f} ms, relative spread {spread / mean:.3f}"
    yield f"  1 %: {needed:.1f} replicates, {needed * each_s:.2f} s"


def late_or_not_line() -> str:
    """The same replicates with nothing but the timeout as a cut."""
    made = islice(replicates(task_of(late_originals(), DUPLICATES), LATE_OR_NOT), 5 * REPLICATE_COUNT)
    hits = sum(one.lower > 0 for one in made)
    return f"only late or not late: {hits} of {5 * REPLICATE_COUNT} replicates hit"


def needed_count(weights: np.ndarray) -> float:
    """Runs until the relative error is as wanted, from the weights of all runs, zeros among them."""
    return float(weights.var() / weights.mean() ** 2 / WANTED_ERROR**2)


def weighed(task: Task, run_count: int, fault_count: int | None) -> tuple[np.ndarray, float]:
    """The weight of each run that hits, and CPU seconds for one run; plain luck where no count of faults is given."""
    raised = 0.0 if fault_count is None else raised_probability(task, fault_count)
    weights = np.zeros(run_count)
    started_s = process_time()
    for index in range(run_count):
        chance: Chance = Sampled(1, index)
        if fault_count is not None:
            chance = Tilted(Luck(1, index), fault_count=fault_count, fault_probability=raised)
        if task.is_hit(task.play(chance)):
            weights[index] = chance.weight if isinstance(chance, Tilted) else 1.0
    return weights, (process_time() - started_s) / run_count


def tilted_lines() -> Iterator[str]:
    """Runs and seconds until 10 %, tilted and plain."""
    plain_s = 0.0
    for number, known in KNOWN:
        task = task_of(engine_policy(number), DUPLICATES)
        weights, each_s = weighed(task, TILTED_RUN_COUNT, number)
        needed = needed_count(weights)
        plain, mark = (1 - known) / known / WANTED_ERROR**2, " (x)"
        if number == 1:
            hits, plain_s = weighed(task, PLAIN_RUN_COUNT, None)
            plain, mark = needed_count(hits), ""
            yield f"plain sampling of policy 1: {hits.mean():.3e} in {PLAIN_RUN_COUNT:,} runs"
        yield f"policy {number}: {weights.mean():.4e}, known {known:.4e}"
        yield f"  10 %: tilted {needed:,.0f} runs, {needed * each_s:.2f} s"
        yield f"        plain {plain:.2g} runs, {plain * plain_s:.3g} s{mark}"
        yield f"  ratio: {plain / needed:.2g} in runs, {plain * plain_s / needed / each_s:.2g} in seconds{mark}"
    yield from too_few_lines()


def too_few_lines() -> Iterator[str]:
    """Policy 3 with one fault fewer than it takes."""
    task = replace(task_of(engine_policy(3), DUPLICATES), fewest_faults=2)
    weights, _ = weighed(task, TILTED_RUN_COUNT, 2)
    factor = weights.mean() / KNOWN[2][1]
    yield f"policy 3 with m = 2: {np.count_nonzero(weights)} hits, {factor:.2g} times the known value"


def main() -> None:
    """Print everything."""
    for lines in (
        cell_lines("late originals", late_originals(), None),
        cell_lines("late originals", late_originals(), 2),
        cell_lines("a race, 50 us", two_that_race(0.00005), None),
        (late_or_not_line(),),
        tilted_lines(),
    ):
        for line in lines:
            print(line)  # noqa: T201 (a benchmark reports)


if __name__ == "__main__":
    main()
