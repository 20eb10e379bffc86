"""What a file takes over from another: `like: NAME` names a scenario of the catalog, and only what differs follows.

==================================  ===========================================================================
written                             what becomes of it
==================================  ===========================================================================
fields                              merged with the fields of the other, at any depth
a list of things with names         merged by name; what is new is put before the next one that is known, or last
`{name: gateway, absent: true}`     takes that one away
any other list, an empty one too,
and any single value                stands instead of the other's
==================================  ===========================================================================

A name is what tells the things of one list apart: `name`, `site`, `party` or `intent`. Every part
remembers the file, the line and the field that it was written in, so that a problem is reported where
it stands, whichever file that is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from simkit.catalog import nearest_names, scenario_content, scenario_names
from simkit.contract.reading import Place, Tree, dotted, read_tree
from simkit.contract.showing import shortened
from simkit.errors import InputError, Problem

__all__ = ["ABSENT", "LIKE", "Origin", "Part", "Traced", "merged", "part_of", "resolved", "traced"]

LIKE: Final = "like"
ABSENT: Final = "absent"
NAMES: Final = ("name", "site", "party", "intent")
NOT_INHERITED: Final = ("schema_version", "name")


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
    """A value with its origin: a mapping or a list of parts, or a single value."""

    value: object
    origin: Origin

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


def resolved(part: Part, *, taken: tuple[str, ...] = ()) -> Part:
    """The part merged with what its `like` names, which may be like another one in turn.

    Parameters
    ----------
    taken
        Names that led here; one of them again is a loop.

    Raises
    ------
    InputError
        If there is no scenario of that name, or it leads back to itself.
    """
    fields = part.fields
    if fields is None or LIKE not in fields:
        return part
    like = fields[LIKE]
    name = like.value
    if not isinstance(name, str) or name not in scenario_names():
        allowed = nearest_names(str(name), scenario_names())
        problem = like.origin.problem("the catalog has no scenario of that name", value=name, allowed=allowed)
        raise InputError((problem,))
    if name in taken:
        loop = " -> ".join((*taken, name))
        raise InputError((like.origin.problem(f"this leads back to itself: {loop}", value=name, allowed="no loop"),))
    file = f"{name}.yaml"
    other = resolved(part_of(read_tree(scenario_content(name), file), file), taken=(*taken, name))
    inherited = {key: inner for key, inner in (other.fields or {}).items() if key not in NOT_INHERITED}
    own = {key: inner for key, inner in fields.items() if key != LIKE}
    return merged(replace(other, value=inherited), replace(part, value=own))


def merged(other: Part, own: Part) -> Part:
    """What `own` says, and what `other` says where `own` says nothing.

    Raises
    ------
    InputError
        If something is to be taken away that is not there.
    """
    if other.fields is not None and own.fields is not None:
        fields = dict(other.fields)
        for key, part in own.fields.items():
            fields[key] = merged(fields[key], part) if key in fields else part
        return replace(own, value=fields)
    known, changes = other.named(), own.named()
    if known is not None and changes:
        return replace(own, value=_merged_by_name(known, changes))
    return own


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
