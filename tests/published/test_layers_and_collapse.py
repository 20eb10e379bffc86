"""Layered amplification, retry budgets, collapse after a spike, and a metastable outage, as published."""

import pytest

from simkit.contract import named_load
from simkit.study.load import collapsed_runs, load_trials, over_time, runs_of
from tests.published.agreement import STANDARD_ERRORS

__all__: list[str] = []

SEED = 7


@pytest.mark.parametrize(("name", "request_count"), (("layers-three-of-four", 4**3), ("layers-five-of-three", 3**5)))
def test_attempts_of_layers_multiply_against_a_dead_server(name: str, request_count: int) -> None:
    (run,) = load_trials(named_load(name), trial_count=1, seed=SEED).runs

    assert run.request_count == request_count


def test_three_attempts_come_to_just_under_three_times_and_a_budget_to_a_tenth_more() -> None:
    capped, budgeted = (
        load_trials(named_load(name), trial_count=3, seed=SEED).of("amplification").mean
        for name in ("overload-attempts-capped", "overload-retries-budgeted")
    )

    # 1 + p + p^2 of 98 % failures; some 30,000 calls leave an error of 0.001.
    assert abs(capped - (1 + 0.98 + 0.98**2)) < STANDARD_ERRORS * 0.0015
    # Each client may retry a tenth of its calls, rounded down.
    assert 1.095 < budgeted <= 1.1


def test_retries_at_once_stay_collapsed_in_most_seeds_and_with_jitter_in_none() -> None:
    # Normal is what was in flight before the spike, at 20 s: a run returns to it unless, from 60 s on, 35 s after the
    # end of the spike, more is in flight at every second than at the busiest instant before it.
    at_once, with_jitter = (
        collapsed_runs(named_load(name), trial_count=count, seed=SEED, before_s=20.0, after_s=60.0)
        for name, count in (("collapse-at-once", 30), ("collapse-with-jitter", 10))
    )

    # The exact interval of Clopper and Pearson, at 95 %, lies above a half.
    assert at_once.lower > 0.5
    # Of 10 runs without one, the interval ends at 1 - 0.025^(1/10).
    assert with_jitter.collapsed_count == 0
    assert with_jitter.upper == pytest.approx(1 - 0.025 ** (1 / 10))


def test_an_outage_of_ten_seconds_leaves_twice_the_load_and_no_goodput() -> None:
    (run,) = runs_of(named_load("metastable-outage"), trial_count=1, seed=SEED)
    course = over_time(run, bin_s=10.0, until_s=100.0)

    # Before: 280/s are offered and served. From 60 s on, 30 s after its end: each query is sent twice, in vain.
    assert course.goodput.iloc[1] > 260
    late = course.iloc[6:]
    assert abs(late.offered.mean() - 560) < STANDARD_ERRORS * 2 * (280 / 40) ** 0.5
    assert late.goodput.max() < 3


@pytest.mark.parametrize("name", ("metastable-outage-light", "metastable-outage-budgeted"))
def test_less_load_or_a_small_budget_recovers_from_the_same_outage(name: str) -> None:
    (run,) = runs_of(named_load(name), trial_count=1, seed=SEED)

    course = over_time(run, bin_s=10.0, until_s=100.0)

    assert course.goodput.iloc[-1] > 0.9 * course.begun.iloc[-1]
