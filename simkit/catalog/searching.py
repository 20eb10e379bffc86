"""Which entries somebody means by a few words."""

import dataclasses
from collections.abc import Iterable, Iterator

from simkit.catalog.entries import PolicyEntry, SystemEntry

__all__ = ["matches"]


def matches(entry: SystemEntry | PolicyEntry, words: Iterable[str]) -> bool:
    """Whether every one of the words stands somewhere in the entry, in whatever case."""
    text = "\n".join(_texts(entry)).lower()
    return all(word.lower() in text for word in words)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield str(value)
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _texts(getattr(value, field.name))
