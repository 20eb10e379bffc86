"""What `simkit catalog list` and `simkit catalog show` print with `--json`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from simkit.catalog import SystemEntry
from simkit.contract import Entry, entry_document

__all__ = ["CatalogEntry", "CatalogList", "ListedEntry", "catalog_entry", "catalog_list"]

CATALOG_SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntry:
    """One entry, shortly; `kind` is `system` or `policy`."""

    id: str
    kind: str
    name: str
    summary: str
    grade: str
    checked_at: str
    checked_against: str
    guessed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogList:
    """What `simkit catalog list --json` prints."""

    schema_version: int
    entries: tuple[ListedEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """What `simkit catalog show --json` prints.

    Parameters
    ----------
    kind
        `system` or `policy`: the schema of that name describes the entry.
    entry
        As a file says it.
    """

    schema_version: int
    kind: str
    entry: dict[str, Any]


def catalog_list(entries: Iterable[Entry]) -> CatalogList:
    """Entries as a list."""
    return CatalogList(schema_version=CATALOG_SCHEMA_VERSION, entries=tuple(_listed(entry) for entry in entries))


def catalog_entry(entry: Entry) -> CatalogEntry:
    """One entry, whole."""
    return CatalogEntry(
        schema_version=CATALOG_SCHEMA_VERSION,
        kind=_kind(entry),
        entry=entry_document(entry),
    )


def _listed(entry: Entry) -> ListedEntry:
    return ListedEntry(
        id=entry.id,
        kind=_kind(entry),
        name=entry.name,
        summary=entry.summary,
        grade=str(entry.grade),
        checked_at=entry.checked_at,
        checked_against=str(entry.checked_against),
        guessed=entry.guessed,
    )


def _kind(entry: Entry) -> str:
    return "system" if isinstance(entry, SystemEntry) else "policy"
