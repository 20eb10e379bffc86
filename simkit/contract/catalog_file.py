"""Entries of the catalog as files: systems of record and retry policies, the catalog's own or a user's.

The words and durations are those of a scenario file; what a scenario takes over stands in `behaviour`, and what it
leaves out counts as guessed.
"""

from dataclasses import replace
from typing import Final, TypeVar

from simkit.catalog.entries import PolicyEntry, SystemEntry
from simkit.contract.building import built
from simkit.contract.guesses import guesses_of
from simkit.contract.parts import Part, part_of
from simkit.contract.reading import read_tree
from simkit.contract.showing import one_line
from simkit.contract.versions import insist_on_version

__all__ = ["ENTRY_SCHEMA_VERSION", "entry_from", "parse_policy", "parse_system"]

ENTRY_SCHEMA_VERSION: Final = 1

E = TypeVar("E", SystemEntry, PolicyEntry)


def parse_system(content: bytes, *, file: str) -> SystemEntry:
    """Read a system of record from the bytes of a file; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    return _parsed(content, file, SystemEntry)


def parse_policy(content: bytes, *, file: str) -> PolicyEntry:
    """Read a retry policy from the bytes of a file; `file` names it in messages.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    return _parsed(content, file, PolicyEntry)


def _parsed(content: bytes, file: str, kind: type[E]) -> E:
    shown = one_line(file)
    return entry_from(part_of(read_tree(content, shown), shown), kind)


def entry_from(written: Part, kind: type[E]) -> E:
    """The entry that a file holds whose parts are known.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    insist_on_version(written, ENTRY_SCHEMA_VERSION, "catalog entry")
    fields = {name: part for name, part in (written.fields or {}).items() if name != "schema_version"}
    entry = built(replace(written, value=fields), kind)
    return replace(entry, guessed=guesses_of(entry, written))
