"""Sampling and enumerating one world agree, and a driver with a wrong rate does not."""

import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from multiprocessing import get_context

import pytest
from scipy.stats import binomtest

from simkit.scenario import Scenario
from tests.builders import conditions_with, engine_policy
from tests.world.duplicate_counts import duplicate_counts
from tests.world.test_rare_duplicates import all_leaves, exact_mass, is_duplicate

__all__: list[str] = []

FAULT_PROBABILITY = 0.2
INTENT_COUNT = 500
SEED_COUNT = 200
POOLED_SEED_COUNT = 20
WORKER_COUNT = 2


def exact_probability(number: int) -> float:
    """Probability of a duplicate at the fault rate of this file, by enumeration."""
    fault = Fraction(FAULT_PROBABILITY).limit_denominator(10)
    return float(sum(exact_mass(leaf.trace, fault) for leaf in all_leaves(number) if is_duplicate(leaf)))


def counted(scenario: Scenario, seed_count: int) -> list[int]:
    """Duplicates among 500 intents for each of the first seeds, counted by two processes."""
    share = seed_count // WORKER_COUNT
    parts = [range(first, first + share) for first in range(0, seed_count, share)]
    with ProcessPoolExecutor(WORKER_COUNT, mp_context=get_context("spawn")) as executor:
        results = executor.map(duplicate_counts, [scenario] * len(parts), parts, [INTENT_COUNT] * len(parts))
        return [count for counts in results for count in counts]


def is_covered(counts: list[int], probability: float) -> bool:
    """Whether the 95 % Clopper-Pearson interval of the first 10,000 intents covers the probability."""
    pooled = counts[:POOLED_SEED_COUNT]
    interval = binomtest(sum(pooled), len(pooled) * INTENT_COUNT).proportion_ci(0.95, method="exact")
    return bool(interval.low <= probability <= interval.high)


def near_fraction(counts: list[int], probability: float) -> float:
    """Fraction of the seeds whose estimate lies within three standard errors of the probability."""
    three_errors = 3 * math.sqrt(probability * (1 - probability) / INTENT_COUNT)
    return sum(abs(count / INTENT_COUNT - probability) <= three_errors for count in counts) / len(counts)


@pytest.mark.parametrize("number", (1, 2, 3))
def test_sampled_intents_agree_with_the_enumeration(number: int) -> None:
    probability = exact_probability(number)

    counts = counted(engine_policy(number, FAULT_PROBABILITY), SEED_COUNT)

    assert len(counts) == SEED_COUNT
    assert is_covered(counts, probability)
    assert near_fraction(counts, probability) >= 0.95


@pytest.mark.parametrize("number", (1, 2, 3))
def test_a_driver_with_one_rate_doubled_does_not_agree(number: int) -> None:
    probability = exact_probability(number)
    scenario = engine_policy(number, FAULT_PROBABILITY)
    rates = tuple(
        replace(rate, probability=2 * FAULT_PROBABILITY) if rate.site == "server.after_effect" else rate
        for rate in scenario.conditions.rates
    )

    counts = counted(conditions_with(scenario, rates=rates), POOLED_SEED_COUNT)

    assert not is_covered(counts, probability)
    assert near_fraction(counts, probability) < 0.95
