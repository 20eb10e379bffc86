"""Everything that a retry policy can say, and how a system of record answers, is read back as it was written."""

from dataclasses import MISSING, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.choices import AskedWait, BeyondLongest, KeyMinted
from simkit.contract import parse_scenario, scenario_text
from simkit.distributions import Backoff, Wait
from simkit.scenario import (
    CircuitBreaker,
    Downstream,
    RetryAfter,
    RetryLayer,
    RetryRule,
    RetryShare,
    Scenario,
    TokenBucket,
)
from simkit.terms import ErrorClass, LayerName, OnExhausted
from tests.builders import a_scenario, downstream_with

__all__: list[str] = []

FULL = RetryLayer(
    name=LayerName.AGENT,
    attempts=None,
    timeout_s=7.0,
    backoff=Backoff(
        first_s=0.25,
        factor=2.5,
        power=1.5,
        offset_s=0.125,
        cap_s=20.0,
        scale_min=0.5,
        scale_max=1.25,
        floor_s=0.5,
        ceiling_s=22.0,
        immediate_count=1,
    ),
    budget_s=90.0,
    on_exhausted=OnExhausted.SAY_LAST,
    retries_on=(ErrorClass.REQUEST_TIMEOUT, ErrorClass.BAD_GATEWAY, ErrorClass.GATEWAY_TIMEOUT),
    methods=("GET", "PUT"),
    rules=(RetryRule(failures=(ErrorClass.OVERLOADED,), methods=("POST",), only_with_retry_after=True),),
    backoff_overloaded=Backoff(first_s=1.0, previous_factor=3.0, cap_s=60.0),
    retry_after=RetryAfter(
        waits=AskedWait.INSTEAD,
        longest_s=120.0,
        beyond=BeyondLongest.STOP,
        scale_min=0.75,
        scale_max=1.5,
    ),
    token_bucket=TokenBucket(
        token_count_max=10.5,
        cost_count=1.5,
        refund_count=0.1,
        cost_count_overloaded=0.5,
        returns_cost=True,
        deposit_count=0.2,
        charges_failures=True,
        above_count=5.25,
    ),
    circuit_breaker=CircuitBreaker(failure_count=5, open_s=30.0),
    retry_share=RetryShare(fraction=0.2, count_min=3),
    concurrent_retry_count_max=4,
    mints_key=KeyMinted.PER_ATTEMPT,
)
"""Every field has another value than the usual one, but for those of a backoff that exclude each other."""


def with_layer(layer: RetryLayer) -> Scenario:
    """The plain world with that layer in the place of its agent."""
    scenario = a_scenario()
    return replace(scenario, layers=(layer, *scenario.layers[1:]))


def is_read_back(scenario: Scenario) -> bool:
    """Whether a file that is written from a scenario reads as the same one."""
    return parse_scenario(scenario_text(scenario).encode(), file="scenario.yaml") == scenario


@pytest.mark.parametrize(
    ("part", "left_usual"),
    (
        (FULL, set()),
        (FULL.rules[0], set()),
        (FULL.retry_after, {"added_s_max"}),
        (FULL.token_bucket, set()),
        (FULL.backoff, {"added_s_max", "previous_factor"}),
    ),
    ids=("layer", "rule", "retry after", "token bucket", "backoff"),
)
def test_the_full_policy_leaves_no_field_as_it_usually_is(part: Any, left_usual: set[str]) -> None:
    """So that a field that is added later, and forgotten here, is found."""
    usual = {field.name for field in fields(part) if field.default is not MISSING}

    assert {
        name for name in usual if getattr(part, name) == type(part).__dataclass_fields__[name].default
    } == left_usual


@pytest.mark.parametrize(
    "layer",
    (
        FULL,
        replace(
            FULL,
            attempts=4,
            backoff=Backoff(first_s=1.0, added_s_max=1.0),
            retry_after=RetryAfter(waits=AskedWait.LONGER, added_s_max=2.0),
        ),
        replace(FULL, backoff=Wait(s_min=1.0, s_typical=2.0, s_max=3.0), methods=None, budget_s=None, timeout_s=None),
    ),
)
def test_a_policy_is_read_back_as_it_was_written(layer: RetryLayer) -> None:
    assert is_read_back(with_layer(layer))


@pytest.mark.parametrize("error", ErrorClass)
def test_how_a_system_answers_an_error_is_read_back(error: ErrorClass) -> None:
    """Some classes are numbers, which stay words in a file."""
    scenario = downstream_with(with_layer(replace(FULL, retries_on=(error,))), error=error, retry_after_s=2.5)

    assert is_read_back(scenario)
    assert isinstance(scenario.downstreams[0], Downstream)


DURATIONS = st.integers(0, 10**10).map(lambda microseconds: microseconds / 10**6)
FACTORS = st.integers(1_000, 5_000).map(lambda thousandths: thousandths / 1_000)
COUNTS = st.integers(0, 5_000).map(lambda thousandths: thousandths / 1_000)
FAILURES = st.lists(st.sampled_from(ErrorClass), unique=True).map(tuple)
METHODS = st.none() | st.lists(st.sampled_from(("GET", "PUT", "POST", "DELETE")), unique=True, min_size=1).map(tuple)
PAIRS = st.tuples(COUNTS, COUNTS).map(sorted)


@st.composite
def formulas(draw: st.DrawFn) -> Backoff:
    """Any formula of a backoff."""
    if draw(st.booleans()):
        return Backoff(first_s=draw(DURATIONS), cap_s=draw(DURATIONS), previous_factor=draw(FACTORS))
    scale_min, scale_max = draw(PAIRS)
    return Backoff(
        first_s=draw(DURATIONS),
        factor=draw(FACTORS),
        power=draw(COUNTS),
        offset_s=draw(DURATIONS),
        cap_s=draw(st.none() | DURATIONS),
        scale_min=scale_min,
        scale_max=scale_max,
        immediate_count=draw(st.integers(0, 3)),
    )


@st.composite
def policies(draw: st.DrawFn) -> RetryLayer:
    """Any policy of an agent."""
    scale_min, scale_max = draw(PAIRS)
    rules = st.builds(RetryRule, failures=FAILURES, methods=METHODS, only_with_retry_after=st.booleans())
    asked = RetryAfter(
        waits=draw(st.sampled_from(AskedWait)),
        longest_s=draw(st.none() | DURATIONS),
        beyond=draw(st.sampled_from(BeyondLongest)),
        scale_min=scale_min,
        scale_max=scale_max,
        added_s_max=draw(DURATIONS) if scale_min == scale_max else 0.0,
    )
    buckets = st.builds(
        TokenBucket,
        token_count_max=COUNTS,
        cost_count=COUNTS,
        refund_count=COUNTS,
        cost_count_overloaded=st.none() | COUNTS,
        returns_cost=st.booleans(),
        deposit_count=COUNTS,
        charges_failures=st.booleans(),
        above_count=st.none() | COUNTS,
    )
    return RetryLayer(
        name=LayerName.AGENT,
        attempts=draw(st.none() | st.integers(1, 9)),
        timeout_s=draw(st.none() | DURATIONS),
        backoff=draw(formulas()),
        budget_s=draw(st.none() | DURATIONS),
        on_exhausted=draw(st.sampled_from(OnExhausted)),
        retries_on=draw(FAILURES),
        methods=draw(METHODS),
        rules=tuple(draw(st.lists(rules, max_size=2))),
        backoff_overloaded=draw(st.none() | formulas()),
        retry_after=draw(st.none() | st.just(asked)),
        token_bucket=draw(st.none() | buckets),
        concurrent_retry_count_max=draw(st.none() | st.integers(0, 9)),
        mints_key=draw(st.none() | st.sampled_from(KeyMinted)),
    )


@given(layer=policies())
def test_any_policy_is_read_back_as_it_was_written(layer: RetryLayer) -> None:
    assert is_read_back(with_layer(layer))
