"""The table with which a test run closes: what simkit and Storm found, row by row."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

__all__ = ["AGREEMENT", "HEADINGS", "lines_of", "row_of"]

AGREEMENT = "agreement with Storm"
"""Name of the property under which a test hands over a row; rows travel between processes, so they are text."""

HEADINGS = ("scenario", "promise or event", "simkit", "Storm", "equal as fraction", "states/leaves")

Range = tuple[Fraction, Fraction]


def row_of(
    scenario: str, event: str, ours: Range, theirs: Range, *, state_count: int, leaf_count: int
) -> tuple[str, ...]:
    """One row; a range is smallest and largest probability over what is left open, one number where they are equal."""
    equal = "yes" if ours == theirs else "NO"
    return scenario, event, _shown(ours), _shown(theirs), equal, f"{state_count}/{leaf_count}"


def lines_of(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The table in columns, sorted."""
    table = [HEADINGS, *sorted({tuple(row) for row in rows})]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEADINGS))]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _shown(found: Range) -> str:
    least, most = found
    return f"{float(least):.12g}" if least == most else f"[{float(least):.12g}, {float(most):.12g}]"
