"""The marks on the lifelines of a sequence diagram as pieces of SVG, each of its own form."""

import math
from types import MappingProxyType
from typing import Final

from simkit.plots.sequence_parts import Mark, MarkKind
from simkit.plots.sequence_shapes import ALARM, INK, Stroke, line, polygon, px_words, written

__all__ = ["REPORT_HALF_PX", "mark_shape"]

REPORT_HALF_PX: Final = 29.0
"""Half the width of the frame in which a reported outcome stands."""

_Corners = tuple[tuple[float, float], ...]

_STAR: Final[_Corners] = tuple(
    (
        (10.0, 4.5)[point % 2] * math.sin(math.pi * point / 8),
        -(10.0, 4.5)[point % 2] * math.cos(math.pi * point / 8),
    )
    for point in range(16)
)
_DIAMOND: Final[_Corners] = ((0, -7), (7, 0), (0, 7), (-7, 0))

_SHAPES: Final = MappingProxyType(
    {
        MarkKind.CRASH: (_STAR, ALARM, "#fff"),
        MarkKind.START: (((-5, -6), (6, 0), (-5, 6)), "#fff", INK),
        MarkKind.SETTLED: (_DIAMOND, INK, INK),
        MarkKind.READBACK: (_DIAMOND, "#fff", INK),
        MarkKind.TIMEOUT: (((-5, -7), (5, -7), (-5, 7), (5, 7)), "#fff", ALARM),
        MarkKind.FAULT: (((0, -8), (8, 6), (-8, 6)), "#fff", ALARM),
    }
)
"""Corners around the place of the mark, fill and rim."""


def mark_shape(mark: Mark, x_px: float, y_px: float) -> str:
    """A sign on a lifeline, drawn around a point."""
    match mark.kind:
        case MarkKind.EFFECT:
            return _effect(mark, x_px, y_px)
        case MarkKind.PAUSE:
            bars = (_box(x_px + aside_px, y_px, 2.5, 8.0, fill=ALARM, stroke="#fff") for aside_px in (-4.0, 4.0))
            return "".join(bars)
        case MarkKind.STATE:
            return _box(x_px, y_px, 5.0, 5.0, fill="#fff", stroke=INK)
        case MarkKind.RECEIPT:
            frame = _box(x_px, y_px, 5.0, 5.0, fill="#fff", stroke=INK)
            return frame + _box(x_px, y_px, 2.0, 2.0, fill=INK, stroke=INK)
        case MarkKind.REMOVED:
            place = f'cx="{px_words(x_px)}" cy="{px_words(y_px)}"'
            ring = f'<circle {place} r="8" fill="#fff" stroke="{INK}" stroke-width="1.3"/>'
            stroke = Stroke(colour=INK, dashes="", width_px=2.0)
            return ring + line(x_px - 5.5, y_px + 5.5, x_px + 5.5, y_px - 5.5, stroke)
        case MarkKind.REPORT:
            return _report(mark, x_px, y_px)
        case _:
            corners, fill, rim = _SHAPES[mark.kind]
            shape = polygon(tuple((x_px + dx, y_px + dy) for dx, dy in corners), fill=fill, stroke=rim)
            is_fault = mark.kind is MarkKind.FAULT
            sign = written(x_px, y_px + 4.5, "!", size_px=10, colour=ALARM, extra=' text-anchor="middle"')
            return shape + sign if is_fault else shape


def _effect(mark: Mark, x_px: float, y_px: float) -> str:
    colour = ALARM if mark.is_duplicate else INK
    frame = _box(x_px, y_px, 11.0, 10.0, fill="none", stroke=colour) if mark.is_duplicate else ""
    box = _box(x_px, y_px, 9.0, 8.0, fill=colour, stroke=colour)
    bold = ' text-anchor="middle" font-weight="bold"'
    return frame + box + written(x_px, y_px + 4, str(mark.number), size_px=11, colour="#fff", extra=bold)


def _report(mark: Mark, x_px: float, y_px: float) -> str:
    place = f'x="{px_words(x_px - REPORT_HALF_PX)}" y="{px_words(y_px - 8)}" width="{px_words(2 * REPORT_HALF_PX)}"'
    bold = ' text-anchor="middle" font-weight="bold"'
    outcome = written(x_px, y_px + 3, mark.label, size_px=8, extra=bold)
    return f'<rect {place} height="16" rx="8" fill="#fff" stroke="{INK}" stroke-width="1.3"/>{outcome}'


def _box(x_px: float, y_px: float, half_px: float, half_height_px: float, *, fill: str, stroke: str) -> str:
    place = f'x="{px_words(x_px - half_px)}" y="{px_words(y_px - half_height_px)}"'
    size = f'width="{px_words(2 * half_px)}" height="{px_words(2 * half_height_px)}"'
    return f'<rect {place} {size} fill="{fill}" stroke="{stroke}" stroke-width="1.3"/>'
