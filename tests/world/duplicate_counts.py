"""Duplicates counted in sampled intents, importable by the processes among which the counting is split."""

from simkit.chance import Sampled
from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.world import run_concrete

__all__ = ["duplicate_counts"]


def duplicate_counts(scenario: Scenario, seeds: range, intent_count: int) -> list[int]:
    """How many of `intent_count` intents have more than one effect, for each seed."""
    return [sum(_has_two_effects(scenario, seed, index) for index in range(intent_count)) for seed in seeds]


def _has_two_effects(scenario: Scenario, seed: int, index: int) -> bool:
    return len(run_concrete(scenario, Sampled(seed, index)).journal.of(Effect)) > 1
