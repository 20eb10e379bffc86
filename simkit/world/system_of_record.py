"""The downstream system: makes effects, remembers keys, and can be asked.

A key is recorded in the same durable step as the effect; while it is remembered, a request that
bears it gets the first result and makes nothing.
"""

from dataclasses import dataclass

from simkit.journal import Journal
from simkit.records import Effect
from simkit.scenario import Downstream
from simkit.terms import OnMismatch, ReadbackAnswer, State
from simkit.world.faults import Faults
from simkit.world.messages import Answer, ReplyPath, Steps, ToolCall
from simkit.world.remembering import is_remembered
from simkit.world.timeline import Instant, Timeline

__all__ = ["SystemOfRecord"]


@dataclass(slots=True)
class _Key:
    since: Instant
    inputs: str


@dataclass(slots=True)
class _Made:
    tenant: str
    operation_id: str
    at: Instant
    is_visible: bool


class SystemOfRecord:
    """Counts effects of one stage."""

    takes_calls_locally = True

    def __init__(
        self, downstream: Downstream, lag_s_max: float, timeline: Timeline, journal: Journal, faults: Faults
    ) -> None:
        self._downstream = downstream
        self._lag_s_max = lag_s_max
        self._timeline = timeline
        self._journal = journal
        self._faults = faults
        self._keys: dict[tuple[str, str], _Key] = {}
        self._made: list[_Made] = []

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Take one request; make its effect unless its key is remembered."""
        if self._faults.happens("downstream.error", call.path):
            reply.answer(Answer(state=State.REJECTED, detail="refused by the system of record"))
            return
        yield self._timeline.wait(self._downstream.work, f"downstream.work@{call.path}")
        key = self._remembered(call)
        is_mismatch = key is not None and key.inputs != call.inputs
        if is_mismatch and self._downstream.on_mismatch is OnMismatch.CONFLICT:
            reply.answer(Answer(state=State.CONFLICT, detail="the system of record knows this key with other inputs"))
            return
        if key is None or (is_mismatch and self._downstream.on_mismatch is OnMismatch.RUN_AS_NEW):
            self._make(call)
        reply.answer(Answer(state=State.COMPLETED, detail="receipt"))

    def look_up(self, call: ToolCall) -> ReadbackAnswer:
        """Say whether an effect of this call's operation is seen; a fresh one may still be hidden by the lag."""
        for made in self._made:
            is_mine = made.operation_id == call.operation_id and made.tenant == call.tenant
            if is_mine and self._is_visible(made):
                return ReadbackAnswer.FOUND
        return ReadbackAnswer.NOT_SEEN

    def undo(self, call: ToolCall) -> None:
        """Take away what the operation of a call has made."""
        mine = (call.tenant, call.operation_id)
        self._made = [made for made in self._made if (made.tenant, made.operation_id) != mine]

    def _is_visible(self, made: _Made) -> bool:
        if not made.is_visible:
            made.is_visible = (
                self._timeline.passed(made.at, self._lag_s_max, "downstream.lag")
                or self._timeline.chance.pick("downstream.hidden", 2) == 0
            )
        return made.is_visible

    def _remembered(self, call: ToolCall) -> _Key | None:
        retention = self._downstream.key_retention
        if retention is None or not call.operation_id:
            return None
        key = self._keys.get((call.tenant, call.operation_id))
        if key is None or not is_remembered(retention, key.since, self._timeline, "downstream.key"):
            return None
        return key

    def _make(self, call: ToolCall) -> None:
        retention = self._downstream.key_retention
        if retention is not None:
            self._keys[call.tenant, call.operation_id] = _Key(since=self._timeline.mark(), inputs=call.inputs)
        now = self._timeline.mark()
        self._made.append(
            _Made(tenant=call.tenant, operation_id=call.operation_id, at=now, is_visible=self._lag_s_max == 0)
        )
        self._journal.append(
            Effect(
                at_s=self._timeline.now_s,
                stage=self._downstream.name,
                intent=call.intent,
                operation_id=call.operation_id,
                inputs=call.inputs,
            )
        )
