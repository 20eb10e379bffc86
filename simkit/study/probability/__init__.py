"""Probability: how often a promise is broken, with both ends of what is known."""

from simkit.study.probability.enumerated import NOT_RESOLVED, bounds_of, probability

__all__ = ["NOT_RESOLVED", "bounds_of", "probability"]
