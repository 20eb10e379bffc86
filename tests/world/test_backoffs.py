"""Waits by a formula, acted out: by the number of the retry, by the failure, and by what the wait before lasted."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from simkit.chance import Sampled
from simkit.choices import AskedWait, WriteOrder
from simkit.distributions import Backoff, Wait
from simkit.records import Attempt
from simkit.scenario import RetryAfter, RetryLayer
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName
from simkit.world import run_concrete, run_intervals, solve_witness
from tests.builders import FaultsAt, a_layer, a_scenario, conditions_with, rates_at, server_with
from tests.world.layer_bench import BUSY, DOWN, EVERY_ERROR, Bench, an_sdk

__all__: list[str] = []

DOUBLING = Backoff(first_s=1.0, factor=2.0, cap_s=5.0)
DECORRELATED = Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0)
LOST, LOST_BELOW = "gateway_to_server.request_lost", "server_to_downstream.request_lost"


def waits_s(bench: Bench) -> list[float]:
    """What lies between the requests of one call."""
    bench.call()
    return [later - earlier for earlier, later in pairwise(bench.party.arrivals_s)]


@pytest.mark.parametrize(
    ("backoff", "expected"),
    (
        (DOUBLING, [1.0, 2.0, 4.0, 5.0, 5.0]),
        (Backoff(first_s=1.0, factor=2.0, cap_s=5.0, immediate_count=2), [0.0, 0.0, 4.0, 5.0, 5.0]),
        (Backoff(first_s=1.0, power=2.0), [1.0, 4.0, 9.0, 16.0, 25.0]),
    ),
)
def test_waits_follow_the_number_of_the_retry(backoff: Backoff, expected: list[float]) -> None:
    bench = Bench(an_sdk(attempts=6, retries_on=EVERY_ERROR, backoff=backoff), answers=(DOWN,))

    assert waits_s(bench) == expected


def test_waits_after_an_overload_have_a_formula_of_their_own_and_one_number_with_the_others() -> None:
    """As botocore counts: the number is that of the retry, whatever failed before."""
    policy = an_sdk(
        attempts=5,
        retries_on=EVERY_ERROR,
        backoff=DOUBLING,
        backoff_overloaded=Backoff(first_s=10.0, factor=2.0, cap_s=100.0),
    )
    bench = Bench(policy, answers=(DOWN, BUSY, DOWN, BUSY, DOWN))

    assert waits_s(bench) == [1.0, 20.0, 4.0, 80.0]


def an_agent(**changes: object) -> RetryLayer:
    """An agent with four attempts that waits 1 s for each."""
    return a_layer(LayerName.AGENT, **{"attempts": 4, "timeout_s": 1.0, **changes})


@pytest.mark.parametrize(
    ("backoff", "sent_at_s"), ((DOUBLING, [0.0, 2.0, 5.0, 10.0]), (Wait.of(3.0), [0.0, 4.0, 8.0, 12.0]))
)
def test_an_agent_waits_by_its_formula(backoff: Backoff | Wait, sent_at_s: list[float]) -> None:
    scenario = a_scenario(layers=(an_agent(backoff=backoff), a_layer(LayerName.DOWNSTREAM_SDK)))
    scenario = conditions_with(scenario, rates=rates_at(0.1, LOST))

    journal = run_concrete(scenario, FaultsAt(*(f"{LOST}@{number}" for number in range(1, 5)))).journal

    assert [attempt.at_s for attempt in journal.of(Attempt) if attempt.layer is LayerName.AGENT] == sent_at_s


def test_a_relay_waits_by_the_number_of_its_round() -> None:
    """Each round waits 1 s for an answer, and then 1, 2 and 4 s."""
    layers = (a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK, backoff=DOUBLING))
    scenario = server_with(a_scenario(layers=layers), order=WriteOrder.OUTBOX)
    scenario = conditions_with(scenario, rates=rates_at(0.1, LOST_BELOW))
    rounds = (f"{LOST_BELOW}@1/relay-{number}/1" for number in range(1, 4))

    journal = run_concrete(scenario, FaultsAt(*rounds)).journal

    sent_at_s = [attempt.at_s for attempt in journal.of(Attempt) if attempt.layer is LayerName.DOWNSTREAM_SDK]
    assert sent_at_s == pytest.approx([0.01, 2.01, 5.01, 10.01])


def published(retry_count: int, seed: int) -> list[float]:
    """Brooker's loop: `sleep = min(cap, random_between(base, sleep * 3))`, beginning with the base."""
    rng, sleep_s, slept_s = np.random.default_rng(seed), 1.0, []
    for _ in range(retry_count):
        sleep_s = min(20.0, rng.uniform(1.0, sleep_s * 3))
        slept_s.append(sleep_s)
    return slept_s


def test_decorrelated_waits_are_drawn_by_the_one_before_as_published() -> None:
    policy = an_sdk(attempts=6, retries_on=EVERY_ERROR, backoff=DECORRELATED)

    ours = np.array([waits_s(Bench(policy, answers=(DOWN,), chance=Sampled(seed, 0))) for seed in range(600)])

    theirs = np.array([published(5, seed) for seed in range(600)])
    for index in range(5):
        assert stats.ks_2samp(ours[:, index], theirs[:, index]).pvalue > 1e-3
    # A long wait is followed by long ones: independent waits would have no correlation.
    assert stats.spearmanr(ours[:, 1], ours[:, 2]).statistic > 0.4
    assert all(later <= min(20.0, 3 * earlier) + 2e-6 for row in ours for earlier, later in pairwise(row))


def test_an_asked_wait_is_not_what_the_next_decorrelated_wait_is_drawn_by() -> None:
    """The first retry waits for the 7 s that were asked for; the second is drawn from U(1, 3) as the first would be."""
    asked = RetryAfter(waits=AskedWait.INSTEAD)
    policy = an_sdk(attempts=3, retries_on=EVERY_ERROR, backoff=DECORRELATED, retry_after=asked)

    drawn_s = [waits_s(Bench(policy, answers=(BUSY, DOWN), chance=Sampled(seed, 0))) for seed in range(300)]

    assert {first_s for first_s, _ in drawn_s} == {7.0}
    assert stats.kstest([second_s for _, second_s in drawn_s], stats.uniform(1, 2).cdf).pvalue > 1e-3


def test_a_wait_after_an_overload_is_not_what_the_next_other_wait_is_drawn_by() -> None:
    slow = Backoff(first_s=10.0, previous_factor=3.0, cap_s=100.0)
    policy = an_sdk(attempts=3, retries_on=EVERY_ERROR, backoff=DECORRELATED, backoff_overloaded=slow)

    drawn_s = [waits_s(Bench(policy, answers=(BUSY, DOWN), chance=Sampled(seed, 0))) for seed in range(100)]

    assert all(10 <= first_s <= 30 and 1 <= second_s <= 3.000001 for first_s, second_s in drawn_s)


@pytest.mark.parametrize(
    "backoff",
    (
        DOUBLING,
        DECORRELATED,
        Backoff(first_s=1.0, factor=2.0, cap_s=5.0, scale_min=0.0, floor_s=0.5, ceiling_s=3.0),
        Backoff(first_s=1.0, factor=2.0, cap_s=5.0, added_s_max=1.0, immediate_count=1),
    ),
)
def test_every_order_holds_what_is_drawn_on_a_clock_and_its_witnesses_replay(backoff: Backoff) -> None:
    """Two losses of three attempts, with waits of every length that the formula allows."""
    scenario = server_with(
        a_scenario(layers=(an_agent(backoff=backoff), a_layer(LayerName.DOWNSTREAM_SDK))), claim=ClaimKind.NONE
    )
    scenario = conditions_with(scenario, rates=rates_at(0.4, LOST))

    counts = set()
    for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=2, runs_twice=True):
        counts.add(len(leaf.run.journal.of(Attempt)))
        solve_witness(scenario, leaf.trace)
    drawn = {len(run_concrete(scenario, Sampled(seed, 0)).journal.of(Attempt)) for seed in range(60)}

    # An attempt of the agent and one of the SDK where it is answered; each loss is one more of the agent alone.
    assert counts == {2, 3, 4}
    assert counts <= drawn
