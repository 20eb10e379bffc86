"""One whole world: the planned calls, the layers, the hops between them, the parties, the conditions."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from simkit.choices import OnRestart, WriteOrder
from simkit.errors import ScenarioError
from simkit.scenario.agent import Agent
from simkit.scenario.calls import Approval, Deletion, PlannedCall, SourceChange
from simkit.scenario.conditions import Conditions
from simkit.scenario.downstream import Downstream, Stage
from simkit.scenario.hops import Hop
from simkit.scenario.layers import RetryLayer
from simkit.scenario.people import Reconciler, Reissue
from simkit.scenario.server import Server
from simkit.scenario.sites import AGENT_SITES, DOWNSTREAM_SITES, HOP_ENDINGS, RECONCILER_SITES, STORE_SITES
from simkit.scenario.windows import windows_of
from simkit.terms import ClaimKind, FaultKind, Identity, LayerName

__all__ = ["TO_DOWNSTREAM", "TO_GATEWAY", "TO_SERVER", "Scenario"]

TO_GATEWAY = "agent_to_gateway"
TO_SERVER = "gateway_to_server"
TO_DOWNSTREAM = "server_to_downstream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A frozen description of one world; running it twice on the same luck gives the same journal.

    Parameters
    ----------
    layers
        Outermost first; the agent is the first, a downstream SDK, if there is one, the last.
    hops
        One before each layer below the agent except the client SDK, which is a library inside its
        caller: agent to gateway (if there is a gateway), to server, server to downstream.
    stages
        The effects of one operation, in the order in which the server makes them.
    approvals
        Given before the start, by name.
    reissues
        Paths that send a call again, and that nobody calls a retry.
    schedule
        Sites with their attempt paths that fail when the scenario is run as one story, such as
        `server.after_effect@1/1`; with `=n` the answer there is number n, such as `server.replica@2=1`.
        Explorations and samples don't read it.
    """

    name: str
    calls: tuple[PlannedCall, ...]
    agent: Agent
    layers: tuple[RetryLayer, ...]
    hops: tuple[Hop, ...]
    server: Server
    stages: tuple[Stage, ...]
    conditions: Conditions
    approvals: tuple[Approval, ...] = ()
    source_change: SourceChange | None = None
    deletions: tuple[Deletion, ...] = ()
    reconciler: Reconciler | None = None
    reissues: tuple[Reissue, ...] = ()
    schedule: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise ScenarioError(problem)

    def _problems(self) -> Iterator[str]:
        """What has no meaning, most basic first."""
        names = [layer.name for layer in self.layers]
        order = [name for name in LayerName if name in names]
        if names != order or not names or names[0] is not LayerName.AGENT:
            yield f"layers: agent first, each once, in the order {', '.join(LayerName)}; got {', '.join(names)}"
        if not self.calls:
            yield "calls: at least one, or nothing happens"
        if LayerName.DOWNSTREAM_SDK not in names:
            yield (
                "layers: 'downstream_sdk' is how the server sends to the system of record; give it 1 attempt at least"
            )
        if not self.stages:
            yield "stages: at least one, or no call has an effect"
        for field, given in (
            ("hops", [hop.name for hop in self.hops]),
            ("stages", [stage.name for stage in self.stages]),
            ("approvals", [approval.name for approval in self.approvals]),
            ("reissues", [reissue.name for reissue in self.reissues]),
        ):
            if len(set(given)) < len(given):
                yield f"{field}: each once, got {', '.join(given)}"
        needed = [TO_GATEWAY] if LayerName.GATEWAY in names else []
        needed += [TO_SERVER, TO_DOWNSTREAM]
        if {hop.name for hop in self.hops} != set(needed):
            got = ", ".join(hop.name for hop in self.hops) or "none"
            yield f"hops: these layers need {', '.join(needed)}; got {got}"
        for intent in {call.intent: None for call in self.calls}:
            if len({(call.tenant, call.inputs) for call in self.calls if call.intent == intent}) > 1:
                yield f"calls, {intent}: one intent has one tenant and the same inputs in each call; name another"
        yield from self._exclusions()
        known = self.sites()
        for rate in self.conditions.rates:
            if rate.site not in known:
                yield f"conditions.rates: nothing ever passes the site {rate.site!r}; sites: {', '.join(known)}"

    def _exclusions(self) -> Iterator[str]:
        """Fields of different parties that exclude each other."""
        server, intents = self.server, {call.intent for call in self.calls}
        if self.agent.identity is Identity.NONE and server.claim is not ClaimKind.NONE:
            yield f"agent.identity 'none' and server.claim '{server.claim}' exclude each other: no ID to claim"
        restarts = [rate.site for rate in self.conditions.rates if rate.kind is FaultKind.RESTART]
        if restarts and self.agent.on_restart is not OnRestart.FORGET and self.agent.restart.s_min == 0:
            yield f"agent.restart 0 and conditions.rates '{restarts[0]}' exclude each other: no time passes"
        for stage in self.stages:
            asked_by = () if stage.downstream is None else stage.downstream.asked_by
            if server.readback is not None and server.readback.by not in asked_by:
                yield (
                    f"server.readback.by '{server.readback.by}' and stages, {stage.name}: downstream.asked_by "
                    f"'{', '.join(asked_by)}' exclude each other"
                )
        given = {approval.name for approval in self.approvals}
        for call in self.calls:
            if call.approval and call.approval not in given:
                yield f"calls, {call.intent}: approval {call.approval!r} is none of the approvals {', '.join(given)}"
        for deletion in self.deletions:
            if deletion.intent not in intents:
                yield f"deletions: no call has the intent {deletion.intent!r}; there are {', '.join(sorted(intents))}"
            if deletion.stage not in {stage.name for stage in self.stages}:
                yield f"deletions: no stage has the name {deletion.stage!r}"
        yield from self._exclusions_of_reconciler()

    def _exclusions_of_reconciler(self) -> Iterator[str]:
        if self.reconciler is None:
            return
        if self.server.readback is None:
            yield "reconciler and server.readback 'none' exclude each other: nothing to ask"
        for layer in self.layers[1:] if self.reconciler.waits_for_landing else ():
            if layer.longest_silence_s(0.0) == float("inf"):
                yield (
                    f"reconciler.waits_for_landing and layers, {layer.name}: a backoff that grows without an end "
                    "exclude each other: nobody knows when the last attempt was; give it attempts, a budget or a cap"
                )

    def sites(self) -> tuple[str, ...]:
        """Every site at which something can go wrong in this world, in the order in which a call passes them."""
        windows = windows_of(self.server.order)
        # In one transaction the records are kept in the system of record itself: they fail with it, not beside it.
        has_store = self.server.order not in (WriteOrder.EFFECT_ONLY, WriteOrder.ONE_TRANSACTION)
        return (
            *AGENT_SITES,
            *(f"{hop.name}.{ending}" for hop in self.hops for ending in HOP_ENDINGS),
            *(STORE_SITES if has_store else ()),
            *windows,
            *(window.replace(".", ".paused_", 1) for window in windows if window.startswith("server.")),
            *(() if self.server.readback is None else ("readback.cannot_tell",)),
            *DOWNSTREAM_SITES,
            *(() if self.reconciler is None else RECONCILER_SITES),
        )

    def layer(self, name: LayerName) -> RetryLayer | None:
        """The layer of that name, or None where the scenario has none."""
        for layer in self.layers:
            if layer.name is name:
                return layer
        return None

    def hop(self, name: str) -> Hop:
        """The hop of that name."""
        for hop in self.hops:
            if hop.name == name:
                return hop
        message = f"hops: no hop {name!r}; there are {', '.join(hop.name for hop in self.hops)}"
        raise ScenarioError(message)

    @property
    def downstreams(self) -> tuple[Downstream, ...]:
        """The system of record of each stage."""
        return tuple(stage.downstream for stage in self.stages if stage.downstream is not None)

    def with_one_attempt(self) -> "Scenario":
        """The same world under policy S: every layer sends once, and nobody repeats or sends again."""
        agent = replace(self.agent, on_restart=OnRestart.FORGET)
        layers = tuple(replace(layer, attempts=1) for layer in self.layers)
        return replace(self, layers=layers, agent=agent, reissues=())

    def with_reused_id(self) -> "Scenario":
        """Every layer sends once; later, somebody else's wish arrives under the first one's operation ID.

        Later means after all that the first call sent has landed, so that only the record can tell.
        """
        first = replace(self.calls[0], copies=1)
        readback_s = 0.0 if self.server.readback is None else self.server.readback.latency.s_max
        work_s = sum(downstream.work.s_max for downstream in self.downstreams)
        queued_s = sum(hop.queue.last_delivery_s for hop in self.hops if hop.queue is not None)
        start_s = 2 * sum(hop.latest_landing_s for hop in self.hops) + work_s + readback_s + queued_s
        second = replace(first, intent=f"{first.intent}, changed", inputs=f"{first.inputs}, changed", start_s=start_s)
        return replace(self.with_one_attempt(), calls=(first, second))

    def digest(self) -> str:
        """SHA-256 of the content: equal for equal scenarios in any process."""
        content = asdict(self, dict_factory=_without_absent_law)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _without_absent_law(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Leave out that a wait has no law: most have none, and a digest need not tell."""
    return {name: value for name, value in fields if (name, value) != ("law", None)}
