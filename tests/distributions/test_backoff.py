"""Backoff by every formula: bounds by hand, draws against the closed-form laws of scipy, atoms where it is clipped."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simkit.distributions import Backoff, Clipped, Uniform, Wait
from simkit.errors import ScenarioError

__all__: list[str] = []

EXPONENTIAL: dict[str, Any] = {"first_s": 1.0, "factor": 2.0, "cap_s": 20.0}

BOUNDS = (
    # formula, retry number, shortest, typical, longest
    (Backoff(first_s=3.0), 7, (3.0, 3.0, 3.0)),
    (Backoff(first_s=1.0, factor=2.0), 5, (16.0, 16.0, 16.0)),
    (Backoff(**EXPONENTIAL), 5, (16.0, 16.0, 16.0)),
    (Backoff(**EXPONENTIAL), 6, (20.0, 20.0, 20.0)),  # 32 is past the cap
    (Backoff(**EXPONENTIAL, scale_min=0.0), 3, (0.0, 2.0, 4.0)),  # full jitter
    (Backoff(**EXPONENTIAL, scale_min=0.5), 3, (2.0, 3.0, 4.0)),  # equal jitter
    (Backoff(**EXPONENTIAL, scale_min=0.8, scale_max=1.2), 6, (16.0, 20.0, 24.0)),  # jitter comes after the cap
    (Backoff(**EXPONENTIAL, added_s_max=1.0), 3, (4.0, 4.5, 5.0)),
    (Backoff(**EXPONENTIAL, added_s_max=1.0, ceiling_s=20.0), 6, (20.0, 20.0, 20.0)),
    (Backoff(**EXPONENTIAL, scale_min=0.0, floor_s=3.0), 3, (3.0, 3.0, 4.0)),
    (Backoff(**EXPONENTIAL, scale_min=0.0, ceiling_s=3.0), 3, (0.0, 2.0, 3.0)),
    (Backoff(**EXPONENTIAL, scale_min=0.0, floor_s=9.0), 3, (9.0, 9.0, 9.0)),  # 4 at most, which the floor lifts
    (Backoff(first_s=2.0, power=1.0), 3, (6.0, 6.0, 6.0)),  # linear
    (Backoff(first_s=1.0, power=4.0, offset_s=15.0), 3, (96.0, 96.0, 96.0)),  # 15 + 3^4
    (Backoff(**EXPONENTIAL, immediate_count=1), 1, (0.0, 0.0, 0.0)),
    (Backoff(**EXPONENTIAL, immediate_count=1), 2, (2.0, 2.0, 2.0)),  # the growth goes by the number all the same
    # Decorrelated, known by its bounds: 1 s to 3, 9, 27 s, and never more than 20 s.
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 1, (1.0, 2.0, 3.0)),
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 2, (1.0, 5.0, 9.0)),
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 3, (1.0, 14.0, 20.0)),
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 900, (1.0, 20.0, 20.0)),
    (Backoff(first_s=1.0, previous_factor=1.0, cap_s=20.0), 4, (1.0, 1.0, 1.0)),
    (Backoff(first_s=5.0, previous_factor=3.0, cap_s=2.0), 1, (2.0, 2.0, 2.0)),  # the cap is below the first
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0, immediate_count=2), 3, (1.0, 2.0, 3.0)),
)


@pytest.mark.parametrize(("backoff", "retry_number", "expected"), BOUNDS)
def test_the_bounds_of_a_wait_are_those_of_its_formula(
    backoff: Backoff, retry_number: int, expected: tuple[float, float, float]
) -> None:
    wait = backoff.wait(retry_number)

    assert (wait.s_min, wait.s_typical, wait.s_max) == expected


LAWS: tuple[tuple[Backoff, int, float | None, Any], ...] = (
    (Backoff(**EXPONENTIAL, scale_min=0.0), 4, None, stats.uniform(0, 8)),
    (Backoff(**EXPONENTIAL, scale_min=0.5), 9, None, stats.uniform(10, 10)),
    (Backoff(**EXPONENTIAL, scale_min=0.8, scale_max=1.2), 1, None, stats.uniform(0.8, 0.4)),
    (Backoff(**EXPONENTIAL, added_s_max=3.0), 2, None, stats.uniform(2, 3)),
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 1, None, stats.uniform(1, 2)),
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 5, 4.0, stats.uniform(1, 11)),
)


@pytest.mark.parametrize(("backoff", "retry_number", "previous_s", "law"), LAWS)
def test_a_drawn_wait_follows_the_law_of_its_formula(
    backoff: Backoff, retry_number: int, previous_s: float | None, law: Any
) -> None:
    wait = backoff.wait(retry_number, previous_s)
    fractions = np.random.default_rng(1).uniform(size=2_000)

    drawn_s = [wait.duration_s(fraction) for fraction in fractions]

    assert stats.kstest(drawn_s, law.cdf).pvalue > 1e-3
    assert (wait.s_min, wait.s_max) == pytest.approx(law.support())


CLIPPED: tuple[tuple[Backoff, int, float | None, Any, tuple[float, float]], ...] = (
    # U(0, 8) with a floor at 2 and a ceiling at 7: a quarter and an eighth lie on them.
    (Backoff(**EXPONENTIAL, scale_min=0.0, floor_s=2.0, ceiling_s=7.0), 4, None, stats.uniform(0, 8), (2.0, 7.0)),
    (Backoff(**EXPONENTIAL, scale_min=0.0, ceiling_s=5.0), 4, None, stats.uniform(0, 8), (0.0, 5.0)),
    (Backoff(**EXPONENTIAL, scale_max=2.0, floor_s=10.0), 4, None, stats.uniform(8, 8), (10.0, 16.0)),
    # Decorrelated beyond its cap: U(1, 30) capped at 20, so that 10 of 29 lie there.
    (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 6, 10.0, stats.uniform(1, 29), (1.0, 20.0)),
)


@pytest.mark.parametrize(("backoff", "retry_number", "previous_s", "law", "bounds_s"), CLIPPED)
def test_a_clipped_wait_has_an_atom_at_each_bound_and_its_law_between(
    backoff: Backoff, retry_number: int, previous_s: float | None, law: Any, bounds_s: tuple[float, float]
) -> None:
    wait = backoff.wait(retry_number, previous_s)
    least_s, most_s = bounds_s
    cells = wait.cells((3.0, 6.0, 11.0))
    fractions = np.random.default_rng(2).uniform(size=2_000)

    drawn_s = np.array([wait.duration_s(fraction) for fraction in fractions])

    atoms = {cell.s_min: cell.probability for cell in cells if cell.is_point}
    expected = {least_s: float(law.cdf(least_s)), most_s: float(law.sf(most_s))}
    assert (wait.s_min, wait.s_max) == bounds_s
    assert atoms == pytest.approx({at_s: mass for at_s, mass in expected.items() if mass > 0})
    for at_s, mass in expected.items():
        assert stats.binomtest(int((drawn_s == at_s).sum()), drawn_s.size, mass).pvalue > 1e-3
    inside = drawn_s[(drawn_s > least_s) & (drawn_s < most_s)]
    conditioned = stats.uniform(least_s, most_s - least_s)  # a uniform law within bounds is uniform there
    assert stats.kstest(inside, conditioned.cdf).pvalue > 1e-3
    assert math.fsum(cell.probability for cell in cells) == pytest.approx(1.0)


DURATIONS = st.floats(min_value=0, max_value=100).map(lambda value: round(value, 3))
FACTORS = st.floats(min_value=1, max_value=5)
SCALES = st.tuples(st.floats(min_value=0, max_value=2), st.floats(min_value=0, max_value=2)).map(sorted)


@st.composite
def backoffs(draw: st.DrawFn) -> Backoff:
    """Any formula that has a meaning."""
    floor_s = draw(DURATIONS)
    changes: dict[str, Any] = {
        "first_s": draw(DURATIONS),
        "cap_s": draw(DURATIONS),
        "floor_s": floor_s,
        "ceiling_s": draw(st.none() | st.just(floor_s + draw(DURATIONS))),
        "immediate_count": draw(st.integers(0, 2)),
    }
    if draw(st.booleans()):
        return Backoff(**changes, previous_factor=draw(FACTORS))
    jitter: dict[str, Any] = {"added_s_max": draw(DURATIONS)}
    if draw(st.booleans()):
        jitter = dict(zip(("scale_min", "scale_max"), draw(SCALES), strict=True))
    growth: dict[str, Any] = {
        "factor": draw(FACTORS),
        "power": draw(st.floats(min_value=0, max_value=3)),
        "offset_s": draw(DURATIONS),
    }
    return Backoff(**changes, **growth, **jitter)


@given(backoff=backoffs(), retry_number=st.integers(1, 12), fraction=st.floats(min_value=0, max_value=0.999999))
def test_every_wait_lies_within_its_bounds_and_no_longer_than_the_longest(
    backoff: Backoff, retry_number: int, fraction: float
) -> None:
    wait = backoff.wait(retry_number)

    assert wait.s_min <= wait.duration_s(fraction) <= wait.s_max
    assert wait.s_max <= backoff.longest_s(retry_number) <= backoff.longest_s(None) * (1 + 1e-9)
    if wait.law is not None:
        assert math.fsum(cell.probability for cell in wait.cells((1.0, 10.0))) == pytest.approx(1.0)


@given(backoff=backoffs(), fractions=st.lists(st.floats(min_value=0, max_value=0.999999), max_size=8))
def test_decorrelated_waits_that_are_drawn_stay_within_the_bounds_that_are_known_before(
    backoff: Backoff, fractions: list[float]
) -> None:
    previous_s = backoff.first_s

    for retry_number, fraction in enumerate(fractions, start=1):
        bounds = backoff.wait(retry_number)
        drawn_s = backoff.wait(retry_number, previous_s).duration_s(fraction)
        assert bounds.s_min <= drawn_s <= bounds.s_max * (1 + 1e-9)
        previous_s = drawn_s if retry_number > backoff.immediate_count else previous_s


@pytest.mark.parametrize(
    ("backoff", "retry_count", "longest_s"),
    (
        (Backoff(first_s=1.0, factor=2.0), 4, 8.0),
        (Backoff(first_s=1.0, factor=2.0), 0, 0.0),
        (Backoff(first_s=1.0, factor=2.0), None, math.inf),
        (Backoff(first_s=1.0, power=1.0), None, math.inf),
        (Backoff(first_s=1.0, factor=2.0, ceiling_s=9.0), None, 9.0),
        (Backoff(**EXPONENTIAL, scale_max=1.5), None, 30.0),
        (Backoff(first_s=1.0, cap_s=20.0), None, 1.0),  # it never grows as far as the cap
        (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), None, 20.0),
        (Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0), 2, 9.0),
        (Backoff(first_s=1.0, immediate_count=3), 3, 0.0),
        (Backoff(first_s=1.0, immediate_count=3), None, 1.0),
    ),
)
def test_the_longest_wait_is_that_of_the_formula(backoff: Backoff, retry_count: int | None, longest_s: float) -> None:
    assert backoff.longest_s(retry_count) == longest_s


def test_growth_without_a_cap_ends_long_after_anybody_waits_for_it_and_not_in_an_overflow() -> None:
    assert Backoff(first_s=1.0, factor=1e9).wait(1_000).s_max == 1e15
    assert Backoff(first_s=0.0, factor=1e9).wait(1_000).s_max == 0.0


@pytest.mark.parametrize(
    "changes",
    ({"factor": 2.0}, {"power": 1.0}, {"offset_s": 1.0}, {"scale_min": 0.5}, {"scale_max": 2.0}, {"added_s_max": 1.0}),
)
def test_decorrelated_jitter_has_no_other_growth_or_jitter(changes: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError, match=r"previous_factor and another growth or jitter .* exclude each other"):
        Backoff(first_s=1.0, previous_factor=3.0, cap_s=20.0, **changes)


def test_a_law_that_is_clipped_to_one_duration_is_that_duration() -> None:
    law = Clipped(law=Uniform(shortest_s=0.0, longest_s=4.0), at_s=(3.0, 3.0))

    wait = Wait(s_min=3.0, s_typical=3.0, s_max=3.0, law=law)

    assert [(cell.s_min, cell.s_max, cell.probability) for cell in wait.cells(())] == [(3.0, 3.0, 1.0)]
    assert (law.quantile_beyond_s(0.9), law.quantile_beyond_s(0.1)) == (3.0, 3.0)


def test_a_clipped_law_tells_how_likely_it_is_to_take_longer() -> None:
    law = Clipped(law=Uniform(shortest_s=0.0, longest_s=4.0), at_s=(1.0, 3.0))

    # A quarter lies at 1 s, half between, a quarter at 3 s, which is exceeded by nothing.
    assert [law.beyond_probability(at_s) for at_s in (0.5, 1.0, 2.0, 2.9999999, 3.0)] == pytest.approx(
        [1.0, 0.75, 0.5, 0.25, 0.0]
    )
    assert [law.quantile_beyond_s(fraction) for fraction in (0.9, 0.5, 0.1)] == [1.0, 2.0, 3.0]
