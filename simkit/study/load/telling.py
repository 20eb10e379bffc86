"""The figures of several runs as lines that people read, and as one JSON object."""

from typing import Any

from simkit.scenario import LoadScenario
from simkit.study.load.counting import RunFigures
from simkit.study.load.trials import CONFIDENCE, LoadTrials

__all__ = ["load_document", "load_lines"]

SAID = (
    ("operation_count", "operations"),
    ("success_fraction", "of them reported as done"),
    ("amplification", "requests at the service for each"),
    ("effect_count_mean", "effects for each"),
    ("duplicated_count", "operations with more than one effect"),
    ("denied_count", "reported as failed, with an effect"),
    ("unknown_count", "reported as unknown"),
    ("open_count", "still open at the end"),
    ("finished_s_mean", "seconds until the client is told"),
    ("finished_s_max", "seconds until the last client is told"),
)


def load_lines(scenario: LoadScenario, trials: LoadTrials) -> list[str]:
    """What a terminal shows."""
    count = len(trials.runs)
    runs = (
        f"{count} independent runs, {CONFIDENCE:.0%} intervals (Student's t)" if count > 1 else "one run, no interval"
    )
    lines = [f"{scenario.name} (source: {scenario.source})", f"{runs}, seed {trials.seed}"]
    width = max(len(words) for _, words in SAID)
    for name, words in SAID:
        estimate = trials.of(name)
        # Of a number that is the same in every run the interval would be a point, which says too much.
        is_same = len({getattr(run, name) for run in trials.runs}) == 1
        interval = "in every run" if is_same else f"{estimate.low:.5g} to {estimate.high:.5g}"
        lines.append(f"  {words:{width}}  {estimate.mean:>10.5g}" + (f"   {interval}" if count > 1 else ""))
    return [*lines, *trials.cuts]


def load_document(scenario: LoadScenario, trials: LoadTrials) -> dict[str, Any]:
    """What `--json` prints: each figure with its interval and the value of each run."""
    figures = {}
    for name in RunFigures.names():
        estimate = trials.of(name)
        values = [getattr(run, name) for run in trials.runs]
        figures[name] = {"mean": estimate.mean, "low": estimate.low, "high": estimate.high, "runs": values}
    return {
        "schema_version": 1,
        "scenario": scenario.name,
        "source": scenario.source,
        "scenario_digest": trials.scenario_digest,
        "seed": trials.seed,
        "trial_count": len(trials.runs),
        "confidence": CONFIDENCE,
        "cuts": list(trials.cuts),
        "figures": figures,
    }
