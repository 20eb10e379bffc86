"""One world at several failure rates, and one run taken apart at the steps of its load."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from simkit.scenario import LoadScenario
from simkit.study.load.trials import LoadTrials, load_trials
from simkit.terms import Outcome
from simkit.world.load import LoadRun

__all__ = ["LoadStep", "Sweep", "failure_sweep", "goodput_steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Trials of one scenario at several failure probabilities of its service."""

    failure_probabilities: tuple[float, ...]
    trials: tuple[LoadTrials, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadStep:
    """What came of the load between two changes of it, in the second half of that time."""

    calls_per_s: float
    goodput_per_s: float


def failure_sweep(
    scenario: LoadScenario, failure_probabilities: Sequence[float], *, trial_count: int, seed: int
) -> Sweep:
    """The scenario with each of the probabilities in place of that of its service's first fault."""
    first, *others = scenario.service.faults
    found = []
    for probability in failure_probabilities:
        faults = (replace(first, probability=probability), *others)
        world = replace(scenario, service=replace(scenario.service, faults=faults))
        found.append(load_trials(world, trial_count=trial_count, seed=seed))
    return Sweep(failure_probabilities=tuple(failure_probabilities), trials=tuple(found))


def goodput_steps(scenario: LoadScenario, run: LoadRun) -> tuple[LoadStep, ...]:
    """Goodput at each step of the load of all clients, once the run has settled on it."""
    arrivals, operations = scenario.arrivals, run.operations
    is_ok = np.array([outcome is Outcome.OK for outcome in operations.outcomes], dtype=bool)
    done_at_s = operations.finished_at_s[is_ok]
    ends_s = [*(step.from_s for step in arrivals.steps[1:]), arrivals.until_s]
    found = []
    for step, end_s in zip(arrivals.steps, ends_s, strict=True):
        middle_s = (step.from_s + end_s) / 2
        done_count = int(((done_at_s >= middle_s) & (done_at_s < end_s)).sum())
        rate = step.calls_per_s * arrivals.client_count
        found.append(LoadStep(calls_per_s=rate, goodput_per_s=done_count / (end_s - middle_s)))
    return tuple(found)
