"""The shapes of a sequence diagram as pieces of SVG: each is told apart by form as well as by colour.

Blue, vermillion and brown stay apart for people with any kind of colour blindness, and no meaning hangs on them
alone: requests are unbroken, answers dashed, late ones dash and dot, lost ones end in a cross.

References
----------
Okabe & Ito, "Color universal design", 2008, for blue and vermillion, here darkened for thin lines on white.
"""

import html
import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate, Mark, MarkKind

__all__ = [
    "INK",
    "MUTED",
    "REPORT_HALF_PX",
    "Stroke",
    "arrow_shape",
    "cross",
    "mark_shape",
    "stroke_of",
    "written",
    "xml",
]

INK: Final = "#1d242c"
MUTED: Final = "#5b6570"
_BLUE: Final = "#005a92"
_ALARM: Final = "#b03a00"
_LATE: Final = "#8a5a00"
REPORT_HALF_PX: Final = 27.0
"""Half the width of the frame in which a reported outcome stands."""
_HEAD_PX: Final = 7.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """How a line is drawn. `dashes` are SVG's; empty for an unbroken line."""

    colour: str
    dashes: str
    width_px: float


_STROKES: Final = MappingProxyType(
    {
        ArrowKind.REQUEST: Stroke(colour=_BLUE, dashes="", width_px=1.6),
        ArrowKind.ANSWER: Stroke(colour=MUTED, dashes="5 3", width_px=1.3),
        ArrowKind.READBACK: Stroke(colour=INK, dashes="5 3", width_px=1.3),
        ArrowKind.REPORT: Stroke(colour=INK, dashes="5 3", width_px=1.8),
    }
)


def stroke_of(kind: ArrowKind, fate: Fate) -> Stroke:
    """Requests are unbroken and answers dashed, lost or not; late ones are dash and dot, closed ones dotted."""
    if fate is Fate.LATE:
        return Stroke(colour=_LATE, dashes="9 3 2 3", width_px=1.6)
    if fate is Fate.CLOSED:
        return Stroke(colour=_ALARM, dashes="1.5 3", width_px=1.6)
    stroke = _STROKES[kind]
    return Stroke(colour=_ALARM, dashes=stroke.dashes, width_px=1.6) if fate is Fate.LOST else stroke


def written(x_px: float, y_px: float, text: str, *, size_px: float, colour: str = INK, extra: str = "") -> str:
    """Text whose baseline begins at a point; `extra` holds further attributes."""
    return f'<text x="{_n(x_px)}" y="{_n(y_px)}" font-size="{_n(size_px)}" fill="{colour}"{extra}>{xml(text)}</text>'


def xml(text: str) -> str:
    """Text with its markup taken away."""
    return html.escape(text)


def arrow_shape(arrow: Arrow, start_px: tuple[float, float], end_px: tuple[float, float]) -> str:
    """A line between two lifelines with its head; a lost one ends half-way in a cross, and one for nobody in a ring."""
    stroke = stroke_of(arrow.kind, arrow.fate)
    (x1_px, y1_px), (x2_px, y2_px) = start_px, end_px
    if arrow.fate is Fate.LOST:
        x2_px = x1_px + math.copysign(min(abs(x2_px - x1_px) * 0.55, 60.0), x2_px - x1_px)
        return _line(x1_px, y1_px, x2_px, y2_px, stroke) + cross(x2_px, y2_px)
    if arrow.fate is Fate.LATE and arrow.end_at_s is None:
        x2_px = x1_px + (x2_px - x1_px) * 0.7
        ring = f'<circle cx="{_n(x2_px)}" cy="{_n(y2_px)}" r="3.5" fill="#fff" stroke="{stroke.colour}"/>'
        return _line(x1_px, y1_px, x2_px, y2_px, stroke) + ring
    angle = math.atan2(y2_px - y1_px, x2_px - x1_px)
    tip_x_px, tip_y_px = x2_px - math.cos(angle), y2_px - math.sin(angle)
    base_x_px, base_y_px = tip_x_px - _HEAD_PX * math.cos(angle), tip_y_px - _HEAD_PX * math.sin(angle)
    across_x_px, across_y_px = 3.4 * math.sin(angle), -3.4 * math.cos(angle)
    corners = (
        (tip_x_px, tip_y_px),
        (base_x_px + across_x_px, base_y_px + across_y_px),
        (base_x_px - across_x_px, base_y_px - across_y_px),
    )
    fill = "#fff" if arrow.fate is Fate.CLOSED else stroke.colour
    return _line(x1_px, y1_px, base_x_px, base_y_px, stroke) + _polygon(corners, fill=fill, stroke=stroke.colour)


def cross(x_px: float, y_px: float) -> str:
    """Where a message was lost."""
    stroke = Stroke(colour=_ALARM, dashes="", width_px=2.2)
    return _line(x_px - 4.5, y_px - 4.5, x_px + 4.5, y_px + 4.5, stroke) + _line(
        x_px - 4.5, y_px + 4.5, x_px + 4.5, y_px - 4.5, stroke
    )


def mark_shape(mark: Mark, x_px: float, y_px: float) -> str:
    """A sign on a lifeline, drawn around a point."""
    match mark.kind:
        case MarkKind.EFFECT:
            colour = _ALARM if mark.is_duplicate else INK
            box = _box(x_px, y_px, 9.0, fill=colour, stroke=colour)
            frame = _box(x_px, y_px, 11.0, fill="none", stroke=colour) if mark.is_duplicate else ""
            bold = ' text-anchor="middle" font-weight="bold"'
            return frame + box + written(x_px, y_px + 4, str(mark.number), size_px=11, colour="#fff", extra=bold)
        case MarkKind.CRASH:
            return _polygon(_star(x_px, y_px), fill=_ALARM, stroke="#fff")
        case MarkKind.STATE:
            return _box(x_px, y_px, 5.0, fill="#fff", stroke=INK)
        case MarkKind.RECEIPT:
            return _box(x_px, y_px, 5.0, fill="#fff", stroke=INK) + _box(x_px, y_px, 2.0, fill=INK, stroke=INK)
        case MarkKind.READBACK:
            diamond = ((x_px, y_px - 7), (x_px + 7, y_px), (x_px, y_px + 7), (x_px - 7, y_px))
            return _polygon(diamond, fill="#fff", stroke=INK)
        case MarkKind.TIMEOUT:
            glass = ((x_px - 5, y_px - 7), (x_px + 5, y_px - 7), (x_px - 5, y_px + 7), (x_px + 5, y_px + 7))
            return _polygon(glass, fill="#fff", stroke=_ALARM)
        case MarkKind.FAULT:
            triangle = ((x_px, y_px - 8), (x_px + 8, y_px + 6), (x_px - 8, y_px + 6))
            sign = written(x_px, y_px + 4.5, "!", size_px=10, colour=_ALARM, extra=' text-anchor="middle"')
            return _polygon(triangle, fill="#fff", stroke=_ALARM) + sign
        case MarkKind.REPORT:
            place = f'x="{_n(x_px - REPORT_HALF_PX)}" y="{_n(y_px - 8)}" width="{_n(2 * REPORT_HALF_PX)}"'
            bold = ' text-anchor="middle" font-weight="bold"'
            outcome = written(x_px, y_px + 3, mark.label, size_px=8, extra=bold)
            return f'<rect {place} height="16" rx="8" fill="#fff" stroke="{INK}" stroke-width="1.3"/>{outcome}'


def _line(x1_px: float, y1_px: float, x2_px: float, y2_px: float, stroke: Stroke) -> str:
    dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
    ends = f'x1="{_n(x1_px)}" y1="{_n(y1_px)}" x2="{_n(x2_px)}" y2="{_n(y2_px)}"'
    return f'<line {ends} stroke="{stroke.colour}" stroke-width="{_n(stroke.width_px)}"{dashes}/>'


def _polygon(corners_px: tuple[tuple[float, float], ...], *, fill: str, stroke: str) -> str:
    points = " ".join(f"{_n(x_px)},{_n(y_px)}" for x_px, y_px in corners_px)
    return f'<polygon points="{points}" fill="{fill}" stroke="{stroke}" stroke-width="1.3"/>'


def _box(x_px: float, y_px: float, half_px: float, *, fill: str, stroke: str) -> str:
    height_px = min(half_px, 8.0) if half_px < 10 else 10.0
    place = f'x="{_n(x_px - half_px)}" y="{_n(y_px - height_px)}"'
    size = f'width="{_n(2 * half_px)}" height="{_n(2 * height_px)}"'
    return f'<rect {place} {size} fill="{fill}" stroke="{stroke}" stroke-width="1.3"/>'


def _star(x_px: float, y_px: float) -> tuple[tuple[float, float], ...]:
    radii_px = (10.0, 4.5)
    return tuple(
        (
            x_px + radii_px[point % 2] * math.sin(math.pi * point / 8),
            y_px - radii_px[point % 2] * math.cos(math.pi * point / 8),
        )
        for point in range(16)
    )


def _n(value: float) -> str:
    """A coordinate to a tenth of a pixel, so that no rounding of a platform shows."""
    return f"{value:.1f}".removesuffix(".0")
