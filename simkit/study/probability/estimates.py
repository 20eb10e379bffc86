"""What every driver is asked, and what it answers: the seam between the question how often and the ways to say it.

A driver is a function from a `Task` to an `Estimate`; `drivers.py` lists them by name. A driver that cannot do
a task at all raises `ScenarioError` and says why in words.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from simkit.chance import Chance
from simkit.checks import verdicts
from simkit.scenario import Scenario
from simkit.terms import Promise, PromiseVerdict
from simkit.world import Plan, Run, planned, run_concrete

__all__ = ["EXACT", "RIGOROUS", "Estimate", "Task", "Weigh", "task_of"]

EXACT = "exact for the model"
"""Kind of an estimate whose two ends may differ only by picks."""

RIGOROUS = "rigorous bounds for the model"
"""Kind of an estimate whose two ends certainly enclose the model's value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """How often is one of some promises broken, per operation?

    Parameters
    ----------
    plan
        Of `scenario`.
    promises
        The promises that count.
    has_episodes
        Whether the share β of each site's rate is in common episodes of its party.
    fault_budget
        Runs with more faults are not looked at; None where there is no such limit.
    width_fraction
        Wanted size of what was not looked at, as a part of the upper end, for drivers that can go on until then;
        picks alone may leave the two ends farther apart.
    fewest_faults
        m: the size of the smallest schedule that breaks one of the promises, from a structure exploration; None
        where it is not known.
    seed
        Root of all luck, for drivers that draw.
    run_count_max
        Most runs that a driver may make; None where there is no such limit.
    is_over
        Asked before each run; once it is True, what was found so far is returned, marked incomplete.
    runs_twice
        Whether each run is made twice, and must end the same way.
    crashes_per_s
        Rate at which the server dies, instead of the probabilities of its crash windows; None where those count.
    """

    scenario: Scenario
    plan: Plan
    promises: frozenset[Promise]
    has_episodes: bool
    fault_budget: int | None = None
    width_fraction: float
    fewest_faults: int | None = None
    seed: int = 0
    run_count_max: int | None = None
    is_over: Callable[[], bool] = field(default=lambda: False)
    runs_twice: bool = False
    crashes_per_s: float | None = None

    def play(self, chance: Chance) -> Run:
        """One run on a clock, with typical latencies."""
        return run_concrete(self.plan, chance, has_episodes=self.has_episodes)

    def is_hit(self, run: Run) -> bool:
        """Whether the run breaks one of the promises that count."""
        return PromiseVerdict.BROKEN in verdicts(run.journal, self.promises).values()


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A probability between two ends, with the kind of evidence that it is.

    Parameters
    ----------
    lower, upper
        Most lenient picks and nothing of what was not looked at; worst picks and all of it.
    kind
        In words, for instance `exact for the model` or `95 % interval (Fay-Feuer)`.
    how
        What was done, in words that follow the driver's name, for instance `up to 2 faults`.
    run_count
        Runs that it took; leaves, where every run is one.
    is_complete
        Whether all that was asked for was done; False after a time limit.
    schedules
        The faults of each run that broke a promise, sorted; empty where the driver does not keep them.
    is_for_typical
        Whether each wait took its typical duration; False where latencies were drawn, or whole intervals taken.
    problem
        Why no number may be shown, in words; empty where the two ends can be trusted.
    """

    lower: float
    upper: float
    kind: str
    how: str
    run_count: int
    is_complete: bool
    schedules: frozenset[tuple[str, ...]] = frozenset()
    is_for_typical: bool = True
    problem: str = ""


Weigh = Callable[[Task], Estimate]
"""A driver."""


def task_of(
    scenario: Scenario,
    promises: frozenset[Promise],
    *,
    has_episodes: bool = False,
    width_fraction: float = 0.1,
    fault_budget: int | None = None,
) -> Task:
    """A task with nothing special about it."""
    return Task(
        scenario=scenario,
        plan=planned(scenario),
        promises=promises,
        has_episodes=has_episodes,
        width_fraction=width_fraction,
        fault_budget=fault_budget,
    )
