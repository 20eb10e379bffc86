"""What is left out, and in which order, when a page is full: long lists first, and always counted.

Level 0 leaves the view whole. Each higher level allows fewer rows in each block, and from level 3 on
shorter texts; promises, conditions, probabilities and what is requested keep all their rows.
"""

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from simkit.review.page import Block, PageView, Row, Text, Tone
from simkit.review.permissions import cut_refusals, cut_rows
from simkit.review.wording import count_words

__all__ = ["LEVEL_COUNT", "longest_texts", "shortened", "shortened_text"]

LEVEL_COUNT: Final = 10

_ROW_COUNTS_MAX: Final = MappingProxyType(
    {
        "gaps": (10, 8, 6, 5, 4, 3, 2, 2, 2),
        "refusals": (8, 7, 6, 5, 4, 3, 2, 2, 1),
        "permissions": (20, 16, 13, 11, 9, 7, 6, 5, 3),
        "rates": (5, 3, 3, 3, 3, 2, 2, 2, 1),
        "windows": (9, 8, 7, 6, 6, 5, 4, 3, 3),
        "reasons": (8, 6, 5, 5, 4, 4, 3, 3, 3),
        "contract": (11, 9, 8, 7, 6, 6, 6, 5, 4),
        "catalog": (12, 12, 9, 9, 7, 6, 5, 4, 3),
        "on call": (13, 12, 10, 9, 8, 8, 7, 6, 5),
        "effects": (4, 4, 4, 3, 3, 2, 2, 1, 1),
        "margins": (5, 5, 4, 4, 3, 3, 2, 1, 0),
    }
)
"""Most rows in each block, at levels 1 to 9."""

_TEXT_LENGTHS_MAX: Final = (10_000, 10_000, 240, 170, 130, 100, 75, 50, 36)
"""Longest text at levels 1 to 9; the words that are left out are counted."""


_SCHEDULE_COUNTS_MAX: Final = (99, 99, 99, 99, 8, 6, 4, 2, 1)
"""Most promises whose smallest schedule is shown, at levels 1 to 9; the promises themselves all stay."""

_PARTLY_WHOLE: Final = frozenset({"on call", "promises"})
"""Blocks of which some texts are never cut: what never to do, and the names of the promises."""

_OWN_WORDS: Final = frozenset({"gaps", "probability", "evidence", "margins", "catalog"})
"""Blocks whose texts are short already, as the page words them itself."""

_TEXT_LENGTHS_MIN: Final = MappingProxyType({"on call": 100, "conditions": 90})
"""No text of these blocks is ever cut below that: people act on it, or the verdict stands on it."""

_WHOLE: Final = frozenset({"Faults included", "Faults excluded"})
"""Rows that are never cut: which kinds of fault the verdict covers is no matter of room."""


def shortened(view: PageView, level: int) -> PageView:
    """The view at that level, from 0 (whole) below `LEVEL_COUNT`."""
    if level == 0:
        return view

    length_max = _TEXT_LENGTHS_MAX[level - 1]

    def cut(block: Block) -> Block:
        counts = _ROW_COUNTS_MAX.get(block.name)
        kept = block if counts is None else block.cut(counts[level - 1])
        if block.name == "promises":
            kept = _with_few_schedules(kept, _SCHEDULE_COUNTS_MAX[level - 1])
        return kept if block.name in _OWN_WORDS else _with_short_texts(kept, length_max)

    grid = cut_rows(view.permissions, _ROW_COUNTS_MAX["permissions"][level - 1])
    grid, refusals = cut_refusals(grid, view.refusals, _ROW_COUNTS_MAX["refusals"][level - 1])
    return replace(
        view,
        subtitle=tuple(shortened_text(text, length_max) for text in view.subtitle),
        summary=shortened_text(view.summary, length_max),
        effects=cut(view.effects),
        reasons=cut(view.reasons),
        on_call=_with_short_texts(view.on_call.cut(_ROW_COUNTS_MAX["on call"][level - 1]), length_max),
        permissions=grid,
        refusals=_with_short_texts(refusals, length_max),
        blocks=tuple(cut(block) for block in view.blocks),
    )


def _with_few_schedules(block: Block, count_max: int) -> Block:
    """The promises with the schedules of the first few; those that are left out are counted beneath."""
    told = [entry for entry in block.rows if entry.detail is not None and entry.detail.tone is Tone.BAD]
    untold = told[count_max:]
    if not untold:
        return block
    rows: list[Row] = []
    for entry in block.rows:
        if entry not in untold:
            rows.append(entry)
        elif rows and rows[-1].detail is not None and rows[-1].detail.tone is Tone.PLAIN and _is_like(rows[-1], entry):
            names = f"{rows[-1].detail.text}, {entry.cells[0].text}"
            item_count = rows[-1].item_count + entry.item_count
            rows[-1] = replace(rows[-1], detail=Text(text=names), item_count=item_count)
        else:
            cells = (Text(text="Others"), *entry.cells[1:])
            rows.append(replace(entry, cells=cells, detail=Text(text=entry.cells[0].text)))
    more = count_words(sum(entry.item_count for entry in untold), "more promise", "more promises")
    return replace(block, rows=tuple(rows), notes=(f"By which faults {more} break: in the JSON.", *block.notes))


def _is_like(row: Row, other: Row) -> bool:
    """Whether the same is said of two promises."""
    return row.cells[1:] == other.cells[1:]


def shortened_text(text: str, length_max: int) -> str:
    """The first words of a text that is longer than that, and a count of the others.

    Examples
    --------
    >>> shortened_text("one two three four five six seven eight nine", 18)
    'one two … (7 more words)'
    >>> shortened_text("W" * 60, 20)
    'WWWWWWWW … (52 more letters)'
    """
    if len(text) <= length_max + 20:
        return text
    words = text.split(" ")
    kept = next((count for count in range(len(words), 0, -1) if len(" ".join(words[:count])) <= length_max - 10), 0)
    if kept:
        return f"{' '.join(words[:kept])} … ({count_words(len(words) - kept, 'more word', 'more words')})"
    return f"{text[: length_max - 12]} … ({count_words(len(text) - length_max + 12, 'more letter', 'more letters')})"


def _with_short_texts(block: Block, length_max: int) -> Block:
    length_max = max(length_max, _TEXT_LENGTHS_MIN.get(block.name, 0))

    def short(cell: Text) -> Text:
        is_whole = (cell.tone is Tone.BAD) is (block.name == "on call") if block.name in _PARTLY_WHOLE else False
        return cell if is_whole else replace(cell, text=shortened_text(cell.text, length_max))

    rows = tuple(
        entry
        if entry.cells[0].text in _WHOLE
        else replace(
            entry,
            cells=tuple(short(cell) for cell in entry.cells),
            detail=short(entry.detail) if entry.detail is not None else None,
        )
        for entry in block.rows
    )
    return replace(block, rows=rows)


def longest_texts(view: PageView) -> tuple[str, ...]:
    """Where the three longest texts of the page stand, and how long they are."""
    blocks = (view.effects, view.reasons, view.on_call, view.refusals, *view.blocks)
    texts = [
        (len(cell.text), f"{block.title}, {entry.cells[0].text[:30]}")
        for block in blocks
        for entry in block.rows
        for cell in entry.cells
    ]
    texts.append((len(view.summary), "tool.summary"))
    return tuple(f"{place} ({length} characters)" for length, place in sorted(texts, reverse=True)[:3])
