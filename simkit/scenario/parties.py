"""The parties of a scenario and their policies, as data."""

from dataclasses import dataclass

from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_duration
from simkit.terms import (
    ClaimKind,
    Identity,
    LayerName,
    OnExhausted,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    RetentionKind,
    StalePolicy,
)

__all__ = ["Agent", "Downstream", "Readback", "Retention", "RetryLayer", "Server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLayer:
    """A layer that passes a call down and may repeat it.

    Parameters
    ----------
    attempts
        Tries in all, from 1.
    timeout_s
        How long one try is waited for; None waits for ever. The work below runs on.
    backoff
        Wait between a failed try and the next.
    budget_s
        No try starts later than this after the layer's first; None where there is no such limit.
    """

    name: LayerName
    attempts: int
    timeout_s: float | None
    backoff: Wait
    budget_s: float | None
    on_exhausted: OnExhausted

    def __post_init__(self) -> None:
        if self.attempts < 1:
            message = f"{self.name}.attempts is 1 or more, got {self.attempts}"
            raise ScenarioError(message)
        insist_on_duration(f"{self.name}.timeout_s", self.timeout_s)
        insist_on_duration(f"{self.name}.budget_s", self.budget_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who makes the operation ID. Its retries are the layer named `agent`."""

    identity: Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long something is remembered, in seconds from its recording, and what follows."""

    retention_s: float
    kind: RetentionKind
    after: OnExpired

    def __post_init__(self) -> None:
        insist_on_duration("retention_s", self.retention_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Readback:
    """How the system of record is asked about one operation.

    Parameters
    ----------
    attempts
        How often it is asked before "cannot tell" stands.
    lag_s_max
        An effect may stay unseen for this long after it was made, in seconds.
    latency
        Time that one question takes.
    """

    attempts: int
    lag_s_max: float
    latency: Wait
    on_uncertain: OnUncertainReadback

    def __post_init__(self) -> None:
        if self.attempts < 1:
            message = f"readback.attempts is 1 or more, got {self.attempts}"
            raise ScenarioError(message)
        insist_on_duration("readback.lag_s_max", self.lag_s_max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The MCP server's write path.

    Parameters
    ----------
    claim
        How two calls with one operation ID are kept apart; `ClaimKind.NONE` keeps no record at all.
    lease_s
        A reservation without a receipt is stale after this time, in seconds.
    readback
        None where the server cannot ask the system of record.
    """

    claim: ClaimKind
    lease_s: float
    on_pending: OnPending
    stale: StalePolicy
    on_mismatch: OnMismatch
    retention: Retention
    readback: Readback | None

    def __post_init__(self) -> None:
        insist_on_duration("server.lease_s", self.lease_s)
        if self.stale is StalePolicy.READ_BACK and self.claim is ClaimKind.UNIQUE and self.readback is None:
            message = "server.stale 'read back' and server.readback None exclude each other"
            raise ScenarioError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Downstream:
    """The system of record that makes the effect.

    Parameters
    ----------
    key_retention
        How long its idempotency key is remembered; None where it takes no key.
    on_mismatch
        What a remembered key with other inputs gets.
    work
        Time between a request's arrival and its effect, in which nothing is durable yet.
    """

    name: str
    key_retention: Retention | None
    on_mismatch: OnMismatch
    work: Wait
