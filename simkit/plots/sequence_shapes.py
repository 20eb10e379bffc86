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

from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate

__all__ = [
    "ALARM",
    "INK",
    "MUTED",
    "Stroke",
    "arrow_shape",
    "cross",
    "line",
    "polygon",
    "px_words",
    "stroke_of",
    "written",
    "xml",
]

INK: Final = "#1d242c"
MUTED: Final = "#5b6570"
_BLUE: Final = "#005a92"
ALARM: Final = "#b03a00"
_LATE: Final = "#8a5a00"
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
        ArrowKind.DELIVERY: Stroke(colour=_BLUE, dashes="12 2", width_px=2.4),
        ArrowKind.CLEAN_UP: Stroke(colour=INK, dashes="", width_px=2.0),
        ArrowKind.ANSWER: Stroke(colour=MUTED, dashes="5 3", width_px=1.3),
        ArrowKind.READBACK: Stroke(colour=INK, dashes="5 3", width_px=1.3),
        ArrowKind.REPORT: Stroke(colour=INK, dashes="5 3", width_px=1.8),
    }
)


def stroke_of(kind: ArrowKind, fate: Fate) -> Stroke:
    """Requests are unbroken, further deliveries thick, answers dashed; late ones dash and dot, closed ones dotted."""
    if fate is Fate.LATE:
        return Stroke(colour=_LATE, dashes="9 3 2 3", width_px=1.6)
    if fate is Fate.CLOSED:
        return Stroke(colour=ALARM, dashes="1.5 3", width_px=1.6)
    stroke = _STROKES[kind]
    return Stroke(colour=ALARM, dashes=stroke.dashes, width_px=1.6) if fate is Fate.LOST else stroke


def written(x_px: float, y_px: float, text: str, *, size_px: float, colour: str = INK, extra: str = "") -> str:
    """Text whose baseline begins at a point; `extra` holds further attributes."""
    place = f'x="{px_words(x_px)}" y="{px_words(y_px)}" font-size="{px_words(size_px)}"'
    return f'<text {place} fill="{colour}"{extra}>{xml(text)}</text>'


def xml(text: str) -> str:
    """Text with its markup taken away."""
    return html.escape(text)


def arrow_shape(arrow: Arrow, start_px: tuple[float, float], end_px: tuple[float, float]) -> str:
    """A line between two lifelines with its head; a lost one ends half-way in a cross, and one for nobody in a ring."""
    stroke = stroke_of(arrow.kind, arrow.fate)
    (x1_px, y1_px), (x2_px, y2_px) = start_px, end_px
    if arrow.fate is Fate.LOST:
        x2_px = x1_px + math.copysign(min(abs(x2_px - x1_px) * 0.55, 60.0), x2_px - x1_px)
        return line(x1_px, y1_px, x2_px, y2_px, stroke) + cross(x2_px, y2_px)
    if arrow.fate is Fate.LATE and arrow.end_at_s is None:
        x2_px = x1_px + (x2_px - x1_px) * 0.7
        ring = f'<circle cx="{px_words(x2_px)}" cy="{px_words(y2_px)}" r="3.5" fill="#fff" stroke="{stroke.colour}"/>'
        return line(x1_px, y1_px, x2_px, y2_px, stroke) + ring
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
    return line(x1_px, y1_px, base_x_px, base_y_px, stroke) + polygon(corners, fill=fill, stroke=stroke.colour)


def cross(x_px: float, y_px: float) -> str:
    """Where a message was lost."""
    stroke = Stroke(colour=ALARM, dashes="", width_px=2.2)
    return line(x_px - 4.5, y_px - 4.5, x_px + 4.5, y_px + 4.5, stroke) + line(
        x_px - 4.5, y_px + 4.5, x_px + 4.5, y_px - 4.5, stroke
    )


def line(x1_px: float, y1_px: float, x2_px: float, y2_px: float, stroke: Stroke) -> str:
    """A straight line."""
    dashes = f' stroke-dasharray="{stroke.dashes}"' if stroke.dashes else ""
    ends = f'x1="{px_words(x1_px)}" y1="{px_words(y1_px)}" x2="{px_words(x2_px)}" y2="{px_words(y2_px)}"'
    return f'<line {ends} stroke="{stroke.colour}" stroke-width="{px_words(stroke.width_px)}"{dashes}/>'


def polygon(corners_px: tuple[tuple[float, float], ...], *, fill: str, stroke: str) -> str:
    """A closed shape with a thin rim."""
    points = " ".join(f"{px_words(x_px)},{px_words(y_px)}" for x_px, y_px in corners_px)
    return f'<polygon points="{points}" fill="{fill}" stroke="{stroke}" stroke-width="1.3"/>'


def px_words(value: float) -> str:
    """A coordinate to a tenth of a pixel, so that no rounding of a platform shows."""
    return f"{value:.1f}".removesuffix(".0")
