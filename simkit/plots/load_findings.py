"""What tables of worlds under load say, as sentences: the titles of their pictures, and what a notebook ends with."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from simkit.study.load import CollapsedRuns, LoadStep, Sweep

__all__ = [
    "backoff_findings",
    "borne_per_s",
    "collapse_finding",
    "hysteresis_finding",
    "outage_finding",
    "recovered_after_s",
    "strategy_findings",
    "turning_index",
    "words",
]

_WORDS: Final = MappingProxyType(
    {
        "backoff-none": "no wait",
        "collapse-at-once": "Retries at once",
        "collapse-with-jitter": "Retries after a random wait",
        "metastable-outage": "One retry",
        "metastable-outage-budgeted": "A budget for retries",
        "metastable-outage-light": "One retry, half the load",
        "retries-none": "no retry",
        "retries-three": "three retries",
    }
)

BORNE_FRACTION: Final = 0.8
"""Of the load that has to be done for it to count as borne; far below what chance takes from it in one run."""


def words(name: str) -> str:
    """What a scenario is called in a picture: ``backoff-full-jitter`` is full jitter, its name without its family."""
    return _WORDS.get(name, name.partition("-")[2].replace("-", " "))


def backoff_findings(frame: pd.DataFrame) -> tuple[str, str]:
    """Of writes and of time with most clients: ways to wait with jitter against those without."""
    count = int(frame.client_count.max())
    rows = frame[frame.client_count == count].set_index("algorithm")
    has_jitter = rows.index.str.endswith("jitter")
    jittered, others = rows[has_jitter], rows[~has_jitter].sort_values("last_s")
    writes, last_s = jittered.write_count_mean, jittered.last_s
    rest = ", ".join(f"{words(str(name))} {one:.3g} s" for name, one in others.last_s.items())
    with_it, without = f"{writes.min():,.0f} to {writes.max():,.0f}", f"{others.write_count_mean.min():,.0f} or more"
    return (
        f"{count} clients with jitter send {with_it} writes, without it {without}",
        f"With jitter the last is done after {last_s.min():.3g} to {last_s.max():.3g} s; {rest}",
    )


def strategy_findings(sweeps: Mapping[str, Sweep]) -> tuple[str, str]:
    """Of success and of load at the largest failure rate: the strategy that gets most done against all others."""
    rate = max(next(iter(sweeps.values())).failure_probabilities)
    done = {name: _at(sweep, rate, "success_fraction") for name, sweep in sweeps.items()}
    sent = {name: _at(sweep, rate, "amplification") for name, sweep in sweeps.items()}
    best = max(done, key=done.__getitem__)
    other_done, other_sent = (max(value for name, value in found.items() if name != best) for found in (done, sent))
    success, load = f"{done[best]:.0%} of calls succeed with {words(best)}", f"{words(best)} send {sent[best]:.2f}"
    return (
        f"At {rate:.0%} failures {success}, at most {other_done:.0%} otherwise",
        f"At {rate:.0%} failures {load} requests a call, all others at most {other_sent:.2f}",
    )


def collapse_finding(name: str, found: CollapsedRuns) -> str:
    """In how many runs the load in flight never came down, with the interval."""
    interval = f"{found.lower:.0%} to {found.upper:.0%}"
    return f"{words(name)}: {found.collapsed_count} of {found.trial_count} runs stay collapsed ({interval})"


def recovered_after_s(course: pd.DataFrame, *, until_s: float) -> float | None:
    """How long after an outage goodput is back for good, to the end of a bin; None if it is not by the end."""
    is_down = course.goodput < BORNE_FRACTION * course.begun
    if is_down.iloc[-1]:
        return None
    last_at_s = course.index[is_down].max()
    half_bin_s = (course.index[1] - course.index[0]) / 2
    return 0.0 if pd.isna(last_at_s) else max(0.0, float(last_at_s + half_bin_s - until_s))


def outage_finding(name: str, course: pd.DataFrame, *, until_s: float) -> str:
    """Whether a service comes back, and when."""
    after_s = recovered_after_s(course, until_s=until_s)
    if after_s is None:
        goodput_per_s, begun_per_s = course.goodput.iloc[-5:].mean(), course.begun.iloc[-5:].mean()
        return f"{words(name)}: it stays down, {goodput_per_s:.0f} of {begun_per_s:.0f}/s done"
    return f"{words(name)}: it is back {after_s:.0f} s after the outage"


def turning_index(steps: tuple[LoadStep, ...]) -> int:
    """Which step has the highest load; those before it are the way up."""
    return max(range(len(steps)), key=lambda index: steps[index].calls_per_s)


def borne_per_s(steps: tuple[LoadStep, ...]) -> float:
    """The highest load of which nearly all was done; 0 if there is none."""
    borne = [step.calls_per_s for step in steps if step.goodput_per_s >= BORNE_FRACTION * step.calls_per_s]
    return max(borne, default=0.0)


def hysteresis_finding(steps: tuple[LoadStep, ...]) -> str:
    """What was borne on the way up, against what was borne on the way down."""
    turn = turning_index(steps)
    up, down = borne_per_s(steps[: turn + 1]), borne_per_s(steps[turn:])
    return f"As the load rises {up:.0f}/s is borne; as it falls, nothing above {down:.0f}/s"


def _at(sweep: Sweep, failure_probability: float, figure: str) -> Any:
    return sweep.trials[sweep.failure_probabilities.index(failure_probability)].of(figure).mean
