"""Laws of durations against scipy, and the cells of a wait: a partition of what lies in its interval."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simkit.distributions import Atom, Discrete, Exponential, Law, Lognormal, Uniform, Wait
from simkit.errors import ScenarioError

__all__: list[str] = []

LAWS = (
    (Lognormal(median_s=0.02, sigma=1.2), stats.lognorm(s=1.2, scale=0.02)),
    (Exponential(mean_s=0.3), stats.expon(scale=0.3)),
    (Uniform(shortest_s=0.5, longest_s=2.0), stats.uniform(loc=0.5, scale=1.5)),
)
THREE = Discrete(atoms=(Atom(duration_s=0.1, weight=5), Atom(duration_s=1.0, weight=3), Atom(duration_s=9.0, weight=2)))


def a_wait(law: Law, s_min: float = 0.0, s_max: float = 1000.0) -> Wait:
    return Wait(s_min=s_min, s_typical=s_min, s_max=s_max, law=law)


@pytest.mark.parametrize(("law", "scipys"), LAWS)
@pytest.mark.parametrize("duration_s", (0.0, 0.01, 0.6, 1.9, 11.0))
def test_a_law_has_the_distribution_of_the_textbook(law: Law, scipys: Any, duration_s: float) -> None:
    assert law.cdf_probability(duration_s) == pytest.approx(float(scipys.cdf(duration_s)), rel=1e-12, abs=1e-15)
    assert law.beyond_probability(duration_s) == pytest.approx(float(scipys.sf(duration_s)), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("law", "scipys"), LAWS)
@pytest.mark.parametrize("probability", (1e-12, 1e-3, 0.5, 0.999))
def test_a_quantile_is_the_one_of_the_textbook_also_far_in_the_tail(law: Law, scipys: Any, probability: float) -> None:
    assert law.quantile_beyond_s(probability) == pytest.approx(float(scipys.isf(probability)), rel=1e-9)
    # The lower tail is told by 1 - p, and has only what is left of p there.
    assert law.quantile_s(probability) == pytest.approx(float(scipys.ppf(probability)), rel=1e-4)


@pytest.mark.parametrize("law", tuple(law for law, _ in LAWS))
@given(cuts_s=st.lists(st.floats(0.0, 2000.0), max_size=6), at_fraction=st.floats(0.0, 1.0))
def test_cells_are_a_partition_and_a_draw_stays_in_its_cell(law: Law, cuts_s: list[float], at_fraction: float) -> None:
    cells = a_wait(law, 0.1, 12.0).cells(cuts_s)

    assert math.fsum(cell.probability for cell in cells) == pytest.approx(1.0, abs=1e-12)
    assert all(before.s_max <= after.s_min for before, after in pairwise(cells))
    assert all(0.1 <= cell.s_min <= cell.duration_s(at_fraction) <= cell.s_max <= 12.0 for cell in cells)


def test_the_cells_of_a_continuous_law_lie_between_the_cuts_with_the_mass_of_the_law_there() -> None:
    """Exponential with mean 1 between 1 and 4, cut at 2: conditioned on the interval, (e^-1 - e^-2) / (e^-1 - e^-4)."""
    first, second = a_wait(Exponential(mean_s=1.0), 1.0, 4.0).cells((2.0, 7.0))

    assert (first.s_min, first.s_max, second.s_max) == (1.0, 2.0, 4.0)
    assert first.probability == pytest.approx((math.exp(-1) - math.exp(-2)) / (math.exp(-1) - math.exp(-4)))


def test_a_discrete_law_has_one_cell_for_each_duration_in_the_interval_whatever_the_cuts() -> None:
    cells = a_wait(THREE, 0.0, 5.0).cells((0.5, 0.7))

    assert [(cell.s_min, cell.is_point) for cell in cells] == [(0.1, True), (1.0, True)]
    # 5 and 3 of the 8 that are left.
    assert [cell.probability for cell in cells] == [0.625, 0.375]


@given(at_fraction=st.floats(0.0, 1.0, exclude_max=True))
def test_a_duration_is_the_quantile_of_the_law_within_the_interval(at_fraction: float) -> None:
    """Between 1 and 3 a uniform law from 0 to 10 is uniform from 1 to 3."""
    found_s = a_wait(Uniform(shortest_s=0.0, longest_s=10.0), 1.0, 3.0).duration_s(at_fraction)
    discrete_s = a_wait(THREE).duration_s(at_fraction)

    assert found_s == pytest.approx(1.0 + 2.0 * at_fraction)
    assert discrete_s == (0.1 if at_fraction < 0.5 else 1.0 if at_fraction < 0.8 else 9.0)


def test_a_wait_without_a_law_takes_its_typical_duration_and_has_no_cells() -> None:
    wait = Wait(s_min=1.0, s_typical=2.0, s_max=3.0)

    assert (wait.duration_s(0.9), wait.cells((2.5,))) == (2.0, ())


@pytest.mark.parametrize(
    ("s_min", "s_max", "law"),
    (
        (3.0, 4.0, Uniform(shortest_s=0.0, longest_s=2.0)),
        (1.0, 1.0, Lognormal(median_s=1.0, sigma=1.0)),
        (2.0, 5.0, THREE),
    ),
)
def test_a_law_that_never_happens_in_the_interval_is_refused(s_min: float, s_max: float, law: Law) -> None:
    with pytest.raises(ScenarioError, match="exclude each other"):
        a_wait(law, s_min, s_max)


@pytest.mark.parametrize(
    "make",
    (
        lambda: Lognormal(median_s=0.0, sigma=1.0),
        lambda: Lognormal(median_s=1.0, sigma=math.inf),
        lambda: Exponential(mean_s=-1.0),
        lambda: Uniform(shortest_s=2.0, longest_s=2.0),
        lambda: Discrete(atoms=()),
        lambda: Discrete(atoms=(Atom(duration_s=2.0, weight=1.0), Atom(duration_s=1.0, weight=1.0))),
        lambda: Discrete(atoms=(Atom(duration_s=2.0, weight=0.0),)),
    ),
)
def test_a_law_without_meaning_is_refused(make: Callable[[], Law]) -> None:
    with pytest.raises(ScenarioError):
        make()
