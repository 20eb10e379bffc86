"""Pictures of the published models: each takes tables of `simkit.study.load`, and says its finding in the title."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from simkit.plots.load_drawing import LOOKS, drawn, wrapped
from simkit.plots.load_findings import (
    backoff_findings,
    collapse_finding,
    hysteresis_finding,
    outage_finding,
    strategy_findings,
    turning_index,
    words,
)
from simkit.study.load import CollapsedRuns, LoadStep, Sweep

__all__ = ["backoff_picture", "collapse_picture", "hysteresis_picture", "outage_picture", "strategies_picture"]

_SHADE: Final = "#e9ecf0"
_THIN: Final = "#9aa2ab"
_LINES: Final = MappingProxyType(
    {"begun": "calls begun", "offered": "requests that arrive", "goodput": "calls told as done"}
)


def backoff_picture(frame: pd.DataFrame) -> str:
    """Writes and time against the number of clients, from the committed table; bars are 95 % intervals."""
    titles = backoff_findings(frame)

    def draw(axes: Any) -> None:
        for (algorithm, rows), look in zip(frame.groupby("algorithm", sort=False), LOOKS, strict=True):
            for one, mean, low, high in (
                (axes[0], "write_count_mean", "write_count_low", "write_count_high"),
                (axes[1], "last_s", "last_s_low", "last_s_high"),
            ):
                ends = [rows[mean] - rows[low], rows[high] - rows[mean]]
                _bars(one, rows.client_count, rows[mean], ends, look, words(str(algorithm)))
        axes[0].set(title=wrapped(titles[0], 2), xlabel="clients", ylabel="writes of all clients", ylim=0)
        axes[1].set(title=wrapped(titles[1], 2), xlabel="clients", ylabel="until the last client is done, s")
        axes[1].set_yscale("log")
        axes[1].set_yticks([0.3, 1, 3, 10, 30, 100], ["0.3", "1", "3", "10", "30", "100"])
        axes[1].minorticks_off()
        axes[0].legend()

    return drawn(draw, column_count=2, alt=f"Five ways to wait against the number of clients. {'. '.join(titles)}.")


def strategies_picture(sweeps: Mapping[str, Sweep]) -> str:
    """Success and load against the failure rate, for each strategy; bars are 95 % intervals."""
    titles = strategy_findings(sweeps)

    def draw(axes: Any) -> None:
        for (name, sweep), look in zip(sweeps.items(), LOOKS, strict=False):
            for one, figure in ((axes[0], "success_fraction"), (axes[1], "amplification")):
                found = [trials.of(figure) for trials in sweep.trials]
                halves = [estimate.high - estimate.mean for estimate in found]
                rates = [100 * rate for rate in sweep.failure_probabilities]
                _bars(one, rates, [estimate.mean for estimate in found], halves, look, words(name))
        axes[0].set(title=wrapped(titles[0], 2), xlabel="requests that fail, %", ylabel="calls that succeed")
        axes[1].set(title=wrapped(titles[1], 2), xlabel="requests that fail, %", ylabel="requests for each call")
        axes[0].legend(loc="lower left")

    return drawn(draw, column_count=2, alt=f"Strategies against the failure rate. {'. '.join(titles)}.")


def collapse_picture(
    courses: Mapping[str, Sequence[pd.DataFrame]],
    found: Mapping[str, CollapsedRuns],
    *,
    spike_s: tuple[float, float],
) -> str:
    """In flight against time, a panel for each way to retry: the first run of each, and the others thin behind it."""
    titles = [collapse_finding(name, found[name]) for name in courses]

    def draw(axes: Any) -> None:
        for one, title, (first, *others) in zip(axes, titles, courses.values(), strict=True):
            _shade(one, spike_s, "twice the load")
            for other in others:
                one.plot(other.index, other.in_flight, color=_THIN, linewidth=0.6)
            one.plot(first.index, first.in_flight, color="#000000", linewidth=1.8, label="first run")
            one.plot([], [], color=_THIN, linewidth=0.6, label="the other runs")
            one.set(title=wrapped(title, 2), xlabel="time, s", ylim=0)
        axes[0].set_ylabel("requests in flight")
        axes[0].legend(loc="upper left")

    return drawn(draw, column_count=len(courses), is_y_shared=True, alt=f"After a spike: {'; '.join(titles)}.")


def outage_picture(courses: Mapping[str, pd.DataFrame], *, outage_s: tuple[float, float]) -> str:
    """What is begun, what arrives, and what is done against time, a panel for each world."""
    titles = [outage_finding(name, course, until_s=outage_s[1]) for name, course in courses.items()]

    def draw(axes: Any) -> None:
        for one, title, course in zip(axes, titles, courses.values(), strict=True):
            _shade(one, outage_s, "outage")
            for (column, label), (colour, line) in zip(_LINES.items(), LOOKS, strict=False):
                one.plot(course.index, course[column], color=colour, linestyle=line, label=label, clip_on=False)
            one.set(title=wrapped(title, 2), xlabel="time, s", ylim=0)
        axes[0].set_ylabel("each second")
        axes[-1].legend(loc="upper right")

    return drawn(draw, column_count=len(courses), is_y_shared=True, alt=f"Around an outage: {'; '.join(titles)}.")


def hysteresis_picture(steps: tuple[LoadStep, ...]) -> str:
    """Goodput against load, on the way up and on the way down again."""
    title = hysteresis_finding(steps)

    def draw(axes: Any) -> None:
        turn = turning_index(steps)
        for part, label, (colour, line), marker in (
            (steps[: turn + 1], "load rises", LOOKS[3], "o"),
            (steps[turn:], "load falls", LOOKS[1], "s"),
        ):
            loads, goods = [step.calls_per_s for step in part], [step.goodput_per_s for step in part]
            axes.plot(loads, goods, color=colour, linestyle=line, marker=marker, label=label)
        axes.set(title=title, xlabel="calls begun each second", ylabel="calls done each second")
        axes.legend(loc="upper left")

    return drawn(draw, alt=f"Calls done against calls begun, a loop. {title}.")


def _bars(axes: Any, across: Any, means: Any, halves: Any, look: Any, label: str) -> None:
    colour, line = look
    axes.errorbar(
        across, means, halves, color=colour, linestyle=line, label=label, capsize=2, elinewidth=1, linewidth=1.6
    )


def _shade(axes: Any, span_s: tuple[float, float], label: str) -> None:
    axes.axvspan(*span_s, color=_SHADE, linewidth=0, label=label)
