"""Sampled answers depend on seed, replication, site and occurrence alone, and are as frequent as they should be."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from simkit.chance import Chance, Sampled

__all__: list[str] = []

SITES = tuple(f"hop.request_lost@{number}" for number in range(40))
REPLICATION_COUNT = 4000


def draw(chance: Chance, order: tuple[str, ...]) -> dict[str, list[bool]]:
    """Ask each site once for each time that it stands in `order`."""
    answers: dict[str, list[bool]] = {}
    for site in order:
        answers.setdefault(site, []).append(chance.flip(site, 0.5))
    return answers


@given(order=st.permutations(SITES[:10] * 2))
def test_the_order_of_asking_changes_no_draw(order: list[str]) -> None:
    assert draw(Sampled(7, 3), tuple(order)) == draw(Sampled(7, 3), SITES[:10] * 2)


@pytest.mark.parametrize(("seed", "replication_index"), ((8, 3), (7, 4), (73, 0), (-7, 3)))
def test_another_seed_or_another_replication_draws_otherwise(seed: int, replication_index: int) -> None:
    assert draw(Sampled(seed, replication_index), SITES) != draw(Sampled(7, 3), SITES)


def test_an_additional_site_changes_no_other_luck() -> None:
    alone = draw(Sampled(7, 3), SITES[:5])
    together = draw(Sampled(7, 3), tuple(site for pair in zip(SITES[:5], SITES[5:10], strict=True) for site in pair))

    assert {site: together[site] for site in SITES[:5]} == alone


def test_a_site_that_is_passed_again_draws_anew() -> None:
    answers = draw(Sampled(7, 3), SITES[:1] * 40)[SITES[0]]

    assert set(answers) == {True, False}


@pytest.mark.parametrize("probability", (0.01, 0.2, 0.5, 0.9))
def test_a_flip_and_a_late_message_happen_as_often_as_stated(probability: float) -> None:
    flips = sum(Sampled(1, index).flip("site", probability) for index in range(REPLICATION_COUNT))
    lates = sum(Sampled(2, index).is_late("site", probability) for index in range(REPLICATION_COUNT))

    assert binomtest(flips, REPLICATION_COUNT, probability).pvalue > 0.001
    assert binomtest(lates, REPLICATION_COUNT, probability).pvalue > 0.001


def test_alternatives_episodes_and_picks_are_drawn_by_their_weights() -> None:
    choices = Counter(Sampled(3, index).choose("site", (0.6, 0.3, 0.1)) for index in range(REPLICATION_COUNT))
    episodes = Counter(int(Sampled(4, index).episode("site", 0.4, 0.25)) for index in range(REPLICATION_COUNT))
    picks = Counter(Sampled(5, index).pick("site", 4) for index in range(REPLICATION_COUNT))

    for counts, weights in ((choices, (0.6, 0.3, 0.1)), (episodes, (0.6, 0.3, 0.1)), (picks, (0.25,) * 4)):
        observed = [counts[answer] for answer in range(len(weights))]
        assert chisquare(observed, [weight * REPLICATION_COUNT for weight in weights]).pvalue > 0.001


def test_draws_of_neighbouring_sites_and_replications_are_independent() -> None:
    sites = Counter(
        tuple(answers[0] for answers in draw(Sampled(6, index), SITES[:2]).values())
        for index in range(REPLICATION_COUNT)
    )
    neighbours = Counter(
        (Sampled(6, index).flip("site", 0.5), Sampled(6, index + 1).flip("site", 0.5))
        for index in range(0, 2 * REPLICATION_COUNT, 2)
    )

    assert chisquare(list(sites.values())).pvalue > 0.001
    assert chisquare(list(neighbours.values())).pvalue > 0.001


def test_certain_answers_are_certain() -> None:
    assert not any(Sampled(1, index).flip("site", 0.0) for index in range(1000))
    assert all(Sampled(1, index).flip("site", 1.0) for index in range(1000))


def test_nothing_is_drawn_at_an_unknown_rate() -> None:
    with pytest.raises(ValueError, match="site: its rate is unknown"):
        Sampled(1, 0).flip("site", None)
