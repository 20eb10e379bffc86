"""What is left of an attempt when nothing is in flight: everything that can bear on the next one, as one value.

Whatever can be reached from the agent's process is part of the state, field by field, unless it stands among
what is left out, with the reason; so a field that is new, or forgotten here, at worst keeps two states apart
that are equal. Instants are told apart from the rest: no party compares times but by asking whether a duration
has passed since one of them, so the state holds which instant stands where, and their ages stand beside it.

What is in flight has no state. A step that is still to come, a caller who waits for one, a process that is not
through: each makes `InFlight`. One thing may be in flight that does nothing any more, where the scenario says
so (`waits_in_vain`): the deadline of a request that was lost on its way to the system of record, after its
caller has gone.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType
from typing import Any

import simpy
from simpy.events import Event

from simkit.chance import Chance
from simkit.choices import Drift, Fencing, StoredFailure, StoreKind, WriteOrder
from simkit.errors import SimkitError
from simkit.journal import Journal
from simkit.policy import Entry
from simkit.scenario import TO_DOWNSTREAM, Scenario
from simkit.world.course import Course
from simkit.world.layer import Layer
from simkit.world.messages import ToolCall
from simkit.world.rows import Row
from simkit.world.timeline import Instant, Timeline
from simkit.world.trials import Decisions, Trials
from simkit.world.workers import Replica, Worker

__all__ = ["InFlight", "StateReader", "left_out", "waits_in_vain"]

IN_VAIN = re.compile(rf"{TO_DOWNSTREAM}@.*\.deadline")

ATOMS = (str, int, float, Enum, type(None), type)
OUTSIDE = (Timeline, Chance, Journal, Trials, Decisions)
"""Time, luck and ears: no memory of a party. A run like this has no trials."""

CONSTANT = ("simkit.scenario", "simkit.distributions", "simkit.world.plan", "operator")
"""Modules whose objects say how the world is, never how it stands."""


class InFlight(SimkitError):
    """Something is under way between two attempts; the message names it."""


def waits_in_vain(scenario: Scenario) -> bool:
    """Whether a server that waits for a lost request does nothing when its deadline has come and nobody waits for it.

    It sends no more, records nothing, renews no lease, keeps no worker from others, and the agent is its only caller.
    """
    server, sdk = scenario.server, scenario.layers[-1]
    return (
        len(scenario.layers) == 2
        and not sdk.repeats
        and not sdk.is_throttled
        and server.order is not WriteOrder.OUTBOX
        and server.stored_failure in (StoredFailure.REPLAY_DEFINITE, StoredFailure.RELEASE_RESULT)
        and not server.is_lease_renewed
        and server.worker_count is None
    )


def left_out(scenario: Scenario) -> Mapping[tuple[type, str], Callable[[Any], object]]:
    """What is read of a field instead of all of it."""
    server = scenario.server
    nothing: Callable[[Any], object] = lambda _: None  # noqa: E731
    readings: dict[tuple[type, str], Callable[[Any], object]] = {
        # A path names an attempt in labels, and no two attempts share one.
        (ToolCall, "path"): nothing,
        # What it waits for is over, and the next answer replaces the last one before anybody reads it.
        (Course, "take_back"): nothing,
        (Course, "last"): nothing,
        # Of what was sent, the first call with each ID is read, and whether there was one.
        (Course, "calls"): _operations,
        # Nobody works on a claim any more; a lease is renewed by whoever does.
        (Worker, "_reply"): nothing,
        (Worker, "_born"): nothing,
        (Worker, "slot"): nothing,
        (Worker, "replica"): nothing,
    }
    if scenario.agent.drift is Drift.NONE:
        readings[Course, "send_count"] = bool
    if not server.store.failover_loss_s:
        readings[Row, "history"] = lambda history: history[-1]
    if server.fencing is not Fencing.TOKEN_DOWNSTREAM:
        # Whether a claim was ever taken over is read, and whether it is the version that was seen just before.
        readings[Entry, "version"] = lambda version: min(version, 2)
    if not any(layer.is_throttled for layer in scenario.layers):
        # Without a throttle nothing is remembered for any process.
        readings[Layer, "_pacing_by_process"] = nothing
        if server.store.kind is not StoreKind.PROCESS_MEMORY:
            readings[Replica, "incarnation"] = nothing
    if waits_in_vain(scenario):
        readings[Replica, "_at_work"] = nothing
    return readings


def _operations(calls: list[ToolCall]) -> object:
    first: dict[str, ToolCall] = {}
    for call in calls:
        first.setdefault(call.operation_id or call.path, call)
    return tuple(first.values())


class StateReader:
    """Reads the state between two attempts of one run.

    Attributes
    ----------
    instants
        Those that the state holds, in the order in which they were met.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._left_out = left_out(scenario)
        self._may_wait_in_vain = waits_in_vain(scenario)
        self._met: dict[int, tuple[int, object]] = {}  # holds what was met, so that no other thing gets its number
        self._constant: dict[type, bool] = {}
        self.instants: list[Instant] = []

    def read(self, memory: tuple[object, ...], pending: Iterable[Event]) -> Hashable:
        """Everything that can bear on the next attempt, as one value: all that the agent goes by, and can reach.

        Raises
        ------
        InFlight
            If something is under way.
        """
        for event in pending:
            if event.callbacks:
                self._insist_on_vanity(event, "a step that follows at once")
        return self._of(memory)

    def _insist_on_vanity(self, event: Event, nameless: str) -> None:
        label = getattr(event, "label", nameless)
        if not (self._may_wait_in_vain and IN_VAIN.fullmatch(label)):
            raise InFlight(label)

    def _of(self, thing: Any) -> Hashable:
        if isinstance(thing, ATOMS):
            return thing
        if self._is_constant(type(thing)):
            return "the same in every run"
        if isinstance(thing, Event | GeneratorType):
            return self._of_step(thing)
        if isinstance(thing, FunctionType | BuiltinFunctionType | MethodType | partial):
            return self._of_function(thing)
        if isinstance(thing, frozenset | set):
            return frozenset(self._of(item) for item in thing)
        if isinstance(thing, tuple):
            return type(thing).__name__, self._of_fields(thing) if hasattr(thing, "_fields") else self._of_all(thing)
        if id(thing) in self._met:
            return "met before", self._met[id(thing)][0]
        self._met[id(thing)] = len(self._met), thing
        return self._of_object(thing)

    def _is_constant(self, kind: type) -> bool:
        is_constant = self._constant.get(kind)
        if is_constant is None:
            is_constant = self._constant[kind] = issubclass(kind, OUTSIDE) or kind.__module__.startswith(CONSTANT)
        return is_constant

    def _of_object(self, thing: Any) -> Hashable:
        """What may change, or be the same thing in two places."""
        if isinstance(thing, Instant):
            self.instants.append(thing)
            return "instant", len(self.instants) - 1
        if isinstance(thing, Mapping):
            return tuple((self._of(key), self._of(value)) for key, value in thing.items())
        if isinstance(thing, list):
            return self._of_all(thing)
        if isinstance(thing, simpy.Resource):
            if thing.queue:
                raise InFlight("a call that waits for a worker")
            return "workers", len(thing.users)
        return type(thing).__name__, self._of_fields(thing)

    def _of_all(self, items: Iterable[object]) -> Hashable:
        return tuple(self._of(item) for item in items)

    def _of_fields(self, thing: Any) -> Hashable:
        kind = type(thing)
        names = getattr(thing, "_fields", None) or (*_slots(kind), *getattr(thing, "__dict__", ()))
        if not names and not hasattr(thing, "__dict__"):
            message = f"a {kind.__qualname__} has no fields that could be read"
            raise TypeError(message)
        return tuple(self._of(self._field(thing, name)) for name in names)

    def _field(self, thing: Any, name: str) -> object:
        value, read = getattr(thing, name, None), self._left_out.get((type(thing), name))
        return value if read is None else read(value)

    def _of_step(self, thing: Any) -> Hashable:
        if isinstance(thing, GeneratorType):
            if thing.gi_frame is not None:
                raise InFlight(f"steps of {thing.__qualname__}")
        elif thing.callbacks:
            self._insist_on_vanity(thing, "a caller who waits for an answer")
        return "over"

    def _of_function(self, thing: Any) -> Hashable:
        if isinstance(thing, partial):
            return self._of(thing.func), self._of(thing.args), self._of(thing.keywords)
        cells = getattr(thing, "__closure__", None) or ()
        bound = getattr(thing, "__self__", None)
        return thing.__qualname__, self._of(bound), tuple(self._of(cell.cell_contents) for cell in cells)


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots
