"""A whole study of one scenario: everything that its page needs, and nothing that the page works out again."""

from collections.abc import Callable
from dataclasses import replace

from simkit.scenario import Scenario
from simkit.study.applicability import NOT_APPLYING, beside, excluded, why_not
from simkit.study.judgement import judge
from simkit.study.probability import probability
from simkit.study.results import Exploration, Judgement, PermissionTable, PromiseResult, Sampling, StudyResult
from simkit.study.sampling import SampledIntent, sampled_intents, summarised
from simkit.study.structure import crash_windows, explore, margins
from simkit.terms import Promise

__all__ = ["AS_REQUESTED", "ONE_ATTEMPT", "design_verdict", "permission_table", "proofs", "study"]

AS_REQUESTED = "as requested"
CHUNK_COUNT = 100
RUN_COUNT_AFTER_BREAK = 50
ONE_ATTEMPT = "one attempt"


def study(
    scenario: Scenario,
    *,
    seed: int,
    intent_count: int,
    contradictions: tuple[str, ...] = (),
    unjudged: tuple[str, ...] = (),
    has_margins: bool = False,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> StudyResult:
    """Explore, weigh, sample and judge a scenario.

    Parameters
    ----------
    intent_count
        How many intents are sampled.
    contradictions
        Sentences about answers that exclude each other; any makes the verdict `disable`.
    unjudged
        Sentences about declared answers that the scenario does not act out; any rules out `allow`.
    has_margins
        Whether it is sought by how much each time may move before the verdict flips, which takes longest.
    is_over
        Asked often; True ends the exploration, and what was not seen is not proved.
    tell
        Is told what is being done, one line each.
    """
    conditions = scenario.conditions
    tell("a second wish under the same ID")
    apart = _tried_apart(scenario, tuple(Promise), is_over)
    tell("one attempt: every schedule and order")
    one_attempt = explore(
        scenario.with_one_attempt(), fault_budget=conditions.fault_budget, policy=ONE_ATTEMPT, is_over=is_over
    )
    tell("as requested: every schedule and order")
    as_requested = explore(scenario, fault_budget=conditions.fault_budget, policy=AS_REQUESTED, is_over=is_over)
    requested, once = (_with(apart, explored.exploration) for explored in (as_requested, one_attempt))
    tell("crash windows")
    windows = crash_windows(scenario, is_over)
    tell("probabilities")
    weighed = probability(
        scenario,
        fault_budget=conditions.fault_budget,
        known_schedules=_smallest_schedules(requested),
        is_over=is_over,
    )
    tell(f"{intent_count:,} sampled intents")
    sampling = _sampled(scenario, intent_count, seed, is_over)
    tell("as requested, and every other action, alone and together")
    # It takes longest and comes last: the verdict does not depend on it, and must not lack the time that it took.
    table = permission_table(scenario, fault_budget=conditions.fault_budget, is_over=is_over)
    return StudyResult(
        scenario_digest=scenario.digest(),
        seed=seed,
        as_requested=requested,
        one_attempt=once,
        windows=windows,
        cells=table.cells,
        are_cells_complete=table.is_complete,
        cell_run_count=table.run_count,
        probability=weighed,
        sampling=sampling,
        judgement=judge(
            as_requested=requested,
            one_attempt=once,
            probability=weighed,
            risk_limit_probability=conditions.risk_limit_probability,
            contradictions=contradictions,
            unjudged=unjudged,
        ),
        excluded=excluded(scenario),
        margins=(
            margins(scenario, fault_budget=conditions.fault_budget, is_over=is_over, tell=tell) if has_margins else None
        ),
    )


def design_verdict(scenario: Scenario, *, fault_budget: int, is_over: Callable[[], bool] = lambda: False) -> Judgement:
    """Judge a scenario by its structure alone: no rates, no samples, no permission table.

    Where a promise breaks, what else may break is looked for in so many more runs, and not in all.

    Parameters
    ----------
    fault_budget
        k: what is allowed is proved for every schedule of at most this many faults.
    """
    bounded = replace(scenario, conditions=replace(scenario.conditions, fault_budget=fault_budget))
    apart = _tried_apart(bounded, (Promise.CHANGED_INPUT_CONFLICTS,), is_over)
    as_requested, one_attempt = (
        _with(
            apart,
            explore(
                world,
                fault_budget=fault_budget,
                policy=policy,
                is_over=is_over,
                run_count_after_break=RUN_COUNT_AFTER_BREAK,
            ).exploration,
        )
        for world, policy in ((bounded, AS_REQUESTED), (bounded.with_one_attempt(), ONE_ATTEMPT))
    )
    return judge(
        as_requested=as_requested,
        one_attempt=one_attempt,
        probability=None,
        risk_limit_probability=scenario.conditions.risk_limit_probability,
        contradictions=(),
        unjudged=(),
    )


def proofs(
    scenario: Scenario,
    *,
    fault_budget: int,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> Exploration:
    """What becomes of each promise as requested, under every schedule of up to `fault_budget` faults, whatever breaks.

    Parameters
    ----------
    is_over, tell
        As of a study.
    """
    bounded = replace(scenario, conditions=replace(scenario.conditions, fault_budget=fault_budget))
    tell("as requested: every schedule and order")
    explored = explore(
        bounded, fault_budget=fault_budget, policy=AS_REQUESTED, counts=frozenset(), is_over=is_over
    ).exploration
    tell("a second wish under the same ID")
    return _with(_tried_apart(bounded, tuple(Promise), is_over), explored)


def permission_table(
    scenario: Scenario, *, fault_budget: int, is_over: Callable[[], bool] = lambda: False
) -> PermissionTable:
    """What each layer may do next: every action tried alone, and then all that are harmless alone together.

    Parameters
    ----------
    is_over
        As of a study; what it leaves is not explored.
    """
    tried = explore(scenario, fault_budget=fault_budget, policy=AS_REQUESTED, has_trials=True, is_over=is_over)
    return PermissionTable(
        cells=tried.cells, is_complete=tried.are_cells_complete, run_count=tried.exploration.run_count
    )


def _sampled(scenario: Scenario, intent_count: int, seed: int, is_over: Callable[[], bool]) -> Sampling | None:
    """The sample; None where a rate is unknown, or where there was no time for all of it.

    A sample that was cut when it looked good would say too much.
    """
    if scenario.conditions.has_unknown_rate:
        return None
    intents: list[SampledIntent] = []
    for first in range(0, intent_count, CHUNK_COUNT):
        if is_over():
            return None
        count = min(CHUNK_COUNT, intent_count - first)
        intents += sampled_intents(scenario, intent_count=count, seed=seed, first_index=first)
    return summarised(scenario, intents, seed=seed)


def _smallest_schedules(exploration: Exploration) -> tuple[tuple[str, ...], ...]:
    """Faults of every smallest schedule that breaks an effect promise of the scenario itself."""
    return tuple(
        schedule.faults
        for result in exploration.promises
        if result.promise.is_about_effects and not result.scope
        for schedule in result.schedules
    )


def _tried_apart(
    scenario: Scenario, wanted: tuple[Promise, ...], is_over: Callable[[], bool]
) -> dict[Promise, PromiseResult]:
    """What is known of promises from elsewhere: from a scenario beside this one, or because they do not apply."""
    results = {
        promise: PromiseResult(
            promise=promise, fewest_faults=None, is_proved=True, undecided_count=0, schedules=(), scope=why
        )
        for promise in wanted
        if (why := why_not(scenario, promise))
    }
    for promise, world, scope in beside(scenario):
        if promise not in wanted:
            continue
        explored = explore(
            world,
            fault_budget=scenario.conditions.fault_budget,
            policy=ONE_ATTEMPT,
            counts=frozenset({promise}),
            is_over=is_over,
        )
        results[promise] = replace(explored.exploration.of(promise), scope=scope)
    return results


def _with(apart: dict[Promise, PromiseResult], exploration: Exploration) -> Exploration:
    """The exploration with what is known from elsewhere, but for what it breaks itself."""
    promises = (_worse(result, apart.get(result.promise, result)) for result in exploration.promises)
    return replace(exploration, promises=tuple(promises))


def _worse(own: PromiseResult, other: PromiseResult) -> PromiseResult:
    """What breaks with fewer faults; where neither does, both have to be proved."""
    if own.fewest_faults is not None and (other.fewest_faults is None or other.fewest_faults >= own.fewest_faults):
        return own
    if other.fewest_faults is not None or other.scope.startswith(NOT_APPLYING) or other is own:
        return other
    return replace(other, is_proved=own.is_proved and other.is_proved)
