"""What an entry of the catalog guesses: each guess is a field of its data, and what the data leaves out is one too.

A guess that names no field would be passed on to nobody, and what a system of record is silent about would
be taken from a default that may protect: both would let a guess stand as a fact.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

from simkit.catalog import PolicyEntry, SystemEntry, nearest_names
from simkit.choices import Deduplication
from simkit.contract.fields import name_in_file
from simkit.contract.parts import Part
from simkit.distributions import Wait
from simkit.errors import InputError

__all__ = ["guesses_of"]

DATA: Final = ("behaviour", "readback_offer", "queue")
"""The parts of an entry that a scenario takes over."""
SAID_OF_A_REPEAT: Final = ("deduplication", "on_concurrent", "key_recorded", "failures_stored")
NO_FIELD: Final = "this is no field that could be guessed"
RETENTION: Final = "behaviour.key_retention"


def guesses_of(entry: SystemEntry | PolicyEntry, written: Part) -> tuple[str, ...]:
    """The guesses that an entry lists, one by one, and then what its data leaves out.

    Raises
    ------
    InputError
        If one of them names no field of the data, with the nearest ones.
    """
    known = tuple(f"{part}.{field}" for part in DATA for field in _fields(getattr(entry, part, None)))
    listed = (written.fields or {})["guessed"]
    lines: list[Part] = listed.value if isinstance(listed.value, list) else []
    problems = tuple(
        part.origin.problem(NO_FIELD, value=part.value, allowed=nearest_names(str(part.value), known))
        for part in lines
        if part.value not in known
    )
    if problems:
        raise InputError(problems)
    left_out = _left_out(entry, written) if isinstance(entry, SystemEntry) else ()
    in_full = (one for guess in entry.guessed for one in _in_full(guess, known))
    return tuple(dict.fromkeys((*in_full, *left_out)))


def _fields(value: Any) -> Iterator[str]:
    """Every field of a record as files call it, dotted, and those within it."""
    if not dataclasses.is_dataclass(value) or isinstance(value, Wait):
        return
    for field in dataclasses.fields(value):
        name = name_in_file(field.name)
        yield name
        yield from (f"{name}.{inner}" for inner in _fields(getattr(value, field.name)))


def _in_full(guess: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """A guessed retention as its fields, each of which somebody may state apart from the others."""
    within = tuple(field for field in known if field.startswith(f"{RETENTION}.")) if guess == RETENTION else ()
    return within or (guess,)


def _left_out(entry: SystemEntry, written: Part) -> Iterator[str]:
    """What a repeat meets, and the data does not say; of what recognises no repeat there is nothing to say."""
    said = (written.fields or {})["behaviour"].fields or {}
    if entry.behaviour.deduplication is not Deduplication.NONE:
        yield from (f"behaviour.{name}" for name in SAID_OF_A_REPEAT if name not in said)
