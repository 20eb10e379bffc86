"""The parts of a file: every value with its origin, and how the parts of one file are merged with those of another.

==================================  ===========================================================================
written                             what becomes of it
==================================  ===========================================================================
fields                              merged with the fields of the other, at any depth
a list of things with names         merged by name; what is new is put before the next one that is known, or last
`{name: gateway, absent: true}`     takes that one away
what is taken from the catalog      stands instead of the other's, but for what no entry can know
a wait by a formula where the       stands instead of the other's
other has bounds, or the reverse
any other list, an empty one too,
and any single value                stands instead of the other's
==================================  ===========================================================================

A name is what tells the things of one list apart: `name`, `site`, `party` or `intent`. Every part
remembers the file, the line and the field that it was written in, so that a problem is reported where
it stands, whichever file that is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from simkit.catalog import PolicyEntry, SystemEntry, nearest_names
from simkit.contract.reading import Place, Tree, dotted
from simkit.contract.showing import shortened
from simkit.errors import InputError, Problem

__all__ = [
    "ABSENT",
    "Origin",
    "Part",
    "TakenFrom",
    "Traced",
    "merged",
    "part_of",
    "plain",
    "plain_part",
    "traced",
    "with_field",
]

ABSENT: Final = "absent"
NAMES: Final = ("name", "site", "party", "intent")
WAIT_BY_FORMULA: Final = "first"
WAIT_BY_BOUNDS: Final = "least"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where something is written."""

    file: str
    line: int
    place: Place

    def problem(self, message: str, *, value: object = "", allowed: str = "") -> Problem:
        """A problem with what stands there."""
        shown = "" if value == "" else shortened(value)
        field = dotted(self.place)
        return Problem(file=self.file, line=self.line, field=field, value=shown, message=message, allowed=allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A value with its origin: a mapping or a list of parts, or a single value.

    Parameters
    ----------
    taken_from
        The entry of the catalog whose values it stands for; None where it comes from none.
    """

    value: object
    origin: Origin
    taken_from: "TakenFrom | None" = None

    @property
    def fields(self) -> Mapping[str, "Part"] | None:
        """The parts of a mapping; None where it is none."""
        return self.value if isinstance(self.value, dict) else None

    def named(self) -> Mapping[str, "Part"] | None:
        """The parts of a list by their names; None where it is no list, or its parts have no names of their own."""
        if not isinstance(self.value, list):
            return None
        by_name = {name: part for part in self.value if (name := _name_of(part)) is not None}
        return by_name if len(by_name) == len(self.value) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenFrom:
    """What a part of a file was before anything in it was overridden.

    Parameters
    ----------
    given
        The fields as the entry gives them.
    behaviour
        The same as data, by which is known what the entry does not have.
    guessed
        Those that no source states, dotted.
    known_here
        Fields that no entry can know, such as a name: the scenario's own stay.
    """

    entry: SystemEntry | PolicyEntry
    given: Mapping[str, Part]
    behaviour: Any
    guessed: tuple[str, ...]
    known_here: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """A plain value, and the origin of each place in it."""

    value: object
    origins: Mapping[Place, Origin]

    def origin_of(self, place: Place) -> Origin:
        """Origin of a place; of one that nobody wrote, the line of the nearest part around it."""
        inner = place
        while inner not in self.origins:
            inner = inner[:-1]
        origin = self.origins[inner]
        return replace(origin, place=(*origin.place, *place[len(inner) :]))


def part_of(tree: Tree, file: str) -> Part:
    """The parts of a file that was read."""
    return _part(tree.value, (), tree, file)


def plain_part(value: object, file: str, *, place: Place = ()) -> Part:
    """The parts of plain values that stand in no file; `file` names where they come from."""
    part = part_of(Tree(value=value, lines={(): 0}), file)
    return _placed(part, place)


def merged(other: Part, own: Part) -> Part:
    """What `own` says, and what `other` says where `own` says nothing.

    Raises
    ------
    InputError
        If something is to be taken away that is not there.
    """
    if other.fields is not None and own.fields is not None:
        if WAIT_BY_FORMULA in other.fields and WAIT_BY_BOUNDS in own.fields:
            return own
        if WAIT_BY_BOUNDS in other.fields and WAIT_BY_FORMULA in own.fields:
            return own
        taken_from = own.taken_from
        stays = other.fields if taken_from is None else other.fields.keys() & taken_from.known_here
        fields = {key: part for key, part in other.fields.items() if key in stays}
        for key, part in own.fields.items():
            fields[key] = merged(fields[key], part) if key in fields else part
        return replace(own, value=fields, taken_from=taken_from or other.taken_from)
    known, changes = other.named(), own.named()
    if known is not None and changes:
        return replace(own, value=_merged_by_name(known, changes))
    return own


def with_field(part: Part, name: str, inner: Part) -> Part:
    """The fields of a part with one of them as given."""
    return replace(part, value=dict(part.fields or {}) | {name: inner})


def plain(part: Part) -> object:
    """The plain value of a part."""
    return traced(part).value


def traced(part: Part) -> Traced:
    """The plain value of a part, with the origin of each place."""
    origins: dict[Place, Origin] = {}
    return Traced(value=_plain(part, (), origins), origins=origins)


def _merged_by_name(known: Mapping[str, Part], changes: Mapping[str, Part]) -> list[Part]:
    result = dict(known)
    order = list(known)
    following: str | None = None
    for name in reversed(list(changes)):
        part = changes[name]
        if _is_taken_away(part):
            if name not in known:
                message = "this is to be taken away, and is not there"
                problem = part.origin.problem(message, value=name, allowed=nearest_names(name, known))
                raise InputError((problem,))
            order.remove(name)
            continue
        if name not in known:
            order.insert(len(order) if following is None else order.index(following), name)
        result[name] = merged(known[name], part) if name in known else part
        following = name
    return [result[name] for name in order]


def _placed(part: Part, place: Place) -> Part:
    origin = replace(part.origin, place=(*place, *part.origin.place))
    if isinstance(part.value, dict):
        return replace(part, origin=origin, value={key: _placed(one, place) for key, one in part.value.items()})
    if isinstance(part.value, list):
        return replace(part, origin=origin, value=[_placed(one, place) for one in part.value])
    return replace(part, origin=origin)


def _is_taken_away(part: Part) -> bool:
    absent = (part.fields or {}).get(ABSENT)
    return absent is not None and absent.value is True


def _name_of(part: Part) -> str | None:
    fields = part.fields or {}
    found = next((fields[key].value for key in NAMES if key in fields), None)
    return found if isinstance(found, str) else None


def _part(value: object, place: Place, tree: Tree, file: str) -> Part:
    origin = Origin(file=file, line=tree.line_of(place), place=place)
    if isinstance(value, dict):
        return Part(value={key: _part(one, (*place, key), tree, file) for key, one in value.items()}, origin=origin)
    if isinstance(value, list):
        return Part(value=[_part(one, (*place, index), tree, file) for index, one in enumerate(value)], origin=origin)
    return Part(value=value, origin=origin)


def _plain(part: Part, place: Place, origins: dict[Place, Origin]) -> object:
    origins[place] = part.origin
    if isinstance(part.value, dict):
        return {key: _plain(one, (*place, key), origins) for key, one in part.value.items()}
    if isinstance(part.value, list):
        return [_plain(one, (*place, index), origins) for index, one in enumerate(part.value)]
    return part.value
