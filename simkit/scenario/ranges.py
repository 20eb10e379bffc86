"""What numbers of a scenario must satisfy to mean anything."""

import math

from simkit.errors import ScenarioError

__all__ = ["insist_on_count", "insist_on_duration", "insist_on_fraction", "insist_on_probability"]


def insist_on_count(name: str, count: int, least: int) -> None:
    """Refuse a count below the least that has a meaning."""
    if count < least:
        message = f"{name} is {least} or more, got {count}"
        raise ScenarioError(message)


def insist_on_duration(name: str, duration_s: float | None) -> None:
    """Refuse a duration that is negative, infinite or no number; None, where it does not apply, passes."""
    if duration_s is not None and not (math.isfinite(duration_s) and duration_s >= 0):
        message = f"{name}: a duration is finite and not negative, got {duration_s}"
        raise ScenarioError(message)


def insist_on_fraction(name: str, fraction: float) -> None:
    """Refuse what is no part of a whole."""
    if not 0 <= fraction <= 1:
        message = f"{name} lies in 0..1, got {fraction}"
        raise ScenarioError(message)


def insist_on_probability(name: str, probability: float | None) -> None:
    """Refuse what does not lie in 0..1; None, where nobody knows, passes."""
    if probability is not None and not 0 <= probability <= 1:
        message = f"{name} lies in 0..1, got {probability}"
        raise ScenarioError(message)
