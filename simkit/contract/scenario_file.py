"""Scenario files: a whole world as YAML, written by hand or from a review.

The file has the fields of `simkit.scenario`, each duration with its unit and without the `_s` of its
name in code. A wait is one duration, or `{least: ..., typical: ..., most: ...}`, to which a `law` may be
added, such as `{kind: lognormal, median: 20 ms, sigma: 1.2}`. `none` stands where something does not
apply, such as a timeout that does not exist. What a scenario has only where it is
said, such as a queue or a second replica, may be left out. A file may be `like:` a scenario of the
catalog, and then gives only what differs (`simkit.contract.likeness`).
"""

import dataclasses
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from io import StringIO
from typing import Any

from ruamel.yaml import YAML

from simkit.contract.durations import UNIT_S
from simkit.contract.fields import (
    LAW_KINDS,
    LAW_WORD,
    MAPPING_ALLOWED,
    MAPPING_EXPECTED,
    NONE_WORD,
    WAIT_FIELDS,
    FieldReader,
    is_duration,
    name_in_file,
)
from simkit.contract.likeness import Part, part_of, resolved, traced
from simkit.contract.reading import read_tree
from simkit.contract.showing import one_line
from simkit.distributions import Law, Wait
from simkit.errors import InputError
from simkit.scenario import Scenario

__all__ = [
    "SCENARIO_SCHEMA_VERSION",
    "insist_on_version",
    "parse_scenario",
    "scenario_from",
    "scenario_text",
]

SCENARIO_SCHEMA_VERSION = 1


def scenario_text(scenario: Scenario) -> str:
    """The scenario as the text of a file; `parse_scenario` reads the same scenario from it."""
    yaml = YAML(typ="rt")
    yaml.width = 120
    yaml.indent(mapping=2, sequence=4, offset=2)
    written = StringIO()
    yaml.dump({"schema_version": SCENARIO_SCHEMA_VERSION} | _document(scenario), written)
    return written.getvalue()


def parse_scenario(content: bytes, *, file: str) -> Scenario:
    """Read a scenario from the bytes of a file; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order; or with the two fields that exclude each other.
    """
    shown = one_line(file)
    written = part_of(read_tree(content, shown), shown)
    insist_on_version(written, SCENARIO_SCHEMA_VERSION, "scenario")
    return scenario_from(resolved(written))


def scenario_from(part: Part) -> Scenario:
    """The scenario that a part of a file describes, once `like` is resolved.

    Raises
    ------
    InputError
        With every problem that was found.
    """
    source = traced(part)
    reader = FieldReader(source)
    fields = source.value
    if isinstance(fields, dict):
        fields = {name: value for name, value in fields.items() if name != "schema_version"}
    scenario = reader.value(fields, Scenario, ())
    reader.refuse()
    if not isinstance(scenario, Scenario):
        message = f"{part.origin.file}: no scenario was read, and no problem was found"
        raise TypeError(message)
    return scenario


def insist_on_version(written: Part, version: int, kind: str) -> None:
    """Refuse a file of another version, or of none, before its fields are looked at.

    Raises
    ------
    InputError
        If the version is another one.
    """
    if written.fields is None:
        raise InputError((written.origin.problem(MAPPING_EXPECTED, value=written.value, allowed=MAPPING_ALLOWED),))
    found = written.fields.get("schema_version")
    given = None if found is None else found.value
    if type(given) is not int or given != version:
        at = replace(written.origin, place=("schema_version",)) if found is None else found.origin
        raise InputError((at.problem(f"this is no {kind} of version {version}", value=given, allowed=str(version)),))


def _document(value: Any) -> Any:
    if isinstance(value, Wait):
        if value.s_min == value.s_max and value.law is None:
            return _duration_text(value.s_min)
        bounds = {word: _duration_text(getattr(value, name)) for word, name in WAIT_FIELDS.items()}
        return bounds if value.law is None else bounds | {LAW_WORD: _law_document(value.law)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name_in_file(field.name): _field_document(field.name, getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple):
        return [_document(item) for item in value]
    if isinstance(value, Enum):
        return str(value)
    return NONE_WORD if value is None else value


def _law_document(law: Law) -> Any:
    kind = next(word for word, kind in LAW_KINDS.items() if isinstance(law, kind))
    return {"kind": kind} | _document(law)


def _field_document(name: str, value: Any) -> Any:
    if is_duration(name) and isinstance(value, int | float):
        return _duration_text(float(value))
    return _document(value)


def _duration_text(seconds: float) -> str:
    exact = Decimal(repr(seconds))
    for unit in ("d", "h", "min"):
        if exact and exact % UNIT_S[unit] == 0:
            return f"{int(exact / UNIT_S[unit])} {unit}"
    if exact and exact < 1:
        return f"{(exact * 1000).normalize():f} ms"
    return f"{exact.normalize():f} s"
