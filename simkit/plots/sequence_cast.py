"""Who takes part in a run, from left to right, and whom each layer sends to."""

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Final

from simkit.plots.sequence_parts import Lifeline
from simkit.plots.sequence_words import printable
from simkit.records import Attempt, Effect, Fact, Fault, Promised, Readback, Receipt, Reply, Report, StateChange
from simkit.terms import LayerName

__all__ = ["RECORD_STORE", "SERVER", "USER", "Cast"]

USER: Final = "user"
SERVER: Final = "server"
RECORD_STORE: Final = "record store"

_CALLERS: Final = (LayerName.AGENT, LayerName.GATEWAY, LayerName.CLIENT_SDK)
_HOPS: Final = MappingProxyType(
    {
        "agent_to_gateway": (LayerName.AGENT, LayerName.GATEWAY),
        "gateway_to_server": (SERVER,),
        "server_to_downstream": (SERVER,),
    }
)
_TITLES: Final = MappingProxyType({LayerName.CLIENT_SDK: "client SDK", SERVER: "MCP server"})


class Cast:
    """The lifelines of a run, found in what happened.

    A layer that wrote nothing, and that no fault names, does not occur. The downstream SDK is a library
    inside the server and shares its lifeline. Parties of other names stand behind the record store.
    """

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._stages = _stages(facts)
        names = set(_names(facts))
        known = {USER, *_CALLERS, SERVER, RECORD_STORE}
        callers = [str(layer) for layer in _CALLERS if layer in names]
        if callers and any(isinstance(fact, Attempt | Reply) and fact.layer == callers[-1] for fact in facts):
            names.add(SERVER)
        ends = [name for name in (SERVER, RECORD_STORE) if name in names]
        others = sorted(names - known - {self.system(stage) for stage in self._stages})
        self.names = (
            *((USER,) if USER in names else ()),
            *callers,
            *ends,
            *others,
            *(self.system(stage) for stage in self._stages if self.system(stage) in names),
        )
        self._callers = callers

    def system(self, stage: str) -> str:
        """Name of the lifeline of the system of record of one stage."""
        return f"system of {stage}"

    def said(self, lifeline: str) -> str:
        """A party as sentences name it."""
        for stage in self._stages:
            if lifeline == self.system(stage):
                return "system of record" if len(self._stages) == 1 else f"system of record ({stage})"
        return lifeline.replace("_", " ").replace("sdk", "SDK")

    def with_parties_said(self, detail: str) -> str:
        """What a reply says, with the layers in it named as sentences name them."""
        return detail.replace(LayerName.CLIENT_SDK, "client SDK").replace(LayerName.DOWNSTREAM_SDK, "downstream SDK")

    def lifelines(self) -> tuple[Lifeline, ...]:
        """Heads from left to right."""
        return tuple(Lifeline(name=name, title=printable(self._title(name))) for name in self.names)

    def sender(self, layer: LayerName) -> str:
        """Lifeline from which a layer sends."""
        return SERVER if layer is LayerName.DOWNSTREAM_SDK else str(layer)

    def receiver(self, layer: LayerName, hint: str, stage: str | None) -> str:
        """Lifeline that a layer's attempts go to.

        Parameters
        ----------
        hint
            Text that may name the stage where an attempt left no effect: its path and its operation ID.
        stage
            Stage of the effect that the attempt made; None where it made none.
        """
        if layer is LayerName.DOWNSTREAM_SDK:
            return self.system(stage if stage is not None else self._stage_named_in(hint))
        below = [name for name in self._callers if _CALLERS.index(LayerName(name)) > _CALLERS.index(layer)]
        return below[0] if below else SERVER

    def first_system(self) -> str:
        """The system of record that a question goes to where the journal does not say which."""
        return self.system(self._stage_named_in(""))

    def _title(self, name: str) -> str:
        for stage in self._stages:
            if name == self.system(stage):
                return f"system of record {stage}".rstrip()
        return _TITLES.get(name, name.replace("_", " "))

    def _stage_named_in(self, hint: str) -> str:
        return next((stage for stage in self._stages if stage in hint), self._stages[0])


def _stages(facts: Iterable[Fact]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for fact in facts:
        if isinstance(fact, Promised):
            found.update(dict.fromkeys(fact.stages))
        elif isinstance(fact, Effect | Receipt):
            found[fact.stage] = None
    return tuple(found) or ("",)


def _names(facts: Sequence[Fact]) -> Iterable[str]:
    """Names of all lifelines that somebody needs, more than once and in no order."""
    systems = [f"system of {stage}" for stage in _stages(facts)]
    for fact in facts:
        match fact:
            case Attempt(layer=LayerName.DOWNSTREAM_SDK) | Reply(layer=LayerName.DOWNSTREAM_SDK):
                yield from (SERVER, *systems)
            case Attempt() | Reply():
                yield str(fact.layer)
            case Effect():
                yield f"system of {fact.stage}"
            case Receipt() | StateChange():
                yield fact.party
            case Readback():
                yield from (fact.party, systems[0])
            case Report():
                yield from (USER, str(fact.layer))
            case Fault():
                yield from _named_by_site(fact.site.partition("@")[0].partition(".")[0], systems[0])


def _named_by_site(party: str, system: str) -> Iterable[str]:
    """The party of a fault, or the layers at the two ends of a hop as far as they are known."""
    if party in _HOPS:
        yield from map(str, _HOPS[party])
    elif party in ("downstream", "readback"):
        yield system
    elif "_to_" not in party:
        yield party
