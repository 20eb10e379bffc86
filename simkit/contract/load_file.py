"""Worlds under load as files: the fields of `simkit.scenario.LoadScenario`, durations with their units.

A law is one duration, or `{kind: exponential, mean: 100 ms}`; a backoff is a duration, or a formula with `first`.
A file may be `like:` a world under load of the catalog, and then gives only what differs.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from simkit.catalog import load_content, load_names, nearest_names
from simkit.contract.fields import FieldReader
from simkit.contract.likeness import LIKE
from simkit.contract.loading import read_content
from simkit.contract.parts import Part, merged, part_of, traced
from simkit.contract.reading import read_tree
from simkit.contract.showing import one_line
from simkit.contract.versions import insist_on_version
from simkit.errors import InputError, Problem
from simkit.scenario import LoadScenario

__all__ = ["LOAD_SCHEMA_VERSION", "load_at", "named_load", "parse_load"]

LOAD_SCHEMA_VERSION: Final = 1
NOT_INHERITED: Final = ("schema_version", "name")


def load_at(source: str) -> LoadScenario:
    """The world under load of a file, or of a name where there is no such file.

    Raises
    ------
    InputError
        With everything that is wrong with the file, or with the names that are most like the one given.
    """
    if Path(source).exists():
        return parse_load(read_content(source), file=source)
    return named_load(source)


def named_load(name: str) -> LoadScenario:
    """The world under load of that name in the catalog.

    Raises
    ------
    InputError
        If there is none; the message has the nearest names.
    """
    if name not in load_names():
        near = nearest_names(name, load_names())
        message = (
            f"there is no such file, and no world under load of that name; nearest names: {near}; "
            "all names: simkit load --list"
        )
        raise InputError((Problem(file=one_line(name), line=0, field="", value="", message=message, allowed=""),))
    return parse_load(load_content(name), file=f"{name}.yaml")


def parse_load(content: bytes, *, file: str) -> LoadScenario:
    """Read a world under load from the bytes of a file; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    shown = one_line(file)
    written = part_of(read_tree(content, shown), shown)
    insist_on_version(written, LOAD_SCHEMA_VERSION, "world under load")
    source = traced(_resolved(written))
    reader = FieldReader(source)
    fields = source.value
    if isinstance(fields, dict):
        fields = {name: value for name, value in fields.items() if name != "schema_version"}
    scenario = reader.value(fields, LoadScenario, ())
    reader.refuse()
    if not isinstance(scenario, LoadScenario):
        message = f"{shown}: no world under load was read, and no problem was found"
        raise TypeError(message)
    return scenario


def _resolved(part: Part, taken: tuple[str, ...] = ()) -> Part:
    """The part merged with what its `like` names, which may be like another one in turn."""
    fields = part.fields or {}
    if LIKE not in fields:
        return part
    like = fields[LIKE]
    name = str(like.value)
    if name not in load_names():
        allowed = nearest_names(name, load_names())
        problem = like.origin.problem("the catalog has no world under load of that name", value=name, allowed=allowed)
        raise InputError((problem,))
    if name in taken:
        loop = " -> ".join((*taken, name))
        raise InputError((like.origin.problem(f"this leads back to itself: {loop}", value=name, allowed="no loop"),))
    file = f"{name}.yaml"
    other = _resolved(part_of(read_tree(load_content(name), file), file), (*taken, name))
    inherited = {key: inner for key, inner in (other.fields or {}).items() if key not in NOT_INHERITED}
    own = {key: inner for key, inner in fields.items() if key != LIKE}
    return merged(replace(other, value=inherited), replace(part, value=own))
