"""What a scenario was composed of: which entries of the catalog, what was overridden, and what is still guessed."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from simkit.contract.fields import NONE_WORD, name_in_file
from simkit.contract.parts import Part, TakenFrom
from simkit.distributions import Backoff, Wait
from simkit.errors import InputError, Problem

__all__ = ["Taken", "taken_in", "taken_of"]

LIMITS_OF_ANYBODY: Final = frozenset({"attempts", "timeout", "budget"})
"""Limits that can be put around any policy, whether it has them or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One entry of the catalog in its place in a scenario.

    Parameters
    ----------
    entry_id
        Which entry.
    place
        Where it stands, dotted: `layers.gateway`, `stages.ticket.downstream`, `server.readback`.
    overridden
        What the scenario says itself instead, dotted, within the place.
    guessed
        What no source states and the scenario does not say either, dotted, within the place.
    grade
        How well the entry is supported, in words.
    checked_at
        Day of the last comparison with what it was checked against, as 2026-11-30.
    """

    entry_id: str
    name: str
    place: str
    overridden: tuple[str, ...]
    guessed: tuple[str, ...]
    grade: str
    checked_at: str
    checked_against: str

    @property
    def in_words(self) -> str:
        """What was taken, with what was overridden and what is guessed, in a line."""
        parts = [f"{self.place}: {self.entry_id} ({self.grade}; checked {self.checked_at})"]
        parts += [f"overridden: {', '.join(self.overridden)}"] if self.overridden else []
        parts += [f"guessed: {', '.join(self.guessed)}"] if self.guessed else []
        return "; ".join(parts)


def taken_in(whole: Part) -> tuple[Taken, ...]:
    """Every entry that a scenario was composed of, in the order of its fields.

    Raises
    ------
    InputError
        If something is overridden that an entry does not have.
    """
    return tuple(taken_of(part, ".".join(place)) for place, part in _parts_in(whole, ()) if part.taken_from is not None)


def taken_of(part: Part, place: str) -> Taken:
    """What a part took from its entry, which it has.

    Raises
    ------
    InputError
        If something is overridden that the entry does not have.
    """
    taken_from = part.taken_from
    if taken_from is None:
        message = f"{place} was taken from no entry"
        raise ValueError(message)
    own = {name: inner for name, inner in (part.fields or {}).items() if name not in taken_from.known_here}
    problems = tuple(_lacking(own, taken_from.given, taken_from.behaviour, taken_from))
    if problems:
        raise InputError(problems)
    overridden = tuple(".".join(one) for one in _overridden(own, taken_from.given))
    return Taken(
        entry_id=taken_from.entry.id,
        name=taken_from.entry.name,
        place=place,
        overridden=overridden,
        guessed=tuple(field for field in taken_from.guessed if not _is_said(field, overridden)),
        grade=str(taken_from.entry.grade),
        checked_at=taken_from.entry.checked_at,
        checked_against=str(taken_from.entry.checked_against),
    )


def _parts_in(part: Part, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Part]]:
    yield place, part
    if part.fields is not None:
        for name, inner in part.fields.items():
            yield from _parts_in(inner, (*place, name))
    elif isinstance(part.value, list):
        named = part.named()
        inner_parts = (
            named.items() if named is not None else ((str(index), one) for index, one in enumerate(part.value))
        )
        for name, inner in inner_parts:
            yield from _parts_in(inner, (*place, name))


def _overridden(fields: Mapping[str, Part], given: Mapping[str, Part]) -> Iterator[tuple[str, ...]]:
    """Where a field is not the one that was given: what another file says is an override, even if it says the same."""
    for name, part in fields.items():
        before = given.get(name)
        if before is part:
            continue
        if before is None or not (part.fields or {}).keys() & (before.fields or {}).keys():
            yield (name,)
        else:
            yield from ((name, *inner) for inner in _overridden(part.fields or {}, before.fields or {}))


def _is_said(field: str, overridden: tuple[str, ...]) -> bool:
    return any(field == one or field.startswith(f"{one}.") for one in overridden)


def _lacking(
    fields: Mapping[str, Part], given: Mapping[str, Part], behaviour: Any, taken_from: TakenFrom
) -> Iterator[Problem]:
    """What is overridden although the entry has nothing of the kind."""
    values = {name_in_file(field.name): getattr(behaviour, field.name) for field in dataclasses.fields(behaviour)}
    for name, part in fields.items():
        if part is given.get(name) or name not in values or name in LIMITS_OF_ANYBODY or part.value == NONE_WORD:
            continue
        value = values[name]
        if value is None:
            has = ", ".join(known for known, value in values.items() if value is not None or known in LIMITS_OF_ANYBODY)
            yield part.origin.problem(f"{taken_from.entry.id} has none to override", value=part.value, allowed=has)
        elif part.fields is not None and dataclasses.is_dataclass(value) and not isinstance(value, Wait | Backoff):
            before = given[name].fields if name in given else None
            yield from _lacking(part.fields, before or {}, value, taken_from)
