"""What all pictures of worlds under load share: colours that the colour-blind tell apart, lines, titles, SVG text."""

import io
import textwrap
from collections.abc import Callable
from html import escape
from importlib.resources import as_file, files
from typing import Any, Final

__all__ = ["LOOKS", "drawn", "wrapped"]

LOOKS: Final = (
    ("#000000", "-"),
    ("#d55e00", "--"),
    ("#009e73", "-."),
    ("#0072b2", (0, (5, 1, 1, 1, 1, 1))),
    ("#cc79a7", ":"),
)
"""Okabe and Ito's colours, each with a dash of its own, so that a print without colour tells them apart too."""

WIDTH_PT: Final = 662.0


def drawn(
    draw: Callable[[Any], None], *, column_count: int = 1, height_pt: float = 230.0, is_y_shared: bool = False, alt: str
) -> str:
    """Draw a picture of several panels as an ``<svg>`` element, the same bytes in every process.

    Parameters
    ----------
    draw
        Draws on the panels: an array of axes, or a single one.
    height_pt
        Of the picture.
    is_y_shared
        Whether all panels have one scale, so that heights can be compared from panel to panel.
    alt
        What it shows, for those who do not see it.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with as_file(files("simkit.plots") / "review.mplstyle") as style, mpl.rc_context(fname=style):
        mpl.rcParams.update({"font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9, "axes.grid.axis": "both"})
        mpl.rcParams.update({"xtick.labelsize": 9, "ytick.labelsize": 9, "legend.fontsize": 8.5})
        figure = Figure(figsize=(WIDTH_PT / 72, height_pt / 72), layout="constrained", facecolor="white")
        FigureCanvasSVG(figure)
        draw(figure.subplots(1, column_count, sharey=is_y_shared))
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    text = buffer.getvalue()
    text = text[text.index("<svg") :].strip()
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(alt, quote=True)}" ', 1)


def wrapped(title: str, line_count: int) -> str:
    """A title in so many lines of about equal length, so that it stays above its own panel."""
    width = -(-len(title) // line_count)
    while len(lines := textwrap.wrap(title, width)) > line_count:
        width += 1
    return "\n".join(lines)
