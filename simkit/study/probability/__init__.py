"""Probability: how often a promise is broken, with both ends of what is known."""

from simkit.study.probability.enumerated import bounds_of
from simkit.study.probability.estimates import Estimate, Task, task_of
from simkit.study.probability.weighing import NOT_RESOLVED, NOT_RESOLVED_BY_LUCK, probability

__all__ = [
    "NOT_RESOLVED",
    "NOT_RESOLVED_BY_LUCK",
    "Estimate",
    "Task",
    "bounds_of",
    "probability",
    "task_of",
]
