"""From the bytes of a file to plain values with the line of each: a small, safe part of YAML 1.2.

The file is read as a stream of parser events. No YAML constructor takes part, so no tag can make an
object, and the following are refused although YAML has them: aliases and anchors, tags, directives,
a second document, keys that are no plain text, a key written twice, deep nesting.

==================  ==================================================
written             becomes
==================  ==================================================
true, false         a truth value (yes, no, on, off stay text)
null, ~, nothing    None
12, -3, 0.5, 1e-4   a number, decimal only
anything quoted     text
everything else     text (also dates and times)
==================  ==================================================
"""

import re
from dataclasses import dataclass, field
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from simkit.contract.showing import shortened
from simkit.errors import InputError, Problem

__all__ = ["DEPTH_LIMIT", "LINE_LENGTH_LIMIT", "VALUE_LIMIT", "Place", "Tree", "dotted", "read_tree"]

DEPTH_LIMIT: Final = 16
"""Mappings and lists inside each other; a review needs 5."""

VALUE_LIMIT: Final = 5000
"""Values in one file; a review has about 250."""

LINE_LENGTH_LIMIT: Final = 2000
"""Characters in one line. Longer ones are no review, and the parser would need minutes for some of them."""

Place = tuple[str | int, ...]
"""Keys and indices from the top of the file."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]{1,30}|[0-9]{1,30}(\.[0-9]{0,30})?)([eE][-+]?[0-9]{1,4})?")
_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE"})
_NOTHING: Final = frozenset({"", "~", "null", "Null", "NULL"})
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)
"""Control characters, and those that make text read in another order than it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """What a file says.

    Parameters
    ----------
    value
        Mappings as dict, lists as list, and scalars.
    lines
        Line, from 1, of each place in it; of a field, the line of its name.
    """

    value: object
    lines: dict[Place, int]

    def line_of(self, place: Place) -> int:
        """Line of the place, or of the nearest part around it that the file has."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def dotted(place: Place) -> str:
    """Dotted path of a place, as messages show it."""
    return ".".join("''" if part == "" else shortened(part) for part in place)


def read_tree(content: bytes, file: str) -> Tree:
    """Read the one document of a file.

    Parameters
    ----------
    content
        The bytes of the file, UTF-8.
    file
        Name for messages.

    Returns
    -------
    Tree
        Values and their lines.

    Raises
    ------
    InputError
        With the one problem that kept the file from being read.
    """
    text = _decoded(content, file)
    builder = _Builder(file=file)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            builder.take(event)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or "it does not parse"
        raise _refused(file, mark.line + 1 if mark else 1, f"this is not valid YAML: {shortened(what, 120)}") from None
    except (YAMLError, ValueError, OverflowError, IndexError, TypeError, AttributeError, AssertionError, KeyError):
        # The parser leaves the odd malformed escape or directive as a plain Python error.
        raise _refused(file, builder.line, "this is not valid YAML here or shortly after") from None
    return Tree(value=builder.root, lines=builder.lines)


def _refused(
    file: str, line: int, message: str, *, place: Place = (), value: str = "", allowed: str = ""
) -> InputError:
    problem = Problem(file=file, line=line, field=dotted(place), value=value, message=message, allowed=allowed)
    return InputError((problem,))


def _decoded(content: bytes, file: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        value = f"byte 0x{content[error.start]:02x}"
        raise _refused(file, line, "the file is not UTF-8", value=value, allowed="text in UTF-8") from None
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        line = text.count("\n", 0, bad.start()) + 1
        value = f"U+{ord(bad[0]):04X}"
        raise _refused(file, line, "a control character", value=value, allowed="printable text")
    long = next((index for index, line in enumerate(text.splitlines()) if len(line) > LINE_LENGTH_LIMIT), None)
    if long is not None:
        raise _refused(file, long + 1, "the line is too long", allowed=f"at most {LINE_LENGTH_LIMIT} characters")
    return text


def _resolved(text: str) -> object:
    if text in _NOTHING:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


@dataclass(slots=True, kw_only=True)
class _Open:
    """A mapping or list that is still being read."""

    place: Place
    value: dict[str, object] | list[object]
    key: str | None = None


@dataclass(slots=True, kw_only=True)
class _Builder:
    """Puts parser events together, without recursion."""

    file: str
    root: object = None
    line: int = 1
    document_count: int = 0
    lines: dict[Place, int] = field(default_factory=dict)
    stack: list[_Open] = field(default_factory=list)

    def take(self, event: Event) -> None:
        self.line = event.start_mark.line + 1
        if isinstance(event, DocumentStartEvent):
            self._start_document(event)
        elif isinstance(event, NodeEvent):
            self._refuse_what_is_more_than_data(event)
            self._take_node(event)
        elif isinstance(event, CollectionEndEvent):
            self.stack.pop()

    def _start_document(self, event: DocumentStartEvent) -> None:
        self.document_count += 1
        if self.document_count > 1:
            raise self._problem("a second document begins", allowed="one document in a file")
        if event.version or event.tags:
            raise self._problem("a YAML directive (%)", allowed="no directives; the file is YAML 1.2")

    def _refuse_what_is_more_than_data(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent):
            raise self._problem("an alias (*)", value=shortened(f"*{event.anchor}"), allowed="the value written out")
        if event.anchor is not None:
            raise self._problem(
                "an anchor (&)", value=shortened(f"&{event.anchor}"), allowed="the value without a name"
            )
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise self._problem("a YAML tag (!)", value=shortened(str(tag)), allowed="plain values without tags")

    def _take_node(self, event: NodeEvent) -> None:
        if isinstance(event, ScalarEvent):
            self._take_scalar(event)
            return
        opened: dict[str, object] | list[object] = {} if isinstance(event, MappingStartEvent) else []
        if self.stack and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None:
            raise self._problem("a field's name is a list or a mapping", allowed="plain text as name")
        if len(self.stack) >= DEPTH_LIMIT and isinstance(event, CollectionStartEvent):
            raise self._problem("the nesting is too deep", allowed=f"at most {DEPTH_LIMIT} levels")
        self.stack.append(_Open(place=self._put(opened), value=opened))

    def _take_scalar(self, event: ScalarEvent) -> None:
        text = str(event.value)
        bad = _UNPRINTABLE.search(text)
        if bad is not None or (not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)):
            value = f"U+{ord(bad[0]):04X}" if bad else "half a surrogate pair"
            raise self._problem("a control character", value=value, allowed="printable text")
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._take_key(top, top.value, text)
        else:
            is_plain = event.style is None or event.style == ""
            self._put(_resolved(text) if is_plain else text)

    def _take_key(self, top: _Open, mapping: dict[str, object], name: str) -> None:
        place = (*top.place, name)
        if name in mapping:
            first = self.lines[place]
            message = f"the field is written twice, first on line {first}"
            raise self._problem(message, place=place, allowed="each field once")
        self._note(place)
        top.key = name

    def _put(self, value: object) -> Place:
        if not self.stack:
            self.root = value
            self.lines[()] = self.line
            return ()
        top = self.stack[-1]
        if isinstance(top.value, dict):
            name = top.key or ""
            top.value[name] = value
            top.key = None
            return (*top.place, name)
        place = (*top.place, len(top.value))
        self._note(place)
        top.value.append(value)
        return place

    def _note(self, place: Place) -> None:
        if len(self.lines) > VALUE_LIMIT:
            raise self._problem("the file has too many values", place=(), allowed=f"at most {VALUE_LIMIT}")
        self.lines[place] = self.line

    def _problem(self, message: str, *, place: Place | None = None, value: str = "", allowed: str = "") -> InputError:
        where = self._here() if place is None else place
        return _refused(self.file, self.line, message, place=where, value=value, allowed=allowed)

    def _here(self) -> Place:
        if not self.stack:
            return ()
        top = self.stack[-1]
        if isinstance(top.value, dict):
            return top.place if top.key is None else (*top.place, top.key)
        return (*top.place, len(top.value))
