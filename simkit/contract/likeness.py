"""What a file takes over from another: `like: NAME` names a scenario of the catalog, and only what differs follows.

A layer, a system of record, a readback or a queue may be `like` an entry of the catalog in turn
(`simkit.contract.composition`); how both are merged is said in `simkit.contract.parts`.
"""

from dataclasses import replace
from typing import Final

from simkit.catalog import nearest_names, scenario_content, scenario_names
from simkit.contract.composition import with_entries
from simkit.contract.parts import Part, merged, part_of
from simkit.contract.reading import read_tree
from simkit.contract.stacking import asking, stacked
from simkit.errors import InputError

__all__ = ["LIKE", "merged_with_entries", "resolved"]

LIKE: Final = "like"
NOT_INHERITED: Final = ("schema_version", "name")


def resolved(part: Part, *, taken: tuple[str, ...] = ()) -> Part:
    """The part merged with what its `like` names, which may be like another in turn, and with the entries it names.

    Parameters
    ----------
    taken
        Names that led here; one of them again is a loop.

    Raises
    ------
    InputError
        If there is no scenario or entry of that name, or a scenario leads back to itself.
    """
    fields = part.fields
    if fields is None:
        return part
    own = replace(part, value={key: inner for key, inner in fields.items() if key != LIKE})
    if LIKE not in fields:
        return merged_with_entries(replace(part, value={}), own)
    other = _other(fields[LIKE], taken)
    inherited = {key: inner for key, inner in (other.fields or {}).items() if key not in NOT_INHERITED}
    return merged_with_entries(replace(other, value=inherited), own)


def merged_with_entries(other: Part, own: Part) -> Part:
    """The one merged with the other, and what either names of the catalog put in its place.

    Raises
    ------
    InputError
        If there is no entry of that name, it does not fit its place, or something cannot be merged.
    """
    named = with_entries(own)
    return asking(stacked(merged(other, named), named), named)


def _other(like: Part, taken: tuple[str, ...]) -> Part:
    name = like.value
    if not isinstance(name, str) or name not in scenario_names():
        allowed = nearest_names(str(name), scenario_names())
        problem = like.origin.problem("the catalog has no scenario of that name", value=name, allowed=allowed)
        raise InputError((problem,))
    if name in taken:
        loop = " -> ".join((*taken, name))
        raise InputError((like.origin.problem(f"this leads back to itself: {loop}", value=name, allowed="no loop"),))
    file = f"{name}.yaml"
    return resolved(part_of(read_tree(scenario_content(name), file), file), taken=(*taken, name))
