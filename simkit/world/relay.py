"""The relay of an outbox: sends what was reserved, at least once, and marks what is done.

After a crash it begins anew with what is not marked, in its next round. Sites: `relay.before_effect`,
`relay.after_effect`, for each round.
"""

from simkit.choices import Content
from simkit.distributions import Wait
from simkit.scenario import Conditions, RetryLayer
from simkit.terms import State
from simkit.world.approvals import Starts
from simkit.world.faults import Faults
from simkit.world.messages import Answer, Steps, ToolCall
from simkit.world.record_store import RecordStore
from simkit.world.stages import Source, StagePort
from simkit.world.timeline import Instant, Timeline
from simkit.world.workers import Worker

__all__ = ["Relay"]

MADE = (State.COMPLETED, State.ACCEPTED)
FINAL = (State.REJECTED, State.CONFLICT, State.EXPIRED)
"""Answers that no other round would change: what they leave open is the owner's."""


class Relay:
    """Delivers every operation of the outbox until each stage is settled, or the retry horizon is over.

    Parameters
    ----------
    policy
        Of the downstream SDK: the relay waits as long between two rounds as that waits between tries.
    is_durable
        Whether what was accepted outlives the process; work in the background of one does not.
    """

    def __init__(
        self,
        ports: tuple[StagePort, ...],
        records: RecordStore,
        source: Source,
        starts: Starts,
        content: Content,
        policy: RetryLayer,
        conditions: Conditions,
        timeline: Timeline,
        faults: Faults,
        *,
        is_durable: bool,
    ) -> None:
        self._is_durable = is_durable
        self._ports = ports
        self._records = records
        self._source = source
        self._starts = starts
        self._content = content
        self._policy = policy
        self._horizon_s = conditions.retry_horizon_s
        self._episode = Wait.of(conditions.episode_s)
        self._timeline = timeline
        self._faults = faults

    def start(self, call: ToolCall, token: int, worker: Worker) -> None:
        """Take over a call that was written to the outbox."""
        self._timeline.start_next(self._deliver(call, token, worker))

    def _deliver(self, call: ToolCall, token: int, worker: Worker) -> Steps:
        first = self._timeline.mark()
        states, _ = self._records.stages_of(call, worker)
        for port in self._ports:
            if states.get(port.name) in MADE:
                continue
            is_settled = yield from self._deliver_stage(port, call, token, worker, first)
            if not is_settled:
                return

    def _deliver_stage(self, port: StagePort, call: ToolCall, token: int, worker: Worker, first: Instant) -> Steps:
        """Whether the stage was made; False where it cannot be, or the horizon is over."""
        number, may_be_made = 0, False
        while True:
            number += 1
            if not (self._is_durable or worker.lives):
                return False
            sent = port.call_of(call.along(f"{call.path}/relay-{number}"), self._source, self._content, token)
            if not self._faults.happens("relay.before_effect", sent.path):
                if not self._starts.begin(sent, port.stage):
                    if not may_be_made:
                        self._records.record_failure(call, port.name, token, worker, is_definite=True)
                    return False
                heard: Answer = yield from port.downstream.send_and_wait(sent, lambda: self._is_durable or worker.lives)
                may_be_made = may_be_made or heard.state is not State.REFUSED
                if heard.state in MADE and self._marks(call, sent, port, heard, token, worker):
                    return True
                if heard.state is State.REJECTED:
                    self._records.record_failure(call, port.name, token, worker, is_definite=True)
                if heard.state in FINAL:
                    return False
            yield from self._pause(sent, number)
            if self._timeline.passed(first, self._horizon_s, "relay.horizon"):
                return False

    def _marks(
        self, call: ToolCall, sent: ToolCall, port: StagePort, heard: Answer, token: int, worker: Worker
    ) -> bool:
        """Whether the relay lives on to mark what was made, and the store is there to take it."""
        if self._faults.happens("relay.after_effect", sent.path) or self._records.is_away(sent, "/receipt"):
            return False
        self._records.add_receipt(call, port.name, heard, token, worker)
        return True

    def _pause(self, sent: ToolCall, number: int) -> Steps:
        """Wait until the next round; a relay that dies again and again is up when its episode is over."""
        yield self._timeline.wait(self._policy.wait_before(number), f"relay.backoff@{sent.path}")
        if self._faults.is_struck("relay"):
            yield self._timeline.wait(self._episode, f"relay.episode@{sent.path}")
