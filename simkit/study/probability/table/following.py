"""What a probability follows: a curve over one site's rate, and which site's rate it depends on most."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from simkit.study.probability.table.rate_polynomial import RatePolynomial
from simkit.terms import Promise

__all__ = ["curve", "elasticities"]


def curve(
    table: pd.DataFrame,
    site: str,
    probabilities: Iterable[float],
    *,
    promises: Iterable[Promise],
    others: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Both ends of the probability that one of some promises is broken, over the rate of one site.

    Parameters
    ----------
    table
        As `leaf_table` gives it.
    probabilities
        The rates of `site` to look at, in 0..1.
    others
        Rates of other sites, where they are not the scenario's.

    Returns
    -------
    pandas.DataFrame
        Columns `rate_probability`, `lower_probability`, `upper_probability`, one row for each rate.
    """
    polynomial = RatePolynomial(table, promises)
    rows = []
    for rate_probability in probabilities:
        bounds = polynomial.bounds_at({**(others or {}), site: rate_probability})
        rows.append((rate_probability, bounds.lower, bounds.upper))
    return pd.DataFrame(rows, columns=["rate_probability", "lower_probability", "upper_probability"])


def elasticities(
    table: pd.DataFrame, *, promises: Iterable[Promise], rates: Mapping[str, float] | None = None
) -> pd.DataFrame:
    """Which site's rate the probability follows: the sites to blame, the most important first.

    Parameters
    ----------
    rates
        By site; a site that is not named keeps the scenario's.

    Returns
    -------
    pandas.DataFrame
        Columns `site`, and `elasticity`: d log P / d log p, by how many per cent P grows where the rate grows by one.
        No number where P is 0: then it follows nothing.
    """
    polynomial = RatePolynomial(table, promises)
    frame = pd.DataFrame({"site": polynomial.sites, "elasticity": polynomial.elasticities_at(rates)})
    order = np.argsort(-np.nan_to_num(frame["elasticity"].abs().to_numpy()), kind="stable")
    return frame.iloc[order].reset_index(drop=True)
