"""A sequence diagram as one SVG element: the picture at the left, the same in sentences beside it.

The axis is ordinal: every happening has a line with its instant, and where a minute or more passes
before the next one, a band says how much. Nothing is fetched, scripted or random, and the whole story is in
the description that screen readers read.
"""

import textwrap
from typing import Final

from simkit.journal import Journal
from simkit.plots.sequence import sequence_of
from simkit.plots.sequence_legend import legend_shapes
from simkit.plots.sequence_marks import REPORT_HALF_PX, mark_shape
from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate, Sequence
from simkit.plots.sequence_shapes import INK, MUTED, arrow_shape, stroke_of, written, xml
from simkit.plots.sequence_words import gap_words, head_lines, instant_words, path_words, printable

__all__ = ["sequence_svg"]

_WIDTH_PX_MIN: Final = 900.0
_TIME_PX: Final = 78.0
_SENTENCE_PX_MIN: Final = 312.0
_HEAD_TEXT_PX: Final = 10.5
_HEAD_WORD_MAX: Final = 14
_PITCH_PX_MIN: Final = 58.0
_PITCH_PX_MAX: Final = 104.0
_ROW_PX: Final = 20.0
_MORE_PX: Final = 13.0
_GAP_PX: Final = 18.0
_TEXT_PX: Final = 11.0
_LETTER_SHARE: Final = 0.56
"""Width of an average letter of DejaVu Sans and Verdana as a share of its size; Arial is narrower."""
_BOLD_SHARE: Final = 1.15
"""Width of a bold letter as a share of a plain one."""
_HEADS_EVERY: Final = 30
"""After so many lines the heads are repeated, so that one is always near."""
_DEFAULT_TITLE: Final = "Sequence diagram of one run"


def sequence_svg(journal: Journal, *, title: str = "") -> str:
    """Draw the run of a journal.

    Parameters
    ----------
    title
        Stands above the picture; what came of each intent stands under it.

    Returns
    -------
    str
        An ``<svg>`` element, the same bytes in every process; 900 px wide, or more where many take part.
    """
    sequence = sequence_of(journal)
    picture = _Picture(sequence)
    picture.opening(printable(title))
    picture.body()
    picture.closing()
    story = [f"{instant_words(happening.at_s)} {happening.text}" for happening in sequence.happenings]
    width_px, height_px = round(picture.width_px), round(picture.y_px)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_px}" height="{height_px}" '
        f'viewBox="0 0 {width_px} {height_px}" role="img" aria-labelledby="sequence-title sequence-desc" '
        'font-family="DejaVu Sans, Verdana, Arial, sans-serif">'
    )
    pieces = (
        opening,
        f'<title id="sequence-title">{xml(printable(title) or _DEFAULT_TITLE)}</title>',
        f'<desc id="sequence-desc">{xml(". ".join((*sequence.summary, *story)))}</desc>',
        f'<rect width="{width_px}" height="{height_px}" fill="#fff"/>',
        *picture.pieces,
        "</svg>",
    )
    return "".join(f"{piece}\n" for piece in pieces)


class _Picture:
    """Pieces from top to bottom, `width_px` wide; `y_px` is how far down the picture has come."""

    def __init__(self, sequence: Sequence) -> None:
        self.pieces: list[str] = []
        self.y_px = 0.0
        self._sequence = sequence
        count = max(1, len(sequence.lifelines))
        self._titles = [head_lines(line.title, _HEAD_WORD_MAX) for line in sequence.lifelines]
        letter_px = _HEAD_TEXT_PX * _LETTER_SHARE * _BOLD_SHARE
        needed_px = [max([_PITCH_PX_MIN, *(len(word) * letter_px + 8 for word in title)]) for title in self._titles]
        spare_px = max(0.0, _WIDTH_PX_MIN - _TIME_PX - _SENTENCE_PX_MIN - sum(needed_px)) / count
        self._pitches_px = [max(pitch_px, min(_PITCH_PX_MAX, pitch_px + spare_px)) for pitch_px in needed_px]
        starts_px = [_TIME_PX + sum(self._pitches_px[:index]) for index in range(len(self._pitches_px) + 1)]
        self._x_px = {
            line.name: starts_px[index] + self._pitches_px[index] / 2 for index, line in enumerate(sequence.lifelines)
        }
        self._sentence_x_px = starts_px[-1] + 6
        self.width_px = max(_WIDTH_PX_MIN, self._sentence_x_px + _SENTENCE_PX_MIN)
        letter_count = int((self.width_px - 8 - self._sentence_x_px) / (_TEXT_PX * _LETTER_SHARE))
        self._sentences = [textwrap.wrap(line.text, max(16, letter_count)) for line in sequence.happenings]
        self._row_y_px: list[float] = []
        self._repeated_heads: list[str] = []

    def opening(self, title: str) -> None:
        """Title, what came of each intent, and the heads."""
        self.y_px = 10.0
        if title:
            self._paragraph(title, size_px=14.0, colour=INK, extra=' font-weight="bold"')
        for said in self._sequence.summary:
            self._paragraph(said, size_px=12.0, colour=INK)
        for said in self._sequence.given:
            self._paragraph(said, size_px=_TEXT_PX, colour=MUTED)
        self.y_px += 6
        self.pieces += self._heads()

    def body(self) -> None:
        """Bands, lifelines, arrows over them, and marks over the arrows."""
        top_px = self.y_px
        self.pieces += self._rows()
        for x_px in self._x_px.values():
            self.pieces.append(
                f'<line x1="{x_px:.1f}" y1="{top_px:.1f}" x2="{x_px:.1f}" y2="{self.y_px:.1f}" '
                'stroke="#9aa3ad" stroke-width="1"/>'
            )
        self.pieces += self._repeated_heads
        labels: list[str] = []
        for arrow in self._sequence.arrows:
            start = self._x_px[arrow.sender], self._row_y_px[arrow.start_index]
            rim_px = REPORT_HALF_PX if arrow.kind is ArrowKind.REPORT else 0.0
            end = self._x_px[arrow.receiver] + rim_px, self._row_y_px[arrow.end_index]
            self.pieces.append(arrow_shape(arrow, start, end))
            labels += self._labels(arrow, start, end)
        self.pieces += labels
        for mark in self._sequence.marks:
            x_px, y_px = self._x_px[mark.lifeline], self._row_y_px[mark.index]
            self.pieces.append(mark_shape(mark, x_px, y_px))

    def closing(self) -> None:
        """What the signs and the numbers mean."""
        self.y_px += 8
        shapes, self.y_px = legend_shapes(self._sequence, self.y_px, self.width_px)
        self.pieces += shapes
        paths = [arrow.label for arrow in self._sequence.arrows]
        self._paragraph(path_words(self._sequence.lifelines, paths), size_px=10.5, colour=MUTED)
        self.y_px += 8

    def _paragraph(self, text: str, *, size_px: float, colour: str, extra: str = "") -> None:
        for line in textwrap.wrap(text, int((self.width_px - 20) / (size_px * _LETTER_SHARE))):
            self.y_px += size_px + 5
            self.pieces.append(written(10, self.y_px - 3, line, size_px=size_px, colour=colour, extra=extra))

    def _heads(self) -> list[str]:
        pieces = []
        depth = max(map(len, self._titles), default=1)
        height_px = depth * 13 + 8
        for x_px, pitch_px, lines in zip(self._x_px.values(), self._pitches_px, self._titles, strict=True):
            pieces.append(
                f'<rect x="{x_px - pitch_px / 2 + 2:.1f}" y="{self.y_px:.1f}" width="{pitch_px - 4:.1f}" '
                f'height="{height_px}" rx="3" fill="#e8edf2" stroke="#9aa3ad"/>'
            )
            first_px = self.y_px + height_px / 2 - len(lines) * 6.5 + 10
            for index, line in enumerate(lines):
                extra = ' text-anchor="middle" font-weight="bold"'
                pieces.append(written(x_px, first_px + 13 * index, line, size_px=_HEAD_TEXT_PX, extra=extra))
        extra = ' text-anchor="end"'
        pieces.append(
            written(_TIME_PX - 8, self.y_px + height_px - 6, "h:mm:ss", size_px=10, colour=MUTED, extra=extra)
        )
        self.y_px += height_px
        return pieces

    def _rows(self) -> list[str]:
        """Give each happening its line; write instants and sentences, and return the bands behind them."""
        bands = []
        previous_at_s = self._sequence.happenings[0].at_s if self._sequence.happenings else 0.0
        self.y_px += 4
        for index, happening in enumerate(self._sequence.happenings):
            gap = gap_words(happening.at_s - previous_at_s)
            previous_at_s = happening.at_s
            if gap:
                bands.append(self._band(_GAP_PX, "#dfe5eb"))
                extra = ' font-style="italic"'
                y_px = self.y_px + _GAP_PX - 5
                bands.append(written(self._sentence_x_px, y_px, f"… {gap}", size_px=_TEXT_PX, extra=extra))
                self.y_px += _GAP_PX
            is_near_end = len(self._sequence.happenings) - index < _HEADS_EVERY // 3
            if index and index % _HEADS_EVERY == 0 and not is_near_end:
                self._repeated_heads += self._heads()
                self.y_px += 4
            sentence = self._sentences[index]
            height_px = _ROW_PX + _MORE_PX * (len(sentence) - 1)
            if index % 2:
                bands.append(self._band(height_px, "#f5f7f9"))
            middle_px = self.y_px + height_px / 2
            self._row_y_px.append(middle_px)
            instant = instant_words(happening.at_s)
            extra = ' text-anchor="end"'
            bands.append(written(_TIME_PX - 8, middle_px + 4, instant, size_px=10, colour=MUTED, extra=extra))
            for number, line in enumerate(sentence):
                y_px = self.y_px + 14 + _MORE_PX * number
                bands.append(written(self._sentence_x_px, y_px, line, size_px=_TEXT_PX))
            self.y_px += height_px
        self.y_px += 4
        return bands

    def _band(self, height_px: float, colour: str) -> str:
        return f'<rect x="0" y="{self.y_px:.1f}" width="{self.width_px:g}" height="{height_px:.1f}" fill="{colour}"/>'

    def _labels(self, arrow: Arrow, start_px: tuple[float, float], end_px: tuple[float, float]) -> list[str]:
        """The attempt's numbers above its arrow, beside the sender; at both ends of one that goes down."""
        (x1_px, y1_px), (x2_px, y2_px) = start_px, end_px
        step = 1 if x2_px > x1_px else -1
        room_px = self._room_px(x1_px, step)
        label = arrow.short_label or arrow.label
        if not label or len(label) * 9 * _LETTER_SHARE > room_px - 14:
            return []
        if y1_px == y2_px:
            share = 0.3 if arrow.fate is Fate.LOST else 0.5
            places = [(x1_px + step * room_px * share, y1_px - 3.5)]
        else:
            aside_px = step * (room_px * 0.3 + 4)
            places = [(x1_px + aside_px, y1_px + 2), (x2_px - aside_px - step * 6, y2_px + 4)]
        colour, extra = stroke_of(arrow.kind, arrow.fate).colour, ' text-anchor="middle"'
        return [written(x_px, y_px, label, size_px=9, colour=colour, extra=extra) for x_px, y_px in places]

    def _room_px(self, x_px: float, step: int) -> float:
        """How far it is from a lifeline to its neighbour on one side."""
        places_px = list(self._x_px.values())
        neighbour = places_px.index(x_px) + step
        return abs(places_px[neighbour] - x_px)
