"""The page as plain values for the typesetter, with room to break words that are longer than a line may be."""

from dataclasses import asdict
from typing import Final

from simkit.review.page import Block, PageView

__all__ = ["page_document"]

RUN_LENGTH_MAX: Final = 12


def page_document(view: PageView) -> dict[str, object]:
    """The view as plain values, with the counts of what was left out, and with room to break long words."""
    document = asdict(view)
    for name in ("effects", "reasons", "requested", "on_call", "permissions", "refusals"):
        block: Block = getattr(view, name)
        document[name]["more"] = block.more
    for plain, block in zip(document["blocks"], view.blocks, strict=True):
        plain["more"] = block.more
    document["order"] = [block.name for block in view.parts]
    document["figure"] = {"alt": view.figure.alt} if view.figure is not None else None
    document["document_title"] = f"Tool review: {view.title}"
    return {key: value if key == "document_title" else _breakable(value) for key, value in document.items()}


def _breakable(value: object) -> object:
    if isinstance(value, dict):
        return {key: _breakable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_breakable(item) for item in value]
    return " ".join(map(_with_breaks, value.split(" "))) if isinstance(value, str) else value


def _with_breaks(word: str) -> str:
    """A zero-width space after every dozen of letters of a long word, and after its dots and strokes."""
    if len(word) <= RUN_LENGTH_MAX:
        return word
    parts, run = [], 0
    for letter in word:
        parts.append(letter)
        run += 1
        if letter in "._/-" or run == RUN_LENGTH_MAX:
            parts.append("\u200b")
            run = 0
    return "".join(parts)
