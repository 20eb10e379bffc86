"""JSON Schema of the files that hold frozen dataclasses, by the rules of `simkit.contract.fields`.

A field is described by the docstring of its class. What no schema can say, such as two fields that exclude each
other, only the reader refuses.
"""

import dataclasses
import inspect
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from simkit.contract.durations import DURATION_PATTERN
from simkit.contract.fields import LAW_KINDS, LAW_WORD, NONE_WORD, WAIT_FIELDS, is_duration, name_in_file
from simkit.distributions import Backoff, Wait

__all__ = ["SCHEMA_URI", "Schemas", "merged_properties", "reference"]

SCHEMA_URI: Final = "https://json-schema.org/draft/2020-12/schema"
DURATION: Final = "Duration"
LAW: Final = "Law"


def reference(name: str) -> dict[str, Any]:
    """Reference to a definition of the same document."""
    return {"$ref": f"#/$defs/{name}"}


class Schemas:
    """Collects the definitions that one document needs.

    Parameters
    ----------
    prefix
        Of the names of the definitions, where another document has its own.
    is_partial
        Whether every field may be left out, as in a file that is like another one.
    """

    def __init__(self, *, prefix: str = "", is_partial: bool = False) -> None:
        self.definitions: dict[str, dict[str, Any]] = {}
        self._prefix = prefix
        self._is_partial = is_partial

    def of(self, kind: Any) -> dict[str, Any]:
        """Schema of a value of that type."""
        if isinstance(kind, UnionType):
            return self._union(kind)
        if kind is Wait:
            return self._defined("Wait", self._wait)
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            return self._defined(kind.__name__, lambda: self.fields_of(kind))
        if get_origin(kind) is tuple:
            return {"type": "array", "items": self.of(get_args(kind)[0])}
        if issubclass(kind, Enum):
            return self._words(kind)
        return {"type": {bool: "boolean", int: "integer", float: "number", str: "string"}[kind]}

    def fields_of(self, kind: type) -> dict[str, Any]:
        """Schema of the fields of a dataclass."""
        hints, said = get_type_hints(kind), dict(_described(kind))
        properties, required = {}, []
        for field in dataclasses.fields(kind):
            name = name_in_file(field.name)
            hint = hints[field.name]
            schema = self._duration(hint) if is_duration(field.name) else self.of(hint)
            properties[name] = schema | ({"description": said[field.name]} if field.name in said else {})
            if field.default is dataclasses.MISSING:
                required.append(name)
        needed = {} if self._is_partial or not required else {"required": required}
        summary = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")
        return {
            "type": "object",
            "description": summary,
            "properties": properties,
            **needed,
            "additionalProperties": False,
        }

    def _defined(self, name: str, make: Any) -> dict[str, Any]:
        name = f"{self._prefix}{name}"
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = make()
        return reference(name)

    def _union(self, kind: UnionType) -> dict[str, Any]:
        kinds = [one for one in get_args(kind) if one is not NoneType]
        options = [self.of(one) for one in kinds] if Backoff in kinds else [self.of(kinds[0])]
        nothing = [{"const": NONE_WORD}] if len(kinds) < len(get_args(kind)) else []
        return {"anyOf": [*options, *nothing]}

    def _duration(self, hint: Any) -> dict[str, Any]:
        duration = self._defined(DURATION, lambda: {"type": "string", "pattern": f"^{DURATION_PATTERN}$"})
        return {"anyOf": [duration, {"const": NONE_WORD}]} if isinstance(hint, UnionType) else duration

    def _wait(self) -> dict[str, Any]:
        duration = self._duration(float)
        bounds = {
            "type": "object",
            "properties": {**dict.fromkeys(WAIT_FIELDS, duration), LAW_WORD: self._defined(LAW, self._laws)},
            "required": list(WAIT_FIELDS),
            "additionalProperties": False,
        }
        return {"anyOf": [duration, bounds], "description": "One duration, or between which bounds it lies."}

    def _laws(self) -> dict[str, Any]:
        kinds = []
        for word, kind in LAW_KINDS.items():
            schema = self.fields_of(kind)
            schema["properties"] = {"kind": {"const": word}} | schema["properties"]
            schema["required"] = ["kind", *schema.get("required", [])]
            kinds.append(schema)
        return {"anyOf": kinds}

    def _words(self, kind: type[Enum]) -> dict[str, Any]:
        words = [str(one) for one in kind]
        numbers = [int(word) for word in words if word.isdigit()]
        said = (inspect.getdoc(kind) or "").replace("\n", " ")
        return self._defined(kind.__name__, lambda: {"enum": [*words, *numbers], "description": said})


def _described(kind: type) -> Iterator[tuple[str, str]]:
    """What the docstrings of a class and of those that it inherits from say of each field."""
    for one in reversed(kind.__mro__):
        text = inspect.cleandoc(one.__doc__ or "")
        _, _, parameters = text.partition("\nParameters\n----------\n")
        names: tuple[str, ...] = ()
        lines: list[str] = []
        for line in [*parameters.splitlines(), "end"]:
            if line and not line.startswith(" "):
                yield from ((name, " ".join(lines)) for name in names if lines)
                names, lines = tuple(re.split(r",\s*", line)), []
            elif line.strip():
                lines.append(line.strip())


def merged_properties(*schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of several objects; one that several have takes what any of them takes."""
    found: dict[str, Any] = {}
    for schema in schemas:
        for name, one in schema.get("properties", {}).items():
            found[name] = {"anyOf": [found[name], one]} if name in found else one
    return found
