"""Which times of a scenario its waits take a whole number of times, and no more often than a margin can follow.

A margin follows a duration as a sum of whole multiples of the scenario's times. A backoff that is drawn between
0.8 and 1.2 of a growth, or that grows by 1.5, is no such sum; one that has doubled ten times is one, and yet too
long a way from its first wait. Such times are not moved, and that is said.
"""

from collections.abc import Iterator

from simkit.distributions import Backoff
from simkit.scenario import RetryLayer, Scenario

__all__ = ["paths_not_followed"]

Path = tuple[str | int, ...]

MULTIPLE_MAX = 256
"""Of one time in one wait; far below what a slope can hold, since a run adds up many waits."""


def paths_not_followed(scenario: Scenario) -> frozenset[Path]:
    """Where the times stand, from the scenario down, that some wait takes in parts, or too often."""
    return frozenset(_paths(scenario))


def _paths(scenario: Scenario) -> Iterator[Path]:
    for index, layer in enumerate(scenario.layers):
        for field in ("backoff", "backoff_overloaded"):
            formula = getattr(layer, field)
            if isinstance(formula, Backoff):
                yield from (("layers", index, field, name) for name in _not_followed(formula, layer))
        asked = layer.retry_after
        if asked is not None and not _are_whole(asked.scale_min, asked.scale_max):
            yield "layers", index, "retry_after", "longest_s"
            yield from (("stages", stage, "downstream", "retry_after_s") for stage in range(len(scenario.stages)))


def _not_followed(formula: Backoff, layer: RetryLayer) -> Iterator[str]:
    is_drawn_in_whole = _are_whole(formula.scale_min, formula.scale_max)
    if not (is_drawn_in_whole and _grows_in_whole(formula, layer)):
        yield "first_s"
    if not is_drawn_in_whole:
        yield from ("offset_s", "cap_s")


def _grows_in_whole(formula: Backoff, layer: RetryLayer) -> bool:
    """Whether the growth before each retry is a whole multiple of that before the first, up to so many times."""
    factor = formula.factor if formula.previous_factor is None else formula.previous_factor
    if (factor, formula.power) == (1.0, 0.0):
        return True
    if layer.attempts is None or not _are_whole(factor, formula.power):
        return False
    retry_count = max(1, layer.attempts - 1)
    exponent = retry_count if formula.previous_factor is not None else retry_count - 1
    return exponent < MULTIPLE_MAX and factor**exponent * retry_count**formula.power * formula.scale_max <= MULTIPLE_MAX


def _are_whole(*values: float) -> bool:
    return all(float(value).is_integer() for value in values)
