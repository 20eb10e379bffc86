"""What a file of the workbench is, told by the fields that only that kind has.

==================  ====================================================================
kind                has one of
==================  ====================================================================
review              `tool`
retry policy        `takes_place_of`, `package`, `retried`
system of record    `behaviour`, `readback_offer`, `category`
incident            `right`, `fix_taken_out`
world under load    `arrivals`, `service`, `cut_at`, or it is like one of these
scenario            `like`, `stack`, `stages`, `hops`, `calls`, `server`, `agent`, `schedule`
==================  ====================================================================

A file that has none of these is read as a review.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from simkit.catalog import load_names
from simkit.contract.reading import read_tree
from simkit.contract.showing import one_line

__all__ = ["FileKind", "kind_of_file"]


class FileKind(StrEnum):
    """What a file is."""

    REVIEW = "review"
    POLICY = "retry policy"
    SYSTEM = "system of record"
    INCIDENT = "incident"
    LOAD = "world under load"
    SCENARIO = "scenario"


_MARKS: Final = MappingProxyType(
    {
        FileKind.REVIEW: frozenset({"tool"}),
        FileKind.POLICY: frozenset({"takes_place_of", "package", "retried"}),
        FileKind.SYSTEM: frozenset({"behaviour", "readback_offer", "category"}),
        FileKind.INCIDENT: frozenset({"right", "fix_taken_out"}),
        FileKind.LOAD: frozenset({"arrivals", "service", "cut_at"}),
        FileKind.SCENARIO: frozenset({"like", "stack", "stages", "hops", "calls", "server", "agent", "schedule"}),
    }
)


def kind_of_file(content: bytes, *, file: str) -> FileKind:
    """What a file is, by its fields.

    Raises
    ------
    InputError
        If it cannot be read at all.
    """
    value = read_tree(content, one_line(file)).value
    if isinstance(value, dict) and value.get("like") in load_names():
        return FileKind.LOAD
    fields = value.keys() if isinstance(value, dict) else frozenset()
    return next((kind for kind, marks in _MARKS.items() if marks & fields), FileKind.REVIEW)
