"""From pydantic's findings to plain sentences: what is wrong, and what is allowed instead."""

import difflib
from collections.abc import Mapping

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from simkit.contract.locations import answers_of, names_of_fields, other_answers, part_around, place_of
from simkit.contract.reading import Tree, dotted
from simkit.contract.showing import shortened
from simkit.errors import Problem

__all__ = ["problem_of"]


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
    location, kind, given = error["loc"], error["type"], error["input"]
    is_invented = kind == "extra_forbidden"
    place = place_of(location, ends_in_a_name=is_invented)
    message, allowed = _sentence(kind, error.get("ctx") or {}, error["msg"])
    value = shortened(given)
    if kind == "missing":
        value, allowed = "", answers_of(location, model)
    elif is_invented:
        allowed = names_of_fields(part_around(location, model))
        message = _did_you_mean(str(place[-1]), allowed)
    elif kind == "model_type":
        allowed = f"the fields {names_of_fields(part_around((*location, ''), model))}"
    elif kind == "string_type" and isinstance(given, bool | int | float):
        allowed = "text; write it in quotes"
    return Problem(
        file=file,
        line=tree.line_of(place),
        field=dotted(place),
        value=value,
        message=message,
        allowed=allowed if is_invented else allowed + other_answers(location),
    )


def _sentence(kind: str, context: Mapping[str, object], text: str) -> tuple[str, str]:
    """Message and what is allowed, for one type of pydantic error."""
    fixed = {
        "missing": ("the field is missing", ""),
        "extra_forbidden": ("there is no such field", ""),
        "string_type": ("text is expected", "text"),
        "bool_type": ("a truth value is expected", "true or false"),
        "int_type": ("a whole number is expected", "a whole number"),
        "float_type": ("a number is expected", "a number between 0 and 1"),
        "finite_number": ("a finite number is expected", "a number between 0 and 1"),
        "tuple_type": ("a list is expected", "a list such as [a, b]"),
        "model_type": ("fields with their values are expected", ""),
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


def _plain(bound: object) -> str:
    return f"{bound:g}" if isinstance(bound, float) else str(bound)


def _limit(kind: str, context: Mapping[str, object]) -> tuple[str, str] | None:
    limits = {
        "greater_than_equal": ("the number is too small", f"at least {_plain(context.get('ge'))}"),
        "less_than_equal": ("the number is too large", f"at most {_plain(context.get('le'))}"),
        "string_too_short": ("the text is empty", "at least one character"),
        "string_too_long": ("the text is too long", f"at most {context.get('max_length')} characters"),
        "too_short": ("the list is too short", f"at least {context.get('min_length')} of them"),
        "too_long": ("the list is too long", f"at most {context.get('max_length')} of them"),
    }
    return limits.get(kind)


def _did_you_mean(name: str, allowed: str) -> str:
    close = difflib.get_close_matches(name[:60], allowed.split(", "), n=1)
    return f"there is no such field; did you mean '{close[0]}'?" if close else "there is no such field"
