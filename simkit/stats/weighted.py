"""A sum of weighted hits: what importance sampling gives, and what a standardised rate is.

==================================  =====================================================================
question                            answer
==================================  =====================================================================
between what does the sum lie       `fay_feuer_interval`
may an interval be given at all     `why_no_interval`: not from few hits, nor from one that outweighs all
==================================  =====================================================================

No interval repairs a wrong proposal: if what matters was hardly ever drawn, all that is seen looks consistent,
and is too small. So compare with a lower bound that does not come from the same sample.
"""

import numpy as np
import numpy.typing as npt

__all__ = ["effective_count", "fay_feuer_interval", "why_no_interval"]

EFFECTIVE_COUNT_MIN = 30
SHARE_MAX = 0.1


def fay_feuer_interval(counts: npt.ArrayLike, weights: npt.ArrayLike, *, confidence: float) -> tuple[float, float]:
    """Two-sided interval for the expectation of Σ weights · counts, from gamma distributions.

    For equal weights it is the exact Poisson interval. For hits of importance sampling, nominal 95 % covered
    0.95 to 0.98 wherever `why_no_interval` has nothing to say, and 0.15 to 0.6 with few hits.

    Parameters
    ----------
    counts : array_like of int, shape (S,)
        Independent Poisson counts: of single hits 1 each.
    weights : array_like of float, shape (S,)
        Above 0, the same unit for all. One that was never counted is needed too if it is the largest.
    confidence
        Nominal coverage, between 0 and 1 and neither.

    Returns
    -------
    lower, upper : float
        In the unit of the weights.

    Raises
    ------
    ValueError
        If there is no weight, one is not above 0, or anything else is out of its range.

    References
    ----------
    Fay & Feuer, Statistics in Medicine 16 (1997) 791-801.

    Examples
    --------
    >>> lower, upper = fay_feuer_interval([3, 1], [0.5, 2.0], confidence=0.95)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    0.605 to 12.632
    """
    from scipy.special import gammaincinv

    hits, sizes = np.asarray(counts, dtype=float), np.asarray(weights, dtype=float)
    if sizes.size == 0 or (sizes <= 0).any() or (hits < 0).any() or not np.isfinite(hits @ sizes):
        raise ValueError(f"weights lie above 0 and counts at or above, at least one of each; got {sizes}, {hits}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence lies between 0 and 1 and is neither, got {confidence}")
    tail = (1 - confidence) / 2
    largest = float(sizes.max())
    total, variance = float(hits @ sizes), float(hits @ sizes**2)
    lower = variance / total * float(gammaincinv(total**2 / variance, tail)) if total else 0.0
    total, variance = total + largest, variance + largest**2
    return lower, variance / total * float(gammaincinv(total**2 / variance, 1 - tail))


def effective_count(weights: npt.ArrayLike) -> float:
    """How many equal hits would be as much evidence: (Σw)² / Σw², 0 where there are none.

    References
    ----------
    Kish, Survey Sampling (1965), section 11.7.
    """
    sizes = np.asarray(weights, dtype=float)
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if (sizes > 0).any() else 0.0


def why_no_interval(weights: npt.ArrayLike) -> str:
    """Why no interval may be given for the sum of these hits, in words; empty where one may.

    Parameters
    ----------
    weights : array_like of float, shape (S,)
        Of the hits; zeros count for nothing.
    """
    sizes = np.asarray(weights, dtype=float)
    count = effective_count(sizes)
    if count < EFFECTIVE_COUNT_MIN:
        return f"as good as {count:.0f} hits, {EFFECTIVE_COUNT_MIN} are needed"
    share = float(sizes.max() / sizes.sum())
    return "" if share < SHARE_MAX else f"one hit is {share:.0%} of the sum, less than {SHARE_MAX:.0%} is needed"
