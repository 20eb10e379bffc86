"""How probable it is that something goes wrong, against what is accepted: intervals on a logarithmic axis."""

import io
import math
from dataclasses import dataclass
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import Final

from simkit.study.results import StudyResult

__all__ = ["Interval", "interval_picture", "intervals_of"]

WIDTH_PT: Final = 256.0
ROW_PT: Final = 13.0
FRAME_PT: Final = 34.0

_SUPERSCRIPTS: Final = MappingProxyType(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))

_INK: Final = "#1d242c"
_WITHIN: Final = "#00664b"
_OPEN: Final = "#7d4f00"
_ABOVE: Final = "#a83c00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Two ends of a probability, and what it is a probability of."""

    label: str
    lower_probability: float
    upper_probability: float


def intervals_of(result: StudyResult) -> tuple[Interval, ...]:
    """The intervals of a study that are known, in the order in which the page names them."""
    found = []
    for label, bounds in (
        ("faults independent", result.probability.independent),
        ("common cause", result.probability.common_cause),
    ):
        if bounds is not None:
            found.append(Interval(label=label, lower_probability=bounds.lower, upper_probability=bounds.upper))
    if result.sampling is not None:
        sampling = result.sampling
        found.append(
            Interval(
                label="sampled duplicates",
                lower_probability=sampling.lower_probability,
                upper_probability=sampling.upper_probability,
            )
        )
    return tuple(found)


def interval_picture(intervals: tuple[Interval, ...], *, risk_limit_probability: float) -> str:
    """Draw the intervals from above to below, with the limit as a line.

    An interval that begins at zero runs out of the picture with an arrow: a logarithmic axis has no zero.

    Parameters
    ----------
    risk_limit_probability
        Largest accepted probability, in 0..1; not drawn if 0.

    Returns
    -------
    str
        An ``<svg>`` element, the same bytes in every process.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    exponent_min, exponent_max = _exponents(intervals, risk_limit_probability)
    height_pt = FRAME_PT + ROW_PT * len(intervals)
    with as_file(files("simkit.plots") / "review.mplstyle") as style, mpl.rc_context(fname=style):
        figure = Figure(figsize=(WIDTH_PT / 72, height_pt / 72))
        FigureCanvasSVG(figure)
        left, bottom, top = 92 / WIDTH_PT, 16 / height_pt, 1 - 17 / height_pt
        axes = figure.add_axes((left, bottom, 1 - left - 8 / WIDTH_PT, top - bottom))
        axes.set_xscale("log")
        axes.set_xlim(10.0**exponent_min, 10.0**exponent_max)
        axes.set_ylim(len(intervals) - 0.5, -0.5)
        axes.set_yticks(range(len(intervals)), [interval.label for interval in intervals])
        step = max(1, math.ceil((exponent_max - exponent_min) / 5))
        exponents = range(exponent_min, exponent_max + 1, step)
        axes.set_xticks([10.0**exponent for exponent in exponents], [_power_words(exponent) for exponent in exponents])
        axes.minorticks_off()
        for index, interval in enumerate(intervals):
            start = max(interval.lower_probability, 10.0**exponent_min)
            end = max(interval.upper_probability, 10.0**exponent_min)
            colour, marker = _look(interval, risk_limit_probability)
            axes.plot([start, end], [index, index], color=colour, linewidth=2.6, solid_capstyle="butt")
            axes.plot([end], [index], marker, color=colour, markersize=4.2, clip_on=False)
            if interval.lower_probability < 10.0**exponent_min:
                axes.plot([start], [index], "<", color=colour, markersize=4.2, clip_on=False)
        if risk_limit_probability > 0:
            axes.axvline(risk_limit_probability, color=_INK, linewidth=1.1, linestyle=(0, (4, 2)))
        figure.text(0, 1 - 9 / height_pt, _title(intervals, risk_limit_probability), color=_INK, fontweight="bold")
        buffer = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=nothing)
    text = buffer.getvalue()
    return text[text.index("<svg") :].strip()


def _power_words(exponent: int) -> str:
    return "1" if exponent == 0 else f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def _exponents(intervals: tuple[Interval, ...], risk_limit_probability: float) -> tuple[int, int]:
    ends = [end for interval in intervals for end in (interval.lower_probability, interval.upper_probability)]
    shown = [value for value in (*ends, risk_limit_probability) if value > 0]
    smallest, largest = min(shown, default=0.1), max(shown, default=0.1)
    exponent_min = math.floor(math.log10(smallest) - 0.5)
    return max(exponent_min, -30), max(exponent_min + 1, min(0, math.ceil(math.log10(largest) + 0.2)))


def _look(interval: Interval, risk_limit_probability: float) -> tuple[str, str]:
    """Colour and marker: within the limit, across it, or above it."""
    if interval.upper_probability <= risk_limit_probability:
        return _WITHIN, "o"
    return (_ABOVE, "X") if interval.lower_probability > risk_limit_probability else (_OPEN, "D")


def _title(intervals: tuple[Interval, ...], risk_limit_probability: float) -> str:
    within_count = sum(interval.upper_probability <= risk_limit_probability for interval in intervals)
    return f"Upper ends within the risk limit (dashed): {within_count} of {len(intervals)}"
