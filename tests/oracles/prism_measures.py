"""The numbers of a scenario as a model needs them: durations in ticks, and rates as fractions."""

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from math import gcd

from simkit.distributions import Wait
from simkit.scenario import Downstream, Scenario
from simkit.terms import Identity
from tests.oracles.plain_layers import attempts_of, backoff_of
from tests.oracles.prism_rules import without_rule

__all__ = ["Measures"]

MICROSECONDS_PER_S = 1_000_000


class Measures:
    """Ticks and rates of one scenario.

    Parameters
    ----------
    scenario
        One call, one stage, one attempt of the SDK below the server.
    has_intervals
        Whether a wait takes any duration between its bounds, not only its typical one.
    ticks_per_bound
        Ticks to the largest duration that all others are multiples of.

    Raises
    ------
    ValueError
        If the model has no rule for a field.
    """

    def __init__(self, scenario: Scenario, *, has_intervals: bool = False, ticks_per_bound: int = 1) -> None:
        for problem in without_rule(scenario):
            message = f"{scenario.name}: the model has no rule for {problem}"
            raise ValueError(message)
        self._scenario = scenario
        self._rates = {rate.site: Fraction(str(rate.probability)) for rate in scenario.conditions.rates}
        durations_s = _durations_s(scenario, has_intervals=has_intervals)
        self._tick = reduce(gcd, (_microseconds(seconds) for seconds in durations_s)) // ticks_per_bound
        self._longest_s = _longest_s(scenario, has_intervals=has_intervals)
        if self._longest_s > scenario.conditions.retry_horizon_s:
            message = f"{scenario.name}: the model has no rule for a horizon that ends a run"
            raise ValueError(message)

    def rate(self, site: str) -> Fraction:
        """Probability of a fault; 0 at a site that takes no part."""
        return self._rates.get(site, Fraction(0))

    def ticks(self, seconds: float) -> int:
        """A duration as a whole number of ticks."""
        return _microseconds(seconds) // self._tick

    @property
    def episode_ticks(self) -> int:
        """How long an episode lasts."""
        return self.ticks(self._scenario.conditions.episode_s)

    def outlasts(self, seconds: float) -> bool:
        """Whether a duration is longer than the longest run, so that nobody sees its end."""
        return seconds > self._longest_s

    @property
    def has_key(self) -> bool:
        """Whether the system of record recognises a repeat."""
        (stage,) = self._scenario.stages
        has_id = self._scenario.agent.identity is Identity.PER_INTENT
        return has_id and stage.key is not None and self.downstream.key_retention is not None

    @property
    def downstream(self) -> Downstream:
        """The one system of record."""
        (downstream,) = self._scenario.downstreams
        return downstream


def _waits(scenario: Scenario) -> Iterator[Wait]:
    for layer in scenario.layers:
        yield backoff_of(layer)
    for hop in scenario.hops:
        yield from (hop.request, hop.response)
    if scenario.server.readback is not None:
        yield scenario.server.readback.latency
    for downstream in scenario.downstreams:
        yield downstream.work


def _durations_s(scenario: Scenario, *, has_intervals: bool) -> Iterator[float]:
    """Every duration that may be counted down."""
    for wait in _waits(scenario):
        yield from (wait.s_min, wait.s_max) if has_intervals else (wait.s_typical,)
    for layer in scenario.layers:
        yield layer.timeout_s or 0.0
    for hop in scenario.hops:
        yield hop.latest_landing_s
    yield scenario.conditions.episode_s
    server = scenario.server
    yield server.lease_s or 0.0
    yield server.retention.retention_s
    if server.readback is not None:
        yield server.readback.lag_s_max
    for downstream in scenario.downstreams:
        yield 0.0 if downstream.key_retention is None else downstream.key_retention.retention_s


def _longest_s(scenario: Scenario, *, has_intervals: bool) -> float:
    """More than any run may take: every layer waits as long as it can, and everything lands at its latest."""

    def most(wait: Wait) -> float:
        return wait.s_max if has_intervals else wait.s_typical

    longest_s = 0.0
    for layer in scenario.layers:
        longest_s += attempts_of(layer) * ((layer.timeout_s or 0.0) + most(backoff_of(layer)))
    readback = scenario.server.readback
    if readback is not None:
        longest_s += readback.attempts * most(readback.latency)
    longest_s += sum(most(downstream.work) for downstream in scenario.downstreams)
    # Request and response, each at its latest landing.
    return longest_s + sum(2 * hop.latest_landing_s for hop in scenario.hops)


def _microseconds(seconds: float) -> int:
    return round(seconds * MICROSECONDS_PER_S)
