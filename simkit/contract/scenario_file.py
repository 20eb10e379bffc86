"""Scenario files: a whole world as YAML, written by hand or from a review.

The file has the fields of `simkit.scenario`, each duration with its unit and without the `_s` of its
name in code. A wait is one duration, or `{least: ..., typical: ..., most: ...}`, to which a `law` may be
added, such as `{kind: lognormal, median: 20 ms, sigma: 1.2}`. `none` stands where something does not
apply, such as a timeout that does not exist. What a scenario has only where it is
said, such as a queue or a second replica, may be left out. A file may be `like:` a scenario of the
catalog, and then gives only what differs (`simkit.contract.likeness`).

"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any, cast

from ruamel.yaml import YAML

from simkit.contract.building import built
from simkit.contract.likeness import merged_with_entries, resolved
from simkit.contract.parts import Part, part_of, plain_part
from simkit.contract.reading import read_tree
from simkit.contract.showing import one_line
from simkit.contract.stacking import STACK
from simkit.contract.taken import Taken, taken_in
from simkit.contract.versions import insist_on_version
from simkit.contract.writing import plain_document
from simkit.scenario import Scenario

__all__ = [
    "SCENARIO_SCHEMA_VERSION",
    "Composed",
    "composed",
    "parse_composed",
    "parse_scenario",
    "scenario_document",
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
    yaml.dump({"schema_version": SCENARIO_SCHEMA_VERSION} | scenario_document(scenario), written)
    return written.getvalue()


def scenario_document(scenario: Scenario) -> dict[str, Any]:
    """The scenario as plain values, as a file says them."""
    return cast("dict[str, Any]", plain_document(scenario))


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A scenario, and the entries of the catalog that it was composed of."""

    scenario: Scenario
    taken: tuple[Taken, ...]


def parse_scenario(content: bytes, *, file: str) -> Scenario:
    """Read a scenario from the bytes of a file; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order; or with the two fields that exclude each other.
    """
    return parse_composed(content, file=file).scenario


def parse_composed(content: bytes, *, file: str) -> Composed:
    """Read a scenario as `parse_scenario` does, with what it was composed of.

    Raises
    ------
    InputError
        As of `parse_scenario`; or if there is no such entry, it does not fit, or lacks what is overridden.
    """
    shown = one_line(file)
    written = part_of(read_tree(content, shown), shown)
    insist_on_version(written, SCENARIO_SCHEMA_VERSION, "scenario")
    return _composed(resolved(written))


def composed(base: Scenario, **stack: str | Mapping[str, object]) -> Composed:
    """A scenario with entries of the catalog in the places of its layers and of its system of record.

    Parameters
    ----------
    base
        What the stack does not name stays as it is there.
    stack
        For `agent`, `gateway`, `client_sdk`, `sdk` and `downstream`: an ID, the path of an entry's file, or both as a
        file says it, with numbers that are overridden: `sdk={"like": "botocore-standard-v2", "attempts": 5}`.

    Raises
    ------
    InputError
        If there is no such entry, it does not fit its place, or lacks what is overridden.
    """
    other = plain_part(scenario_document(base), base.name)
    own = plain_part({STACK: dict(stack)}, "composed")
    return _composed(merged_with_entries(other, own))


def _composed(whole: Part) -> Composed:
    taken = taken_in(whole)
    return Composed(scenario=scenario_from(whole), taken=taken)


def scenario_from(part: Part) -> Scenario:
    """The scenario that a part of a file describes, once `like` is resolved.

    Raises
    ------
    InputError
        With every problem that was found.
    """
    fields = {name: inner for name, inner in (part.fields or {}).items() if name != "schema_version"}
    return built(part if part.fields is None else replace(part, value=fields), Scenario)
