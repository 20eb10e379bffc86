"""What travels: a tool call downwards, an answer upwards.

Both are tuples, written with keywords all the same: each attempt of each layer is another call with another path,
and to copy a frozen dataclass of that many fields cost a twentieth of all exploration.
"""

from typing import NamedTuple, Protocol

from simpy.events import Event

from simkit.terms import ErrorClass, Knowledge, State
from simkit.world.places import EVERYTHING, Places
from simkit.world.timeline import Steps

__all__ = [
    "CLOSED",
    "INTERRUPTED",
    "REFUSED",
    "REPLACED",
    "TIMED_OUT",
    "Answer",
    "Receiver",
    "ReplyPath",
    "Sender",
    "Steps",
    "ToolCall",
    "Waiter",
]


class ToolCall(NamedTuple):
    """One call as one party sends it. `PlannedCall` says what the fields that it shares mean.

    Parameters
    ----------
    path
        Attempt numbers from the agent down, for instance `2/1`.
    operation_id
        Empty where the call carries no identity.
    intent
        Ground truth, carried along for the journal; no party decides by it.
    credential
        With what the principal shows who it is; may be another one in a later attempt.
    stage
        Name of the stage that it is to make, below a server that makes several.
    key
        What the system of record recognises a repeat by; empty where nothing is sent for that.
    token
        Fencing token of the claim under which it is sent; 0 where there is none.
    at
        The places that the steps of its sender touch.
    """

    path: str
    operation_id: str
    intent: str
    tenant: str
    inputs: str
    loose_inputs: str = ""
    wording: str = ""
    principal: str = ""
    credential: str = ""
    target: str = ""
    approval: str = ""
    audience: str = ""
    method: str = "POST"
    wants_effect: bool = True
    stage: str = ""
    key: str = ""
    token: int = 0
    at: Places = EVERYTHING

    def along(self, path: str) -> "ToolCall":
        """The same call by another way; `_replace` takes twice as long, and each attempt is one."""
        return ToolCall._make((path, *self[1:]))

    def under(self, operation_id: str) -> "ToolCall":
        """The same call with an operation ID."""
        return ToolCall._make((self.path, operation_id, *self[2:]))


class Answer(NamedTuple):
    """What one attempt gets back.

    Parameters
    ----------
    error
        How the attempt failed on its way, for layers that decide by that; None for an answer that was decided.
    retry_after_s
        How long the answer asks to wait before the next try, in seconds.
    origin, result
        Whose record or effect it speaks of, and which recorded result it carries; see `Reply`.
    stages
        State of each stage, where there are several.
    means
        What it says where that is more than its state: why it refuses, what is in conflict, what is stored.
    """

    state: State
    detail: str
    error: ErrorClass | None = None
    retry_after_s: float = 0.0
    origin: str = ""
    result: str = ""
    stages: tuple[tuple[str, State], ...] = ()
    means: Knowledge | None = None


TIMED_OUT = Answer(state=State.UNKNOWN, detail="timeout", error=ErrorClass.TIMEOUT)
"""The caller stopped waiting; says nothing about the work below."""

CLOSED = Answer(state=State.UNKNOWN, detail="connection closed", error=ErrorClass.CONNECTION_CLOSED)
"""The connection went away with the party below; says nothing about what it had sent on."""

REFUSED = Answer(state=State.REFUSED, detail="connection refused", error=ErrorClass.CONNECTION_REFUSED)
"""Nothing was sent: the party below never saw the call."""

REPLACED = Answer(state=State.UNKNOWN, detail="503 in place of the answer", error=ErrorClass.UNAVAILABLE)
"""Something between the two put its own error in the place of an answer; says nothing about the work below."""

INTERRUPTED = Answer(state=State.UNKNOWN, detail="interrupted from above", error=ErrorClass.TIMEOUT)
"""A caller further up gave up, and that ended the waiting; says nothing about the work below."""


class Waiter(Protocol):
    """A caller that waits for one answer.

    Attributes
    ----------
    interrupts
        Whether its giving up ends the work below.
    """

    is_open: bool
    event: Event
    interrupts: bool

    def abandon(self) -> None:
        """Stop waiting for good: nobody is left who wants the answer."""

    def interrupt(self) -> None:
        """Give up in place of the own deadline, because the caller above has."""


class ReplyPath(Protocol):
    """The way back to one caller.

    Attributes
    ----------
    takes_time
        Whether an answer is under way for a while. Without, it reaches its caller in the same step, so
        whatever leads to it touches that caller.
    place
        What an answer touches.
    interrupts
        Whether the work below ends when its caller gives up. Then every step of that work meets, or does
        not meet, the caller's deadline, so none is local.
    """

    takes_time: bool
    interrupts: bool
    place: Places

    @property
    def is_wanted(self) -> bool:
        """Whether the work below may go on: its caller waits, or the hop lets the work run on without it."""

    def answer(self, answer: Answer) -> None:
        """Send an answer up; nothing happens where the caller has gone."""

    def close(self) -> None:
        """Close the connection from below."""

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        """Let `waiter` stop as soon as this caller has gone; where that interrupts, let it give up."""


class Receiver(Protocol):
    """A party at the lower end of a hop.

    Attributes
    ----------
    takes_calls_locally
        Whether the arrival of a call touches nothing but that call.
    place
        What its steps touch, whoever calls; nothing, where they take place with their caller's.
    """

    takes_calls_locally: bool
    place: Places

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Work on one call; answer once, or never."""


class Sender(Protocol):
    """Whatever a layer sends its attempts to: a link, or a library in the same process.

    Attributes
    ----------
    sends_locally
        Whether sending a call touches nothing but that call.
    """

    sends_locally: bool

    def send(self, call: ToolCall, timeout_s: float | None) -> Waiter:
        """Send one call and return who waits for its answer."""
