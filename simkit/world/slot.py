"""One caller that waits for one answer, until its deadline.

The first of answer and deadline wins; what nobody waits for any more is taken back, so that no
order with a dead message is ever tried.
"""

from simpy.events import Event

from simkit.world.messages import TIMED_OUT, Answer, Waiter
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
    is_local
        Whether what the caller does with the answer touches only its own call.
    """

    __slots__ = ("_deadline", "_deliveries", "_dependents", "_is_local", "_timeline", "event", "is_open")

    def __init__(self, timeline: Timeline, timeout_s: float | None, label: str, *, is_local: bool) -> None:
        self._timeline = timeline
        self._deliveries: list[Event] = []
        self._dependents: list[Waiter] = []
        self._deadline: Event | None = None
        self._is_local = is_local
        self.event = timeline.event()
        self.is_open = True
        if timeout_s is not None:
            self._deadline = timeline.deadline(timeout_s, f"{label}.deadline")
            self._deadline.callbacks.append(lambda _: self.deliver(TIMED_OUT))

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
            self.abandon()
            self.event.succeed(answer)

    def abandon(self) -> None:
        """Stop waiting; take back the deadline, the deliveries, and whoever waited for this caller's sake."""
        self.is_open = False
        if self._deadline is not None:
            self._timeline.forget(self._deadline)
        for delivery in self._deliveries:
            self._timeline.forget(delivery)
        for dependent in self._dependents:
            if dependent.is_open:
                dependent.abandon()

    def abandon_with(self, waiter: Waiter) -> None:
        """Let `waiter` stop when this caller stops."""
        self._dependents.append(waiter)
