"""Where pydantic found something, in terms of the file and of the parts that it is made of.

A location of pydantic holds the names and indices that the file has, and between them the tags by which the
alternatives of an answer are told apart (`simkit.contract.answers`). The tags say what else a field takes.
"""

from typing import get_args

from pydantic import BaseModel

from simkit.contract.answers import NOT_APPLICABLE_TAG, TAGS, NotApplicable, Unknown
from simkit.contract.reading import Place

__all__ = ["Location", "answers_of", "names_of_fields", "other_answers", "part_around", "place_of"]

Location = tuple[str | int, ...]
"""As pydantic gives it: names, indices and tags."""


def place_of(location: Location, *, ends_in_a_name: bool = False) -> Place:
    """Names and indices only: the place in the file.

    A name that somebody invented stands last, and may look like a tag: `ends_in_a_name` says so.
    """
    inner = location[:-1] if ends_in_a_name else location
    return (*(part for part in inner if part not in TAGS), *location[len(inner) :])


def other_answers(location: Location) -> str:
    """What else the field takes: the tags at the end of the location say so, innermost first."""
    words = []
    for part in reversed(location):
        if part not in TAGS:
            break
        if str(part).startswith("<or "):
            words.append(str(part)[1:-1])
    return "".join(f", {word}" for word in words)


def names_of_fields(part: type[BaseModel]) -> str:
    """Names of all fields of a part, as files write them."""
    return ", ".join(field.alias or name for name, field in part.model_fields.items())


def answers_of(location: Location, model: type[BaseModel]) -> str:
    """What a missing field takes; many may be answered with `unknown`."""
    part = part_around(location, model)
    field = next(field for name, field in part.model_fields.items() if location[-1] in (name, field.alias))
    return "an answer; unknown is one" if Unknown in _types_in(field.annotation) else "an answer"


def part_around(location: Location, model: type[BaseModel]) -> type[BaseModel]:
    """The part of the file in which the last name of the location stands."""
    if location[-2:-1] == (NOT_APPLICABLE_TAG,):
        return NotApplicable
    found = model
    for part in place_of(location, ends_in_a_name=True)[:-1]:
        if isinstance(part, str):
            types = _types_in(found.model_fields[part].annotation)
            found = next(kind for kind in types if issubclass(kind, BaseModel) and kind is not NotApplicable)
    return found


def _types_in(annotation: object) -> tuple[type, ...]:
    """Every class that a field may hold, looked for inside of unions and lists."""
    if isinstance(annotation, type):
        return (annotation,)
    return tuple(kind for argument in get_args(annotation) for kind in _types_in(argument))
