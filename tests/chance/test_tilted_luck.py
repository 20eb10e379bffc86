"""Tilted luck: the weight takes back exactly what was raised, and nothing is raised once enough has failed."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from simkit.chance import Chance, Luck, Tilted
from simkit.distributions import Uniform, Wait
from simkit.errors import ScenarioError

__all__: list[str] = []

RUN_COUNT = 4000


def tilted(seed: int, index: int = 0, *, fault_count: int = 1, fault_probability: float = 0.5) -> Tilted:
    return Tilted(Luck(seed, index), fault_count=fault_count, fault_probability=fault_probability)


def first_seed(answers: tuple[bool, ...], probability: float) -> Tilted:
    """Luck under which the first flips come out as wanted, after they were asked."""
    for seed in range(1000):
        chance = tilted(seed)
        if tuple(chance.flip(f"s{index}", probability) for index in range(len(answers))) == answers:
            return chance
    raise AssertionError(answers)


@pytest.mark.parametrize(
    ("answers", "weight"),
    (
        # Raised from 0.1 to 0.5: what went wrong counts a fifth, what went well 0.9 / 0.5.
        ((True,), 0.2),
        ((False,), 1.8),
        ((False, False), 1.8 * 1.8),
        # After the first fault nothing is raised, and so nothing is weighed.
        ((True, False), 0.2),
        ((False, True, False), 1.8 * 0.2),
    ),
)
def test_the_weight_is_the_ratio_of_the_two_probabilities(answers: tuple[bool, ...], weight: float) -> None:
    assert first_seed(answers, 0.1).weight == pytest.approx(weight)


@pytest.mark.parametrize(
    ("rates", "fault_count", "fault_probability"),
    (((0.01, 0.01, 0.01), 3, 0.4), ((0.01, 0.02, 0.3), 3, 0.4), ((0.05, 0.05, 0.05), 1, 0.3), ((0.2, 0.2), 5, 0.1)),
)
def test_the_mean_of_the_weights_of_the_hits_is_the_true_probability(
    rates: tuple[float, ...], fault_count: int, fault_probability: float
) -> None:
    """A hit is when all go wrong: the product of the rates."""
    weights = []
    for index in range(RUN_COUNT):
        chance = tilted(5, index, fault_count=fault_count, fault_probability=fault_probability)
        is_hit = all(chance.flip(f"s{number}", rate) for number, rate in enumerate(rates))
        weights.append(chance.weight * is_hit)

    error = float(np.std(weights)) / math.sqrt(RUN_COUNT)
    assert float(np.mean(weights)) == pytest.approx(math.prod(rates), abs=4 * error)
    assert error < math.prod(rates)


@pytest.mark.parametrize(
    ("ask", "expected"),
    (
        (lambda chance: chance.choose("s", (0.9, 0.06, 0.04)), (0.9, 0.06, 0.04)),
        (lambda chance: int(chance.episode("s", 0.1, 0.25)), (0.9, 0.075, 0.025)),
        (lambda chance: int(chance.is_late("s", 0.1)), (0.9, 0.1)),
        (lambda chance: int(chance.flip("s", 0.0)), (1.0, 0.0)),
        (lambda chance: int(chance.flip("s", 1.0)), (0.0, 1.0)),
    ),
)
def test_each_answer_keeps_its_true_probability_under_the_weights(
    ask: Callable[[Chance], int], expected: tuple[float, ...]
) -> None:
    totals = [0.0] * len(expected)
    for index in range(RUN_COUNT):
        chance = tilted(7, index)
        totals[ask(chance)] += chance.weight / RUN_COUNT

    # Weights are below 2, so four standard errors are at most 4 · 2 / 63 / 2 = 0.06; of the rare ones far less.
    assert totals == pytest.approx(list(expected), abs=0.06)
    assert totals[-1] == pytest.approx(expected[-1], rel=0.25)


def test_a_pick_is_drawn_uniformly_weighs_nothing_and_is_told() -> None:
    chance = tilted(1)

    picks = [chance.pick(f"order-{number}", 3) for number in range(300)]

    assert min(picks.count(option) for option in range(3)) > 70
    assert (chance.weight, chance.has_picked) == (1.0, True)


def test_a_wait_with_a_law_is_drawn_by_its_law() -> None:
    wait = Wait(s_min=0.0, s_typical=1.0, s_max=2.0, law=Uniform(shortest_s=0.0, longest_s=2.0))

    drawn_s = [tilted(1, index).latency("work", wait, ()) for index in range(1000)]

    assert float(np.mean(drawn_s)) == pytest.approx(1.0, abs=0.08)


def test_an_unknown_rate_cannot_be_drawn() -> None:
    with pytest.raises(ScenarioError, match="site: its rate is unknown"):
        tilted(1).flip("site", None)
