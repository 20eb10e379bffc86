"""Margins against trying every value: in worlds of a few microseconds each value can be tried.

Whatever the constants are, the nearest value with another verdict is the one that the constraints gave, and where they
gave none there is none.
"""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simkit.distributions import Wait
from simkit.scenario import Hop, Scenario
from simkit.study.structure.claims import structural_verdict
from simkit.study.structure.margins import number_margins
from simkit.study.structure.numbers import numbers_of, range_of, with_value
from simkit.study.study import design_verdict
from simkit.terms import ClaimKind, LayerName, StalePolicy
from tests.builders import (
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []

TRIED = (
    "layers.agent.timeout_s",
    "layers.agent.backoff",
    "server.lease_s",
    "server.retention.retention_s",
    "stages.ticket.downstream.key_retention.retention_s",
    "hops.gateway_to_server.latest_landing_s",
    "hops.gateway_to_server.request.s_max",
    "conditions.retry_horizon_s",
)

LARGEST = 24
"""Microseconds up to which every value is tried; more than the retry horizon, and than any sum in these worlds."""

few = st.integers(1, 6).map(lambda count: count * 1e-6)
"""Some microseconds, in seconds."""


@st.composite
def small_worlds(draw: st.DrawFn) -> Scenario:
    """An agent with two attempts, one of three write paths, a system with a key, and one or two sites."""
    request = Wait(s_min=1e-6, s_typical=1e-6, s_max=1e-6 + draw(few))
    landing_s = request.s_max + draw(few)
    claim = draw(st.sampled_from(ClaimKind))
    scenario = server_with(
        a_scenario(
            layers=(
                a_layer(LayerName.AGENT, attempts=2, timeout_s=draw(few) + 8e-6, backoff=Wait.of(draw(few))),
                a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=30e-6),
            ),
            hops=(
                Hop(name="gateway_to_server", request=request, response=Wait.of(1e-6), latest_landing_s=landing_s),
                Hop(name="server_to_downstream", request=Wait.of(1e-6), response=Wait.of(1e-6), latest_landing_s=2e-6),
            ),
        ),
        claim=claim,
        lease_s=draw(few),
        retention=a_retention(retention_s=3 * draw(few)),
        stale=draw(st.sampled_from(StalePolicy)),
        readback=a_readback(latency=Wait.of(1e-6), lag_s_max=draw(few)),
    )
    scenario = downstream_with(scenario, work=Wait.of(1e-6), key_retention=a_retention(retention_s=2 * draw(few)))
    sites = draw(
        st.sets(
            st.sampled_from(
                (
                    "gateway_to_server.response_lost",
                    "gateway_to_server.request_late",
                    "server_to_downstream.request_late",
                    "server.after_effect",
                )
            ),
            min_size=1,
            max_size=2,
        )
    )
    return conditions_with(scenario, rates=rates_at(None, *sorted(sites)), fault_budget=1, retry_horizon_s=20e-6)


@settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(scenario=small_worlds(), name=st.sampled_from(TRIED))
def test_the_nearest_flip_is_the_one_that_trying_every_value_finds(scenario: Scenario, name: str) -> None:
    verdict = structural_verdict(scenario, 1)
    assert verdict is design_verdict(scenario, fault_budget=1).design_verdict
    number = next(number for number in numbers_of(scenario) if number.name == name)
    least, most = range_of(scenario, number)

    found = {margin.direction: margin for margin in number_margins(scenario, verdict, (number,), fault_budget=1)}

    for direction, values in (
        ("less", range(number.value - 1, least - 1, -1)),
        ("more", range(number.value + 1, min(most, LARGEST) + 1)),
    ):
        tried = (
            value
            for value in values
            if design_verdict(with_value(scenario, number, value), fault_budget=1).design_verdict is not verdict
        )
        nearest = next(tried, None)
        flips_at_s = found[direction].flips_at_s
        is_within = flips_at_s is not None and flips_at_s <= LARGEST / 1e6
        assert (flips_at_s if is_within else None) == (None if nearest is None else nearest / 1e6), direction
        assert found[direction].is_exhaustive
