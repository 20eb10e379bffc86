"""Means over independent replications, for whatever is correlated inside each of them."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["t_interval"]


def t_interval(values: ArrayLike, *, confidence: float) -> tuple[float, float]:
    """Student's interval for the mean of independent replications of one distribution.

    Exact for a normal one; otherwise good once there are some dozens and none of them dominates. Not for means of
    rare events: of ten replications without one it says 0 to 0.

    Parameters
    ----------
    values : array_like of float, shape (n,), n >= 2
        One number for each replication.
    confidence
        Coverage, in 0..1.

    Raises
    ------
    ValueError
        If there are fewer than two values, which say nothing about their spread.

    References
    ----------
    Student, "The probable error of a mean", Biometrika 6 (1908) 1-25.

    Examples
    --------
    Two values x and y: the quantile 0.975 of the distribution with one degree of freedom is 12.706.

    >>> t_interval([1.0, 3.0], confidence=0.95)
    (-10.7..., 14.7...)
    """
    from scipy.special import stdtrit

    sample = np.asarray(values, dtype=float)
    if sample.size < 2:
        message = f"values: at least two replications, got {sample.size}"
        raise ValueError(message)
    half_width = stdtrit(sample.size - 1, (1 + confidence) / 2) * sample.std(ddof=1) / sqrt(sample.size)
    return float(sample.mean() - half_width), float(sample.mean() + half_width)
