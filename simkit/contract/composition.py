"""Layers, systems of record, readbacks and queues of a scenario that are taken from the catalog.

=============================================  =================================================================
written                                        stands for
=============================================  =================================================================
`layers: [{name: gateway, like: ID, ...}]`     that policy; what follows overrides single numbers of it
`downstream: ID`, `downstream: {like: ID}`     that system of record, in a stage
`queue: ID`, `queue: {like: ID}`               how that task queue redelivers, on a hop
`readback: {like: ID, ...}`                    how that system of record can be asked, and how far it is behind
`stack: {agent: ID, gateway: ID, ...}`         all of these at once (`simkit.contract.stacking`)
=============================================  =================================================================

An entry stands instead of whatever the scenario has in that place, so that nothing of another policy is left; only
what no entry can know stays, such as a name or the time that the work takes.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from simkit.contract.fields import NONE_WORD, name_in_file
from simkit.contract.named_entry import policy_named, system_named
from simkit.contract.offers import guesses_within, readback_of
from simkit.contract.parts import Part, TakenFrom, merged, with_field
from simkit.errors import InputError
from simkit.scenario import Downstream, SystemBehaviour
from simkit.terms import LayerName

__all__ = ["LIKE", "layer_with_entry", "system_with_entry", "with_entries"]

LIKE: Final = "like"
KNOWN_OF_A_LAYER: Final = frozenset({"name"})
KNOWN_OF_A_SYSTEM: Final = frozenset(
    name_in_file(field.name)
    for field in dataclasses.fields(Downstream)
    if field.name not in {inherited.name for inherited in dataclasses.fields(SystemBehaviour)}
)


def with_entries(own: Part) -> Part:
    """The parts of one file, with each entry that it names in its place, before it is merged with another file.

    Raises
    ------
    InputError
        If there is no such entry, or it does not fit its place.
    """
    own = _each(own, "layers", layer_with_entry)
    own = _each(own, "stages", lambda stage: _field(stage, "downstream", system_with_entry))
    own = _each(own, "hops", lambda hop: _field(hop, "queue", _queue_with_entry))
    return _field(own, "server", lambda server: _field(server, "readback", _readback_with_entry))


def layer_with_entry(layer: Part) -> Part:
    """A layer with the policy that it names; as it is where it names none.

    Raises
    ------
    InputError
        If there is no such policy, or it stands in the place of other layers.
    """
    fields = layer.fields or {}
    if LIKE not in fields:
        return layer
    like, place = fields[LIKE], fields["name"].value if "name" in fields else ""
    entry, written = policy_named(like)
    if entry.behaviour is None:
        message = "this retries nothing by itself: it redelivers, as the queue of a hop"
        raise InputError((like.origin.problem(message, value=like.value, allowed="hops: [{name: ..., queue: ...}]"),))
    if place in tuple(LayerName) and place not in entry.takes_place_of:
        message = f"this does not stand in the place of {place}"
        raise InputError((like.origin.problem(message, value=like.value, allowed=", ".join(entry.takes_place_of)),))
    taken_from = TakenFrom(
        entry=entry,
        given=_in(written, "behaviour"),
        behaviour=entry.behaviour,
        guessed=guesses_within("behaviour", entry.guessed),
        known_here=KNOWN_OF_A_LAYER,
    )
    return _taken(layer, taken_from)


def system_with_entry(system: Part) -> Part:
    """A system of record as the entry that it names; as it is where it names none.

    Raises
    ------
    InputError
        If there is no such system.
    """
    named = _named(system)
    fields = named.fields or {}
    if LIKE not in fields:
        return system
    entry, written = system_named(fields[LIKE])
    taken_from = TakenFrom(
        entry=entry,
        given=_in(written, "behaviour"),
        behaviour=entry.behaviour,
        guessed=guesses_within("behaviour", entry.guessed),
        known_here=KNOWN_OF_A_SYSTEM,
    )
    return _taken(named, taken_from)


def _readback_with_entry(readback: Part) -> Part:
    fields = readback.fields or {}
    if LIKE not in fields:
        return readback
    like = fields[LIKE]
    entry, _ = system_named(like)
    offered = readback_of(entry, like.origin)
    if offered is None:
        message = "this system of record cannot be asked about one operation"
        raise InputError((like.origin.problem(message, value=like.value, allowed="readback: none"),))
    return merged(offered, _without_like(readback))


def _queue_with_entry(queue: Part) -> Part:
    named = _named(queue)
    fields = named.fields or {}
    if LIKE not in fields:
        return queue
    entry, written = policy_named(fields[LIKE])
    if entry.queue is None:
        message = "this redelivers nothing: it is a layer that tries again"
        allowed = f"layers: [{{name: {' or '.join(entry.takes_place_of)}, like: ...}}]"
        raise InputError((fields[LIKE].origin.problem(message, value=entry.id, allowed=allowed),))
    taken_from = TakenFrom(
        entry=entry,
        given=_in(written, "queue"),
        behaviour=entry.queue,
        guessed=guesses_within("queue", entry.guessed),
        known_here=frozenset(),
    )
    return _taken(named, taken_from)


def _taken(named: Part, taken_from: TakenFrom) -> Part:
    """What the entry gives, and over it what the file says itself."""
    return merged(Part(value=taken_from.given, origin=named.origin, taken_from=taken_from), _without_like(named))


def _named(part: Part) -> Part:
    """The short form, an ID alone, as the long one."""
    is_short = isinstance(part.value, str) and part.value != NONE_WORD
    return replace(part, value={LIKE: part}) if is_short else part


def _without_like(part: Part) -> Part:
    return replace(part, value={name: inner for name, inner in (part.fields or {}).items() if name != LIKE})


def _in(written: Part, name: str) -> dict[str, Part]:
    return dict((written.fields or {})[name].fields or {})


def _each(part: Part, name: str, change: Callable[[Part], Part]) -> Part:
    def in_list(listed: Part) -> Part:
        return (
            replace(listed, value=[change(one) for one in listed.value]) if isinstance(listed.value, list) else listed
        )

    return _field(part, name, in_list)


def _field(part: Part, name: str, change: Callable[[Part], Part]) -> Part:
    fields = part.fields or {}
    return with_field(part, name, change(fields[name])) if name in fields else part
