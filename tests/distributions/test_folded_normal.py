"""The folded normal law against scipy's."""

import numpy as np
import pytest
from scipy.stats import foldnorm, kstest

from simkit.chance import uniform_numbers
from simkit.distributions import FoldedNormal

__all__: list[str] = []


@pytest.mark.parametrize(("mean_s", "deviation_s"), ((0.010, 0.002), (0.5, 1.0), (0.0, 2.0)))
def test_a_folded_normal_has_the_tails_the_quantiles_and_the_draws_of_scipy(mean_s: float, deviation_s: float) -> None:
    law, oracle = FoldedNormal(mean_s=mean_s, deviation_s=deviation_s), foldnorm(mean_s / deviation_s, 0, deviation_s)
    draw = uniform_numbers(1, 0, "test")

    for at_s in np.linspace(0.1, 4, 20) * deviation_s:
        assert law.beyond_probability(float(at_s)) == pytest.approx(oracle.sf(at_s), rel=1e-9)
    for probability in (1e-6, 0.1, 0.5, 0.99):
        assert law.quantile_beyond_s(probability) == pytest.approx(oracle.isf(probability), rel=1e-6)
    assert kstest([law.drawn_s(draw()) for _ in range(2000)], oracle.cdf).pvalue > 0.001
