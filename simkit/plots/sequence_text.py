"""A sequence diagram for terminals, and for people who do not see pictures.

Every line has its instant, the lifelines as columns, and a sentence that says what the drawing says.
A sentence that is too long goes on below its own beginning; nothing is cut off.
"""

import textwrap
from collections import defaultdict
from types import MappingProxyType
from typing import Final

from simkit.journal import Journal
from simkit.plots.sequence import sequence_of
from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate, Mark, MarkKind, Sequence
from simkit.plots.sequence_words import MARK_WORDS, gap_words, head_lines, instant_words, path_words

__all__ = ["sequence_text"]

SIGNS: Final = MappingProxyType(
    {
        MarkKind.EFFECT: "■",
        MarkKind.CRASH: "✸",
        MarkKind.PAUSE: "‖",
        MarkKind.START: "▹",
        MarkKind.STATE: "□",
        MarkKind.RECEIPT: "▣",
        MarkKind.REMOVED: "⊘",
        MarkKind.SETTLED: "◆",
        MarkKind.READBACK: "◇",
        MarkKind.TIMEOUT: "T",
        MarkKind.FAULT: "!",
        MarkKind.REPORT: "●",
    }
)
STROKES: Final = MappingProxyType({ArrowKind.REQUEST: "─", ArrowKind.DELIVERY: "═", ArrowKind.CLEAN_UP: "━"})
_PITCH_MIN: Final = 7
_PITCH_MAX: Final = 10
_WORD_MAX: Final = 14
_TOGETHER: Final = "\N{NO-BREAK SPACE}"
"""Keeps a sign with its word while lines are filled; a blank afterwards."""
_SENTENCE_MIN: Final = 30


def sequence_text(journal: Journal, *, width: int = 100) -> str:
    """Draw the run of a journal with characters.

    Parameters
    ----------
    width
        Characters in a line; a run with many parties takes more where this is less than they need.

    Returns
    -------
    str
        Lines that end with a newline each.
    """
    sequence = sequence_of(journal)
    page = _Page(sequence, width)
    lines = [*(line for said in sequence.given for line in _wrapped(said, width)), *page.head()]
    previous_at_s = sequence.happenings[0].at_s if sequence.happenings else 0.0
    for index, happening in enumerate(sequence.happenings):
        gap = gap_words(happening.at_s - previous_at_s)
        lines += page.gap(gap) if gap else []
        lines += page.line(index)
        previous_at_s = happening.at_s
    paths = [arrow.label for arrow in sequence.arrows]
    closing = (page.legend(), path_words(sequence.lifelines, paths), *sequence.summary)
    lines += ["", *(line for said in closing for line in _wrapped(said, width))]
    return "".join(f"{line.rstrip()}\n" for line in lines)


class _Page:
    """Columns of a given width, and the lines that are drawn in them."""

    def __init__(self, sequence: Sequence, width: int) -> None:
        self._sequence = sequence
        instants = [instant_words(happening.at_s) for happening in sequence.happenings]
        self._time_width = max([len("h:mm:ss"), *map(len, instants)]) + 1
        count = len(sequence.lifelines)
        longest = max([_SENTENCE_MIN, *(len(happening.text) for happening in sequence.happenings)])
        room = (width - self._time_width - longest) // max(1, count)
        pitch = min(_PITCH_MAX, max(_PITCH_MIN, room))
        self._titles = [head_lines(line.title, _WORD_MAX) for line in sequence.lifelines]
        widths = [max([pitch, *(len(word) + 1 for word in title)]) for title in self._titles]
        starts = [sum(widths[:index]) for index in range(count + 1)]
        self._columns = {line.name: starts[index] + widths[index] // 2 for index, line in enumerate(sequence.lifelines)}
        self._picture_width = starts[-1]
        self._sentence_width = max(_SENTENCE_MIN, width - self._time_width - self._picture_width)
        self._arrows: dict[int, list[Arrow]] = defaultdict(list)
        self._marks: dict[int, list[Mark]] = defaultdict(list)
        for arrow in sequence.arrows:
            for index in {arrow.start_index, arrow.end_index}:
                self._arrows[index].append(arrow)
        for mark in sequence.marks:
            self._marks[mark.index].append(mark)

    def head(self) -> list[str]:
        """Titles of the lifelines, a word a line, over their columns."""
        depth = max(map(len, self._titles), default=0)
        rows = []
        for row in range(depth):
            cells = [" "] * self._picture_width
            for column, title in zip(self._columns.values(), self._titles, strict=True):
                word = (("",) * (depth - len(title)) + title)[row]
                start = column - (len(word) - 1) // 2
                cells[start : start + len(word)] = word
            rows.append(f"{'h:mm:ss' if row == depth - 1 else '':<{self._time_width}}{''.join(cells)}")
        return rows

    def gap(self, words: str) -> list[str]:
        """A line on which only time passes."""
        row = self._lifelines("┊")
        return [f"{'':<{self._time_width}}{''.join(row)}… {words}"]

    def line(self, index: int) -> list[str]:
        """One happening; more lines where its sentence needs them."""
        happening = self._sequence.happenings[index]
        row = self._lifelines("│")
        for arrow in self._arrows[index]:
            self._draw(row, arrow, index)
        for mark in self._marks[index]:
            sign = f"{SIGNS[mark.kind]}{mark.number or ''}"
            column = self._columns[mark.lifeline]
            row[column : column + len(sign)] = sign
        sentence = textwrap.wrap(happening.text, self._sentence_width, subsequent_indent="  ") or [""]
        first = f"{instant_words(happening.at_s):<{self._time_width}}{''.join(row)}{sentence[0]}"
        more = [f"{'':<{self._time_width}}{''.join(self._lifelines('│'))}{rest}" for rest in sentence[1:]]
        return [first, *more]

    def legend(self) -> str:
        """What the signs of this diagram mean; only those that occur."""
        arrows = self._sequence.arrows
        kinds = {mark.kind for mark in self._sequence.marks}
        fates = {arrow.fate for arrow in arrows}
        signs = ["─▶ request"] if any(arrow.kind is ArrowKind.REQUEST for arrow in arrows) else []
        signs += ["═▶ by the queue, or a copy"] if any(arrow.kind is ArrowKind.DELIVERY for arrow in arrows) else []
        signs += ["━▶ clean-up"] if any(arrow.kind is ArrowKind.CLEAN_UP for arrow in arrows) else []
        signs += ["◀╌ answer"] if any(arrow.kind.is_answer for arrow in arrows) else []
        signs += ["✕ lost, refused or replaced on the way"] if Fate.LOST in fates else []
        signs += ["~ late: goes on where it lands"] if Fate.LATE in fates else []
        signs += ["◁╌ connection closed"] if Fate.CLOSED in fates else []
        signs += [f"{SIGNS[kind]} {MARK_WORDS[kind]}" for kind in MarkKind if kind in kinds]
        whole = " · ".join(sign.replace(" ", _TOGETHER, 1) for sign in signs)
        return f"Signs: {whole}" if signs else "Nothing happened."

    def _lifelines(self, sign: str) -> list[str]:
        row = [" "] * self._picture_width
        for column in self._columns.values():
            row[column] = sign
        return row

    def _draw(self, row: list[str], arrow: Arrow, index: int) -> None:
        """Put an arrow, or the half of it that lies on this line, between the columns."""
        start, end = self._columns[arrow.sender], self._columns[arrow.receiver]
        step = 1 if end > start else -1
        cells = list(range(start + step, end, step))
        is_split = arrow.start_index != arrow.end_index
        half = (len(cells) + 1) // 2
        is_start = index == arrow.start_index
        is_cut_short = arrow.fate is Fate.LOST or (is_split and is_start) or arrow.end_at_s is None
        if is_cut_short:
            cells = cells[:half]
        elif is_split:
            cells = cells[half:]
        for cell in cells:
            row[cell] = "~" if arrow.fate is Fate.LATE else STROKES.get(arrow.kind, "╌")
        if arrow.fate is Fate.LOST:
            row[cells[-1]] = "✕"
        elif not is_cut_short:
            heads = "▷◁" if arrow.fate is Fate.CLOSED else "▶◀"
            row[cells[-1]] = heads[0 if step > 0 else 1]
        room = cells[1:-1] if step > 0 else cells[-2:0:-1]
        label = arrow.short_label or arrow.label
        label = label if len(label) <= len(room) else ""
        for cell, letter in zip(room[(len(room) - len(label)) // 2 :], label, strict=False):
            row[cell] = letter


def _wrapped(text: str, width: int) -> list[str]:
    lines = textwrap.wrap(text, width, subsequent_indent="  ")
    return [line.replace(_TOGETHER, " ") for line in lines]
