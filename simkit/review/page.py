"""The page as data: display strings and lists, and nothing that a renderer would have to compute.

HTML, PDF and PNG are drawn from the same `PageView`, so they say the same. A list that is too long is cut
with `Block.cut`, and what was left out is counted where the list ends.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = ["Block", "Figure", "PageView", "Row", "Text", "Tone", "VerdictView", "plain", "row"]


class Tone(StrEnum):
    """What a text means for the reader. Its words say the same, so the colour may be lost."""

    PLAIN = "plain"
    GOOD = "good"
    OPEN = "open"
    BAD = "bad"
    MUTED = "muted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One cell.

    Parameters
    ----------
    is_marked
        Whether it is what a layer does today.
    note_number
        Number of the note that explains it, from 1; 0 where no note does.
    """

    text: str
    tone: Tone = Tone.PLAIN
    is_marked: bool = False
    note_number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row.

    Parameters
    ----------
    item_count
        How many items it stands for where rows are counted.
    detail
        A line beneath, over the whole width; None where there is nothing to add.
    """

    cells: tuple[Text, ...]
    item_count: int = 1
    detail: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A titled table or list.

    Parameters
    ----------
    name
        Stable, for renderers and for `PageError`.
    evidence
        Kind of evidence it rests on; empty where its text says it.
    columns
        Headings; none for pairs of label and text, and for lists.
    noun, nouns
        What is counted when rows are left out: `gap`, `gaps`.
    hidden_count
        Items that were left out.
    notes
        Lines beneath.
    """

    name: str
    title: str
    evidence: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    noun: str
    nouns: str
    hidden_count: int = 0
    notes: tuple[str, ...] = ()

    @property
    def more(self) -> str:
        """Count of what was left out, in words; empty if nothing was."""
        if not self.hidden_count:
            return ""
        return f"and {self.hidden_count:,} more {self.noun if self.hidden_count == 1 else self.nouns}"

    def cut(self, row_count_max: int) -> "Block":
        """The same block with at most that many rows; the others are counted."""
        hidden = self.rows[row_count_max:]
        hidden_count = self.hidden_count + sum(row.item_count for row in hidden)
        return replace(self, rows=self.rows[:row_count_max], hidden_count=hidden_count)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictView:
    """Verdict and design verdict, each as word and shape; `unsafe` is empty unless the tool is report-unsafe."""

    word: str
    shape: str
    tone: Tone
    wording: str
    design_word: str
    design_shape: str
    design_tone: Tone
    unsafe: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An SVG without a prolog, and what it shows in words."""

    svg: str
    alt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """Everything that stands on the page, in reading order.

    Parameters
    ----------
    refusals
        The numbered reasons of the permission table.
    blocks
        The rest, set in two columns.
    figure
        Stands in the block named `probability`; None where there is no number to draw.
    """

    title: str
    subtitle: tuple[str, ...]
    summary: str
    verdict: VerdictView
    effects: Block
    reasons: Block
    requested: Block
    on_call: Block
    permissions: Block
    refusals: Block
    blocks: tuple[Block, ...]
    figure: Figure | None
    footer: tuple[str, ...]

    @property
    def parts(self) -> tuple[Block, ...]:
        """The blocks of the two columns in reading order; the refusals stand beneath the permissions."""
        return (
            self.reasons,
            self.on_call,
            self.permissions,
            *self.blocks[:3],
            self.requested,
            *self.blocks[3:],
        )


def plain(text: str, tone: Tone = Tone.PLAIN) -> Text:
    """A cell with a text."""
    return Text(text=text, tone=tone)


def row(*texts: str | Text, item_count: int = 1, detail: Text | None = None) -> Row:
    """A row of cells."""
    cells = tuple(text if isinstance(text, Text) else Text(text=text) for text in texts)
    return Row(cells=cells, item_count=item_count, detail=detail)
