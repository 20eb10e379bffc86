"""Scenario files: a whole world as YAML, written by hand or from a review.

The file has the fields of `simkit.scenario`, each duration with its unit and without the `_s` of its
name in code. A wait is one duration, or `{least: ..., typical: ..., most: ...}`. `none` stands where
something does not apply, such as a timeout that does not exist. What a scenario has only where it is
said, such as a queue or a second replica, may be left out.
"""

import dataclasses
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from io import StringIO
from types import MappingProxyType, NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ruamel.yaml import YAML

from simkit.contract.durations import DURATION_ALLOWED, UNIT_S, parse_duration
from simkit.contract.loading import parse_review
from simkit.contract.reading import Place, Tree, dotted, read_tree
from simkit.contract.showing import one_line, shortened
from simkit.contract.translation import scenario_of
from simkit.distributions import Wait
from simkit.errors import InputError, Problem, ScenarioError
from simkit.scenario import Scenario

__all__ = ["SCENARIO_SCHEMA_VERSION", "parse_scenario", "read_scenario", "scenario_text"]

SCENARIO_SCHEMA_VERSION = 1

NONE_WORD = "none"
WAIT_FIELDS = MappingProxyType({"least": "s_min", "typical": "s_typical", "most": "s_max"})


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
    tree = read_tree(content, shown)
    reader = _Reader(shown, tree)
    document = reader.mapping(tree.value, ())
    version = document.pop("schema_version", None)
    if not reader.problems and (type(version) is not int or version != SCENARIO_SCHEMA_VERSION):
        message = f"this is no scenario of version {SCENARIO_SCHEMA_VERSION}"
        reader.complain(("schema_version",), version, message, str(SCENARIO_SCHEMA_VERSION))
    scenario = None if reader.problems and not document else reader.value(document, Scenario, ())
    if reader.problems:
        raise InputError(tuple(sorted(reader.problems, key=lambda problem: (problem.line, problem.field))))
    if not isinstance(scenario, Scenario):
        message = f"{shown}: no scenario was read, and no problem was found"
        raise TypeError(message)
    return scenario


def read_scenario(content: bytes, *, file: str) -> Scenario:
    """The scenario of a scenario file, or the one that a review file amounts to for its first effect.

    Raises
    ------
    InputError
        If the content is neither, or its answers amount to no world.
    """
    tree = read_tree(content, one_line(file))
    if not (isinstance(tree.value, dict) and "tool" in tree.value):
        return parse_scenario(content, file=file)
    review = parse_review(content, file=file)
    try:
        return scenario_of(review, review.effects[0]).scenario
    except ScenarioError as error:
        problem = Problem(file=one_line(file), line=0, field="", value="", message=str(error), allowed="")
        raise InputError((problem,)) from error


def _document(value: Any) -> Any:
    if isinstance(value, Wait):
        if value.s_min == value.s_max:
            return _duration_text(value.s_min)
        return {word: _duration_text(getattr(value, name)) for word, name in WAIT_FIELDS.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            _name_in_file(field.name): _field_document(field.name, getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple):
        return [_document(item) for item in value]
    if isinstance(value, Enum):
        return str(value)
    return NONE_WORD if value is None else value


def _field_document(name: str, value: Any) -> Any:
    if _is_duration(name) and isinstance(value, int | float):
        return _duration_text(float(value))
    return _document(value)


def _is_duration(name: str) -> bool:
    return name.endswith("_s") or "_s_" in name


def _name_in_file(name: str) -> str:
    return name.removesuffix("_s").replace("_s_", "_") if _is_duration(name) else name


def _duration_text(seconds: float) -> str:
    exact = Decimal(repr(seconds))
    for unit in ("d", "h", "min"):
        if exact and exact % UNIT_S[unit] == 0:
            return f"{int(exact / UNIT_S[unit])} {unit}"
    if exact and exact < 1:
        return f"{(exact * 1000).normalize():f} ms"
    return f"{exact.normalize():f} s"


class _Reader:
    """Builds dataclasses from plain values, and collects what is wrong with them."""

    def __init__(self, file: str, tree: Tree) -> None:
        self._file = file
        self._tree = tree
        self.problems: list[Problem] = []

    def complain(self, place: Place, value: Any, message: str, allowed: str) -> None:
        """Note a problem at a place of the file."""
        self.problems.append(
            Problem(
                file=self._file,
                line=self._tree.line_of(place),
                field=dotted(place),
                value="" if value == "" else shortened(value),
                message=message,
                allowed=allowed,
            )
        )

    def _complain_of_absence(self, place: Place) -> None:
        self.problems.append(
            Problem(
                file=self._file,
                line=self._tree.line_of(place),
                field=dotted(place),
                value="",
                message="the field is missing",
                allowed="an answer",
            )
        )

    def mapping(self, value: Any, place: Place) -> dict[str, Any]:
        """The value as fields; none where it has no fields."""
        if isinstance(value, dict):
            return dict(value)
        self.complain(place, value, "fields with their values are expected", "name: value")
        return {}

    def value(self, value: Any, kind: Any, place: Place) -> Any:
        """The value as an instance of a type; None, with a problem noted, where it is none."""
        if isinstance(kind, UnionType):
            if value == NONE_WORD:
                return None
            return self.value(value, next(one for one in get_args(kind) if one is not NoneType), place)
        if kind is Wait:
            return self._wait(value, place)
        if dataclasses.is_dataclass(kind):
            return self._fields(value, kind, place)
        if get_origin(kind) is tuple:
            return self._tuple(value, get_args(kind)[0], place)
        return self._scalar(value, kind, place)

    def _fields(self, value: Any, kind: Any, place: Place) -> Any:
        given, hints = self.mapping(value, place), get_type_hints(kind)
        optional = {field.name for field in dataclasses.fields(kind) if field.default is not dataclasses.MISSING}
        names = {_name_in_file(name): name for name in hints}
        for invented in sorted(given.keys() - names.keys()):
            self.complain((*place, invented), given[invented], "there is no such field", ", ".join(names))
        built, before = {}, len(self.problems)
        for in_file, name in names.items():
            if in_file not in given:
                if name not in optional:
                    self._complain_of_absence((*place, in_file))
            elif _is_duration(name):
                built[name] = self._duration_or_none(given[in_file], hints[name], (*place, in_file))
            else:
                built[name] = self.value(given[in_file], hints[name], (*place, in_file))
        if len(self.problems) > before:
            return None
        try:
            return kind(**built)
        except ScenarioError as error:
            self.complain(place, "", str(error), "")
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
        if value.keys() != WAIT_FIELDS.keys():
            self.complain(place, value, "this is no wait", f"one duration, or {', '.join(WAIT_FIELDS)}")
            return None
        bounds = {name: self._duration(value[word], (*place, word)) for word, name in WAIT_FIELDS.items()}
        if any(bound is None for bound in bounds.values()):
            return None
        try:
            return Wait(**{name: bound for name, bound in bounds.items() if bound is not None})
        except ScenarioError as error:
            self.complain(place, value, str(error), "least <= typical <= most")
            return None

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
        try:
            return kind(value)
        except ValueError:
            self.complain(place, value, "this is none of the choices", ", ".join(str(one) for one in kind))
            return None
