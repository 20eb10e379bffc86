"""What all parties of one run share: its plan, its time, its journal, its luck; and the hops between them."""

from dataclasses import dataclass

from simkit.choices import OnTimeout
from simkit.journal import Journal
from simkit.scenario import Hop, RetryLayer, Scenario
from simkit.world.faults import Faults
from simkit.world.last_sent import LastSent
from simkit.world.layer import Layer
from simkit.world.link import Link
from simkit.world.messages import Receiver, Sender
from simkit.world.plan import Plan
from simkit.world.queue import behind_queue
from simkit.world.timeline import Timeline
from simkit.world.trials import Trials

__all__ = ["Setting", "leaves_local"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where one run takes place."""

    plan: Plan
    timeline: Timeline
    journal: Journal
    faults: Faults
    trials: Trials
    last_sent: LastSent

    @property
    def scenario(self) -> Scenario:
        """What is acted out."""
        return self.plan.scenario

    def link(self, name: str, below: Receiver, *, is_local: bool) -> Sender:
        """The hop of that name to a party, through its queue if it has one."""
        hop = self.scenario.hop(name)
        receiver = behind_queue(hop, below, self.timeline)
        return self.last_sent.over(Link(hop, receiver, self.timeline, self.faults, is_local=is_local))

    def layer(self, policy: RetryLayer, below: Sender) -> Layer:
        """A layer that repeats what it sends to `below`."""
        return Layer(policy, below, self.timeline, self.journal, self.trials)


def leaves_local(hop: Hop | None) -> bool:
    """Whether what the party below a hop does with its own answers touches only its own call.

    It does not where its caller can interrupt it, nor where a queue waits for what it says.
    """
    return hop is None or (hop.on_timeout is OnTimeout.RUNS_ON and hop.queue is None)
