"""A whole study of one scenario: everything that its page needs, and nothing that the page works out again."""

from collections.abc import Callable
from dataclasses import replace

from simkit.scenario import Scenario
from simkit.study.exploration import explore
from simkit.study.judgement import judge
from simkit.study.probability import probability
from simkit.study.results import Exploration, Probability, PromiseResult, StudyResult
from simkit.study.sampling import sample
from simkit.study.windows import crash_windows
from simkit.terms import FaultKind, Identity, Promise

__all__ = ["AS_REQUESTED", "ONE_ATTEMPT", "study"]

AS_REQUESTED = "as requested"
NOT_RESOLVED = "breaks; probability not resolved: with typical latencies the smallest schedules do not occur"
ID_REUSED = "tried with a second wish under the first one's ID"
NO_ID = "does not apply: calls bear no ID"
ONE_ATTEMPT = "one attempt"


def study(
    scenario: Scenario,
    *,
    seed: int,
    intent_count: int,
    contradictions: tuple[str, ...] = (),
    unjudged: tuple[str, ...] = (),
    is_over: Callable[[], bool] | None = None,
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
    is_over
        Asked often; True ends the exploration, and what was not seen is not proved.
    tell
        Is told what is being done, one line each.
    """
    conditions = scenario.conditions
    tell("one attempt: every schedule and order")
    one_attempt = explore(
        scenario.with_one_attempt(), fault_budget=conditions.fault_budget, policy=ONE_ATTEMPT, is_over=is_over
    )
    tell("as requested: every schedule, order and action")
    as_requested = explore(
        scenario, fault_budget=conditions.fault_budget, policy=AS_REQUESTED, has_trials=True, is_over=is_over
    )
    tell("the ID reused with other inputs")
    changed = _changed_input(scenario, is_over)
    requested, once = (_with(changed, explored.exploration) for explored in (as_requested, one_attempt))
    tell("crash windows")
    windows = crash_windows(scenario)
    tell("probabilities")
    weighed = _resolved(probability(scenario, fault_budget=conditions.fault_budget), requested)
    tell(f"{intent_count:,} sampled intents")
    sampling = None if conditions.has_unknown_rate else sample(scenario, intent_count=intent_count, seed=seed)
    return StudyResult(
        scenario_digest=scenario.digest(),
        seed=seed,
        as_requested=requested,
        one_attempt=once,
        windows=windows,
        cells=as_requested.cells,
        are_cells_complete=as_requested.are_cells_complete,
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
        excluded=_excluded(scenario),
    )


def _resolved(weighed: Probability, exploration: Exploration) -> Probability:
    """The probability, unless it never meets what the exploration found.

    With typical latencies a broken order may not occur at all; a number that knows nothing of it
    would look like safety.
    """
    is_broken = any(
        result.fewest_faults is not None for result in exploration.promises if result.promise.is_about_effects
    )
    is_met = any(bounds is not None and bounds.lower > 0 for bounds in (weighed.independent, weighed.common_cause))
    if is_broken and not is_met and not weighed.unknown_sites:
        return replace(weighed, independent=None, common_cause=None, method=NOT_RESOLVED)
    return weighed


def _changed_input(scenario: Scenario, is_over: Callable[[], bool] | None) -> PromiseResult:
    """Whether an ID that comes again with other inputs meets a conflict, in a scenario in which it does come."""
    promise = Promise.CHANGED_INPUT_CONFLICTS
    if scenario.agent.identity is Identity.NONE:
        return PromiseResult(
            promise=promise, fewest_faults=None, is_proved=True, undecided_count=0, schedules=(), scope=NO_ID
        )
    explored = explore(
        scenario.with_reused_id(),
        fault_budget=scenario.conditions.fault_budget,
        policy=ONE_ATTEMPT,
        counts=frozenset({promise}),
        is_over=is_over,
    )
    return replace(explored.exploration.of(promise), scope=ID_REUSED)


def _with(changed: PromiseResult, exploration: Exploration) -> Exploration:
    promises = (changed if result.promise is changed.promise else result for result in exploration.promises)
    return replace(exploration, promises=tuple(promises))


def _excluded(scenario: Scenario) -> tuple[str, ...]:
    """What the statements leave out, in words: kinds of fault, and what this world cannot act out."""
    included = {rate.kind for rate in scenario.conditions.rates}
    kinds = tuple(f"fault kind: {kind}" for kind in FaultKind if kind not in included)
    return (*kinds, "outages as schedules (their share of the rates is in the second probability)", "clock skew")
