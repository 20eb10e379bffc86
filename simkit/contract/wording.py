"""From pydantic's findings to plain sentences: what is wrong, and what is allowed instead."""

import difflib
from collections.abc import Mapping
from typing import Final, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from simkit.contract.answers import NotApplicable
from simkit.contract.reading import Place, Tree, dotted
from simkit.contract.showing import shortened
from simkit.errors import Problem

__all__ = ["problem_of"]

_NAMES_AS_TEXT: Final = "text; write a number or true/false in quotes"


def problem_of(error: ErrorDetails, tree: Tree, file: str, model: type[BaseModel]) -> Problem:
    """Say one finding of pydantic as one line.

    Parameters
    ----------
    error
        One element of `ValidationError.errors()`.
    tree
        The file that was validated.
    file
        Its name for messages.
    model
        The model it was validated against; it knows the names that a misspelt field may have meant.

    Returns
    -------
    Problem
        With the field, its line, the shortened value and what is allowed.
    """
    place = _place(error["loc"])
    context = error.get("ctx") or {}
    message, allowed = _sentence(error["type"], context, error["msg"])
    value = shortened(error["input"])
    if error["type"] == "missing":
        value = ""
    if error["type"] == "extra_forbidden":
        allowed = _known_fields(error["loc"], model)
        message = _did_you_mean(str(place[-1]), allowed)
    return Problem(
        file=file,
        line=tree.line_of(place),
        field=dotted(place),
        value=value,
        message=message,
        allowed=allowed + _other_answers(error["loc"]),
    )


def _is_tag(part: str | int) -> bool:
    return isinstance(part, str) and part.startswith("<") and part.endswith(">")


def _place(location: tuple[str | int, ...]) -> Place:
    return tuple(part for part in location if not _is_tag(part))


def _other_answers(location: tuple[str | int, ...]) -> str:
    """What else the field takes: the tags at the end of the location say so, innermost first."""
    words = []
    for part in reversed(location):
        if not _is_tag(part):
            break
        if str(part).startswith("<or "):
            words.append(str(part)[1:-1])
    return "".join(f", {word}" for word in words)


def _sentence(kind: str, context: Mapping[str, object], text: str) -> tuple[str, str]:
    """Message and what is allowed, for one type of pydantic error."""
    fixed = {
        "missing": ("the field is missing", "every field is required"),
        "extra_forbidden": ("there is no such field", ""),
        "string_type": ("text is expected", _NAMES_AS_TEXT),
        "bool_type": ("a truth value is expected", "true or false"),
        "int_type": ("a whole number is expected", "a whole number"),
        "float_type": ("a number is expected", "a number between 0 and 1"),
        "finite_number": ("a finite number is expected", "a number between 0 and 1"),
        "tuple_type": ("a list is expected", "a list such as [a, b]"),
        "model_type": ("a mapping is expected", "fields with their values"),
        "string_pattern_mismatch": ("characters that a name cannot have", "letters, digits and . _ - /"),
    }
    if kind in fixed:
        return fixed[kind]
    if kind == "plain":
        return text, str(context.get("allowed", ""))
    if kind in ("enum", "literal_error"):
        return "this is none of the choices", _without_quotes(context.get("expected", ""))
    return _limit(kind, context) or (shortened(text, 120), "")


def _without_quotes(expected: object) -> str:
    return str(expected).replace("'", "")


def _limit(kind: str, context: Mapping[str, object]) -> tuple[str, str] | None:
    limits = {
        "greater_than_equal": ("the number is too small", f"at least {context.get('ge')}"),
        "less_than_equal": ("the number is too large", f"at most {context.get('le')}"),
        "string_too_short": ("the text is empty", "at least one character"),
        "string_too_long": ("the text is too long", f"at most {context.get('max_length')} characters"),
        "too_short": ("the list is too short", f"at least {context.get('min_length')}"),
        "too_long": ("the list is too long", f"at most {context.get('max_length')}"),
    }
    return limits.get(kind)


def _did_you_mean(name: str, allowed: str) -> str:
    close = difflib.get_close_matches(name[:60], allowed.split(", "), n=1)
    return f"there is no such field; did you mean '{close[0]}'?" if close else "there is no such field"


def _known_fields(location: tuple[str | int, ...], model: type[BaseModel]) -> str:
    """Names of the fields where the unknown one was found."""
    found: type[BaseModel] | None = model
    for part in _place(location)[:-1]:
        if isinstance(part, str) and found is not None:
            found = _part_in(found.model_fields[part].annotation)
    if location[-2:-1] == ("<not applicable>",) or found is None:
        found = NotApplicable
    return ", ".join(field.alias or name for name, field in found.model_fields.items())


def _part_in(annotation: object) -> type[BaseModel] | None:
    """The part of the file that a field holds, looked for inside of unions and lists."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return None if annotation is NotApplicable else annotation
    return next((part for argument in get_args(annotation) if (part := _part_in(argument)) is not None), None)
