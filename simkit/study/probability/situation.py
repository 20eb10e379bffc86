"""What the rule looks at, read off a scenario and its run without a fault."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from math import fsum

from simkit.chance import Question, Scripted
from simkit.distributions import Backoff, Wait
from simkit.scenario import Scenario
from simkit.study.probability.estimates import Task
from simkit.study.probability.merged_chain import starts_anew
from simkit.study.probability.rule import Situation

__all__ = ["expected_fault_count", "has_continuous_latencies", "has_spread_waits", "situation_of"]


def situation_of(task: Task) -> Situation:
    """The facts that the rule needs."""
    is_continuous, is_workload = has_continuous_latencies(task.scenario), task.crashes_per_s is not None
    return Situation(
        # Without cells there is no list of answers that a run could follow, and nothing to count.
        expected_fault_count=0.0 if is_continuous else expected_fault_count(task),
        fewest_faults=task.fewest_faults,
        leaf_count=0,
        has_continuous_latencies=is_continuous,
        # An episode that lasts is something more that may lie between two attempts.
        is_regenerative=not (is_continuous or is_workload)
        and all(starts_anew(replace(task, has_episodes=has_episodes)) for has_episodes in (False, True)),
        is_workload=is_workload,
    )


def expected_fault_count(task: Task) -> float:
    """Λ: sum of the probabilities of all faults over the questions of the run without a fault."""
    chance = Scripted()
    task.play(chance)
    return fsum(1 - (asked.weights[0] or 0.0) for asked in chance.trace if asked.kind is not Question.PICK)


def has_spread_waits(scenario: Scenario) -> bool:
    """Whether some wait has neither a constant duration nor a law, so that a clock takes its typical one."""
    return any(wait.s_min < wait.s_max and wait.law is None for wait in _waits(scenario))


def has_continuous_latencies(scenario: Scenario) -> bool:
    """Whether some wait has a continuous law."""
    return any(wait.is_continuous for wait in (*_waits(scenario), *_drawn_by_formula(scenario)))


def _drawn_by_formula(scenario: Scenario) -> Iterator[Wait]:
    """A wait of each formula by which a layer that repeats waits, and of each asked wait that it makes."""
    asks = any(downstream.retry_after_s > 0 for downstream in scenario.downstreams)
    for layer in (layer for layer in scenario.layers if layer.repeats):
        for backoff in (layer.backoff, layer.backoff_overloaded):
            if isinstance(backoff, Backoff):
                yield backoff.wait(backoff.immediate_count + 1)
        if asks and layer.retry_after is not None:
            yield layer.wait_asked(Wait.of(0.0), 1.0)


def _waits(part: object) -> Iterator[Wait]:
    """Every wait in a part of a scenario."""
    if isinstance(part, Wait):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _waits(item)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _waits(getattr(part, field.name))
