"""Weighted hits: a published example, the exact special case, and coverage where the gate lets an interval pass."""

import numpy as np
import pytest
from scipy import stats

from simkit.stats import effective_count, fay_feuer_interval, why_no_interval

__all__: list[str] = []

# Down's syndrome among children of mothers with five or more, Michigan 1950-1964: Fay & Feuer (1997), table II.
# Cases, births, and all births as the standard, by age of the mother.
CASES = (0, 8, 63, 112, 262, 295)
BIRTHS = (327, 30666, 123419, 149919, 104088, 34392)
STANDARD = (319933, 931318, 786511, 488235, 237863, 61313)


def test_the_published_example_comes_out_as_published() -> None:
    """Rate per 100,000, and its gamma interval, as printed in the vignette of the R package dsrTest 1.0.0."""
    weights = 1e5 * np.array(STANDARD) / (np.array(BIRTHS) * sum(STANDARD))

    lower, upper = fay_feuer_interval(CASES, weights, confidence=0.95)

    assert float(np.array(CASES) @ weights) == pytest.approx(75.52901, abs=5e-6)
    assert (lower, upper) == pytest.approx((67.70212, 188.30017), abs=5e-6)


@pytest.mark.parametrize("count", (0, 1, 30))
def test_with_equal_weights_it_is_the_exact_interval_of_a_poisson_count(count: int) -> None:
    """Garwood's interval: quantiles of chi-squared with 2k and 2k + 2 degrees of freedom."""
    lower, upper = fay_feuer_interval([count, 0], [0.5, 0.5], confidence=0.9)

    assert lower == pytest.approx(0.5 * stats.chi2.ppf(0.05, 2 * count) / 2 if count else 0.0)
    assert upper == pytest.approx(0.5 * stats.chi2.ppf(0.95, 2 * count + 2) / 2)


def test_a_hit_counted_twice_is_two_hits_of_one_weight() -> None:
    together = fay_feuer_interval([2, 1], [0.3, 0.1], confidence=0.95)

    assert fay_feuer_interval([1, 1, 1], [0.3, 0.3, 0.1], confidence=0.95) == pytest.approx(together)


def test_it_covers_at_least_nearly_what_it_claims_wherever_an_interval_may_be_given() -> None:
    """Hits with weights 1 and 4, 40 and 10 expected: the sum is 80. Of 1,000 intervals 950 should hold it."""
    rng = np.random.default_rng(11)
    counts = rng.poisson((40.0, 10.0), size=(1000, 2))

    covered = [
        lower <= 80.0 <= upper
        for one in counts
        for lower, upper in (fay_feuer_interval(one, (1.0, 4.0), confidence=0.95),)
        if not why_no_interval(np.repeat((1.0, 4.0), one))
    ]

    assert len(covered) > 400
    # Two standard errors of a fraction of 0.95 are 0.02 or less here.
    assert np.mean(covered) >= 0.93


def test_the_effective_count_is_that_of_equal_hits_and_one_where_one_outweighs_all() -> None:
    assert effective_count([0.2] * 7) == pytest.approx(7.0)
    assert effective_count([1e6, 1.0, 1.0]) == pytest.approx(1.0, abs=1e-4)
    assert effective_count([]) == effective_count([0.0]) == 0.0


@pytest.mark.parametrize(
    ("weights", "why"),
    (
        ([], "as good as 0 hits, 30 are needed"),
        ([1.0] * 29, "as good as 29 hits, 30 are needed"),
        ([1.0] * 30, ""),
        # 100 hits of weight 1 beside one of 12: 112² / 244 = 51 equal ones, but 12 / 112 is too much of one.
        ([1.0] * 100 + [12.0], "one hit is 11% of the sum, less than 10% is needed"),
    ),
)
def test_few_hits_or_one_that_outweighs_the_others_give_no_interval(weights: list[float], why: str) -> None:
    assert why_no_interval(weights) == why


@pytest.mark.parametrize(
    ("counts", "weights", "confidence"),
    (([], [], 0.95), ([1], [0.0], 0.95), ([-1], [1.0], 0.95), ([1], [np.inf], 0.95), ([1], [1.0], 1.0)),
)
def test_numbers_without_a_meaning_are_refused(counts: list[int], weights: list[float], confidence: float) -> None:
    with pytest.raises(ValueError, match="lie"):
        fay_feuer_interval(counts, weights, confidence=confidence)
