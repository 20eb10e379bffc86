"""Samples: counted by hand where faults are certain, and the same however the work is split."""

from dataclasses import replace

import pytest

from simkit.errors import ScenarioError
from simkit.scenario import Scenario
from simkit.study import sample, sampled_intents
from simkit.terms import LayerName, Outcome
from tests.builders import a_call, a_layer, a_scenario, conditions_with, engine_policy, rates_at

__all__: list[str] = []


def failing_at(*sites: str) -> Scenario:
    """The plain scenario, in which these sites fail at every passing and nothing else ever does."""
    return conditions_with(a_scenario(), rates=rates_at(1.0, *sites))


@pytest.mark.parametrize("chunk_size", (1, 7, 20, 60))
def test_any_chunking_gives_the_same_intents(chunk_size: int) -> None:
    scenario = engine_policy(2, 0.2)
    whole = sampled_intents(scenario, intent_count=60, seed=5)

    chunked = [
        intent
        for first in range(0, 60, chunk_size)
        for intent in sampled_intents(scenario, intent_count=min(chunk_size, 60 - first), seed=5, first_index=first)
    ]

    assert tuple(chunked) == whole
    assert [intent.replication_index for intent in whole] == list(range(60))


def test_another_seed_gives_other_intents() -> None:
    scenario = engine_policy(1, 0.3)

    one, other = (sampled_intents(scenario, intent_count=60, seed=seed) for seed in (1, 2))

    assert one != other


def test_an_unknown_rate_is_refused() -> None:
    scenario = conditions_with(a_scenario(), rates=rates_at(None, "server.after_effect"))

    with pytest.raises(ScenarioError, match="rate is unknown"):
        sampled_intents(scenario, intent_count=1, seed=1)


def test_two_calls_are_refused_because_they_are_not_independent() -> None:
    calls = (a_call(), a_call(intent="i2", operation="op2", start_s=1.0))

    with pytest.raises(ScenarioError, match="this one has 2"):
        sampled_intents(a_scenario(calls=calls), intent_count=1, seed=1)


def test_a_certain_crash_after_the_effect_makes_one_effect_for_each_attempt() -> None:
    """Three attempts, each crashes after its effect and is run again: three effects, and nobody knows."""
    intents = sampled_intents(failing_at("server.after_effect"), intent_count=4, seed=1)

    assert {(intent.effect_count, intent.call_count, intent.outcome) for intent in intents} == {(3, 3, Outcome.UNKNOWN)}


def test_certain_duplicates_are_counted_with_their_interval() -> None:
    """All of 50: the lower end of the exact 95 % interval is 0.025^(1/50), the upper 1."""
    found = sample(failing_at("server.after_effect"), intent_count=50, seed=1)

    assert (found.intent_count, found.duplicate_count, found.lost_count, found.open_count) == (50, 50, 0, 50)
    assert found.lower_probability == pytest.approx(0.025 ** (1 / 50))
    assert found.upper_probability == 1.0
    assert found.mean_attempt_count == 3.0
    assert found.needed_count is None
    assert (found.interval_kind, found.seed) == ("95 % interval (Clopper-Pearson)", 1)


def test_without_a_fault_nothing_is_duplicated_lost_or_open() -> None:
    """None of 50: the one-sided bound is 1 - 0.05^(1/50); for 1e-4, 0.9999^n <= 0.05 first holds at n = 29956."""
    found = sample(a_scenario(), intent_count=50, seed=1)

    assert (found.duplicate_count, found.lost_count, found.open_count) == (0, 0, 0)
    assert found.lower_probability == 0.0
    assert found.upper_probability == pytest.approx(1 - 0.05 ** (1 / 50))
    assert found.mean_attempt_count == 1.0
    assert found.needed_count == 29956
    assert 0.9999**29956 <= 0.05 < 0.9999**29955
    assert found.interval_kind == "95 % upper bound, no hits"


def test_requests_that_never_arrive_end_open_and_without_an_effect() -> None:
    found = sample(failing_at("gateway_to_server.request_lost"), intent_count=10, seed=1)

    assert (found.duplicate_count, found.lost_count, found.open_count) == (0, 0, 10)
    assert found.mean_attempt_count == 3.0


def test_an_agent_that_waits_for_ever_loses_the_intent_and_tells_nobody() -> None:
    scenario = failing_at("gateway_to_server.request_lost")
    patient = replace(scenario, layers=(a_layer(LayerName.AGENT, timeout_s=None), *scenario.layers[1:]))

    found = sample(patient, intent_count=10, seed=1)

    assert (found.lost_count, found.open_count) == (10, 0)


def test_a_site_that_fails_at_a_rate_is_hit_about_that_often() -> None:
    """Policy 1 duplicates when the first attempt crashes after the effect: rate 0.2, 2,000 intents, sd 0.0089."""
    rates = rates_at(0.2, "server.after_effect")

    found = sample(conditions_with(engine_policy(1), rates=rates), intent_count=2000, seed=11)

    assert found.duplicate_count / 2000 == pytest.approx(0.2, abs=4 * 0.0089)
    assert found.lower_probability < found.duplicate_count / 2000 < found.upper_probability
