"""The permission table in lines for a terminal: a line for each row, then why something was refused."""

from collections.abc import Iterator

from simkit.review.page import Text
from simkit.review.permissions import permission_blocks
from simkit.study.results import PermissionTable

__all__ = ["table_lines"]


def table_lines(table: PermissionTable) -> Iterator[str]:
    """What each layer may do next, given what it knows of each stage."""
    grid, refusals = permission_blocks(table.cells, is_complete=table.is_complete)
    yield "what each layer may do next:"
    if grid.rows:
        lines = [(*grid.columns,), *(tuple(_word(text) for text in entry.cells) for entry in grid.rows)]
        widths = [max(len(line[index]) for line in lines) for index in range(len(grid.columns))]
        for line in lines:
            yield "  " + "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
    yield from (f"  {entry.cells[0].text} {entry.cells[1].text}" for entry in refusals.rows)
    yield from (f"  {note}" for note in grid.notes)


def _word(text: Text) -> str:
    note = f" ({text.note_number})" if text.note_number else ""
    return f"{'▸ ' if text.is_marked else ''}{text.text}{note}"
