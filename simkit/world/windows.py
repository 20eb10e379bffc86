"""The windows between a server's durable steps: in each, its process may die, and its worker may pause."""

from types import MappingProxyType

from simkit.choices import WriteOrder
from simkit.distributions import Wait
from simkit.scenario import Conditions
from simkit.world.faults import Faults
from simkit.world.messages import Steps, ToolCall
from simkit.world.timeline import Timeline
from simkit.world.workers import Worker

__all__ = ["Windows"]

_FIRST = MappingProxyType(
    {
        WriteOrder.EFFECT_ONLY: "before_effect",
        WriteOrder.EFFECT_THEN_RECEIPT: "before_effect",
        WriteOrder.RESERVE_FIRST: "before_reservation",
        WriteOrder.OUTBOX: "before_reservation",
        WriteOrder.RECORD_FIRST: "before_receipt",
        WriteOrder.ONE_TRANSACTION: "before_transaction",
    }
)


class Windows:
    """Passes a worker through its windows. Each returns whether it may make its next step."""

    def __init__(self, order: WriteOrder, conditions: Conditions, timeline: Timeline, faults: Faults) -> None:
        self._first = _FIRST[order]
        self._replaying = "after_transaction" if order is WriteOrder.ONE_TRANSACTION else "after_receipt"
        self._timeline = timeline
        self._faults = faults
        self._pause_s_max = conditions.pause_s_max

    def first(self, call: ToolCall, worker: Worker) -> Steps:
        """The window on arrival, before anything is durable."""
        return self.passing(self._first, call, worker)

    def replaying(self, call: ToolCall, worker: Worker) -> Steps:
        """The window of a repeat that only reads what is recorded."""
        return self.passing(self._replaying, call, worker)

    def passing(self, window: str, call: ToolCall, worker: Worker) -> Steps:
        """One window, named by the step passed last."""
        if self._pause_s_max and self._faults.happens(f"server.paused_{window}", call.path):
            worker.replica.fall_silent(worker)
            pause = Wait(s_min=0.0, s_typical=self._pause_s_max, s_max=self._pause_s_max)
            yield self._timeline.wait(pause, f"server.paused_{window}@{call.path}", touches=call.at)
            worker.work_again()
        if not worker.goes_on:
            return False
        if self._faults.happens(f"server.{window}", call.path):
            worker.replica.crash()
            return False
        return True
