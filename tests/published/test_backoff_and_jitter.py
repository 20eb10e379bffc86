"""Exponential backoff and jitter (AWS Architecture Blog, 2015): writes and time of clients that contend for one row."""

import pytest

from simkit.contract import named_load
from simkit.study.load import RunFigures, estimated, load_trials
from tests.published.agreement import assert_same_mean

__all__: list[str] = []

SEED = 15

PUBLISHED_OF_TEN = (
    # Means of 400 trials with ten clients: writes in all, and when the last client is done.
    ("backoff-none", 51, 382),
    ("backoff-exponential", 51, 3526),
    ("backoff-decorrelated-jitter", 38, 428),
    ("backoff-equal-jitter", 42, 726),
    ("backoff-full-jitter", 39, 472),
)
NAMES = tuple(name for name, _, _ in PUBLISHED_OF_TEN)


def runs(name: str, client_count: int, trial_count: int) -> tuple[RunFigures, ...]:
    scenario = named_load(name).with_client_count(client_count)
    return load_trials(scenario, trial_count=trial_count, seed=SEED).runs


@pytest.mark.parametrize(("name", "calls", "milliseconds"), PUBLISHED_OF_TEN)
def test_ten_clients_need_the_published_writes_and_time(name: str, calls: int, milliseconds: int) -> None:
    found = runs(name, 10, 60)

    assert_same_mean([run.request_count for run in found], calls, published_count=400, rounding=0.5)
    assert_same_mean([1000 * run.finished_s_max for run in found], milliseconds, published_count=400, rounding=0.5)


@pytest.mark.parametrize("name", NAMES)
def test_a_client_alone_needs_one_write_and_four_messages(name: str) -> None:
    found = runs(name, 1, 100)

    # Four messages of 10 ms; the standard deviation of their sum is 4 ms.
    assert {run.request_count for run in found} == {1}
    assert_same_mean([1000 * run.finished_s_max for run in found], 40, published_count=10**9, rounding=0)


@pytest.mark.parametrize("name", NAMES)
def test_of_two_clients_one_has_to_write_twice(name: str) -> None:
    # Both have read before either writes: a read takes one message, a write comes after three.
    assert {run.request_count for run in runs(name, 2, 50)} == {3}


def test_every_client_writes_the_row_once_whatever_it_waits() -> None:
    for name in NAMES:
        (run,) = runs(name, 25, 1)

        assert (run.success_fraction, run.effect_count_mean, run.open_count) == (1, 1, 0), name


@pytest.mark.parametrize("client_count", (50, 100))
def test_jitter_beats_a_wait_that_is_the_same_for_everybody(client_count: int) -> None:
    found = {name: runs(name, client_count, 10) for name in NAMES}

    calls = {name: estimated([run.request_count for run in found[name]]) for name in NAMES}
    last_s = {name: estimated([run.finished_s_max for run in found[name]]) for name in NAMES}
    # The findings of the article: with jitter there are hardly more than half as many writes, ...
    for name in NAMES[2:]:
        assert calls[name].high < 0.6 * calls["backoff-none"].low
        # ... and it takes less than a third of the time of waits that are the same for everybody.
        assert last_s[name].high < last_s["backoff-exponential"].low / 3
    # Of the jittered ones, equal jitter takes the longest.
    assert last_s["backoff-equal-jitter"].low > last_s["backoff-full-jitter"].high
