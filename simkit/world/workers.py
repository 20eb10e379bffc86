"""The server's processes, and the workers in them: who lives, who pauses, whose connection is still open.

A crash kills all calls in flight of one process, forgets its memory and closes its connections; what was
already sent downstream still arrives. The process is up again at once, as another incarnation: a call that
was in flight finds that at its next step, and ends there.
"""

from simpy import Resource
from simpy.resources.resource import Request

from simkit.world.messages import ReplyPath, Steps
from simkit.world.timeline import Instant, Timeline

__all__ = ["Replica", "Worker"]


class Worker:
    """Whoever works on one call: as long as the process lives and the caller, where that counts, still waits.

    Attributes
    ----------
    silent_since
        When it began to pause, died, or ended: from then on it renews no lease. None while it works.
    """

    __slots__ = ("_born", "_reply", "replica", "silent_since", "slot")

    def __init__(self, replica: "Replica", reply: ReplyPath) -> None:
        self.replica = replica
        self.silent_since: Instant | None = None
        self.slot: Request | None = None
        self._born = replica.incarnation
        self._reply = reply

    @property
    def goes_on(self) -> bool:
        """Whether it may make its next step."""
        return self.replica.incarnation == self._born and self._reply.is_wanted

    @property
    def lives(self) -> bool:
        """Whether its process is still the one in which it began."""
        return self.replica.incarnation == self._born

    def work_again(self) -> None:
        """Go on after a pause: a worker that lives renews its lease again, a dead one does not."""
        if self.goes_on:
            self.silent_since = None

    @property
    def memory(self) -> str:
        """Name of the memory of its process, which no other incarnation has."""
        return f"{self.replica.index}.{self._born}"


class Replica:
    """One process behind the load balancer.

    Parameters
    ----------
    worker_count
        Calls that it works on at once; None where there is no limit.
    renews_leases
        Whether it matters since when a worker has been silent.
    """

    def __init__(self, index: int, worker_count: int | None, timeline: Timeline, *, renews_leases: bool) -> None:
        self.index = index
        self.incarnation = 0
        self._renews_leases = renews_leases
        self._timeline = timeline
        self._worker_count = worker_count
        self._slots = self._new_slots()
        self._at_work: dict[Worker, ReplyPath] = {}

    def take(self, reply: ReplyPath) -> Worker:
        """A worker for one call; its connection is open from now on."""
        worker = Worker(self, reply)
        self._at_work[worker] = reply
        return worker

    def wait_for_slot(self, worker: Worker) -> Steps:
        """Wait until fewer than `worker_count` calls are at work."""
        if self._slots is not None:
            worker.slot = self._slots.request()
            yield worker.slot

    def dismiss(self, worker: Worker) -> None:
        """The call is answered or given up: its connection needs no closing any more."""
        if self._at_work.pop(worker, None) is not None:
            self.fall_silent(worker)
            if self._slots is not None and worker.slot is not None:
                self._slots.release(worker.slot)

    def fall_silent(self, worker: Worker) -> None:
        """From now on the worker renews no lease."""
        if self._renews_leases:
            worker.silent_since = self._timeline.mark()

    def crash(self) -> None:
        """End every call in flight of this process."""
        self.incarnation += 1
        self._slots = self._new_slots()
        at_work, self._at_work = self._at_work, {}
        for worker, reply in at_work.items():
            self.fall_silent(worker)
            reply.close()

    def _new_slots(self) -> Resource | None:
        return None if self._worker_count is None else Resource(self._timeline, self._worker_count)
