"""What answers under load: how long it works, how many at once, how it fails, and how it recognises a repeat."""

import math
from dataclasses import dataclass

from simkit.distributions import Law
from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_count, insist_on_duration, insist_on_probability
from simkit.terms import ErrorClass

__all__ = ["LoadFault", "LoadService", "Outage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFault:
    """One way in which a message, or a piece of work, fails.

    Parameters
    ----------
    failure
        What the caller hears; of a `timeout` it hears nothing, and waits as long as it is willing to.
    probability
        For each message that comes so far.
    after_work
        Whether what is below was done, and only its answer is replaced: a response that is lost or closed.
    """

    failure: ErrorClass
    probability: float
    after_work: bool = False

    def __post_init__(self) -> None:
        insist_on_probability("faults.probability", self.probability)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A time in which the service answers nobody well.

    Parameters
    ----------
    failure
        What a request gets that arrives meanwhile; None where it is kept waiting, and nothing is begun.
    after_work
        Whether its work is done all the same.
    """

    from_s: float
    duration_s: float
    failure: ErrorClass | None
    after_work: bool = False

    def __post_init__(self) -> None:
        insist_on_duration("outages.from_s", self.from_s)
        insist_on_duration("outages.duration_s", self.duration_s)

    @property
    def until_s(self) -> float:
        """When it is over."""
        return self.from_s + self.duration_s


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadService:
    """The service at the end of every stack.

    Parameters
    ----------
    work
        How long it works on one request.
    work_per_request_s
        Added for each request in flight when the work on one begins, that one included.
    server_count
        On how many requests it works at once; None: on all of them. The others wait, first come first served.
    queue_count_max
        How many may wait; None: all of them.
    on_full
        What a request gets where no more may wait; of a `timeout` it is dropped in silence.
    faults
        At its door and, after the work, at its answer. What fails at the door takes no server.
    retry_after_s
        What its answers ask for that say overloaded or unavailable; 0 where they ask for nothing.
    key_retention_s
        How long after an effect it recognises a repeat by the key and makes no other; None where it recognises none.
    is_versioned
        Whether each attempt reads a version first, and is refused as a conflict where that is no longer the current
        one when it writes: optimistic concurrency control on one row. Only the write counts as a request.
    """

    work: Law
    work_per_request_s: float = 0.0
    server_count: int | None = None
    queue_count_max: int | None = None
    on_full: ErrorClass = ErrorClass.TIMEOUT
    faults: tuple[LoadFault, ...] = ()
    outages: tuple[Outage, ...] = ()
    retry_after_s: float = 0.0
    key_retention_s: float | None = None
    is_versioned: bool = False

    def __post_init__(self) -> None:
        insist_on_duration("service.work_per_request_s", self.work_per_request_s)
        insist_on_duration("service.retry_after_s", self.retry_after_s)
        insist_on_duration("service.key_retention_s", self.key_retention_s)
        if self.server_count is not None:
            insist_on_count("service.server_count", self.server_count, 1)
        if self.queue_count_max is not None:
            insist_on_count("service.queue_count_max", self.queue_count_max, 0)
            if self.server_count is None:
                message = "service.queue_count_max and service.server_count 'none' exclude each other: nobody waits"
                raise ScenarioError(message)
        for after_work in (False, True):
            total = math.fsum(fault.probability for fault in self.faults if fault.after_work is after_work)
            if total > 1:
                message = f"service.faults: probabilities add up to at most 1, got {total:g}"
                raise ScenarioError(message)
