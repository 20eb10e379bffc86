"""Puts the parties of a scenario together: each is handed what it talks to, and knows nobody else."""

from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.records import End, Intent, Promised
from simkit.scenario import Retention, Scenario
from simkit.terms import ClaimKind, LayerName, RetentionKind
from simkit.world.agent import AgentParty
from simkit.world.faults import Faults
from simkit.world.layer import Layer
from simkit.world.link import InProcess, Link
from simkit.world.mcp_server import McpServer
from simkit.world.messages import Sender, Steps
from simkit.world.readbacks import Readbacks
from simkit.world.record_store import RecordStore
from simkit.world.system_of_record import SystemOfRecord
from simkit.world.timeline import Timeline
from simkit.world.trials import Trials

__all__ = ["play"]

AGENT_TO_GATEWAY = "agent_to_gateway"
TO_SERVER = "gateway_to_server"
TO_DOWNSTREAM = "server_to_downstream"


def play(scenario: Scenario, timeline: Timeline, journal: Journal, trials: Trials, *, has_episodes: bool) -> None:
    """Run a scenario on a timeline, to quiescence or until the timeline is stopped, and write the journal."""
    journal.append(_promised(scenario))
    for planned in scenario.calls:
        journal.append(Intent(intent=planned.intent, tenant=planned.tenant, inputs=planned.inputs))
    faults = Faults(scenario.conditions, timeline.chance, timeline, journal, has_episodes=has_episodes)
    agent = _agent(scenario, timeline, journal, faults, trials)
    for index, planned in enumerate(scenario.calls):
        prefix = f"{index + 1}:" if len(scenario.calls) > 1 else ""
        start = _start(
            timeline,
            planned.start_s,
            f"start@{prefix}",
            agent.carry_out(planned, prefix),
            is_local=_starts_locally(scenario),
        )
        timeline.process(start)
    waiting_for = timeline.run()
    journal.append(End(at_s=timeline.now_s, is_quiescent=waiting_for is None, waiting_for=waiting_for or ""))


def _start(timeline: Timeline, start_s: float, label: str, steps: Steps, *, is_local: bool) -> Steps:
    if start_s:
        yield timeline.deadline(start_s, label, is_local=is_local)
    yield from steps


def _starts_locally(scenario: Scenario) -> bool:
    """Whether a start meets no throttle: neither the agent's nor that of a client SDK in its process."""
    gateway, client_sdk = scenario.layer(LayerName.GATEWAY), scenario.layer(LayerName.CLIENT_SDK)
    meets_sdk = gateway is None and client_sdk is not None and client_sdk.is_throttled
    return not scenario.layers[0].is_throttled and not meets_sdk


def _promised(scenario: Scenario) -> Promised:
    conditions = scenario.conditions
    record = scenario.server.retention if scenario.server.claim is not ClaimKind.NONE else None
    return Promised(
        record_retention_s=max(
            _guaranteed_s(record),
            min(_guaranteed_s(downstream.key_retention) for downstream in scenario.downstreams),
        ),
        latest_landing_s=max(hop.latest_landing_s for hop in scenario.hops),
        owner=conditions.owner,
        deadline_s=conditions.deadline_s,
        stages=tuple(stage.name for stage in scenario.stages),
    )


def _guaranteed_s(retention: Retention | None) -> float:
    if retention is None or retention.kind not in (RetentionKind.EXACT, RetentionKind.AT_LEAST):
        return 0.0
    return retention.retention_s


def _agent(scenario: Scenario, timeline: Timeline, journal: Journal, faults: Faults, trials: Trials) -> AgentParty:
    readback = scenario.server.readback
    lag_s_max = readback.lag_s_max if readback is not None else 0.0
    system = SystemOfRecord(scenario.downstreams[0], lag_s_max, timeline, journal, faults)
    readbacks = None if readback is None else Readbacks(readback, system, timeline, journal, faults)

    to_system: Sender = Link(scenario.hop(TO_DOWNSTREAM), system, timeline, faults, is_local=False)
    downstream_sdk = scenario.layer(LayerName.DOWNSTREAM_SDK)
    if downstream_sdk is None:
        message = "layers: 'downstream_sdk' is how the server sends to the system of record; give it 1 attempt at least"
        raise ScenarioError(message)
    server = McpServer(
        scenario.server,
        scenario.conditions,
        RecordStore(scenario.server, scenario.stages[0].name, timeline, journal),
        Layer(downstream_sdk, to_system, timeline, journal, trials),
        readbacks,
        faults,
    )
    agent, gateway = scenario.layers[0], scenario.layer(LayerName.GATEWAY)
    client_sdk = scenario.layer(LayerName.CLIENT_SDK)
    is_local = client_sdk is None and not (gateway or agent).is_throttled
    below: Sender = Link(scenario.hop(TO_SERVER), server, timeline, faults, is_local=is_local)
    if client_sdk is not None:
        below = InProcess(Layer(client_sdk, below, timeline, journal, trials), timeline)
    if gateway is not None:
        layer = Layer(gateway, below, timeline, journal, trials)
        below = Link(scenario.hop(AGENT_TO_GATEWAY), layer, timeline, faults, is_local=not agent.is_throttled)
    return AgentParty(scenario.agent, agent, scenario.conditions, below, readbacks, timeline, journal, trials)
