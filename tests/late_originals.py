"""The world of the example with a heavy tail: a late first request lands after its record has expired."""

from dataclasses import replace

from simkit.distributions import Lognormal, Wait
from simkit.scenario import Scenario
from simkit.terms import ClaimKind, LayerName
from tests.builders import a_call, a_layer, a_retention, a_scenario, downstream_with, server_with

__all__ = ["MEDIAN_S", "RETENTION_S", "SIGMA", "TIMEOUT_S", "WORK_S", "late_originals", "two_that_race"]

MEDIAN_S, SIGMA = 0.02, 1.2
TIMEOUT_S, RETENTION_S, WORK_S = 1.0, 10.0, 0.01


def late_originals() -> Scenario:
    """Three attempts, each waited for 1 s; a record that is kept for 10 s; a request that is rarely very late.

    From a request's arrival to its answer 10 ms pass. Nothing else goes wrong, so that only latencies decide.
    """
    request = Wait(s_min=0.0, s_typical=MEDIAN_S, s_max=1000.0, law=Lognormal(median_s=MEDIAN_S, sigma=SIGMA))
    scenario = a_scenario(
        name="late originals",
        layers=(a_layer(LayerName.AGENT, attempts=3), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)),
    )
    to_server, to_downstream = scenario.hops
    to_server = replace(to_server, request=request, response=Wait.of(0.0), latest_landing_s=1000.0)
    to_downstream = replace(to_downstream, request=Wait.of(0.0), response=Wait.of(0.0))
    scenario = replace(scenario, hops=(to_server, to_downstream))
    scenario = downstream_with(scenario, work=Wait.of(WORK_S))
    return server_with(scenario, retention=a_retention(RETENTION_S), lease_s=None)


def two_that_race(window_s: float) -> Scenario:
    """One call, issued twice at once: both make the effect if the second arrives while the first is at work.

    Parameters
    ----------
    window_s
        How long that is: from the look at the record to the receipt.
    """
    scenario = late_originals()
    scenario = replace(scenario, name="two that race", calls=(a_call(), a_call()))
    scenario = server_with(scenario.with_one_attempt(), claim=ClaimKind.CHECK_THEN_ACT)
    return downstream_with(scenario, work=Wait.of(window_s))
