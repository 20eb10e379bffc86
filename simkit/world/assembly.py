"""Puts the parties of a scenario together: each is handed what it talks to, and knows nobody else."""

from simkit.choices import Fencing, OnTimeout, WriteOrder
from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.records import End
from simkit.scenario import Deletion, Hop, Scenario, Stage
from simkit.terms import LayerName
from simkit.world.agent import AgentParty
from simkit.world.approvals import Approvals, Starts
from simkit.world.asking import asking_at
from simkit.world.callers import agent_party, shares_a_process, watches_landing
from simkit.world.cleaning_up import CleaningUp, Undone
from simkit.world.dispatch import errands
from simkit.world.faults import Faults
from simkit.world.last_sent import LastSent
from simkit.world.layer import Layer
from simkit.world.link import InProcess, Link
from simkit.world.mcp_server import McpServer
from simkit.world.messages import Receiver, Sender, Steps
from simkit.world.opening import opening
from simkit.world.queue import behind_queue
from simkit.world.readbacks import Readbacks
from simkit.world.record_store import RecordStore
from simkit.world.relay import Relay
from simkit.world.stages import Source, StagePort
from simkit.world.system_of_record import SystemOfRecord
from simkit.world.timeline import Timeline
from simkit.world.transaction import Transaction
from simkit.world.trials import Trials
from simkit.world.windows import Windows
from simkit.world.write_path import WritePath

__all__ = ["play"]

AGENT_TO_GATEWAY = "agent_to_gateway"
TO_SERVER = "gateway_to_server"
TO_DOWNSTREAM = "server_to_downstream"


def play(scenario: Scenario, timeline: Timeline, journal: Journal, trials: Trials, *, has_episodes: bool) -> None:
    """Run a scenario on a timeline, to quiescence or until the timeline is stopped, and write the journal."""
    for fact in opening(scenario):
        journal.append(fact)
    _Assembly(scenario, timeline, journal, trials, has_episodes=has_episodes).start()
    waiting_for = timeline.run()
    journal.append(End(at_s=timeline.now_s, is_quiescent=waiting_for is None, waiting_for=waiting_for or ""))


class _Assembly:
    """The parties of one run."""

    def __init__(
        self, scenario: Scenario, timeline: Timeline, journal: Journal, trials: Trials, *, has_episodes: bool
    ) -> None:
        self._scenario = scenario
        self._timeline = timeline
        self._journal = journal
        self._trials = trials
        self._faults = Faults(scenario.conditions, timeline.chance, timeline, journal, has_episodes=has_episodes)
        self._last_sent = LastSent(timeline, is_asked=watches_landing(scenario))
        readback = scenario.server.readback
        lag_s_max = readback.lag_s_max if readback is not None else 0.0
        names = tuple(stage.name for stage in scenario.stages)
        self._records = RecordStore(scenario.server, names, scenario.conditions, timeline, journal, self._faults)
        self._systems = tuple(
            SystemOfRecord(stage, lag_s_max, timeline, journal, self._faults, self._transaction(stage))
            for stage in scenario.stages
        )
        self._ports = tuple(
            self._port(stage, system) for stage, system in zip(scenario.stages, self._systems, strict=True)
        )
        self._agent = self._new_agent()

    def start(self) -> None:
        """Let everything begin that the scenario plans."""
        is_local = self._starts_locally()
        for errand in errands(self._scenario.calls, self._scenario.agent.dispatch):
            steps = self._agent.carry_out(errand)
            start_s, label = errand.planned.start_s, f"start@{errand.prefix}"
            self._timeline.process(self._at(start_s, label, steps, is_local=is_local))
        for index, deletion in enumerate(self._scenario.deletions):
            self._timeline.process(self._at(deletion.at_s, f"deletion@{index + 1}", self._delete(deletion)))

    def _transaction(self, stage: Stage) -> Transaction | None:
        server = self._scenario.server
        is_one = server.order is WriteOrder.ONE_TRANSACTION
        return Transaction(server, stage.name, self._records) if is_one else None

    def _delete(self, deletion: Deletion) -> Steps:
        """Somebody takes away, on purpose, what an intent made."""
        for stage, system in zip(self._scenario.stages, self._systems, strict=True):
            if stage.name == deletion.stage:
                system.delete(deletion.intent)
                self._records.forget_object(deletion.intent)
        yield from ()

    def _at(self, at_s: float, label: str, steps: Steps, *, is_local: bool = False) -> Steps:
        if at_s:
            yield self._timeline.deadline(at_s, label, is_local=is_local)
        yield from steps

    def _starts_locally(self) -> bool:
        """Whether a start meets no throttle, of the agent or of a client SDK in its process, and restarts nobody."""
        scenario = self._scenario
        gateway, client_sdk = scenario.layer(LayerName.GATEWAY), scenario.layer(LayerName.CLIENT_SDK)
        meets_sdk = gateway is None and client_sdk is not None and client_sdk.is_throttled
        return not (scenario.layers[0].is_throttled or meets_sdk or shares_a_process(scenario))

    def _new_agent(self) -> AgentParty:
        """The agent, with everything below it."""
        scenario, timeline = self._scenario, self._timeline
        agent, gateway = scenario.layers[0], scenario.layer(LayerName.GATEWAY)
        client_sdk = scenario.layer(LayerName.CLIENT_SDK)
        agent_is_local = not (agent.is_throttled or shares_a_process(scenario))
        to_gateway = None if gateway is None else scenario.hop(AGENT_TO_GATEWAY)
        is_local = agent_is_local if gateway is None else not gateway.is_throttled and _leaves_local(to_gateway)
        below = self._link(TO_SERVER, self._server(), is_local=is_local and client_sdk is None)
        if client_sdk is not None:
            interrupts = to_gateway is not None and to_gateway.on_timeout is OnTimeout.INTERRUPTED
            layer = Layer(client_sdk, below, timeline, self._journal, self._trials)
            below = InProcess(layer, timeline, interrupts=interrupts)
        if gateway is not None:
            layer = Layer(gateway, below, timeline, self._journal, self._trials)
            below = self._link(AGENT_TO_GATEWAY, layer, is_local=agent_is_local)
        undone = tuple(
            Undone(stage.name, system.undo) for stage, system in zip(scenario.stages, self._systems, strict=True)
        )
        way = scenario.hop(TO_DOWNSTREAM).request
        return agent_party(
            scenario,
            below,
            asking_at(self._ports),
            CleaningUp(undone, way, timeline, self._journal).undo,
            self._last_sent,
            timeline,
            self._journal,
            self._faults,
            self._trials,
        )

    def _link(self, name: str, below: Receiver, *, is_local: bool) -> Sender:
        """The hop of that name to a party, through its queue if it has one."""
        hop = self._scenario.hop(name)
        receiver = behind_queue(hop, below, self._timeline)
        return self._last_sent.over(Link(hop, receiver, self._timeline, self._faults, is_local=is_local))

    def _server(self) -> McpServer:
        """The server, with its write path."""
        scenario, timeline, journal = self._scenario, self._timeline, self._journal
        server, conditions, records = scenario.server, scenario.conditions, self._records
        source = Source(scenario.source_change, timeline)
        approvals = Approvals(scenario.approvals, server.binding, conditions, timeline)
        windows = Windows(server.order, conditions, timeline, self._faults)
        policy = scenario.layers[-1]
        starts = Starts("server", server.approval_check, approvals, timeline, journal)
        relay = Relay(self._ports, records, source, starts, server.content, policy, conditions, timeline, self._faults)
        path = WritePath(server, self._ports, records, source, approvals, starts, windows, relay, timeline)
        return McpServer(server, records, path, windows, approvals, timeline)

    def _port(self, stage: Stage, system: SystemOfRecord) -> StagePort:
        """The way from the server to the system of record of one stage."""
        scenario, timeline, journal, faults = self._scenario, self._timeline, self._journal, self._faults
        sdk = scenario.layer(LayerName.DOWNSTREAM_SDK)
        if sdk is None:
            message = (
                "layers: 'downstream_sdk' is how the server sends to the system of record; give it 1 attempt at least"
            )
            raise ScenarioError(message)
        readback = scenario.server.readback
        to_system = self._link(TO_DOWNSTREAM, system, is_local=False)
        return StagePort(
            stage=stage,
            downstream=Layer(sdk, to_system, timeline, journal, self._trials),
            readbacks=None if readback is None else Readbacks(readback, system, timeline, journal, faults),
            shows_token=scenario.server.fencing is Fencing.TOKEN_DOWNSTREAM,
            is_only=len(scenario.stages) == 1,
        )


def _leaves_local(hop: Hop | None) -> bool:
    """Whether what the party below a hop does with its own answers touches only its own call.

    It does not where its caller can interrupt it, nor where a queue waits for what it says.
    """
    return hop is None or (hop.on_timeout is OnTimeout.RUNS_ON and hop.queue is None)
