"""Both risks of a stack in one picture: what it multiplies, what it does twice, who gives up first, and an outage."""

import io
import math
from html import escape
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from simkit.study.stacks import LayeredResult

__all__ = ["layered_figure", "layered_svg", "write_layered"]

_WAITS: Final = "#0b5cad"
_RUNS_ON: Final = "#d9822b"
_GOOD: Final = "#00664b"
_QUIET: Final = "#8a929c"
_INK: Final = "#4a525c"
_ARRIVES: Final = "#d55e00"
_DONE: Final = "#0072b2"
_FAILURE_COLOURS: Final = ("#0072b2", "#d55e00", "#000000")
_LINES: Final = ("-", "--", ":")
LONGEST_SHOWN_S: Final = 600.0
WIDTH_IN: Final = 9.6
HEIGHT_IN: Final = 6.6


def layered_figure(result: LayeredResult) -> Any:
    """Draw it: a matplotlib figure with four panels, not registered with any window system."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with as_file(files("simkit.plots") / "review.mplstyle") as sheet, style.context(sheet):
        figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), layout="constrained", facecolor="white")
        (counts, twice), (times, course) = figure.subplots(2, 2)
        _draw_requests(counts, result)
        _draw_duplicates(twice, result)
        _draw_budgets(times, result)
        _draw_outage(course, result)
        figure.suptitle(_finding(result), x=0.01, ha="left", fontsize=9, fontweight="bold")
    return figure


def layered_svg(result: LayeredResult) -> str:
    """The picture as an ``<svg>`` element with a text for those who do not see it, the same for the same result."""
    written = io.StringIO()
    _save(result, written, "svg")
    text = written.getvalue()
    alt = escape(_finding(result).replace("\n", " "), quote=True)
    return text[text.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1)


def write_layered(result: LayeredResult, path: Path) -> None:
    """Write the picture, as SVG or PNG by the end of its name."""
    written = io.BytesIO()
    _save(result, written, path.suffix.removeprefix(".").lower())
    path.write_bytes(written.getvalue())


def _save(result: LayeredResult, written: Any, kind: str) -> None:
    from matplotlib import style

    with as_file(files("simkit.plots") / "review.mplstyle") as sheet, style.context(sheet):
        figure = layered_figure(result)
        figure.savefig(written, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)


def _draw_requests(axes: Any, result: LayeredResult) -> None:
    axes.set_title("Overload: requests per operation at the system below")
    for (failure, rows), colour, line in zip(_by_failure(result), _FAILURE_COLOURS, _LINES, strict=False):
        requests = rows["downstream_sdk_attempts"]
        axes.plot(rows["failure_probability"], requests, line, color=colour, label=failure)
    most = result.counts["downstream_sdk_attempts"].max()
    axes.set_ylim(0, most * 1.1)
    followed = "" if result.is_known else ", as far as followed"
    axes.annotate(f"{most:.3g} at most{followed}", (1.0, most), ha="right", va="bottom", color=_INK)
    _finish(axes, "probability that a request fails", "requests (mean)")


def _draw_duplicates(axes: Any, result: LayeredResult) -> None:
    axes.set_title("Duplicates: more than one effect of one operation")
    for (failure, rows), colour, line in zip(_by_failure(result), _FAILURE_COLOURS, _LINES, strict=False):
        axes.plot(rows["failure_probability"], rows["duplicate_probability"], line, color=colour, label=failure)
    axes.set_ylim(-0.02, 1.05)
    if result.is_known and not result.counts["duplicate_probability"].any():
        axes.annotate("none, whatever the rate", (0.5, 0.06), ha="center", color=_GOOD)
    _finish(axes, "probability that a request fails", "probability of a duplicate")


def _draw_budgets(axes: Any, result: LayeredResult) -> None:
    axes.set_title("Time: how long each layer waits for one try, and what runs on below")
    names = [str(budget.layer).replace("_", " ") for budget in result.budgets]
    longest_s = max((min(one.below_s, LONGEST_SHOWN_S) for one in result.budgets[:-1]), default=0.0)
    shown_s = max([longest_s, *(min(one.try_s, LONGEST_SHOWN_S) for one in result.budgets)])
    for row, budget in enumerate(result.budgets):
        waits_s = min(budget.try_s, shown_s)
        axes.barh(row, waits_s, color=_WAITS, height=0.5)
        runs_on_s = min(budget.runs_on_s, shown_s - waits_s)
        if budget.gives_up_first:
            axes.barh(row, runs_on_s, left=waits_s, color=_RUNS_ON, height=0.5)
        end_s = waits_s + (runs_on_s if budget.gives_up_first else 0.0)
        axes.annotate(_budget_said(budget), (end_s, row), xytext=(4, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, shown_s * 1.75 or 1.0)
    axes.set_xlabel("seconds")


def _budget_said(budget: Any) -> str:
    waits = (
        "waits for ever" if math.isinf(budget.timeout_s) and math.isinf(budget.try_s) else f"waits {budget.try_s:.3g} s"
    )
    times = (
        "no end of tries" if budget.attempts is None else f"{budget.attempts} tries" if budget.attempts > 1 else "1 try"
    )
    if not budget.gives_up_first:
        return f"{waits}, {times}"
    below = "without an end" if math.isinf(budget.runs_on_s) else f"{budget.runs_on_s:.3g} s"
    return f"{waits}, {times}; below runs on {below}"


def _draw_outage(axes: Any, result: LayeredResult) -> None:
    outage = result.outages["503"]
    silent = result.outages["read timeout"]
    axes.set_title("An outage: nothing done (solid); done, nobody told (dashed)")
    axes.axvspan(outage.from_s, outage.until_s, color="#f1f3f6")
    axes.axhline(outage.capacity_per_s, color=_QUIET, linewidth=0.8)
    axes.annotate("capacity", (0.0, outage.capacity_per_s), va="bottom", color=_INK)
    for one, line in ((outage, "-"), (silent, "--")):
        is_first = one is outage
        axes.plot(one.course["offered"], line, color=_ARRIVES, label="requests that arrive" if is_first else None)
        axes.plot(one.course["goodput"], line, color=_DONE, label="operations told as done" if is_first else None)
    solid, dashed = (f"{one.duplicated_count:,} of {one.operation_count:,}" for one in (outage, silent))
    _finish(axes, f"seconds; done twice: solid {solid}, dashed {dashed}", "per second", "upper right")


def _finding(result: LayeredResult) -> str:
    """The stack, and in a line of its own what becomes of its operations at worst."""
    most = result.counts["downstream_sdk_attempts"].max()
    followed = "" if result.is_known else ", as far as followed"
    silent = result.outages["read timeout"]
    twice = f"{silent.duplicated_count:,} of {silent.operation_count:,} operations done twice or more"
    overload = f"up to {most:.3g} requests for one operation{followed}"
    return f"{result.scenario.name}:\n{overload}; with a silent outage {twice}"


def _by_failure(result: LayeredResult) -> list[tuple[str, Any]]:
    return [
        (failure, result.counts[result.counts["failure"] == failure]) for failure in result.counts["failure"].unique()
    ]


def _finish(axes: Any, below: str, beside: str, legend: str = "upper left") -> None:
    axes.set_xlabel(below)
    axes.set_ylabel(beside)
    axes.legend(loc=legend)
    axes.grid(visible=True, axis="y")
