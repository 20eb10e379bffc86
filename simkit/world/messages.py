"""What travels: a tool call downwards, an answer upwards."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from simpy.events import Event

from simkit.terms import State

__all__ = ["CLOSED", "TIMED_OUT", "Answer", "Receiver", "ReplyPath", "Sender", "Steps", "ToolCall", "Waiter"]

Steps = Generator[Event, Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call as one party sends it.

    Parameters
    ----------
    operation_id
        Empty where the call carries no identity.
    path
        Attempt numbers from the agent down, for instance `2/1`.
    """

    intent: str
    tenant: str
    operation_id: str
    inputs: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one attempt gets back. `is_transport` where no party decided, the way itself failed."""

    state: State
    detail: str
    is_transport: bool = False


TIMED_OUT = Answer(state=State.UNKNOWN, detail="timeout", is_transport=True)
"""The caller stopped waiting; says nothing about the work below."""

CLOSED = Answer(state=State.UNKNOWN, detail="connection closed", is_transport=True)
"""The connection went away with the party below; says nothing about what it had sent on."""


class Waiter(Protocol):
    """A caller that waits for one answer."""

    is_open: bool
    event: Event

    def abandon(self) -> None:
        """Stop waiting for good: nobody is left who wants the answer."""


class ReplyPath(Protocol):
    """The way back to one caller.

    Attributes
    ----------
    takes_time
        Whether an answer is under way for a while. Without, it reaches its caller in the same step, so
        whatever leads to it touches that caller.
    """

    takes_time: bool

    def answer(self, answer: Answer) -> None:
        """Send an answer up; nothing happens where the caller has gone."""

    def close(self) -> None:
        """Close the connection from below."""

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        """Let `waiter` stop as soon as this caller has gone."""


class Receiver(Protocol):
    """A party at the lower end of a hop.

    Attributes
    ----------
    takes_calls_locally
        Whether the arrival of a call touches nothing but that call.
    """

    takes_calls_locally: bool

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Work on one call; answer once, or never."""


class Sender(Protocol):
    """Whatever a layer sends its attempts to: a link, or a library in the same process."""

    def send(self, call: ToolCall, timeout_s: float | None) -> Waiter:
        """Send one call and return who waits for its answer."""
