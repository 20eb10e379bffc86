"""How often an effect promise is broken: by the driver that the rule picks, or by the one that is asked for."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from simkit.chance import Scheduled
from simkit.checks import JUDGED
from simkit.errors import ScenarioError
from simkit.scenario import Scenario
from simkit.study.probability.drivers import DRIVERS
from simkit.study.probability.estimates import EXACT, RIGOROUS, Estimate, Task
from simkit.study.probability.rule import LEAF_COUNT_MAX, Choice, choice_for
from simkit.study.probability.situation import has_continuous_latencies, has_spread_waits, situation_of
from simkit.study.results import Bounds, Probability
from simkit.terms import Driver, Promise
from simkit.world import planned

__all__ = ["NOT_RESOLVED", "NOT_RESOLVED_BY_LUCK", "probability"]

NOT_RESOLVED = "breaks; probability not resolved: with typical latencies not all smallest schedules occur"
NOT_RESOLVED_BY_LUCK = (
    "breaks; probability not resolved: too few replicates meet a smallest schedule, as where two latencies are "
    "compared with each other"
)


def probability(  # noqa: PLR0913 (one keyword for each thing that may be told)
    scenario: Scenario,
    *,
    driver: Driver | None = None,
    fault_budget: int | None = None,
    width_fraction: float = 0.1,
    promises: Iterable[Promise] | None = None,
    known_schedules: Iterable[tuple[str, ...]] = (),
    run_count_max: int | None = None,
    crashes_per_s: float | None = None,
    seed: int = 0,
    runs_twice: bool = False,
    is_over: Callable[[], bool] = lambda: False,
) -> Probability:
    """Probability, per operation, that one of some promises is broken.

    Parameters
    ----------
    driver
        How it is computed; None for what the rule picks: enumerated where a fault budget is given, otherwise by
        what the scenario is like.
    fault_budget
        Runs with more faults are not looked at; None looks at all.
    width_fraction
        Wanted size of what was not looked at, as a part of the upper end, for drivers that go on until then.
    promises
        The promises that count; None for all that are about effects.
    known_schedules
        Faults of each schedule that is known to break one of them. With typical latencies some may never
        occur; a number that knows nothing of them would look like safety, so none is given then.
    run_count_max
        Most runs for each of the two numbers; what is left then goes to the upper end, as after a time limit. None
        where there is no such limit; the rule gives up on the likeliest schedules after 100,000.
    crashes_per_s
        Rate at which the server dies, instead of the probabilities of its crash windows; None where those count.
    is_over
        Asked before each run; once it is True, or after Ctrl-C, what is left goes to the upper end.

    Raises
    ------
    Divergence
        If a run depends on anything but its answers.
    ScenarioError
        If the driver that is asked for cannot weigh such a scenario, or what is asked for excludes each other.
    """
    conditions = scenario.conditions
    unknown_sites = tuple(rate.site for rate in conditions.rates if rate.probability is None)
    if crashes_per_s is not None and (fault_budget is not None or driver not in (None, Driver.CRASH_GAPS)):
        other = "a fault budget" if fault_budget is not None else f"the driver '{driver}'"
        message = f"crashes_per_s and {other} exclude each other: only crash gaps weigh a crash at any time"
        raise ScenarioError(message)
    if fault_budget is not None and fault_budget < 0:
        message = f"fault_budget: a whole number of at least 0, or None for all faults; got {fault_budget}"
        raise ScenarioError(message)
    if not 0 <= width_fraction <= 1:
        message = f"width_fraction: a part of the upper end, 0 to 1; got {width_fraction}"
        raise ScenarioError(message)
    if unknown_sites:
        return _unresolved(scenario, "not resolved: a rate is unknown", unknown_sites=unknown_sites)
    wanted = frozenset(promise for promise in JUDGED if promise.is_about_effects) if promises is None else promises
    known = tuple(tuple(sorted(schedule)) for schedule in known_schedules)
    task = Task(
        scenario=scenario,
        plan=planned(scenario),
        promises=frozenset(wanted),
        has_episodes=False,
        fault_budget=fault_budget,
        width_fraction=width_fraction,
        fewest_faults=min(map(len, known), default=None),
        seed=seed,
        run_count_max=run_count_max,
        is_over=is_over,
        runs_twice=runs_twice,
        crashes_per_s=crashes_per_s,
    )
    choice, task, alone = _weighed(task, driver)
    if not all(_is_met(task, schedule, alone) for schedule in known):
        method = NOT_RESOLVED_BY_LUCK if has_continuous_latencies(scenario) else NOT_RESOLVED
        return _unresolved(scenario, method, choice=choice, leaf_count=alone.run_count)
    together = DRIVERS[choice.driver](replace(task, has_episodes=True)) if conditions.rates else alone
    problem = alone.problem or together.problem
    if problem:
        return _unresolved(scenario, f"not resolved: {problem}", choice=choice, leaf_count=alone.run_count)
    return Probability(
        independent=Bounds(lower=alone.lower, upper=alone.upper),
        common_cause=Bounds(lower=together.lower, upper=together.upper),
        common_cause_share=conditions.common_cause_share,
        leaf_count=alone.run_count,
        method=_method(task, choice, alone, together),
        unknown_sites=(),
        driver=choice.driver,
        reason=choice.reason,
        is_complete=alone.is_complete and together.is_complete,
    )


def _weighed(task: Task, driver: Driver | None) -> tuple[Choice, Task, Estimate]:
    """Pick a driver, and let it do the task; another does it where only trying shows that it is too much.

    Returns
    -------
    tuple
        What was picked, the task as it was given to it, and what it found.
    """
    if driver is not None:
        choice = Choice(driver=driver, reason="asked for")
        return choice, task, DRIVERS[driver](task)
    if task.fault_budget is not None and not has_continuous_latencies(task.scenario):
        choice = Choice(driver=Driver.ENUMERATED, reason="a number of faults is given")
        return choice, task, DRIVERS[choice.driver](task)
    situation = situation_of(task)
    choice = choice_for(situation)
    if choice.driver is not Driver.BEST_FIRST:
        return choice, task, DRIVERS[choice.driver](task)
    most = LEAF_COUNT_MAX if task.run_count_max is None else min(task.run_count_max, LEAF_COUNT_MAX)
    limited = replace(task, run_count_max=most)
    found = DRIVERS[choice.driver](limited)
    other = choice_for(replace(situation, leaf_count=found.run_count))
    if found.is_complete or other.driver is choice.driver:
        return choice, limited, found
    return other, task, DRIVERS[other.driver](task)


def _is_met(task: Task, schedule: tuple[str, ...], estimate: Estimate) -> bool:
    """Whether a schedule of faults occurs with typical latencies, or with drawn ones, and breaks a promise there."""
    if schedule in estimate.schedules or has_continuous_latencies(task.scenario):
        return schedule in estimate.schedules
    chance = Scheduled(schedule)
    return task.is_hit(task.play(chance)) and not chance.waiting


def _method(task: Task, choice: Choice, alone: Estimate, together: Estimate) -> str:
    latencies = " with typical latencies" if has_spread_waits(task.scenario) and alone.is_for_typical else ""
    if alone.is_complete and together.is_complete:
        return f"{choice.driver} {alone.how}, {alone.kind}{latencies}"
    kind = RIGOROUS if alone.kind == EXACT else alone.kind
    return f"{choice.driver} {alone.how}, {kind}{latencies}, stopped before its end"


def _unresolved(
    scenario: Scenario,
    method: str,
    *,
    unknown_sites: tuple[str, ...] = (),
    choice: Choice | None = None,
    leaf_count: int = 0,
) -> Probability:
    return Probability(
        independent=None,
        common_cause=None,
        common_cause_share=scenario.conditions.common_cause_share,
        leaf_count=leaf_count,
        method=method,
        unknown_sites=unknown_sites,
        driver=None if choice is None else choice.driver,
        reason="" if choice is None else choice.reason,
    )
