"""A stack under load around an outage of the system below: what arrives there, what gets done, and what is done twice.

The layers are those of the stack, one stack for each client. The system of record recognises a repeat where the write
path lets it, within what it guarantees; what the tool itself records does not hold back the layers below it.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from simkit.distributions import Discrete
from simkit.errors import ScenarioError
from simkit.policy import KnownBy, known_by
from simkit.scenario import Arrivals, Link, LoadLayer, LoadScenario, LoadService, Outage, RateStep, RetryLayer, Scenario
from simkit.study.load import over_time, run_figures
from simkit.study.stacks.protection import guaranteed_s
from simkit.terms import ErrorClass, LayerName
from simkit.world.load import run_load

__all__ = ["OutageCourse", "outage_course", "stack_under_load"]

FOR_EVER_S: Final = 1e9

ENDINGS: Final = ("503", "read timeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutageCourse:
    """What one run around an outage shows.

    Parameters
    ----------
    course
        A pandas frame by time, of `simkit.study.load.over_time`: per second `begun`, `offered`, `goodput`, `effects`.
    duplicated_count, operation_count
        Operations with more than one effect, of all.
    amplification
        Requests that reached the system of record, for each operation.
    busiest_per_s
        Most requests per second that reached it, in one bin.
    capacity_per_s
        What it can serve.
    """

    course: Any
    from_s: float
    until_s: float
    duplicated_count: int
    operation_count: int
    amplification: float
    busiest_per_s: float
    capacity_per_s: float


def stack_under_load(
    scenario: Scenario,
    *,
    calls_per_s: float,
    client_count: int,
    capacity_per_s: float,
    from_s: float,
    duration_s: float,
    until_s: float,
    ending: str,
) -> LoadScenario:
    """The stack of a scenario as a world under load, with one outage.

    Parameters
    ----------
    calls_per_s
        Operations that all clients begin per second, as a Poisson process.
    capacity_per_s
        Requests per second that the system of record can serve.
    ending
        `503`: requests are refused and nothing is done. `read timeout`: they are done, and nobody is told.
    until_s
        No operation begins later; the run goes on for as long again.

    Raises
    ------
    ScenarioError
        If `ending` is another one.
    """
    if ending not in ENDINGS:
        message = f"ending: one of {', '.join(ENDINGS)}; got {ending!r}"
        raise ScenarioError(message)
    is_silent = ending == ENDINGS[1]
    work_s = scenario.downstreams[0].work.s_typical
    layers = tuple(LoadLayer.of(_listing(layer), name=str(layer.name), link=Link()) for layer in scenario.layers)
    return LoadScenario(
        name=scenario.name,
        source="own",
        arrivals=Arrivals(
            client_count=client_count,
            steps=(RateStep(from_s=0.0, calls_per_s=calls_per_s / client_count),),
            until_s=until_s,
        ),
        layers=layers,
        service=LoadService(
            work=Discrete.of(work_s),
            server_count=max(1, round(capacity_per_s * work_s)),
            outages=(
                Outage(
                    from_s=from_s,
                    duration_s=duration_s,
                    failure=ErrorClass.TIMEOUT if is_silent else ErrorClass.UNAVAILABLE,
                    after_work=is_silent,
                ),
            ),
            retry_after_s=scenario.downstreams[0].retry_after_s,
            key_retention_s=_key_retention_s(scenario),
        ),
        cut_at_s=2 * until_s,
        calls_bear_key=_is_named(scenario),
    )


def outage_course(load: LoadScenario, *, seed: int, bin_s: float, capacity_per_s: float) -> OutageCourse:
    """Run it once."""
    run = run_load(load, seed=seed)
    course = over_time(run, bin_s=bin_s, until_s=load.arrivals.until_s)
    figures = run_figures(run)
    outage = load.service.outages[0]
    return OutageCourse(
        course=course,
        from_s=outage.from_s,
        until_s=outage.until_s,
        duplicated_count=figures.duplicated_count,
        operation_count=figures.operation_count,
        amplification=figures.amplification,
        busiest_per_s=float(course["offered"].max()),
        capacity_per_s=capacity_per_s,
    )


def _listing(layer: RetryLayer) -> RetryLayer:
    """The layer with what it repeats as a list: an agent that lists nothing repeats whatever is open."""
    if layer.name is not LayerName.AGENT or layer.lists_its_failures:
        return layer
    return replace(layer, retries_on=tuple(error for error in ErrorClass if error is not ErrorClass.CONFLICT))


def _key_retention_s(scenario: Scenario) -> float | None:
    """For how long a repeat is recognised for certain; None where nothing that is sent tells one."""
    system = scenario.downstreams[0]
    kind = known_by(system.deduplication)
    mints = any(layer.mints_key is not None for layer in scenario.layers)
    is_seen = kind is KnownBy.CONTENT or (kind is not KnownBy.NOTHING and (_is_named(scenario) or mints))
    window_s = guaranteed_s(system.key_retention) if is_seen else 0.0
    if window_s == 0:
        return None
    return FOR_EVER_S if window_s == inf else window_s


def _is_named(scenario: Scenario) -> bool:
    """Whether something that is sent tells an operation from others; a key that a layer mints comes on top."""
    return bool(scenario.stages[0].key or scenario.calls[0].target)
