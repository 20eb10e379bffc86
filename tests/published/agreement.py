"""How a published mean and ours are compared: both were sampled, and the published one was rounded."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

__all__ = ["STANDARD_ERRORS", "assert_same_mean"]

STANDARD_ERRORS = 3.3
"""Two-sided 0.1 %: of the few dozen comparisons here hardly one fails by chance."""


def assert_same_mean(values: Sequence[float], published: float, *, published_count: int, rounding: float) -> None:
    """Both means are of the same distribution, as far as their sampling errors tell.

    Parameters
    ----------
    published_count
        Trials of which the published mean is; their spread is taken from ours.
    rounding
        By how much the published number may be off because it is rounded.
    """
    error = stdev(values) * sqrt(1 / len(values) + 1 / published_count)
    assert abs(fmean(values) - published) <= STANDARD_ERRORS * error + rounding, (fmean(values), published, error)
