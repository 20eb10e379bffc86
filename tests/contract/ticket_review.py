"""The ticket example as text to be spoiled on purpose, and what the reader says about it."""

import json
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from simkit.contract import Review, parse_review
from simkit.errors import InputError, Problem

__all__ = ["TEMPLATES", "TICKET_TEXT", "document", "line_of", "problems_in", "review_with", "text_with"]

TEMPLATES = Path(__file__).resolve().parents[2] / "review_templates"
TICKET_TEXT = (TEMPLATES / "examples" / "create_ticket.yaml").read_text(encoding="utf-8")


def text_with(old: str, new: str, text: str = TICKET_TEXT) -> str:
    """Return the example with the first `old` replaced; that it is there is part of the test."""
    assert old in text
    return text.replace(old, new, 1)


def line_of(fragment: str, text: str = TICKET_TEXT) -> int:
    """Line, from 1, on which the fragment first stands."""
    return text[: text.index(fragment)].count("\n") + 1


def problems_in(content: str | bytes) -> tuple[Problem, ...]:
    """Everything that is wrong with the content, nothing if it is a review."""
    data = content.encode() if isinstance(content, str) else content
    try:
        parse_review(data, file="review.yaml")
    except InputError as error:
        return error.problems
    return ()


def document(path: Path) -> dict[str, Any]:
    """The plain values of a file, read by ruamel.yaml alone."""
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(path)
    return found


def review_with(**answers: object) -> Review:
    """Return the example with answers replaced; `a__b__0__c` names the place `a.b.0.c`."""
    changed: Any = document(TEMPLATES / "examples" / "create_ticket.yaml")
    for path, answer in answers.items():
        *around, last = path.split("__")
        part = changed
        for name in around:
            part = part[int(name)] if name.isdigit() else part[name]
        part[last] = answer
    return parse_review(json.dumps(changed, indent=1).encode(), file="review.yaml")
