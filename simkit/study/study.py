"""A whole study of one scenario: everything that its page needs, and nothing that the page works out again."""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from simkit.scenario import Scenario, kind_of
from simkit.study.exploration import explore
from simkit.study.judgement import judge
from simkit.study.probability import probability
from simkit.study.results import Exploration, Judgement, PromiseResult, Sampling, StudyResult
from simkit.study.sampling import SampledIntent, sampled_intents, summarised
from simkit.study.story import site_in_words
from simkit.study.windows import crash_windows
from simkit.terms import FaultKind, Identity, Promise

__all__ = ["AS_REQUESTED", "ONE_ATTEMPT", "design_verdict", "study"]

AS_REQUESTED = "as requested"
CHUNK_COUNT = 100
RUN_COUNT_AFTER_BREAK = 50
ID_REUSED = "tried with one attempt each, and a second wish under the first one's ID after all of it has landed"
NEVER_ACTED_OUT = (
    "outages as schedules (their share of the rates is in the second probability)",
    "an error answered although the effect was made",
    "a message delivered twice",
    "restarts of agent and gateway",
    "a worker that pauses",
    "an outage of the record store",
    "two calls at once",
    "clock skew",
)
"""What this world does not act out yet; every statement leaves it out, and says so."""

NO_ID_COMES_AGAIN = MappingProxyType(
    {
        Identity.NONE: "does not apply: calls bear no ID",
        Identity.HASH_OF_ARGUMENTS: "does not apply: other inputs make another ID",
    }
)
ONE_ATTEMPT = "one attempt"


def study(
    scenario: Scenario,
    *,
    seed: int,
    intent_count: int,
    contradictions: tuple[str, ...] = (),
    unjudged: tuple[str, ...] = (),
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
    is_over
        Asked often; True ends the exploration, and what was not seen is not proved.
    tell
        Is told what is being done, one line each.
    """
    conditions = scenario.conditions
    tell("the ID reused with other inputs")
    changed = _changed_input(scenario, is_over)
    tell("one attempt: every schedule and order")
    one_attempt = explore(
        scenario.with_one_attempt(), fault_budget=conditions.fault_budget, policy=ONE_ATTEMPT, is_over=is_over
    )
    tell("as requested: every schedule, order and action")
    as_requested = explore(
        scenario, fault_budget=conditions.fault_budget, policy=AS_REQUESTED, has_trials=True, is_over=is_over
    )
    requested, once = (_with(changed, explored.exploration) for explored in (as_requested, one_attempt))
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


def design_verdict(scenario: Scenario, *, fault_budget: int, is_over: Callable[[], bool] = lambda: False) -> Judgement:
    """Judge a scenario by its structure alone: no rates, no samples, no permission table.

    Where a promise breaks, what else may break is looked for in so many more runs, and not in all.

    Parameters
    ----------
    fault_budget
        k: what is allowed is proved for every schedule of at most this many faults.
    """
    bounded = replace(scenario, conditions=replace(scenario.conditions, fault_budget=fault_budget))
    changed = _changed_input(bounded, is_over)
    as_requested, one_attempt = (
        _with(
            changed,
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


def _changed_input(scenario: Scenario, is_over: Callable[[], bool]) -> PromiseResult:
    """Whether an ID that comes again with other inputs meets a conflict, in a scenario in which it does come."""
    promise = Promise.CHANGED_INPUT_CONFLICTS
    if scenario.agent.identity in NO_ID_COMES_AGAIN:
        scope = NO_ID_COMES_AGAIN[scenario.agent.identity]
        return PromiseResult(
            promise=promise, fewest_faults=None, is_proved=True, undecided_count=0, schedules=(), scope=scope
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
    listed = {rate.site for rate in scenario.conditions.rates}
    sites = tuple(
        f"no fault at {site_in_words(site)}"
        for site in scenario.sites()
        if site not in listed and kind_of(site) in included
    )
    return (*kinds, *sites, *NEVER_ACTED_OUT)
