"""Titles of pictures of worlds under load say what the numbers say: other numbers, another title."""

from typing import Any

import pandas as pd

from simkit.plots import (
    backoff_findings,
    collapse_finding,
    hysteresis_finding,
    outage_finding,
    recovered_after_s,
    strategy_findings,
)
from simkit.study.load import CollapsedRuns, LoadStep, RunFigures, Sweep
from simkit.study.load.trials import LoadTrials

__all__: list[str] = []


def _steps(*pairs: tuple[float, float]) -> tuple[LoadStep, ...]:
    return tuple(LoadStep(calls_per_s=load, goodput_per_s=goodput) for load, goodput in pairs)


def _course(*goodput: float) -> pd.DataFrame:
    """Bins of 2 s in which 100 calls are begun each second."""
    return pd.DataFrame({"begun": 100.0, "goodput": goodput}, index=[1.0 + 2 * index for index in range(len(goodput))])


def _sweep(success_fraction: float, amplification: float) -> Sweep:
    nothing: dict[str, Any] = dict.fromkeys(RunFigures.names(), 0)
    run = RunFigures(**{**nothing, "success_fraction": success_fraction, "amplification": amplification})
    trials = LoadTrials(scenario_name="any", scenario_digest="", seed=1, runs=(run,), cuts=())
    return Sweep(failure_probabilities=(0.5,), trials=(trials,))


def test_ways_to_wait_are_compared_where_there_are_most_clients() -> None:
    rows = [
        ("backoff-none", 10, 1.0, 90.0),
        ("backoff-none", 20, 900.0, 2.0),
        ("backoff-exponential", 20, 700.0, 80.0),
        ("backoff-full-jitter", 20, 300.0, 5.0),
        ("backoff-equal-jitter", 20, 200.0, 6.0),
    ]
    frame = pd.DataFrame(rows, columns=["algorithm", "client_count", "write_count_mean", "last_s"])

    writes, time = backoff_findings(frame)

    assert writes == "20 clients with jitter send 200 to 300 writes, without it 700 or more"
    assert time == "With jitter the last is done after 5 to 6 s; no wait 2 s, exponential 80 s"


def test_the_strategy_that_gets_most_done_is_held_against_the_best_of_the_others() -> None:
    sweeps = {"retries-none": _sweep(0.5, 1.0), "retries-three": _sweep(0.9, 1.9), "retries-breaker": _sweep(0.6, 1.1)}

    success, load = strategy_findings(sweeps)

    assert success == "At 50% failures 90% of calls succeed with three retries, at most 60% otherwise"
    assert load == "At 50% failures three retries send 1.90 requests a call, all others at most 1.10"


def test_collapsed_runs_are_said_with_their_interval() -> None:
    found = CollapsedRuns(collapsed_count=3, trial_count=4, lower=0.2, upper=0.99)

    assert collapse_finding("collapse-at-once", found) == "Retries at once: 3 of 4 runs stay collapsed (20% to 99%)"


def test_a_service_is_back_from_the_last_bin_on_in_which_it_was_down() -> None:
    # Down from 2 to 6 s and once more from 8 to 10 s; the outage ended at 4 s.
    course = _course(100, 0, 0, 100, 10, 100, 95)

    assert recovered_after_s(course, until_s=4.0) == 6.0
    assert outage_finding("own-world", course, until_s=4.0) == "world: it is back 6 s after the outage"


def test_a_service_that_is_down_at_the_end_is_not_back() -> None:
    course = _course(100, 0, 100, 0, 0, 0, 0, 0)

    assert recovered_after_s(course, until_s=4.0) is None
    assert outage_finding("own-world", course, until_s=4.0) == "world: it stays down, 0 of 100/s done"


def test_a_service_that_an_outage_does_not_touch_is_back_at_once() -> None:
    assert recovered_after_s(_course(100, 100, 100), until_s=4.0) == 0.0


def test_what_is_borne_on_the_way_down_is_told_from_what_was_borne_on_the_way_up() -> None:
    loop = _steps((100, 100), (200, 195), (300, 10), (200, 0), (100, 98))
    no_loop = _steps((100, 100), (200, 195), (300, 10), (200, 195), (100, 98))

    assert hysteresis_finding(loop) == "As the load rises 200/s is borne; as it falls, nothing above 100/s"
    assert hysteresis_finding(no_loop) == "As the load rises 200/s is borne; as it falls, nothing above 200/s"
