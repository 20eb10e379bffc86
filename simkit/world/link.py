"""A hop between two neighbours: what is lost, late, refused, replaced or doubled, and who still waits.

==========================  ================================================================================
site                        what happens there
==========================  ================================================================================
`<hop>.connection_refused`  nothing is sent; the caller hears so as soon as an answer could come back
`<hop>.request_lost`        the party below never sees the call; the caller hears nothing
`<hop>.request_late`        the call lands later than usual, at the latest landing at the latest
`<hop>.request_duplicated`  a copy, `1/1+copy` of `1/1`, lands after the first and no later than the latest
                            landing; the caller takes the answer that comes first
`<hop>.response_lost`       the caller hears nothing of what was done
`<hop>.response_late`       the answer arrives later than usual, at the latest landing at the latest
`<hop>.response_replaced`   something in between answers an error of its own in place of the answer
`<hop>.response_closed`     the connection is closed as soon as the party below has read the call, which works on;
                            the caller hears that, and of the answer nothing
==========================  ================================================================================

Where the hop interrupts, a caller that gives up ends the work that its call has begun below, at that
work's next step. What lands only after the caller has gone is not interrupted: the news that it went has
passed already.
"""

from simkit.choices import OnTimeout
from simkit.scenario import Hop
from simkit.world.faults import Faults
from simkit.world.messages import CLOSED, REFUSED, REPLACED, Answer, Receiver, ToolCall, Waiter
from simkit.world.places import NOTHING, Places
from simkit.world.slot import Slot
from simkit.world.timeline import Instant, Timeline

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
        self._interrupts = hop.on_timeout is OnTimeout.INTERRUPTED
        self._lands_locally = below.takes_calls_locally and not self._interrupts

    def send(self, call: ToolCall, timeout_s: float | None) -> Slot:
        """Send one call; the slot gets its answer, or the timeout."""
        is_refused = self._happens("connection_refused", call)
        is_lost = not is_refused and self._happens("request_lost", call)
        is_doubled = not is_refused and not is_lost and self._happens("request_duplicated", call)
        slot = Slot(
            self._timeline,
            timeout_s,
            f"{self._hop.name}@{call.path}",
            call.at,
            is_local=self._is_local and not is_doubled,
            interrupts=self._interrupts,
            ends_waiting_below=self._below.place == NOTHING,
        )
        if is_refused:
            self._refuse(call, slot)
        elif is_lost:
            slot.expect_nothing()
        else:
            self._carry(call, slot, is_doubled=is_doubled)
        return slot

    def _happens(self, ending: str, call: ToolCall) -> bool:
        return self._faults.happens(f"{self._hop.name}.{ending}", call.path)

    def _refuse(self, call: ToolCall, slot: Slot) -> None:
        """Say that nothing was sent, as soon as an answer could be back: at once would rule out the later retries."""
        news = self._timeline.wait(self._hop.response, f"{self._hop.name}.refused@{call.path}", touches=slot.touches)
        slot.deliver_at(news, REFUSED)

    def _carry(self, call: ToolCall, slot: Slot, *, is_doubled: bool) -> None:
        hop, label = self._hop, f"{self._hop.name}.request@{call.path}"
        touches = self._touched_on_landing(call, slot)
        if self._faults.is_late(f"{hop.name}.request_late", call.path):
            arrival = self._timeline.late(hop.request, hop.latest_landing_s, label, touches=touches)
        else:
            arrival = self._timeline.wait(hop.request, label, touches=touches)
        if is_doubled:
            sent = self._timeline.mark()
            arrival.callbacks.append(lambda _: self._expect_copy(call, slot, sent))
        arrival.callbacks.append(lambda _: self._arrive(call, slot))

    def _touched_on_landing(self, call: ToolCall, slot: Slot) -> Places:
        return NOTHING if self._lands_locally else (self._below.place or call.at) | slot.place

    def _arrive(self, call: ToolCall, slot: Slot) -> None:
        reply = _LinkReply(hop=self._hop, path=call.path, slot=slot, timeline=self._timeline, faults=self._faults)
        if self._happens("response_closed", call):
            reply.close()
        self._timeline.start(self._below.serve(call, reply))

    def _expect_copy(self, call: ToolCall, slot: Slot, sent: Instant) -> None:
        copy = call.along(f"{call.path}+copy")
        label = f"{self._hop.name}.request@{copy.path}"
        touches = self._touched_on_landing(copy, slot)
        arrival = self._timeline.until(sent, self._hop.latest_landing_s, label, touches=touches)
        arrival.callbacks.append(lambda _: self._arrive(copy, slot))


class _LinkReply:
    """The way back over a link to one waiting caller, made when its call lands."""

    takes_time = True

    __slots__ = ("_faults", "_hop", "_is_closed", "_path", "_slot", "_timeline", "interrupts", "place")

    def __init__(self, *, hop: Hop, path: str, slot: Slot, timeline: Timeline, faults: Faults) -> None:
        self._hop = hop
        self._path = path
        self._timeline = timeline
        self._faults = faults
        self._slot = slot
        self._is_closed = False
        self.place = slot.place
        self.interrupts = slot.interrupts and not slot.is_given_up

    @property
    def is_wanted(self) -> bool:
        return not (self.interrupts and self._slot.is_given_up)

    def answer(self, answer: Answer) -> None:
        if self._is_closed:
            return
        self._timeline.touch(self.place)
        if not self._slot.is_open:
            return
        hop, faults = self._hop, self._faults
        if faults.happens(f"{hop.name}.response_lost", self._path):
            self._slot.expect_nothing()
            return
        if faults.happens(f"{hop.name}.response_replaced", self._path):
            answer = REPLACED
        label = f"{hop.name}.response@{self._path}"
        if faults.is_late(f"{hop.name}.response_late", self._path):
            arrival = self._timeline.late(hop.response, hop.latest_landing_s, label, touches=self._slot.touches)
        else:
            arrival = self._timeline.wait(hop.response, label, touches=self._slot.touches)
        self._slot.deliver_at(arrival, answer)

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._timeline.touch(self.place)
        if self._slot.is_open:
            label = f"{self._hop.name}.closed@{self._path}"
            arrival = self._timeline.wait(self._hop.response, label, touches=self._slot.touches)
            self._slot.deliver_at(arrival, CLOSED)

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        self._slot.abandon_with(waiter)


class InProcess:
    """A library in its caller's process: nothing is lost between the two, but the caller may stop waiting.

    Parameters
    ----------
    interrupts
        Whether the library ends with the work that calls it. So it is where that work can be interrupted.
    """

    def __init__(self, below: Receiver, timeline: Timeline, *, interrupts: bool = False) -> None:
        self.sends_locally = below.takes_calls_locally
        self._below = below
        self._timeline = timeline
        self._interrupts = interrupts

    def send(self, call: ToolCall, timeout_s: float | None) -> Slot:
        """Start the work below; the slot gets its answer, or the timeout."""
        label = f"in_process@{call.path}"
        slot = Slot(
            self._timeline,
            timeout_s,
            label,
            call.at,
            is_local=False,
            interrupts=self._interrupts,
            ends_waiting_below=True,
        )
        self._timeline.start_next(self._below.serve(call, _InProcessReply(slot)))
        return slot


class _InProcessReply:
    """The way back to a caller in the same process."""

    takes_time = False

    __slots__ = ("_slot", "interrupts", "place")

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self.place = slot.place
        self.interrupts = slot.interrupts

    @property
    def is_wanted(self) -> bool:
        return not (self.interrupts and self._slot.is_given_up)

    def answer(self, answer: Answer) -> None:
        self._slot.deliver(answer)

    def close(self) -> None:
        self._slot.deliver(CLOSED)

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        self._slot.abandon_with(waiter)
