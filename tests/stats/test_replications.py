"""Student's interval: against scipy, by its coverage, and where it says nothing."""

import numpy as np
import pytest
from scipy import stats

from simkit.stats import t_interval

__all__: list[str] = []


def test_the_interval_is_that_of_scipy() -> None:
    sample = [0.2, 0.5, 0.1, 0.9, 0.4]

    found = t_interval(sample, confidence=0.9)

    expected = stats.t.interval(0.9, df=4, loc=np.mean(sample), scale=stats.sem(sample))
    assert found == pytest.approx(expected, rel=1e-12)


def test_it_covers_the_mean_of_a_normal_distribution_as_often_as_it_says() -> None:
    """2,000 samples of five: the share of covering intervals has a standard error of 0.007 at 0.9."""
    samples = np.random.default_rng(5).normal(3.0, 2.0, (2_000, 5))

    intervals = [t_interval(sample, confidence=0.9) for sample in samples]

    assert np.mean([low < 3.0 < high for low, high in intervals]) == pytest.approx(0.9, abs=0.02)


def test_one_replication_says_nothing_about_the_spread() -> None:
    with pytest.raises(ValueError, match="at least two replications, got 1"):
        t_interval([1.0], confidence=0.95)
