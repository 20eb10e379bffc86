"""A durable queue in front of a party: the caller hears `accepted`, and the call is handed on later, maybe often.

=================  =============================================================================
held by            when the visibility clock starts        what that does to a long delay
=================  =============================================================================
broker             when the call is due and handed out     nothing
worker             when the call is accepted, since the    each period ends before the call is
                   worker has received it by then          due, so one worker more holds it
=================  =============================================================================

A call that was handed out and is not acknowledged when its visibility clock runs out is handed to one worker
more, until it was handed out as often as is allowed; the k-th copy of `1/1` is `1/1~k`. Whoever holds it
runs it when it is due, without asking whether somebody else has. So a call that a worker holds for e seconds
under a visibility timeout of V runs floor(e / V) + 1 times if it is acknowledged within the period that is
running then; at e = n V exactly, the n-th period ends before the work can be acknowledged (a deadline beats
a reply), so it counts.

What acknowledges after the work is an answer from below: any but `unknown`, which decides nothing, and
`refused`, which says that this copy did nothing. A connection that is closed by a crash is no answer.

References
----------
celery/kombu issue 337, for copies of a task that is held beyond its visibility timeout.
"""

from simpy.events import Event

from simkit.choices import Acknowledgement, Holder
from simkit.scenario import Hop, Queue
from simkit.terms import State
from simkit.world.messages import Answer, Receiver, ReplyPath, Steps, ToolCall, Waiter
from simkit.world.places import EVERYTHING, NOTHING
from simkit.world.timeline import Timeline

__all__ = ["CallQueue", "behind_queue"]

ACCEPTED = Answer(state=State.ACCEPTED, detail="put into the queue")

UNACKNOWLEDGED = frozenset({State.UNKNOWN, State.REFUSED})


def behind_queue(hop: Hop, below: Receiver, timeline: Timeline) -> Receiver:
    """The party at the lower end of a hop: `below` itself, or the queue of the hop in front of it."""
    return below if hop.queue is None else CallQueue(hop.name, hop.queue, below, timeline)


class CallQueue:
    """Takes calls over and hands them on to `below`.

    Parameters
    ----------
    name
        Of the hop, for the labels of the waits.
    """

    takes_calls_locally = True
    place = EVERYTHING

    def __init__(self, name: str, queue: Queue, below: Receiver, timeline: Timeline) -> None:
        self._name = name
        self._queue = queue
        self._below = below
        self._timeline = timeline

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Put a call in, say so, and hand it on when it is due."""
        reply.answer(ACCEPTED)
        queue, timeline = self._queue, self._timeline
        # A worker that holds the call may get company before it is due, so that this order counts.
        is_local = queue.held_by is Holder.BROKER and self._below.takes_calls_locally
        touches = NOTHING if is_local else EVERYTHING
        due = timeline.wait(queue.delay, f"{self._name}.due@{call.path}", touches=touches)
        queued = _Queued(queue, self._name, call, self._below, timeline)
        if queue.held_by is Holder.WORKER:
            queued.hand_out()
        yield due
        if queue.held_by is Holder.BROKER:
            queued.hand_out()
        queued.run_held()


class _Queued:
    """One call in the queue, and the copies of it that were handed out."""

    def __init__(self, queue: Queue, name: str, call: ToolCall, below: Receiver, timeline: Timeline) -> None:
        self._queue = queue
        self._name = name
        self._call = call
        self._below = below
        self._timeline = timeline
        self._held: list[ToolCall] = []
        self._delivery_count = 0
        self._is_due = False
        self._is_acknowledged = queue.acknowledges is Acknowledgement.ON_RECEIPT
        self._visibility: Event | None = None

    def hand_out(self) -> None:
        """Give a copy to one more worker, which holds it until it is due."""
        self._delivery_count += 1
        number = self._delivery_count
        copy = self._call if number == 1 else self._call.along(f"{self._call.path}~{number}")
        self._held.append(copy)
        if not self._is_acknowledged and number < self._queue.delivery_count_max:
            label = f"{self._name}.visibility@{copy.path}"
            self._visibility = self._timeline.deadline(self._queue.visibility_timeout_s, label)
            self._visibility.callbacks.append(lambda _: self.hand_out())
        if self._is_due:
            self.run_held()

    def run_held(self) -> None:
        """Run what is held, now that it is due; what is handed out from now on runs at once."""
        self._is_due = True
        held, self._held = self._held, []
        for copy in held:
            self._timeline.start_next(self._below.serve(copy, _Acknowledging(self)))

    def take(self, answer: Answer) -> None:
        """Acknowledge by an answer from below, if it says enough."""
        if not self._is_acknowledged and answer.state not in UNACKNOWLEDGED:
            self._is_acknowledged = True
            if self._visibility is not None:
                self._timeline.forget(self._visibility)


class _Acknowledging:
    """The way back from the party below to a queue, which always waits."""

    takes_time = False
    interrupts = False
    place = EVERYTHING
    is_wanted = True

    __slots__ = ("_queued",)

    def __init__(self, queued: _Queued) -> None:
        self._queued = queued

    def answer(self, answer: Answer) -> None:
        self._queued.take(answer)

    def close(self) -> None:
        """Nothing: what was running is not acknowledged."""

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        """Nothing: a queue never gives up."""
