"""A layer that passes a call down and may repeat it: which failures, how often, and what holds it back."""

from dataclasses import dataclass

from simkit.distributions import Wait
from simkit.scenario.ranges import insist_on_count, insist_on_duration, insist_on_fraction
from simkit.terms import ErrorClass, LayerName, OnExhausted

__all__ = ["CircuitBreaker", "RetryLayer", "RetryShare", "TokenBucket"]

TRANSPORT = (ErrorClass.CONNECTION_REFUSED, ErrorClass.CONNECTION_CLOSED, ErrorClass.TIMEOUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBucket:
    """Retries are paid from a bucket that all calls of the layer share; an empty one stops them.

    Parameters
    ----------
    token_count_max
        Tokens at the start, and the most there ever are.
    cost_count
        Tokens that one retry takes.
    refund_count
        Tokens that a success gives back.
    """

    token_count_max: int
    cost_count: int
    refund_count: int

    def __post_init__(self) -> None:
        for name, least in (("token_count_max", 0), ("cost_count", 1), ("refund_count", 0)):
            insist_on_count(f"token_bucket.{name}", getattr(self, name), least)


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitBreaker:
    """After so many failures in a row nothing is sent for a while; then one call tries."""

    failure_count: int
    open_s: float

    def __post_init__(self) -> None:
        insist_on_count("circuit_breaker.failure_count", self.failure_count, 1)
        insist_on_duration("circuit_breaker.open_s", self.open_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryShare:
    """Retries may be at most this fraction of the calls of the layer so far, and `count_min` in any case."""

    fraction: float
    count_min: int

    def __post_init__(self) -> None:
        insist_on_fraction("retry_share.fraction", self.fraction)
        insist_on_count("retry_share.count_min", self.count_min, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLayer:
    """A layer that passes a call down and may repeat it.

    Parameters
    ----------
    attempts
        Tries in all, from 1.
    timeout_s
        How long one try is waited for; None waits for ever. What that does to the work below is a
        property of the hop.
    backoff
        Wait between a failed try and the next.
    budget_s
        No try starts later than this after the layer's first; None where there is no such limit.
    on_exhausted
        What is said upward, or to the user, when no try is left while the outcome is open.
    retries_on
        The failures that are tried again. The agent tries whatever is open again, unless it lists others
        than these usual ones: then it tries those alone.
    methods
        Only calls of these methods are tried again; None where the method does not matter.
    honours_retry_after
        Whether it waits as long as the answer asks, where that is longer than the backoff.
    """

    name: LayerName
    attempts: int
    timeout_s: float | None
    backoff: Wait
    budget_s: float | None
    on_exhausted: OnExhausted
    retries_on: tuple[ErrorClass, ...] = TRANSPORT
    methods: tuple[str, ...] | None = None
    honours_retry_after: bool = False
    token_bucket: TokenBucket | None = None
    circuit_breaker: CircuitBreaker | None = None
    retry_share: RetryShare | None = None

    def __post_init__(self) -> None:
        insist_on_count(f"{self.name}.attempts", self.attempts, 1)
        insist_on_duration(f"{self.name}.timeout_s", self.timeout_s)
        insist_on_duration(f"{self.name}.budget_s", self.budget_s)

    @property
    def is_throttled(self) -> bool:
        """Whether its calls share something that may hold one of them back."""
        return (self.token_bucket, self.circuit_breaker, self.retry_share) != (None, None, None)

    @property
    def lists_its_failures(self) -> bool:
        """Whether it names other failures than the usual ones of the transport."""
        return self.retries_on != TRANSPORT
