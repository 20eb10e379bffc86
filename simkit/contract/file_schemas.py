"""JSON Schema of the files of the catalog and of scenario files, by which editors complete and explain the fields."""

import dataclasses
from types import MappingProxyType
from typing import Any

from simkit.catalog import PolicyEntry, SystemEntry
from simkit.contract.catalog_file import ENTRY_SCHEMA_VERSION
from simkit.contract.composition import LIKE
from simkit.contract.dataclass_schema import SCHEMA_URI, Schemas, reference
from simkit.contract.parts import ABSENT
from simkit.contract.scenario_file import SCENARIO_SCHEMA_VERSION
from simkit.contract.stacking import PLACES, STACK
from simkit.scenario import Downstream, Queue, Readback, RetryLayer, Scenario
from simkit.terms import LayerName

__all__ = ["policy_schema", "scenario_schema", "system_schema"]


_ID = MappingProxyType(
    {"type": "string", "description": "ID of an entry of the catalog, or the path of a file that holds one."}
)


def system_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a file that holds a system of record."""
    return _entry_schema(SystemEntry, "A system of record of the catalog, or one of your own")


def policy_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a file that holds a retry policy."""
    return _entry_schema(PolicyEntry, "A retry policy of the catalog, or one of your own")


def scenario_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scenario file.

    A file may be like another one, and its parts like entries of the catalog: then any field may be left out, and
    only the reader knows whether all of them are there in the end.
    """
    schemas = Schemas(is_partial=True)
    schema = schemas.fields_of(Scenario)
    for name in [name for name in schemas.definitions if "properties" in schemas.definitions[name]]:
        schemas.definitions[name]["properties"][ABSENT] = {"const": True, "description": "Takes this one away."}
    for kind in (RetryLayer, Downstream, Queue, Readback):
        _let_be_like(schemas, kind)
    stack = {place: reference("Taken") for place in (*PLACES, LayerName.DOWNSTREAM_SDK.value)}
    schemas.definitions["Taken"] = {
        "anyOf": [dict(_ID), {"type": "object", "properties": {LIKE: dict(_ID)}, "required": [LIKE]}],
        "description": "An entry of the catalog, and numbers of it that are overridden.",
    }
    own = {
        "schema_version": {"const": SCENARIO_SCHEMA_VERSION},
        LIKE: {"type": "string", "description": "A scenario of the catalog; then only what differs follows."},
        STACK: {"type": "object", "properties": stack, "additionalProperties": False},
    }
    required = [field.name for field in dataclasses.fields(Scenario) if field.default is dataclasses.MISSING]
    return {
        "$schema": SCHEMA_URI,
        "title": "Scenario: one world of parties, layers and faults",
        **schema,
        "properties": own | schema["properties"],
        "required": ["schema_version", "name"],
        "if": {"not": {"required": [LIKE]}},
        "then": {"required": required},
        "$defs": schemas.definitions,
    }


def _let_be_like(schemas: Schemas, kind: type) -> None:
    definition = schemas.definitions[kind.__name__]
    definition["properties"][LIKE] = dict(_ID)
    if kind in (Downstream, Queue):
        schemas.definitions[kind.__name__] = {"anyOf": [dict(_ID), definition]}


def _entry_schema(kind: type, title: str) -> dict[str, Any]:
    schemas = Schemas()
    schema = schemas.fields_of(kind)
    return {
        "$schema": SCHEMA_URI,
        "title": title,
        **schema,
        "properties": {"schema_version": {"const": ENTRY_SCHEMA_VERSION}} | schema["properties"],
        "required": ["schema_version", *schema["required"]],
        "$defs": schemas.definitions,
    }
