"""A stack of entries over a scenario: `stack: {agent: ID, gateway: ID, client_sdk: ID, sdk: ID, downstream: ID}`.

Each stands in the place of that layer, or of the one system of record; what the stack does not name stays as the
scenario has it. Where a system of record is taken from the catalog and the server asks it, by what and how far
behind it is comes from the entry too, unless the same file says so itself.
"""

from dataclasses import replace
from typing import Final

from simkit.catalog import SystemEntry
from simkit.contract.composition import LIKE, layer_with_entry, system_with_entry
from simkit.contract.fields import MAPPING_ALLOWED, MAPPING_EXPECTED
from simkit.contract.offers import readback_of
from simkit.contract.parts import Part, merged, with_field
from simkit.errors import InputError
from simkit.terms import LayerName

__all__ = ["DOWNSTREAM", "PLACES", "STACK", "asking", "stacked"]

STACK: Final = "stack"
SDK: Final = "sdk"
DOWNSTREAM: Final = "downstream"
PLACES: Final = (LayerName.AGENT.value, LayerName.GATEWAY.value, LayerName.CLIENT_SDK.value, SDK, DOWNSTREAM)
"""What a stack may name; `sdk` is the downstream SDK, which may be written out too."""


def stacked(whole: Part, own: Part) -> Part:
    """The scenario with the file's `stack`, if it has one, in the place of its layers and of its system of record.

    Raises
    ------
    InputError
        If the stack names what no stack has, no entry of the catalog, or a layer that the same file gives too.
    """
    if whole.fields is None or STACK not in whole.fields:
        return whole
    named = _places_of(whole.fields[STACK])
    rest = replace(whole, value={name: part for name, part in whole.fields.items() if name != STACK})
    _refuse_twice(named, own)
    layers = {name: layer_with_entry(_layer(named[name], name)) for name in LayerName if name in named}
    rest = _with_layers(rest, layers)
    return _with_system(rest, named[DOWNSTREAM]) if DOWNSTREAM in named else rest


def asking(whole: Part, own: Part) -> Part:
    """The scenario whose server asks as the systems of record offer that this file takes from the catalog.

    Raises
    ------
    InputError
        If the server asks and a system cannot be asked, or two are asked by different things.
    """
    server = (whole.fields or {}).get("server")
    readback = None if server is None else (server.fields or {}).get("readback")
    if server is None or readback is None or readback.fields is None or not _names_a_system(own):
        return whole
    said = _said_of_the_readback(own)
    if said is None:
        return whole
    entries = [part.taken_from.entry for part in _systems_of(whole) if part.taken_from is not None]
    offered = _offered([entry for entry in entries if isinstance(entry, SystemEntry)], said, readback)
    asked = merged(merged(readback, offered), said)
    return with_field(whole, "server", with_field(server, "readback", asked))


def _offered(entries: list[SystemEntry], said: Part, readback: Part) -> Part:
    """The readback that all of these systems offer: as far behind as the slowest of them."""
    for entry in entries:
        if entry.readback_offer is None:
            message = f"the server asks, and {entry.id} cannot be asked about one operation"
            raise InputError((readback.origin.problem(message, allowed="server: {readback: none}"),))
    by = {entry.readback_offer.by for entry in entries if entry.readback_offer}
    if len(by) > 1 and "by" not in (said.fields or {}):
        message = f"{', '.join(entry.id for entry in entries)} are asked by different things"
        raise InputError((readback.origin.problem(message, allowed="server: {readback: {by: ...}}"),))
    slowest = max(entries, key=lambda entry: entry.readback_offer.lag.s_max if entry.readback_offer else 0.0)
    offered = readback_of(slowest, readback.origin)
    return readback if offered is None else offered


def _said_of_the_readback(own: Part) -> Part | None:
    """What the file itself says of the readback; None where it names an entry for that, or none at all."""
    server = (own.fields or {}).get("server")
    readback = None if server is None else (server.fields or {}).get("readback")
    if readback is None:
        return replace(own, value={})
    return None if readback.fields is None or readback.taken_from is not None else readback


def _names_a_system(own: Part) -> bool:
    stack = (own.fields or {}).get(STACK)
    in_stack = stack is not None and DOWNSTREAM in (stack.fields or {})
    return in_stack or any(system.taken_from is not None for system in _systems_of(own))


def _systems_of(whole: Part) -> list[Part]:
    stages = (whole.fields or {}).get("stages")
    parts = stages.value if stages is not None and isinstance(stages.value, list) else []
    return [stage.fields[DOWNSTREAM] for stage in parts if DOWNSTREAM in (stage.fields or {})]


def _places_of(stack: Part) -> dict[str, Part]:
    """What the stack names, by layer, and the system of record."""
    if stack.fields is None:
        raise InputError((stack.origin.problem(MAPPING_EXPECTED, value=stack.value, allowed=MAPPING_ALLOWED),))
    known = (*PLACES, LayerName.DOWNSTREAM_SDK.value)
    for name, part in stack.fields.items():
        if name not in known:
            message = "a stack has no such place"
            raise InputError((part.origin.problem(message, value=part.value, allowed=", ".join(PLACES)),))
        if not isinstance(part.value, str) and LIKE not in (part.fields or {}):
            message = "a stack names an entry of the catalog in each place"
            raise InputError((part.origin.problem(message, value=part.value, allowed=f"ID, or {{{LIKE}: ID, ...}}"),))
    named = dict(stack.fields)
    if SDK in named:
        named[LayerName.DOWNSTREAM_SDK.value] = named.pop(SDK)
    return named


def _refuse_twice(named: dict[str, Part], own: Part) -> None:
    layers = (own.fields or {}).get("layers")
    given = {} if layers is None else layers.named() or {}
    for name in given.keys() & named.keys():
        message = f"the stack of the same file names what stands in the place of {name}"
        allowed = "numbers to override, beside the ID in the stack"
        raise InputError((given[name].origin.problem(message, allowed=allowed),))


def _layer(named: Part, name: LayerName) -> Part:
    fields = named.fields if named.fields is not None else {LIKE: named}
    return replace(named, value={"name": Part(value=str(name), origin=named.origin), **fields})


def _with_layers(whole: Part, named: dict[LayerName, Part]) -> Part:
    """The scenario with these layers, each in the place of the one of that name, or beside the others in order."""
    layers = (whole.fields or {}).get("layers")
    known = {} if layers is None else layers.named()
    if known is None:
        return whole
    in_order = [
        merged(known[name], named[name]) if name in known and name in named else named.get(name) or known[name]
        for name in LayerName
        if name in known or name in named
    ] + [part for name, part in known.items() if name not in tuple(LayerName)]
    at = whole if layers is None else layers
    return with_field(whole, "layers", replace(at, value=in_order))


def _with_system(whole: Part, named: Part) -> Part:
    """The scenario with that system of record in its one stage."""
    stages = (whole.fields or {}).get("stages")
    if stages is None or not isinstance(stages.value, list) or len(stages.value) != 1:
        message = "which of the stages is meant is not said: the scenario has not just one"
        allowed = f"stages: [{{name: ..., {DOWNSTREAM}: ID}}]"
        raise InputError((named.origin.problem(message, value=named.value, allowed=allowed),))
    stage = stages.value[0]
    change = Part(value={DOWNSTREAM: system_with_entry(named)}, origin=stage.origin)
    return with_field(whole, "stages", replace(stages, value=[merged(stage, change)]))
