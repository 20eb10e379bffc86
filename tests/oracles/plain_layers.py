"""What the exporter reads of a retry layer; it knows layers with a number of attempts and one wait for each retry."""

from simkit.distributions import Wait
from simkit.scenario import RetryLayer

__all__ = ["attempts_of", "backoff_of"]


def attempts_of(layer: RetryLayer) -> int:
    """Tries in all."""
    assert layer.attempts is not None, f"{layer.name}: attempts without an end cannot be exported"
    return layer.attempts


def backoff_of(layer: RetryLayer) -> Wait:
    """The wait before each retry."""
    assert isinstance(layer.backoff, Wait), f"{layer.name}: a backoff by a formula cannot be exported"
    return layer.backoff
