"""Binomial intervals against scipy's own, published tables, and coverage summed exactly."""

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from simkit.stats import clopper_pearson_interval, trials_needed, wilson_interval, zero_hits_upper_bound

Interval = Callable[..., tuple[Any, Any]]

INTERVALS = (clopper_pearson_interval, wilson_interval)
confidences = st.sampled_from((0.5, 0.9, 0.95, 0.999))
trial_counts = st.integers(min_value=1, max_value=3000)


def exact_coverage(interval: Interval, trial_count: int, probability: float, confidence: float) -> float:
    """Probability that the interval covers, summed over every possible number of hits."""
    hits = np.arange(trial_count + 1)
    lower, upper = interval(hits, trial_count, confidence=confidence)
    return float(binom.pmf(hits, trial_count, probability)[(lower <= probability) & (probability <= upper)].sum())


@pytest.mark.parametrize(
    ("hit_count", "expected"),
    (
        (0, (0.0, 0.3085)),
        (1, (0.0025, 0.4450)),
        (5, (0.1871, 0.8129)),
        (9, (0.5550, 0.9975)),
        (10, (0.6915, 1.0)),
    ),
)
def test_clopper_pearson_agrees_with_the_published_table_for_ten_trials(
    hit_count: int, expected: tuple[float, float]
) -> None:
    interval = clopper_pearson_interval(hit_count, 10, confidence=0.95)

    assert interval == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("interval", "method"), ((clopper_pearson_interval, "exact"), (wilson_interval, "wilson")))
@pytest.mark.parametrize("confidence", (0.5, 0.95, 0.999))
@pytest.mark.parametrize(
    ("hit_count", "trial_count"), ((0, 1), (1, 1), (0, 50), (1, 50), (25, 50), (50, 50), (3, 10_000), (7, 1_000_000))
)
def test_an_interval_agrees_with_the_one_of_scipy(
    interval: Interval, method: Any, confidence: float, hit_count: int, trial_count: int
) -> None:
    oracle = binomtest(hit_count, trial_count).proportion_ci(confidence_level=confidence, method=method)

    lower, upper = interval(hit_count, trial_count, confidence=confidence)

    # The oracle searches a root of the tail to within 1e-12 or so.
    assert lower == pytest.approx(oracle.low, abs=1e-11)
    assert upper == pytest.approx(oracle.high, abs=1e-11)


@pytest.mark.parametrize(("hit_count", "trial_count"), ((1, 2), (3, 10_000), (7, 1_000_000), (9_999, 10_000)))
def test_each_end_of_clopper_pearson_leaves_half_of_the_rest_in_its_tail(hit_count: int, trial_count: int) -> None:
    lower, upper = clopper_pearson_interval(hit_count, trial_count, confidence=0.999)

    assert binom.sf(hit_count - 1, trial_count, lower) == pytest.approx(0.0005, rel=1e-9)
    assert binom.cdf(hit_count, trial_count, upper) == pytest.approx(0.0005, rel=1e-9)


@pytest.mark.parametrize("confidence", (0.8, 0.95, 0.99))
@pytest.mark.parametrize("trial_count", (1, 2, 10, 57, 400))
def test_clopper_pearson_never_covers_less_than_it_says(trial_count: int, confidence: float) -> None:
    probabilities = (1e-6, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 0.77, 0.9, 0.999)

    coverages = [exact_coverage(clopper_pearson_interval, trial_count, p, confidence) for p in probabilities]

    assert min(coverages) >= confidence - 1e-12


def test_wilson_covers_less_than_it_says_for_a_rare_hit_and_is_shorter() -> None:
    # A tenth of a hit expected: one hit, probability 0.09, already puts the lower end above the truth.
    rare = exact_coverage(wilson_interval, 10_000, 1e-5, 0.95)
    wilson_width = np.subtract(*wilson_interval(5, 10_000, confidence=0.95)[::-1])
    exact_width = np.subtract(*clopper_pearson_interval(5, 10_000, confidence=0.95)[::-1])

    assert rare == pytest.approx(math.exp(-0.1), abs=1e-3)
    assert wilson_width < exact_width


@pytest.mark.parametrize("interval", INTERVALS)
def test_counts_broadcast_to_one_shape_and_each_cell_is_the_interval_alone(interval: Interval) -> None:
    hits, trials = np.array([0, 3, 7]), np.array([[10], [20]])

    lower, upper = interval(hits, trials, confidence=0.9)

    assert lower.shape == upper.shape == (2, 3)
    for row, trial_count in enumerate((10, 20)):
        for column, hit_count in enumerate((0, 3, 7)):
            alone = interval(hit_count, trial_count, confidence=0.9)
            assert (lower[row, column], upper[row, column]) == alone


@settings(deadline=None)
@given(st.sampled_from(INTERVALS), st.data(), trial_counts, confidences)
def test_an_interval_holds_the_share_of_hits_and_stays_between_zero_and_one(
    interval: Interval, data: st.DataObject, trial_count: int, confidence: float
) -> None:
    hit_count = data.draw(st.integers(min_value=0, max_value=trial_count))

    lower, upper = interval(hit_count, trial_count, confidence=confidence)

    assert 0 <= lower <= hit_count / trial_count <= upper <= 1


@settings(deadline=None)
@given(st.sampled_from(INTERVALS), trial_counts, confidences)
def test_more_hits_move_both_ends_up(interval: Interval, trial_count: int, confidence: float) -> None:
    lower, upper = interval(np.arange(trial_count + 1), trial_count, confidence=confidence)

    assert (np.diff(lower) > 0).all()
    assert (np.diff(upper) > 0).all()


@settings(deadline=None)
@given(st.sampled_from(INTERVALS), st.data(), trial_counts)
def test_more_confidence_widens_an_interval(interval: Interval, data: st.DataObject, trial_count: int) -> None:
    hit_count = data.draw(st.integers(min_value=0, max_value=trial_count))

    narrow = interval(hit_count, trial_count, confidence=0.9)
    wide = interval(hit_count, trial_count, confidence=0.99)

    assert wide[0] <= narrow[0]
    assert narrow[1] <= wide[1]


@settings(deadline=None)
@given(st.sampled_from(INTERVALS), st.data(), trial_counts, confidences)
def test_hits_and_misses_are_mirror_images(
    interval: Interval, data: st.DataObject, trial_count: int, confidence: float
) -> None:
    hit_count = data.draw(st.integers(min_value=0, max_value=trial_count))

    lower, upper = interval(hit_count, trial_count, confidence=confidence)
    mirrored_lower, mirrored_upper = interval(trial_count - hit_count, trial_count, confidence=confidence)

    assert (lower, upper) == pytest.approx((1 - mirrored_upper, 1 - mirrored_lower), abs=1e-10)


@pytest.mark.parametrize(
    ("trial_count", "confidence", "expected"),
    (
        (1, 0.95, 0.95),
        (2, 0.75, 0.5),
        (10_000, 0.95, 2.995e-4),
        (10**9, 0.95, -math.log(0.05) / 10**9),
    ),
)
def test_the_bound_after_no_hits_has_known_values(trial_count: int, confidence: float, expected: float) -> None:
    bound = zero_hits_upper_bound(trial_count, confidence=confidence)

    assert bound == pytest.approx(expected, rel=2e-4)


@pytest.mark.parametrize("trial_count", (30, 300, 3_000, 300_000))
def test_the_bound_after_no_hits_is_just_under_the_rule_of_three(trial_count: int) -> None:
    bound = zero_hits_upper_bound(trial_count, confidence=0.95)

    assert 0.95 * 3 / trial_count < bound < 3 / trial_count


def test_the_one_sided_bound_is_scipys_and_lies_below_the_two_sided_end() -> None:
    trial_count = np.array([1, 10, 10_000])
    oracle = [binomtest(0, n, alternative="less").proportion_ci(confidence_level=0.95).high for n in trial_count]

    bound = zero_hits_upper_bound(trial_count, confidence=0.95)

    assert bound == pytest.approx(oracle, rel=1e-9)
    assert (bound < clopper_pearson_interval(0, trial_count, confidence=0.95)[1]).all()


@pytest.mark.parametrize(
    ("probability", "confidence", "expected"),
    (
        (0.05, 0.95, 59),
        (0.01, 0.95, 299),
        (0.01, 0.99, 459),
        (1e-3, 0.95, 2995),
        (0.5, 0.5, 1),
        (0.99, 0.5, 1),
    ),
)
def test_the_trials_needed_for_a_claim_are_the_textbooks(probability: float, confidence: float, expected: int) -> None:
    needed = trials_needed(probability, confidence=confidence)

    assert needed == expected


@settings(deadline=None)
@given(st.floats(min_value=1e-9, max_value=0.999), st.floats(min_value=0.01, max_value=0.9999))
def test_the_trials_needed_are_enough_and_one_less_is_not(probability: float, confidence: float) -> None:
    needed = trials_needed(probability, confidence=confidence)

    assert zero_hits_upper_bound(needed, confidence=confidence) <= probability * (1 + 1e-12)
    assert needed == 1 or zero_hits_upper_bound(needed - 1, confidence=confidence) > probability * (1 - 1e-12)


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize(
    ("hit_count", "trial_count", "confidence", "message"),
    (
        (-1, 10, 0.95, "hit_count lies between 0 and trial_count, got -1 of 10"),
        (11, 10, 0.95, "hit_count lies between 0 and trial_count, got 11 of 10"),
        ([0, 5], [10, 4], 0.95, "hit_count lies between 0 and trial_count, got 5 of 4"),
        (0, 0, 0.95, "trial_count is 1 or more, got 0"),
        (0.5, 10, 0.95, "hit_count is a whole number, got 0.5"),
        (0, math.nan, 0.95, "trial_count is a whole number, got nan"),
        (0, math.inf, 0.95, "trial_count is a whole number, got inf"),
        (1, 10, 0.0, "confidence lies between 0 and 1 and is neither, got 0.0"),
        (1, 10, 1.0, "confidence lies between 0 and 1 and is neither, got 1.0"),
        (1, 10, 95, "confidence lies between 0 and 1 and is neither, got 95"),
    ),
)
def test_bad_counts_are_refused_by_name_value_and_range(
    interval: Interval, hit_count: Any, trial_count: Any, confidence: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        interval(hit_count, trial_count, confidence=confidence)


@pytest.mark.parametrize("probability", (0.0, 1.0, -0.1, math.nan))
def test_a_claim_of_never_or_always_needs_no_number_of_trials(probability: float) -> None:
    with pytest.raises(ValueError, match="probability lies between 0 and 1 and is neither"):
        trials_needed(probability, confidence=0.95)


def test_bad_input_of_the_one_sided_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="trial_count is 1 or more, got 0"):
        zero_hits_upper_bound(0, confidence=0.95)
    with pytest.raises(ValueError, match="confidence lies between"):
        zero_hits_upper_bound(10, confidence=1.0)
    with pytest.raises(ValueError, match="confidence lies between"):
        trials_needed(0.1, confidence=0.0)


def test_importing_the_numbers_does_not_load_scipy() -> None:
    program = "import simkit.stats, sys; print('scipy' in sys.modules)"

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert result.stdout == "False\n"
