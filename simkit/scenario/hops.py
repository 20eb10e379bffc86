"""The links between neighbours, and the queue that one of them may be."""

from dataclasses import dataclass

from simkit.choices import Acknowledgement, Holder, OnTimeout
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_count, insist_on_duration

__all__ = ["Hop", "Queue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A durable queue: whoever puts a call in hears `accepted`, and the call is delivered at least once.

    Parameters
    ----------
    delay
        From acceptance until the call is due.
    held_by
        Who keeps it until then. A worker that keeps it has received it, so the visibility clock runs.
    visibility_timeout_s
        A call that was handed out and is not acknowledged for this long is handed out again.
    delivery_count_max
        Times that it is handed out at most.
    acknowledges
        When the consumer acknowledges.
    """

    delay: Wait
    held_by: Holder
    visibility_timeout_s: float
    delivery_count_max: int
    acknowledges: Acknowledgement

    def __post_init__(self) -> None:
        insist_on_duration("queue.visibility_timeout_s", self.visibility_timeout_s)
        insist_on_count("queue.delivery_count_max", self.delivery_count_max, 1)
        if self.visibility_timeout_s == 0 and self.delivery_count_max > 1:
            message = (
                f"queue.visibility_timeout_s 0 and queue.delivery_count_max {self.delivery_count_max} exclude each "
                "other: every copy would be handed out at one instant"
            )
            raise ScenarioError(message)

    @property
    def last_delivery_s(self) -> float:
        """From acceptance until the call is handed out for the last time at most, in seconds."""
        return self.delay.s_max + (self.delivery_count_max - 1) * self.visibility_timeout_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """A link between two neighbours.

    Parameters
    ----------
    latest_landing_s
        A late message lands at most this long after it was sent, in seconds.
    on_timeout
        What the work below does when the caller above has stopped waiting.
    queue
        None where a call goes straight through.
    """

    name: str
    request: Wait
    response: Wait
    latest_landing_s: float
    on_timeout: OnTimeout = OnTimeout.RUNS_ON
    queue: Queue | None = None

    def __post_init__(self) -> None:
        insist_on_duration(f"{self.name}.latest_landing_s", self.latest_landing_s)
        if self.latest_landing_s < max(self.request.s_max, self.response.s_max):
            message = (
                f"{self.name}.latest_landing_s {self.latest_landing_s} is shorter than the slowest usual latency "
                f"{max(self.request.s_max, self.response.s_max)}"
            )
            raise ScenarioError(message)
