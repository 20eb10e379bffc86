"""One caller that waits for one answer, until its deadline.

The first of answer and deadline wins; what nobody waits for any more is taken back, so that no
order with a dead message is ever tried. A caller that got its answer has not given up: where giving up
interrupts the work below, another copy of the request is not interrupted by an answer.
"""

from simpy.events import Event

from simkit.world.messages import INTERRUPTED, TIMED_OUT, Answer, Waiter
from simkit.world.places import EVERYTHING, NOTHING, Places
from simkit.world.timeline import Timeline

__all__ = ["Slot"]


class Slot:
    """Yield `event` to wait; its value is an `Answer`.

    Parameters
    ----------
    timeout_s
        Seconds after which the answer is `TIMED_OUT`; None waits for ever.
    label
        Of the deadline.
    at
        The places that the caller's steps touch.
    is_local
        Whether what the caller does with the answer touches only its own call, and only one answer can come.
    interrupts
        Whether giving up ends the work below; then nothing about it is local.
    ends_waiting_below
        Whether somebody below may wait for this caller's sake alone.

    Attributes
    ----------
    place
        What is touched by whoever asks whether it is open, or closes it.
    touches
        What an answer to it touches when it arrives.
    """

    __slots__ = (
        "_deadline",
        "_deliveries",
        "_dependents",
        "_is_local",
        "_timeline",
        "event",
        "interrupts",
        "is_given_up",
        "is_open",
        "place",
        "touches",
    )

    def __init__(
        self,
        timeline: Timeline,
        timeout_s: float | None,
        label: str,
        at: Places,
        *,
        is_local: bool,
        interrupts: bool = False,
        ends_waiting_below: bool = False,
    ) -> None:
        self._timeline = timeline
        self._deliveries: list[Event] = []
        self._dependents: list[Waiter] = []
        self._deadline: Event | None = None
        self._is_local = is_local and not interrupts
        self.place = timeline.new_place()
        self.touches = NOTHING if self._is_local else at | self.place
        self.interrupts = interrupts
        self.is_given_up = False
        self.event = Event(timeline)
        self.is_open = True
        if timeout_s is not None:
            touches = EVERYTHING if ends_waiting_below else at | self.place
            self._deadline = timeline.deadline(timeout_s, f"{label}.deadline", touches=touches)
            self._deadline.callbacks.append(lambda _: self._give_up(TIMED_OUT))

    def deliver_at(self, arrival: Event, answer: Answer) -> None:
        """Give `answer` to the caller when `arrival` happens, if it still waits then; no other will come."""
        self._deliveries.append(arrival)
        arrival.callbacks.append(lambda _: self.deliver(answer))
        if self._is_local and self._deadline is not None:
            self._timeline.settle_between(arrival, self._deadline)
        elif self._is_local:
            self._timeline.make_local(arrival)

    def expect_nothing(self) -> None:
        """Note that no answer will ever come: the caller waits for its deadline alone."""
        if self._is_local and self._deadline is not None:
            self._timeline.make_local(self._deadline)

    def deliver(self, answer: Answer) -> None:
        """Give `answer` to the caller now, if it still waits."""
        if self.is_open:
            self._close()
            self.event.succeed(answer)

    def abandon(self) -> None:
        """Stop waiting for good, without an answer."""
        self.is_given_up = True
        self._close()

    def interrupt(self) -> None:
        """Give up because the caller above has."""
        self._give_up(INTERRUPTED)

    def _give_up(self, answer: Answer) -> None:
        self.is_given_up = True
        self.deliver(answer)

    def _close(self) -> None:
        """Take back the deadline and the deliveries, and let whoever waits for this caller's sake stop."""
        self.is_open = False
        self._timeline.touch(self.place)
        # Not kept, since they call this slot: what refers to itself in a circle is freed late, and at a cost.
        deadline, self._deadline = self._deadline, None
        deliveries, self._deliveries = self._deliveries, []
        if deadline is not None:
            self._timeline.forget(deadline)
        for delivery in deliveries:
            self._timeline.forget(delivery)
        if self._is_gone:
            for dependent in self._dependents:
                if dependent.is_open and self.interrupts:
                    dependent.interrupt()
                elif dependent.is_open:
                    dependent.abandon()

    @property
    def _is_gone(self) -> bool:
        """Whether what waits for this caller's sake may stop; an answer interrupts nothing."""
        return self.is_given_up if self.interrupts else not self.is_open

    def abandon_with(self, waiter: Waiter) -> None:
        """Let `waiter` stop when this caller stops, or now if it has gone."""
        if self._is_gone:
            waiter.abandon()
        else:
            self._dependents.append(waiter)
