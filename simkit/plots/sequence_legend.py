"""What the signs of one sequence diagram mean, drawn with the signs themselves; only those that occur."""

from collections.abc import Iterator
from typing import Final

from simkit.plots.sequence_marks import REPORT_HALF_PX, mark_shape
from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate, MarkKind, Sequence
from simkit.plots.sequence_shapes import arrow_shape, written
from simkit.plots.sequence_words import MARK_WORDS

__all__ = ["legend_shapes"]

_TEXT_PX: Final = 10.5
_SAMPLE_PX: Final = 54.0
_ROW_PX: Final = 20.0


def legend_shapes(sequence: Sequence, y_px: float, width_px: float) -> tuple[list[str], float]:
    """Samples in rows from `y_px` on, and where the last row ends."""
    pieces: list[str] = []
    x_px, row_px = 0.0, y_px + _ROW_PX / 2
    for shape, words in _entries(sequence):
        entry_px = _SAMPLE_PX + 6 + len(words) * _TEXT_PX * 0.56 + 12
        if x_px + entry_px > width_px and x_px > 0:
            x_px, row_px = 0.0, row_px + _ROW_PX
        pieces.append(f'<g transform="translate({x_px:.1f} {row_px:.1f})">{shape}</g>')
        pieces.append(written(x_px + _SAMPLE_PX + 6, row_px + 4, words, size_px=_TEXT_PX))
        x_px += entry_px
    return pieces, row_px + _ROW_PX / 2


def _entries(sequence: Sequence) -> Iterator[tuple[str, str]]:
    arrows = sequence.arrows
    if any(arrow.kind is ArrowKind.REQUEST for arrow in arrows):
        yield _sample(ArrowKind.REQUEST, Fate.ARRIVED), "request"
    if any(arrow.kind is ArrowKind.DELIVERY for arrow in arrows):
        yield _sample(ArrowKind.DELIVERY, Fate.ARRIVED), "by the queue, or a copy"
    if any(arrow.kind is ArrowKind.CLEAN_UP for arrow in arrows):
        yield _sample(ArrowKind.CLEAN_UP, Fate.ARRIVED), "clean-up"
    if any(arrow.kind.is_answer for arrow in arrows):
        yield _sample(ArrowKind.ANSWER, Fate.ARRIVED), "answer"
    for fate, is_landed, words in (
        (Fate.LOST, False, "lost, refused or replaced on the way"),
        (Fate.LATE, True, "late"),
        (Fate.LATE, False, "late, met nobody or left no trace"),
        (Fate.CLOSED, True, "connection closed"),
    ):
        found = [arrow for arrow in arrows if arrow.fate is fate and (arrow.end_at_s is not None) is is_landed]
        if found:
            yield _sample(found[0].kind, fate, is_landed=is_landed), words
    yield from _mark_entries(sequence)


def _mark_entries(sequence: Sequence) -> Iterator[tuple[str, str]]:
    """The first mark of each kind, and of effects also the first duplicate."""
    middle_px = _SAMPLE_PX - REPORT_HALF_PX
    for kind in MarkKind:
        found = [mark for mark in sequence.marks if mark.kind is kind]
        originals = [mark for mark in found if not mark.is_duplicate]
        duplicates = [mark for mark in found if mark.is_duplicate]
        if originals:
            yield mark_shape(originals[0], middle_px, 0), MARK_WORDS[kind]
        if duplicates:
            yield mark_shape(duplicates[0], middle_px, 0), "duplicate effect"


def _sample(kind: ArrowKind, fate: Fate, *, is_landed: bool = True) -> str:
    arrow = Arrow(
        kind=kind,
        sender="",
        receiver="",
        label="",
        fate=fate,
        start_at_s=0.0,
        end_at_s=0.0 if is_landed else None,
        start_index=0,
        end_index=0,
        is_answered=True,
    )
    ends = (14.0, 0.0), (_SAMPLE_PX, 0.0)
    start, end = ends[::-1] if kind.is_answer else ends
    return arrow_shape(arrow, start, end)
