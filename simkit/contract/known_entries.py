"""The entries that somebody may look at: all of the catalog, one by its ID, or one of the user's own by its file."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

from simkit.catalog import (
    PolicyEntry,
    SystemEntry,
    nearest_names,
    policy_content,
    policy_names,
    system_content,
    system_names,
)
from simkit.contract.catalog_file import ENTRY_SCHEMA_VERSION, parse_policy, parse_system
from simkit.contract.file_kinds import FileKind, kind_of_file
from simkit.contract.loading import read_content
from simkit.contract.named_entry import is_path
from simkit.contract.showing import one_line
from simkit.contract.writing import plain_document
from simkit.errors import InputError, Problem

__all__ = ["Entry", "entries", "entries_at", "entry_document", "read_entry"]

Entry = SystemEntry | PolicyEntry

WHERE_LISTED: Final = "simkit catalog list"


def entries() -> Iterator[Entry]:
    """Every entry of the catalog: systems of record, then retry policies, each in alphabetical order."""
    for name in system_names():
        yield parse_system(system_content(name), file=f"{name}.yaml")
    for name in policy_names():
        yield parse_policy(policy_content(name), file=f"{name}.yaml")


def entries_at(name: str) -> tuple[Entry, ...]:
    """The entry of an ID, or the one that a file holds; two where a system and a policy have the same ID.

    Raises
    ------
    InputError
        If there is none, with the nearest IDs; or with everything that is wrong with the file.
    """
    found: list[Entry] = []
    if name in system_names():
        found.append(parse_system(system_content(name), file=f"{name}.yaml"))
    if name in policy_names():
        found.append(parse_policy(policy_content(name), file=f"{name}.yaml"))
    if not found and (is_path(name) or Path(name).is_file()):
        found.append(read_entry(read_content(name), file=name))
    if found:
        return tuple(found)
    near = nearest_names(name, (*system_names(), *policy_names()))
    message = f"the catalog has no entry of that ID; nearest IDs: {near}; all of them: {WHERE_LISTED}"
    raise InputError((Problem(file=one_line(name), line=0, field="", value="", message=message, allowed=""),))


def entry_document(entry: Entry) -> dict[str, Any]:
    """The entry as plain values, as a file says them."""
    return {"schema_version": ENTRY_SCHEMA_VERSION} | cast("dict[str, Any]", plain_document(entry))


def read_entry(content: bytes, *, file: str) -> Entry:
    """The entry that the bytes of a file hold, a system of record or a retry policy by its fields.

    Raises
    ------
    InputError
        With every problem that was found, in file order.
    """
    parse: Callable[..., Entry] = parse_policy if kind_of_file(content, file=file) is FileKind.POLICY else parse_system
    return parse(content, file=file)
