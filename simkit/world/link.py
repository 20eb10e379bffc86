"""A hop between two neighbours: what is lost, what is late, and who still waits.

Sites: `<hop>.request_lost`, `<hop>.request_late`, `<hop>.response_lost`, `<hop>.response_late`.
"""

from simkit.scenario import Hop
from simkit.world.faults import Faults
from simkit.world.messages import CLOSED, Answer, Receiver, ToolCall, Waiter
from simkit.world.slot import Slot
from simkit.world.timeline import Timeline

__all__ = ["InProcess", "Link"]


class Link:
    """Carries calls down to `below` and answers back up.

    Parameters
    ----------
    is_local
        Whether what the caller above does with an answer touches only its own call.
    """

    sends_locally = True

    def __init__(self, hop: Hop, below: Receiver, timeline: Timeline, faults: Faults, *, is_local: bool) -> None:
        self._hop = hop
        self._below = below
        self._timeline = timeline
        self._faults = faults
        self._is_local = is_local

    def send(self, call: ToolCall, timeout_s: float | None) -> Slot:
        """Send one call; the slot gets its answer, or the timeout."""
        hop, faults = self._hop, self._faults
        slot = Slot(self._timeline, timeout_s, f"{hop.name}@{call.path}", is_local=self._is_local)
        if faults.happens(f"{hop.name}.request_lost", call.path):
            slot.expect_nothing()
            return slot
        label, is_local = f"{hop.name}.request@{call.path}", self._below.takes_calls_locally
        if faults.is_late(f"{hop.name}.request_late", call.path):
            arrival = self._timeline.late(hop.request, hop.latest_landing_s, label, is_local=is_local)
        else:
            arrival = self._timeline.wait(hop.request, label, is_local=is_local)
        arrival.callbacks.append(lambda _: self._arrive(call, slot))
        return slot

    def _arrive(self, call: ToolCall, slot: Slot) -> None:
        reply = _LinkReply(hop=self._hop, path=call.path, slot=slot, timeline=self._timeline, faults=self._faults)
        self._timeline.process(self._below.serve(call, reply))


class _LinkReply:
    """The way back over a link to one waiting caller."""

    takes_time = True

    __slots__ = ("_faults", "_hop", "_path", "_slot", "_timeline")

    def __init__(self, *, hop: Hop, path: str, slot: Slot, timeline: Timeline, faults: Faults) -> None:
        self._hop = hop
        self._path = path
        self._timeline = timeline
        self._faults = faults
        self._slot = slot

    def answer(self, answer: Answer) -> None:
        if not self._slot.is_open:
            return
        hop, faults = self._hop, self._faults
        if faults.happens(f"{hop.name}.response_lost", self._path):
            self._slot.expect_nothing()
            return
        label = f"{hop.name}.response@{self._path}"
        if faults.is_late(f"{hop.name}.response_late", self._path):
            arrival = self._timeline.late(hop.response, hop.latest_landing_s, label)
        else:
            arrival = self._timeline.wait(hop.response, label)
        self._slot.deliver_at(arrival, answer)

    def close(self) -> None:
        if self._slot.is_open:
            arrival = self._timeline.wait(self._hop.response, f"{self._hop.name}.closed@{self._path}")
            self._slot.deliver_at(arrival, CLOSED)

    @property
    def is_wanted(self) -> bool:
        return True

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        if self._slot.is_open:
            self._slot.abandon_with(waiter)
        else:
            waiter.abandon()


class InProcess:
    """A library in its caller's process: nothing is lost between the two, but the caller may stop waiting."""

    def __init__(self, below: Receiver, timeline: Timeline) -> None:
        self.sends_locally = below.takes_calls_locally
        self._below = below
        self._timeline = timeline

    def send(self, call: ToolCall, timeout_s: float | None) -> Slot:
        """Start the work below; the slot gets its answer, or the timeout."""
        slot = Slot(self._timeline, timeout_s, f"in_process@{call.path}", is_local=False)
        self._timeline.process(self._below.serve(call, _InProcessReply(slot)))
        return slot


class _InProcessReply:
    """The way back to a caller in the same process."""

    takes_time = False

    __slots__ = ("_slot",)

    def __init__(self, slot: Slot) -> None:
        self._slot = slot

    def answer(self, answer: Answer) -> None:
        self._slot.deliver(answer)

    @property
    def is_wanted(self) -> bool:
        return True

    def close(self) -> None:
        self._slot.deliver(CLOSED)

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        if self._slot.is_open:
            self._slot.abandon_with(waiter)
        else:
            waiter.abandon()
