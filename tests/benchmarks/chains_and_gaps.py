"""Prints what chains and crash gaps cost: `python -m tests.benchmarks.chains_and_gaps`. Nothing here is a test.

The three policies of the rare duplicate with 3, 6 and 20 attempts; and 40 calls that come at random, each at work for
7 ms, whose server dies once.
"""

from collections.abc import Iterator
from dataclasses import replace
from time import process_time

import numpy as np

from simkit.chance import Sampled
from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.stats import clopper_pearson_interval
from simkit.study.probability import task_of
from simkit.study.probability.crash_gaps import crash_gaps
from simkit.study.probability.merged_chain import weigh_merged_chain
from simkit.terms import Promise
from simkit.world import Plan, ServerCrash, planned, run_with_crash
from tests.builders import a_call, a_scenario, engine_policy

__all__ = ["main"]

DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})
CALL_COUNT, RANDOM_CRASH_COUNT = 40, 300


def a_workload(calls_per_s: float) -> Scenario:
    """Calls at random instants; each is under way for 27 ms."""
    starts_s = np.cumsum(np.random.default_rng(1).exponential(1 / calls_per_s, CALL_COUNT)).round(6)
    calls = tuple(
        a_call(intent=f"i{number}", operation=f"op{number}", start_s=float(start_s))
        for number, start_s in enumerate(starts_s)
    )
    return replace(a_scenario(), calls=calls)


def chain_line(number: int, attempt_count: int) -> str:
    """One policy with so many attempts."""
    scenario = engine_policy(number)
    agent, *others = scenario.layers
    task = task_of(replace(scenario, layers=(replace(agent, attempts=attempt_count), *others)), DUPLICATES)
    started_s = process_time()
    found = weigh_merged_chain(task)
    took_s = process_time() - started_s
    return f"policy {number}, {attempt_count:3} attempts: {found.lower:.12e}, {found.run_count} runs, {took_s:.2f} s"


def gap_lines(calls_per_s: float) -> Iterator[str]:
    """The gaps of one trajectory, and some random crashes."""
    scenario = a_workload(calls_per_s)
    started_s = process_time()
    found = crash_gaps(scenario, crashes_per_s=1e-5, seed=1, promises=DUPLICATES)
    took_s = process_time() - started_s
    least_s, most_s, bounds = found.vulnerable_s_min, found.vulnerable_s_max, found.probability
    yield f"{CALL_COUNT} calls, {calls_per_s:g}/s: {found.gap_count} gaps, {found.run_count} runs, {took_s:.2f} s"
    yield f"  V from {least_s:.6f} to {most_s:.6f} s of {found.end_s:.3f} s"
    yield f"  P(duplicate | one crash) = {found.given_one_crash.lower:.6f}"
    yield f"  P at 1e-5 crashes/s in [{bounds.lower:.6e}, {bounds.upper:.6e}]"
    instants_us = np.random.default_rng(3).integers(0, round(found.end_s * 1e6), RANDOM_CRASH_COUNT)
    plan, started_s = planned(scenario), process_time()
    hits = sum(is_duplicated_by_crash(plan, int(at_us)) for at_us in instants_us)
    took_s = process_time() - started_s
    low, high = clopper_pearson_interval(hits, RANDOM_CRASH_COUNT, confidence=0.95)
    yield f"  {RANDOM_CRASH_COUNT} random crashes: {low:.4f} to {high:.4f} (95 % interval), {took_s:.2f} s"


def is_duplicated_by_crash(plan: Plan, at_us: int) -> bool:
    """Whether a crash then makes any intent have two effects."""
    found = run_with_crash(plan, Sampled(1, 0), ServerCrash(at_us=at_us, replica_index=None))
    intents = [effect.intent for effect in found.run.journal.of(Effect)]
    return len(set(intents)) < len(intents)


def main() -> None:
    """Print all of it."""
    for number in (1, 2, 3):
        for attempt_count in (3, 6, 20):
            print(chain_line(number, attempt_count))  # noqa: T201 (a benchmark prints)
    for calls_per_s in (8.0, 80.0):
        for line in gap_lines(calls_per_s):
            print(line)  # noqa: T201


if __name__ == "__main__":
    main()
