"""Pictures of the published models: each takes tables of `simkit.study.load`, and says its finding in the title."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from simkit.plots.load_drawing import LOOKS, drawn
from simkit.study.load import LoadStep, Sweep

__all__ = ["backoff_picture", "courses_picture", "hysteresis_picture", "strategies_picture"]


def backoff_picture(frame: pd.DataFrame) -> str:
    """Writes and time against the number of clients, from the committed table; bands are 95 % intervals."""

    def draw(axes: Any) -> None:
        for (algorithm, rows), (colour, line) in zip(frame.groupby("algorithm", sort=False), LOOKS, strict=True):
            label = str(algorithm).removeprefix("backoff-").replace("-", " ")
            for one, mean, low, high in (
                (axes[0], "write_count_mean", "write_count_low", "write_count_high"),
                (axes[1], "last_s", "last_s_low", "last_s_high"),
            ):
                one.plot(rows.client_count, rows[mean], color=colour, linestyle=line, label=label, linewidth=1.6)
                one.fill_between(rows.client_count, rows[low], rows[high], color=colour, alpha=0.2, linewidth=0)
        axes[0].set(title="Jitter saves writes ...", xlabel="clients", ylabel="writes in all", ylim=0)
        axes[1].set(title="... and the same wait for everybody takes longest", xlabel="clients", ylabel="last done, s")
        axes[1].set_yscale("log")
        axes[0].legend()

    alt = "Writes and time against 10 to 190 clients for five ways to wait. Full and decorrelated jitter need least."
    return drawn(draw, column_count=2, alt=alt)


def strategies_picture(sweeps: Mapping[str, Sweep]) -> str:
    """Success and load against the failure rate, for each strategy; bars are 95 % intervals."""

    def draw(axes: Any) -> None:
        for (name, sweep), (colour, line) in zip(sweeps.items(), LOOKS, strict=False):
            for one, figure in ((axes[0], "success_fraction"), (axes[1], "amplification")):
                found = [trials.of(figure) for trials in sweep.trials]
                means = [estimate.mean for estimate in found]
                halves = [estimate.high - estimate.mean for estimate in found]
                label, rates = name.removeprefix("retries-"), sweep.failure_probabilities
                one.errorbar(rates, means, halves, color=colour, linestyle=line, label=label, capsize=2)
        axes[0].set(title="Retries help while few requests fail", xlabel="failure rate", ylabel="calls that succeed")
        axes[1].set(title="Only limits bound the load they add", xlabel="failure rate", ylabel="requests for each call")
        axes[0].legend()

    alt = "Success and requests for each call against the failure rate. Three retries double the load; limits hold it."
    return drawn(draw, column_count=2, alt=alt)


def courses_picture(courses: Mapping[str, pd.DataFrame], *, title: str, columns: Mapping[str, str], unit: str) -> str:
    """One panel for each run: columns of `over_time` against time."""

    def draw(axes: Any) -> None:
        panels = axes if len(courses) > 1 else [axes]
        for one, (name, course) in zip(panels, courses.items(), strict=True):
            for (column, label), (colour, line) in zip(columns.items(), LOOKS, strict=False):
                one.plot(course.index, course[column], color=colour, linestyle=line, label=label, linewidth=1.4)
            one.set(title=name, xlabel="time, s", ylabel=unit, ylim=0)
        panels[0].legend()
        panels[0].figure.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=10)

    return drawn(draw, column_count=len(courses), alt=title)


def hysteresis_picture(steps: tuple[LoadStep, ...]) -> str:
    """Goodput against load, on the way up and on the way down again."""

    def draw(axes: Any) -> None:
        turn = max(range(len(steps)), key=lambda index: steps[index].calls_per_s)
        for part, label, (colour, line), marker in (
            (steps[: turn + 1], "load rises", LOOKS[3], "o"),
            (steps[turn:], "load falls", LOOKS[1], "s"),
        ):
            loads, goods = [step.calls_per_s for step in part], [step.goodput_per_s for step in part]
            axes.plot(loads, goods, color=colour, linestyle=line, marker=marker, label=label)
        axes.axvline(150, color="#777777", linewidth=0.8, linestyle=":")
        axes.set(
            title="What the database bore on the way up, it does not bear on the way down (dotted: 150/s)",
            xlabel="queries begun, 1/s",
            ylabel="goodput, 1/s",
        )
        axes.legend()

    alt = "Goodput equals the load as it rises to the capacity, and stays near 0 as it falls, until below 150 a second."
    return drawn(draw, alt=alt)
