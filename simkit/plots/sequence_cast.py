"""Who takes part in a run, from left to right, and whom each layer sends to."""

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Final

from simkit.plots.sequence_facts import path_of, site_parts
from simkit.plots.sequence_parts import Lifeline
from simkit.plots.sequence_paths import RELAY, is_of_relay
from simkit.plots.sequence_traces import queued_layers
from simkit.plots.sequence_words import printable
from simkit.records import (
    Attempt,
    CleanUp,
    Deleted,
    Effect,
    Fact,
    Fault,
    Promised,
    Readback,
    Receipt,
    Reply,
    Report,
    Settlement,
    Start,
    StateChange,
)
from simkit.study.story import caller_of
from simkit.terms import LayerName

__all__ = ["RECONCILER", "RECORD_STORE", "SERVER", "USER", "Cast"]

USER: Final = "user"
SERVER: Final = "server"
RECORD_STORE: Final = "record store"
RECONCILER: Final = "reconciler"

_LAYERS: Final = (LayerName.AGENT, LayerName.GATEWAY, LayerName.CLIENT_SDK)
_HOPS: Final = MappingProxyType(
    {
        "agent_to_gateway": (LayerName.AGENT, LayerName.GATEWAY),
        "gateway_to_server": (SERVER,),
        "server_to_downstream": (SERVER,),
    }
)
_TITLES: Final = MappingProxyType({LayerName.CLIENT_SDK: "client SDK", SERVER: "MCP server", RELAY: "outbox relay"})


class Cast:
    """The lifelines of a run, found in what happened.

    A layer that wrote nothing, and that no fault names, does not occur. The downstream SDK is a library
    inside the server and shares its lifeline, or that of the relay. Who calls beside the agent stands before
    it; parties of other names stand behind the record store.
    """

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._stages = _stages(facts)
        systems = [self.system(stage) for stage in self._stages]
        names = set(_names(facts, self._stages))
        layers = [str(layer) for layer in _LAYERS if layer in names]
        if layers and any(isinstance(fact, Attempt | Reply) and fact.layer == layers[-1] for fact in facts):
            names.add(SERVER)
        callers = {RECONCILER: None} | dict.fromkeys(caller_of(path) for fact in facts if (path := path_of(fact)))
        beside = [name for name in callers if name != LayerName.AGENT and name in names]
        self._layers = layers
        self._queues = {layer: f"queue of {layer}" for layer in LayerName if layer in queued_layers(facts)}
        known = {USER, *_LAYERS, *beside, SERVER, RECORD_STORE, RELAY, *systems}
        order = [USER, *beside, *layers, SERVER, RECORD_STORE, RELAY, *sorted(names - known), *systems]
        self.names = tuple(self._with_queues([name for name in order if name in names]))

    def system(self, stage: str) -> str:
        """Name of the lifeline of the system of record of one stage."""
        return f"system of {stage}"

    def said(self, lifeline: str) -> str:
        """A party as sentences name it."""
        for stage in self._stages:
            if lifeline == self.system(stage):
                return "system of record" if len(self._stages) == 1 else f"{stage} system"
        for layer, queue in self._queues.items():
            if lifeline == queue:
                return "queue" if len(self._queues) == 1 else f"queue behind {self.said(layer)}"
        return lifeline.replace("_", " ").replace("sdk", "SDK")

    def with_parties_said(self, detail: str) -> str:
        """What a reply says, with the layers in it named as sentences name them."""
        return detail.replace(LayerName.CLIENT_SDK, "client SDK").replace(LayerName.DOWNSTREAM_SDK, "downstream SDK")

    def lifelines(self) -> tuple[Lifeline, ...]:
        """Heads from left to right."""
        return tuple(Lifeline(name=name, title=printable(self._title(name))) for name in self.names)

    def sender(self, layer: LayerName, path: str) -> str:
        """Lifeline from which a layer sends this attempt."""
        if layer is LayerName.AGENT:
            return caller_of(path)
        if layer is LayerName.DOWNSTREAM_SDK:
            return RELAY if is_of_relay(path) else SERVER
        return str(layer)

    def receiver(self, layer: LayerName, stage: str) -> str:
        """Lifeline that a layer's attempts go to: the queue in front of the next party, if there is one."""
        return self._queues.get(layer) or self.behind_queue(layer, stage)

    def behind_queue(self, layer: LayerName, stage: str) -> str:
        """Lifeline of the party that a layer's attempts are meant for."""
        if layer is LayerName.DOWNSTREAM_SDK:
            return self.system(stage or self._stages[0])
        below = [name for name in self._layers if _LAYERS.index(LayerName(name)) > _LAYERS.index(layer)]
        return below[0] if below else SERVER

    def system_named_in(self, path: str) -> str:
        """The system of record of the stage that a path names; the first where it names none."""
        parts = path.split("/")
        return self.system(next((stage for stage in self._stages if stage in parts), self._stages[0]))

    def party(self, party: str) -> str | None:
        """Lifeline of a party as facts name it; None for a hop, or for one that does not occur."""
        return next((name for name in (party.replace("_", " "), party) if name in self.names), None)

    def _with_queues(self, names: list[str]) -> list[str]:
        """Each queue stands right before the party that it hands on to."""
        for layer, queue in self._queues.items():
            behind = self.behind_queue(layer, "")
            place = names.index(behind) if behind in names else len(names)
            names.insert(place, queue)
        return names

    def _title(self, name: str) -> str:
        for stage in self._stages:
            if name == self.system(stage):
                return f"system of record {stage}".rstrip()
        return _TITLES.get(name) or ("queue" if name in self._queues.values() else name.replace("_", " "))


def _stages(facts: Iterable[Fact]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for fact in facts:
        match fact:
            case Promised():
                found.update(dict.fromkeys(fact.stages))
            case Effect() | Receipt() | CleanUp() | Deleted() | Start():
                found[fact.stage] = None
            case Attempt() | Readback() if fact.stage:
                found[fact.stage] = None
    return tuple(found) or ("",)


def _names(facts: Sequence[Fact], stages: Sequence[str]) -> Iterable[str]:
    """Names of all lifelines that somebody needs, more than once and in no order."""
    for fact in facts:
        match fact:
            case Attempt(layer=LayerName.DOWNSTREAM_SDK) | Reply(layer=LayerName.DOWNSTREAM_SDK):
                yield RELAY if is_of_relay(fact.path) else SERVER
                yield f"system of {fact.stage or stages[0]}"
            case Attempt(layer=LayerName.AGENT) | Reply(layer=LayerName.AGENT):
                yield caller_of(fact.path)
            case Attempt() | Reply():
                yield str(fact.layer)
            case Effect() | Deleted():
                yield f"system of {fact.stage}"
            case Receipt() | StateChange() | Settlement() | Start():
                yield fact.party
            case Readback() | CleanUp():
                yield from (fact.party, f"system of {fact.stage or stages[0]}")
            case Report():
                yield from (USER, str(fact.layer))
            case Fault():
                yield from _named_by_site(fact.site, stages)


def _named_by_site(site: str, stages: Sequence[str]) -> Iterable[str]:
    """The party of a fault, or the layers at the two ends of a hop as far as they are known."""
    party, _, path = site_parts(site)
    if party in _HOPS:
        yield from map(str, _HOPS[party])
    elif party in ("downstream", "readback"):
        yield f"system of {next((stage for stage in stages if stage in path.split('/')), stages[0])}"
    elif "_to_" not in party:
        yield party.replace("_", " ")
