"""A probability from independent trials that hit or did not.

==========================  ===========================================================================
question                    answer
==========================  ===========================================================================
how probable is a hit       `clopper_pearson_interval`: never undercovers, the default for safety claims
the same, for a plot        `wilson_interval`: shorter, covers on average, not for every probability
there was no hit: at most?  `zero_hits_upper_bound`, one-sided
how many without a hit?     `trials_needed` to support "at most this probability", one-sided
==========================  ===========================================================================

Operations that share load are not independent trials: replicate the whole run instead.
Nominal 95 % over 10,000 trials and true probabilities from 1e-6 to 1e-2: Clopper-Pearson covers at least
0.952, Wilson 0.839 at worst.
"""

import math

import numpy as np
import numpy.typing as npt

__all__ = ["clopper_pearson_interval", "trials_needed", "wilson_interval", "zero_hits_upper_bound"]

Floats = npt.NDArray[np.float64]


def clopper_pearson_interval(
    hit_count: npt.ArrayLike, trial_count: npt.ArrayLike, *, confidence: float
) -> tuple[Floats, Floats]:
    """Exact two-sided binomial interval; never undercovers, so it is the default for safety claims.

    Parameters
    ----------
    hit_count, trial_count : array_like of int, shapes broadcastable to S
        Hits (0 to `trial_count`) of independent trials (1 or more).
    confidence
        Probability, between 0 and 1 and neither, that the interval covers the truth, at least.

    Returns
    -------
    lower, upper : arrays of shape S
        Probabilities; `lower` is 0 where there was no hit, `upper` is 1 where all hit.

    Raises
    ------
    ValueError
        If a count is no whole number, or anything is out of its range.

    References
    ----------
    Clopper & Pearson, Biometrika 26 (1934) 404-413; as beta quantiles: Brown, Cai & DasGupta,
    Statistical Science 16 (2001) 101-133, section 4.2.1.

    Examples
    --------
    >>> lower, upper = clopper_pearson_interval(1, 10, confidence=0.95)
    >>> print(f"{lower:.4f} to {upper:.4f}")
    0.0025 to 0.4450
    """
    from scipy.special import betainccinv, betaincinv

    hits, trials = _counts(hit_count, trial_count)
    tail = (1 - _checked_confidence(confidence)) / 2
    misses = trials - hits
    # The quantiles of Beta(k, n - k + 1) and Beta(k + 1, n - k); each is degenerate at one end.
    lower = np.where(hits == 0, 0.0, betaincinv(np.maximum(hits, 1), misses + 1, tail))
    upper = np.where(misses == 0, 1.0, betainccinv(hits + 1, np.maximum(misses, 1), tail))
    return lower, upper


def wilson_interval(
    hit_count: npt.ArrayLike, trial_count: npt.ArrayLike, *, confidence: float
) -> tuple[Floats, Floats]:
    """Wilson's score interval, for plots; it undercovers for some probabilities, so claim nothing by it.

    Parameters
    ----------
    hit_count, trial_count : array_like of int, shapes broadcastable to S
        Hits (0 to `trial_count`) of independent trials (1 or more).
    confidence
        Nominal coverage, between 0 and 1 and neither.

    Returns
    -------
    lower, upper : arrays of shape S
        Probabilities.

    Raises
    ------
    ValueError
        If a count is no whole number, or anything is out of its range.

    References
    ----------
    Wilson, Journal of the American Statistical Association 22 (1927) 209-212.

    Examples
    --------
    >>> lower, upper = wilson_interval(5, 10, confidence=0.95)
    >>> print(f"{lower:.4f} to {upper:.4f}")
    0.2366 to 0.7634
    """
    from scipy.special import ndtri

    hits, trials = _counts(hit_count, trial_count)
    z_2 = float(ndtri((1 + _checked_confidence(confidence)) / 2)) ** 2
    centre = (hits + z_2 / 2) / (trials + z_2)
    half_width = np.sqrt(z_2 * (hits * (trials - hits) / trials + z_2 / 4)) / (trials + z_2)
    # At the ends both terms are equal; their difference is rounding.
    lower = np.where(hits == 0, 0.0, centre - half_width)
    upper = np.where(hits == trials, 1.0, centre + half_width)
    return lower, upper


def zero_hits_upper_bound(trial_count: npt.ArrayLike, *, confidence: float) -> Floats:
    """One-sided upper bound on the probability of a hit that was never seen; about 3/n at 95 %.

    Smaller than the upper end of the two-sided interval, so say which of the two is shown.

    Parameters
    ----------
    trial_count : array_like of int
        Independent trials, 1 or more, none of which hit.
    confidence
        Between 0 and 1 and neither.

    Returns
    -------
    bound : array of the shape of `trial_count`
        The probability at which no hit at all has probability 1 − `confidence`.

    Raises
    ------
    ValueError
        If a count is no whole number, or anything is out of its range.

    References
    ----------
    Hanley & Lippman-Hand, Journal of the American Medical Association 249 (1983) 1743-1745.

    Examples
    --------
    >>> print(f"{zero_hits_upper_bound(10_000, confidence=0.95):.3e}")
    2.995e-04
    """
    trials = _trials(trial_count)
    bound: Floats = np.asarray(-np.expm1(math.log1p(-_checked_confidence(confidence)) / trials))
    return bound


def trials_needed(probability: float, *, confidence: float) -> int:
    """Fewest trials that, if none hits, support the claim "a hit has at most this probability".

    Parameters
    ----------
    probability
        What is to be claimed; between 0 and 1 and neither.
    confidence
        Between 0 and 1 and neither.

    Returns
    -------
    trial_count
        The smallest n with (1 − `probability`) ** n at most 1 − `confidence`.

    Raises
    ------
    ValueError
        If anything is out of its range.

    References
    ----------
    Hanley & Lippman-Hand, as in `zero_hits_upper_bound`, solved for the number of trials.

    Examples
    --------
    >>> trials_needed(1e-3, confidence=0.95)
    2995
    """
    if not 0 < probability < 1:
        raise ValueError(f"probability lies between 0 and 1 and is neither, got {probability}")
    return max(1, math.ceil(math.log1p(-_checked_confidence(confidence)) / math.log1p(-probability)))


def _checked_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence lies between 0 and 1 and is neither, got {confidence}")
    return confidence


def _counts(hit_count: npt.ArrayLike, trial_count: npt.ArrayLike) -> tuple[Floats, Floats]:
    hits, trials = np.broadcast_arrays(_whole("hit_count", hit_count), _trials(trial_count))
    is_outside = (hits < 0) | (hits > trials)
    if is_outside.any():
        first = hits[is_outside][0], trials[is_outside][0]
        raise ValueError(f"hit_count lies between 0 and trial_count, got {first[0]:g} of {first[1]:g}")
    return hits, trials


def _trials(trial_count: npt.ArrayLike) -> Floats:
    trials = _whole("trial_count", trial_count)
    if (trials < 1).any():
        raise ValueError(f"trial_count is 1 or more, got {trials[trials < 1][0]:g}")
    return trials


def _whole(name: str, values: npt.ArrayLike) -> Floats:
    numbers: Floats = np.asarray(values, dtype=np.float64)
    is_broken = ~np.isfinite(numbers) | (numbers != np.floor(numbers))
    if is_broken.any():
        raise ValueError(f"{name} is a whole number, got {numbers[is_broken][0]:g}")
    return numbers
