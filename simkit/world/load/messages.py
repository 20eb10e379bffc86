"""What the parties of a world under load hand to each other, and how they draw.

A party serves a call by a generator of SimPy events that returns the failure, or None for success. A reply that
never comes is an event that nobody triggers.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any, Protocol

from simpy import Environment
from simpy.events import Event

from simkit.distributions import Discrete, Law
from simkit.scenario import LoadFault
from simkit.terms import ErrorClass
from simkit.world.load.ledger import OpenOperation

__all__ = ["Acting", "Below", "Call", "Draw", "Serving", "asker", "drawn_fault", "silence"]

Draw = Callable[[], float]
"""Gives the next uniform number of a stream."""

Serving = Generator[Event, Any, ErrorClass | None]
"""Steps that end with a failure, or with None for success."""

Acting = Generator[Event, Any, None]
"""Steps that nobody waits for."""


class Call:
    """One call of an operation on its way down; `key` is what a repeat is recognised by, None where there is none."""

    __slots__ = ("key", "operation")

    def __init__(self, operation: OpenOperation, key: str | None) -> None:
        self.operation = operation
        self.key = key


class Below(Protocol):
    """Whatever a layer sends to: the next layer, or the service, with the link in between."""

    def serve(self, call: Call) -> Serving:
        """Serve one attempt of the layer above."""


def asker(law: Law, draw: Draw) -> Callable[[], float]:
    """A function that gives durations of a law, with as few draws as it needs."""
    if isinstance(law, Discrete) and len(law.atoms) == 1:
        (atom,) = law.atoms
        return lambda: atom.duration_s
    drawn_s = law.drawn_s
    return lambda: drawn_s(draw())


def drawn_fault(faults: Sequence[LoadFault], draw: Draw) -> ErrorClass | None:
    """Which of the faults happens; None where none does."""
    at_fraction = draw()
    for fault in faults:
        if at_fraction < fault.probability:
            return fault.failure
        at_fraction -= fault.probability
    return None


def silence(env: Environment) -> Event:
    """What one waits for whose answer never comes."""
    return env.event()
