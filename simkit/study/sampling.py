"""Independent intents at their rates, counted, with intervals that never undercover."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from simkit.chance import Sampled
from simkit.errors import ScenarioError
from simkit.records import Attempt, Effect, Report
from simkit.scenario import Scenario
from simkit.stats import clopper_pearson_interval, trials_needed, zero_hits_upper_bound
from simkit.study.results import Sampling
from simkit.terms import LayerName, Outcome
from simkit.world import Run, planned, run_concrete

__all__ = ["SampledIntent", "sample", "sampled_intents", "summarised"]

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledIntent:
    """One intent of a sample.

    Parameters
    ----------
    effect_count
        Effects in the system of record, all stages together.
    call_count
        Attempts of the layer that calls the server.
    outcome
        As reported to the user; None where nothing was reported.
    """

    replication_index: int
    effect_count: int
    call_count: int
    outcome: Outcome | None


def sampled_intents(
    scenario: Scenario, *, intent_count: int, seed: int, first_index: int = 0, has_episodes: bool = False
) -> tuple[SampledIntent, ...]:
    """Sample intents number `first_index` and the `intent_count - 1` that follow.

    Each depends on the seed and its own index alone, so any chunking gives the same intents.

    Raises
    ------
    ScenarioError
        If a rate is unknown, or the scenario plans more than one call.
    """
    if scenario.conditions.has_unknown_rate:
        message = "nothing can be sampled while a rate is unknown"
        raise ScenarioError(message)
    if len(scenario.calls) != 1:
        message = f"a sample of independent intents needs a scenario with one call, this one has {len(scenario.calls)}"
        raise ScenarioError(message)
    plan = planned(scenario)
    return tuple(
        _counted(index, run_concrete(plan, Sampled(seed, index), has_episodes=has_episodes))
        for index in range(first_index, first_index + intent_count)
    )


def sample(scenario: Scenario, *, intent_count: int, seed: int) -> Sampling:
    """Sample intents with independent faults, and say how sure one can be."""
    return summarised(scenario, sampled_intents(scenario, intent_count=intent_count, seed=seed), seed=seed)


def summarised(scenario: Scenario, intents: Sequence[SampledIntent], *, seed: int) -> Sampling:
    """What a sample of at least one intent says, with its interval."""
    intent_count = len(intents)
    duplicate_count = sum(intent.effect_count > 1 for intent in intents)
    is_zero = duplicate_count == 0
    if is_zero:
        lower, upper = 0.0, float(zero_hits_upper_bound(intent_count, confidence=CONFIDENCE))
    else:
        low, high = clopper_pearson_interval(duplicate_count, intent_count, confidence=CONFIDENCE)
        lower, upper = float(low), float(high)
    risk_limit = scenario.conditions.risk_limit_probability
    return Sampling(
        intent_count=intent_count,
        duplicate_count=duplicate_count,
        lost_count=sum(
            intent.effect_count == 0 and intent.outcome not in (Outcome.FAILED, Outcome.UNKNOWN) for intent in intents
        ),
        open_count=sum(intent.outcome is Outcome.UNKNOWN for intent in intents),
        lower_probability=lower,
        upper_probability=upper,
        interval_kind="95 % upper bound, no hits" if is_zero else "95 % interval (Clopper-Pearson)",
        confidence=CONFIDENCE,
        needed_count=int(trials_needed(risk_limit, confidence=CONFIDENCE)) if is_zero and 0 < risk_limit < 1 else None,
        mean_attempt_count=fmean(intent.call_count for intent in intents),
        seed=seed,
    )


def _counted(index: int, run: Run) -> SampledIntent:
    effects = calls = 0
    outcome: Outcome | None = None
    innermost = ""
    for fact in run.journal:
        if isinstance(fact, Effect):
            effects += 1
        elif isinstance(fact, Attempt) and fact.layer is not LayerName.DOWNSTREAM_SDK:
            innermost, calls = _innermost(innermost, calls, fact.layer)
        elif isinstance(fact, Report):
            outcome = fact.outcome
    return SampledIntent(replication_index=index, effect_count=effects, call_count=calls, outcome=outcome)


def _innermost(layer_so_far: str, count: int, layer: LayerName) -> tuple[str, int]:
    """Count the attempts of the layer nearest to the server: the one that comes last in a call."""
    order = list(LayerName)
    if not layer_so_far or order.index(layer) > order.index(LayerName(layer_so_far)):
        return layer, 1
    return layer_so_far, count + (layer == layer_so_far)
