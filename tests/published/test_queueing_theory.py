"""Queues against theory: who waits, and for how long, in M/M/1 and M/M/c."""

from math import factorial

import numpy as np
from numpy.typing import NDArray

from simkit.contract import named_load
from simkit.stats import t_interval
from simkit.study.load import runs_of
from simkit.world.load import LoadRun

__all__: list[str] = []

SEED = 9
WARM_UP_S = 50.0
"""The queue begins empty; hundreds of service times later it has forgotten that."""


def erlang_c(server_count: int, offered_erlangs: float) -> float:
    """Probability that an arrival waits, from the textbook's sum."""
    a, c = offered_erlangs, server_count
    last = a**c / factorial(c) * c / (c - a)
    return last / (sum(a**k / factorial(k) for k in range(c)) + last)


def settled(run: LoadRun) -> NDArray[np.float64]:
    """Columns arrived, begun and left, without the warm-up."""
    requests = run.requests
    rows = np.column_stack((requests.arrived_at_s, requests.begun_at_s, requests.left_at_s))
    return np.asarray(rows[rows[:, 0] > WARM_UP_S])


def test_one_server_has_the_sojourn_of_theory() -> None:
    found = [settled(run) for run in runs_of(named_load("queue-one-server"), trial_count=4, seed=SEED)]

    low, high = t_interval([(rows[:, 2] - rows[:, 0]).mean() for rows in found], confidence=0.99)

    # 1 / (10 - 8) per second.
    assert low < 0.5 < high
    assert high - low < 0.2


def test_of_four_servers_as_many_wait_and_as_long_as_erlang_says() -> None:
    found = [settled(run) for run in runs_of(named_load("queue-four-servers"), trial_count=4, seed=SEED)]
    waits_s = [rows[:, 1] - rows[:, 0] for rows in found]

    waiting = t_interval([(wait_s > 0).mean() for wait_s in waits_s], confidence=0.99)
    mean_s = t_interval([wait_s.mean() for wait_s in waits_s], confidence=0.99)

    probability = erlang_c(4, 3.0)
    assert waiting[0] < probability < waiting[1]
    # Who waits does so for 1 / (4 x 10 - 30) s on average.
    assert mean_s[0] < probability / 10 < mean_s[1]
