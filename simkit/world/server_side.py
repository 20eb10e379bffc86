"""Puts together everything from the server down: its records, its write path, and the systems of record."""

from simkit.choices import Fencing, OnConcurrent, StoreKind, WriteOrder
from simkit.scenario import TO_DOWNSTREAM, Deletion, Stage
from simkit.terms import OnPending
from simkit.world.approvals import Approvals, Starts
from simkit.world.asking import Asking, asking_at
from simkit.world.cleaning_up import CleaningUp, Undone
from simkit.world.mcp_server import McpServer
from simkit.world.places import Places
from simkit.world.readbacks import Readbacks
from simkit.world.record_store import RecordStore
from simkit.world.relay import Relay
from simkit.world.setting import Setting
from simkit.world.stages import Source, StagePort
from simkit.world.system_of_record import SystemOfRecord
from simkit.world.transaction import Transaction
from simkit.world.windows import Windows
from simkit.world.write_path import WritePath

__all__ = ["ServerSide"]


class ServerSide:
    """The server and what it writes to.

    Attributes
    ----------
    server
        Takes the calls.
    asking
        How somebody outside asks about an operation; None where there is no readback.
    approvals
        What was approved.
    cleaning_up
        How somebody outside undoes what an operation may have made.
    """

    def __init__(self, setting: Setting) -> None:
        scenario, timeline, journal, faults = setting.scenario, setting.timeline, setting.journal, setting.faults
        self._setting = setting
        self._place = timeline.new_place()
        timeline.reaching_if_failing |= self._place
        if scenario.server.on_pending is OnPending.WAIT or scenario.server.worker_count is not None:
            timeline.reaching |= self._place
        names = tuple(stage.name for stage in scenario.stages)
        self._records = RecordStore(scenario.server, names, scenario.conditions, timeline, journal, faults)
        readback = scenario.server.readback
        lag_s_max = readback.lag_s_max if readback is not None else 0.0
        self._systems = {
            stage.name: SystemOfRecord(
                stage, lag_s_max, timeline, journal, faults, self._place_of(stage), self._transaction(stage)
            )
            for stage in scenario.stages
        }
        self.approvals = Approvals(scenario.approvals, scenario.server.binding, scenario.conditions, timeline)
        ports = tuple(self._port(stage) for stage in scenario.stages)
        self.server = self._server(ports)
        self.asking: Asking | None = asking_at(ports)
        undone = tuple(Undone(name, system.undo) for name, system in self._systems.items())
        self.cleaning_up = CleaningUp(undone, scenario.hop(TO_DOWNSTREAM).request, timeline, journal)

    def delete(self, deletion: Deletion) -> None:
        """Somebody takes away, on purpose, what an intent made."""
        self._systems[deletion.stage].delete(deletion.intent)
        self._records.forget_object(deletion.intent)

    def _transaction(self, stage: Stage) -> Transaction | None:
        server = self._setting.scenario.server
        is_one = server.order is WriteOrder.ONE_TRANSACTION
        return Transaction(server, stage.name, self._records) if is_one else None

    def _place_of(self, stage: Stage) -> Places:
        """Where the steps of a system of record take place: with the server's, where both write in one transaction."""
        timeline, scenario = self._setting.timeline, self._setting.scenario
        is_one = scenario.server.order is WriteOrder.ONE_TRANSACTION
        place = self._place if is_one else timeline.new_place()
        if stage.downstream is not None and stage.downstream.on_concurrent is OnConcurrent.BLOCK_THEN_REJECT:
            timeline.reaching |= place
        return place

    def _port(self, stage: Stage) -> StagePort:
        """The way from the server to the system of record of one stage."""
        setting, system = self._setting, self._systems[stage.name]
        scenario, readback = setting.scenario, setting.scenario.server.readback
        to_system = setting.link(TO_DOWNSTREAM, system, is_local=False)
        return StagePort(
            stage=stage,
            downstream=setting.layer(scenario.layers[-1], to_system),
            readbacks=None
            if readback is None
            else Readbacks(readback, system, setting.timeline, setting.journal, setting.faults),
            shows_token=scenario.server.fencing is Fencing.TOKEN_DOWNSTREAM,
            is_only=len(scenario.stages) == 1,
        )

    def _server(self, ports: tuple[StagePort, ...]) -> McpServer:
        """The server, with its write path."""
        setting, records = self._setting, self._records
        scenario, timeline, journal, faults = setting.scenario, setting.timeline, setting.journal, setting.faults
        server, conditions = scenario.server, scenario.conditions
        source = Source(scenario.source_change, timeline)
        approvals = self.approvals
        windows = Windows(server.order, conditions, timeline, faults)
        starts = Starts("server", server.approval_check, approvals, timeline, journal)
        relay = None
        if server.order is WriteOrder.OUTBOX:
            relay = Relay(
                ports,
                records,
                source,
                starts,
                server.content,
                scenario.layers[-1],
                conditions,
                timeline,
                faults,
                is_durable=server.store.kind is not StoreKind.PROCESS_MEMORY,
            )
        path = WritePath(server, ports, records, source, approvals, starts, windows, relay, timeline)
        return McpServer(server, records, path, windows, approvals, timeline, self._place)
