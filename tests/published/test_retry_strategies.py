"""Fixing retries with token buckets and circuit breakers (M. Brooker, 2022): success and load by strategy."""

from math import sqrt

import pytest

from simkit.contract import named_load
from simkit.study.load import load_trials
from tests.published.agreement import STANDARD_ERRORS, assert_same_mean

__all__: list[str] = []

SEED = 22

PUBLISHED_AT_TEN_PERCENT = (
    # Success fraction and requests for each call of one run of 100 clients, and to how many digits they are given.
    ("retries-none", 0.90, 1.0, 0.005),
    ("retries-three", 0.9999, 1.11, 0.00005),
    ("retries-adaptive-per-call", 0.993, 1.10, 0.0005),
    ("retries-breaker", 0.93, 1.03, 0.005),
)


@pytest.mark.parametrize(("name", "success", "amplification", "rounding"), PUBLISHED_AT_TEN_PERCENT)
def test_a_strategy_has_the_published_success_and_load(
    name: str, success: float, amplification: float, rounding: float
) -> None:
    found = load_trials(named_load(name), trial_count=5, seed=SEED).runs

    assert_same_mean([run.success_fraction for run in found], success, published_count=1, rounding=rounding)
    assert_same_mean([run.amplification for run in found], amplification, published_count=1, rounding=0.005)


def test_without_a_limit_of_their_own_strategies_follow_from_the_failure_rate() -> None:
    # Of a call with up to three retries p^4 fail, after 1 + p + p^2 + p^3 requests.
    (run,) = load_trials(named_load("retries-three"), trial_count=1, seed=SEED).runs

    count = run.operation_count
    failed_count = round(count * (1 - run.success_fraction))
    assert abs(failed_count - count * 0.1**4) <= STANDARD_ERRORS * sqrt(count * 0.1**4)
    # A call has 0.111 retries on average, with a variance of 0.12.
    assert abs(run.amplification - 1.111) <= STANDARD_ERRORS * sqrt(0.12 / count)


def test_tokens_on_success_are_as_good_as_tokens_for_each_call_while_most_succeed() -> None:
    both = [
        load_trials(named_load(f"retries-adaptive-{when}"), trial_count=4, seed=SEED).of("success_fraction")
        for when in ("per-call", "on-success")
    ]

    # A call that fails in the end brings no token then; that is less than one in a hundred.
    assert both[0].low < both[1].high
    assert both[1].low < both[0].high
