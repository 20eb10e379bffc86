"""The state of an interval run as a value: two runs with equal snapshots have the same futures.

Whatever a future can depend on is reachable from the pending steps: through their callbacks to the
waiting processes, the suspended frames and local variables of their generators, the parties that
these refer to, and the instants that somebody still compares with. The walk writes all of it down,
objects by the order in which it meets them, instants by their mutual bounds. Nothing has to be
declared by a party, so nothing can be forgotten; what is constant in a run is left out by type.

What already happened and still matters to a check is not reachable; the caller adds it.
"""

from collections.abc import Hashable
from enum import Enum
from types import FunctionType, GeneratorType, MappingProxyType, MethodType
from typing import Any

from simpy.events import Event, Process

from simkit.chance import Chance
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.policy import Entry
from simkit.scenario import (
    Agent,
    Conditions,
    Downstream,
    Hop,
    PlannedCall,
    Readback,
    Retention,
    RetryLayer,
    Scenario,
    Server,
)
from simkit.world.messages import Answer, ToolCall
from simkit.world.slot import Slot
from simkit.world.interval_timeline import IntervalTimeline
from simkit.world.timeline import Instant, Timeline
from simkit.world.trials import Decisions

__all__ = ["snapshot"]

_CONSTANT = (
    Timeline, Chance, Journal, Decisions, MappingProxyType,
    Scenario, Hop, RetryLayer, Server, Agent, Downstream, Conditions, Readback, Retention, Wait,
)  # fmt: skip
_VALUE = (ToolCall, Answer, Entry, PlannedCall, Enum, str, int, float, type(None))


def snapshot(timeline: IntervalTimeline) -> tuple[tuple[Hashable, ...], list[Instant]]:
    """Everything but times that the future of a run depends on, and the instants that it compares with.

    Returns
    -------
    situation
        Hashable; equal for equal situations.
    instants
        In the order in which the walk meets them, so that those of equal situations correspond.
    """
    walk = _Walk()
    for event, priority in timeline.pending_events():
        walk.written.append(priority)
        walk.write(event)
    return tuple(walk.written), walk.instants


class _Walk:
    """Writes objects down in the order in which they are met; each once."""

    def __init__(self) -> None:
        self.written: list[Hashable] = []
        self.instants: list[Instant] = []
        self._number_of: dict[int, int] = {}
        self._kept: list[object] = []

    def write(self, value: Any) -> None:
        """Write one value and all that it refers to."""
        if isinstance(value, _VALUE):
            self.written.append(value)
            return
        if isinstance(value, _CONSTANT):
            return
        number = self._number_of.get(id(value))
        if number is not None:
            self.written.append(number)
            return
        self._number_of[id(value)] = len(self._number_of)
        self._kept.append(value)
        self.written.append(type(value))
        self._write_content(value)

    def _write_content(self, value: Any) -> None:
        if isinstance(value, Instant):
            self.instants.append(value)
        elif isinstance(value, Process):
            self._write_all(value.callbacks or ())
            self._write_frames(value._generator)
        elif isinstance(value, Event):
            self._write_all(value.callbacks or ())
            if value.triggered and value.callbacks is None:
                self.write(value.value)
        elif isinstance(value, Slot):
            if value.is_open:
                self._write_slots(value)
        elif isinstance(value, GeneratorType):
            self._write_frames(value)
        elif isinstance(value, MethodType):
            self.written.append(value.__name__)
            self.write(value.__self__)
        elif isinstance(value, FunctionType):
            self.written.append(id(value.__code__))
            self._write_all(cell.cell_contents for cell in value.__closure__ or ())
        elif isinstance(value, dict):
            for key, item in value.items():
                self.write(key)
                self.write(item)
        elif isinstance(value, list | tuple):
            self.written.append(len(value))
            self._write_all(value)
        else:
            self._write_slots(value)

    def _write_all(self, values: Any) -> None:
        for value in values:
            self.write(value)

    def _write_slots(self, value: Any) -> None:
        names = getattr(type(value), "__slots__", None)
        if names is None:
            self._write_all(vars(value).values())
        else:
            self._write_all(getattr(value, name) for name in names)

    def _write_frames(self, generator: Any) -> None:
        while isinstance(generator, GeneratorType):
            frame = generator.gi_frame
            if frame is None:
                self.written.append("ended")
                return
            self.written.append(id(frame.f_code))
            self.written.append(frame.f_lasti)
            self._write_all(frame.f_locals.values())
            generator = generator.gi_yieldfrom
