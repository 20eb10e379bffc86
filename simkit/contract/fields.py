"""Plain values as frozen dataclasses: each field read by its type, and everything that is wrong said at once.

A duration has its unit, and its field no `_s`; a wait is one duration, or `{least: ..., typical: ...,
most: ...}`, to which a `law` may be added; a law by itself may be one duration too; `none` stands where something
does not apply; a field with a default may be left out.
"""

import dataclasses
import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType, NoneType, UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from simkit.contract.durations import DURATION_ALLOWED, parse_duration
from simkit.contract.parts import Traced
from simkit.contract.reading import Place
from simkit.distributions import Backoff, Discrete, Exponential, FoldedNormal, Law, Lognormal, Uniform, Wait
from simkit.errors import InputError, Problem, ScenarioError

__all__ = [
    "LAW_KINDS",
    "LAW_WORD",
    "MAPPING_ALLOWED",
    "MAPPING_EXPECTED",
    "NONE_WORD",
    "WAIT_FIELDS",
    "FieldReader",
    "is_duration",
    "name_in_file",
]

MAPPING_EXPECTED = "fields with their values are expected"
MAPPING_ALLOWED = "name: value"
NONE_WORD = "none"
LAW_WORD = "law"
BACKOFF_FIELD = "first"
"""A wait that has it is a formula, which says what each retry waits."""
WAIT_FIELDS = MappingProxyType({"least": "s_min", "typical": "s_typical", "most": "s_max"})

LAW_KINDS: Mapping[str, type[Law]] = MappingProxyType(
    {
        "lognormal": Lognormal,
        "exponential": Exponential,
        "uniform": Uniform,
        "discrete": Discrete,
        "folded normal": FoldedNormal,
    }
)
"""What a file calls each law of a wait."""


def is_duration(name: str) -> bool:
    """Whether a field of that name in code holds seconds."""
    return (name.endswith("_s") or "_s_" in name) and not name.endswith("_per_s")


def name_in_file(name: str) -> str:
    """How a file calls the field: without the unit, which its value bears."""
    return name.removesuffix("_s").replace("_s_", "_") if is_duration(name) else name


class FieldReader:
    """Builds dataclasses from plain values, and collects what is wrong with them."""

    def __init__(self, source: Traced) -> None:
        self._source = source
        self.problems: list[Problem] = []

    def complain(self, place: Place, value: Any, message: str, allowed: str) -> None:
        """Note a problem at a place of the file."""
        self.problems.append(self._source.origin_of(place).problem(message, value=value, allowed=allowed))

    def refuse(self) -> None:
        """Raise what was found, in the order of the files.

        Raises
        ------
        InputError
            If there is any problem.
        """
        if self.problems:
            own = self._source.origin_of(()).file
            in_order = sorted(self.problems, key=lambda one: (one.file != own, one.file, one.line, one.field))
            raise InputError(tuple(dict.fromkeys(in_order)))

    def mapping(self, value: Any, place: Place) -> dict[str, Any]:
        """The value as fields; none where it has no fields."""
        if isinstance(value, dict):
            return dict(value)
        self.complain(place, value, MAPPING_EXPECTED, MAPPING_ALLOWED)
        return {}

    def value(self, value: Any, kind: Any, place: Place) -> Any:
        """The value as an instance of a type; None, with a problem noted, where it is none."""
        if isinstance(kind, UnionType):
            kinds = [one for one in get_args(kind) if one is not NoneType]
            if value == NONE_WORD and len(kinds) < len(get_args(kind)):
                return None
            is_formula = Backoff in kinds and isinstance(value, dict) and BACKOFF_FIELD in value
            return self.value(value, Backoff if is_formula else kinds[0], place)
        if kind is Wait:
            return self._wait(value, place)
        if kind is Law:
            return self._law_or_constant(value, place)
        if dataclasses.is_dataclass(kind):
            return self._fields(value, kind, place)
        if get_origin(kind) is tuple:
            return self._tuple(value, get_args(kind)[0], place)
        return self._scalar(value, kind, place)

    def _fields(self, value: Any, kind: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            self.mapping(value, place)
            return None
        given, hints = value, get_type_hints(kind)
        optional = {field.name for field in dataclasses.fields(kind) if field.default is not dataclasses.MISSING}
        names = {name_in_file(name): name for name in hints}
        for invented in sorted(given.keys() - names.keys()):
            self.complain((*place, invented), given[invented], "there is no such field", ", ".join(names))
        built, before = {}, len(self.problems)
        for in_file, name in names.items():
            if in_file not in given:
                if name not in optional:
                    self.complain((*place, in_file), "", "the field is missing", "an answer")
            elif is_duration(name):
                built[name] = self._duration_or_none(given[in_file], hints[name], (*place, in_file))
            else:
                built[name] = self.value(given[in_file], hints[name], (*place, in_file))
        if len(self.problems) > before:
            return None
        try:
            return kind(**built)
        except ScenarioError as error:
            named = _named_in(str(error), given) if place == () else ()
            self.complain((*place, *named), "", str(error).removeprefix(f"{'.'.join(named)}: "), "")
            return None

    def _tuple(self, value: Any, kind: Any, place: Place) -> Any:
        if isinstance(value, list):
            return tuple(self.value(item, kind, (*place, index)) for index, item in enumerate(value))
        self.complain(place, value, "a list is expected", "a list such as [a, b]")
        return ()

    def _wait(self, value: Any, place: Place) -> Wait | None:
        if not isinstance(value, dict):
            seconds = self._duration(value, place)
            return None if seconds is None else Wait.of(seconds)
        if value.keys() - {LAW_WORD} != WAIT_FIELDS.keys():
            allowed = f"one duration, or {', '.join(WAIT_FIELDS)} and, where it is known, {LAW_WORD}"
            self.complain(place, value, "this is no wait", allowed)
            return None
        before = len(self.problems)
        built = {name: self._duration(value[word], (*place, word)) for word, name in WAIT_FIELDS.items()}
        law = self._law(value[LAW_WORD], (*place, LAW_WORD)) if LAW_WORD in value else None
        if len(self.problems) > before:
            return None
        try:
            return Wait(**cast("dict[str, Any]", built), law=law)
        except ScenarioError as error:
            self.complain(place, value, str(error), "least <= typical <= most, and a law that happens between them")
            return None

    def _law(self, value: Any, place: Place) -> Law | None:
        fields = self.mapping(value, place)
        kind = LAW_KINDS.get(str(fields.pop("kind", "")))
        if kind is None:
            self.complain(place, value, "a law has a kind", f"kind: {', '.join(LAW_KINDS)}")
            return None
        return cast("Law | None", self._fields(fields, kind, place))

    def _law_or_constant(self, value: Any, place: Place) -> Law | None:
        if isinstance(value, dict):
            return self._law(value, place)
        seconds = self._duration(value, place)
        return None if seconds is None else Discrete.of(seconds)

    def _duration_or_none(self, value: Any, kind: Any, place: Place) -> float | None:
        if value == NONE_WORD and isinstance(kind, UnionType):
            return None
        return self._duration(value, place)

    def _duration(self, value: Any, place: Place) -> float | None:
        try:
            return parse_duration(str(value)).length_s
        except ValueError as error:
            self.complain(place, value, str(error), DURATION_ALLOWED)
            return None

    def _scalar(self, value: Any, kind: Any, place: Place) -> Any:
        if issubclass(kind, Enum):
            return self._choice(value, kind, place)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        accepted: Mapping[Any, bool] = {
            bool: isinstance(value, bool),
            str: isinstance(value, str),
            int: is_number and isinstance(value, int),
            float: is_number,
        }
        if accepted.get(kind):
            return kind(value)
        words = {
            bool: "true or false is expected",
            str: "text is expected",
            int: "a whole number is expected",
            float: "a number is expected",
        }
        self.complain(place, value, words[kind], words[kind].removesuffix(" is expected"))
        return None

    def _choice(self, value: Any, kind: type[Enum], place: Place) -> Enum | None:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        try:
            return kind(str(value) if is_number else value)
        except ValueError:
            self.complain(place, value, "this is none of the choices", ", ".join(str(one) for one in kind))
            return None


def _named_in(message: str, given: dict[str, Any]) -> tuple[str, ...]:
    """The place of a file that a message about the whole of it begins with, as far as the file has it."""
    named: tuple[str, ...] = ()
    value: Any = given
    for word in re.split(r"[^a-z_.]", message, maxsplit=1)[0].split("."):
        name = name_in_file(word)
        if not isinstance(value, dict) or name not in value:
            break
        named, value = (*named, name), value[name]
    return named
