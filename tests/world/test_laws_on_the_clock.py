"""Waits with a law on the clock: drawn through chance, never outside the interval that is explored."""

from dataclasses import replace

import pytest

from simkit.chance import Sampled
from simkit.distributions import Atom, Discrete, Exponential, Law, Lognormal, Uniform, Wait
from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.study import explore, sampled_intents
from simkit.terms import Promise
from simkit.world import run_concrete
from tests.builders import a_scenario, downstream_with

__all__: list[str] = []


def with_request(request: Wait) -> Scenario:
    """One attempt's request takes what it takes; everything else is constant: 5 ms and 1 ms to the effect."""
    first, *others = a_scenario().hops
    return a_scenario(hops=(replace(first, request=request, latest_landing_s=request.s_max), *others))


def effects_at_s(scenario: Scenario, seed: int) -> list[float]:
    return [effect.at_s for effect in run_concrete(scenario, Sampled(seed, 0)).journal.of(Effect)]


@pytest.mark.parametrize(
    "law",
    (
        Lognormal(median_s=0.02, sigma=3.0),
        Exponential(mean_s=0.1),
        Uniform(shortest_s=0.0, longest_s=9.0),
        Discrete(atoms=(Atom(duration_s=0.0, weight=9.0), Atom(duration_s=0.2, weight=1.0))),
    ),
)
def test_no_draw_leaves_the_interval_of_the_wait(law: Law) -> None:
    scenario = with_request(Wait(s_min=0.15, s_typical=0.2, s_max=0.3, law=law))

    found = [at_s for seed in range(50) for at_s in effects_at_s(scenario, seed)]

    # 5 ms to the system of record, and 1 ms of work there.
    assert 0.156 <= min(found) <= max(found) <= 0.306


def test_a_discrete_law_is_met_on_the_clock_as_often_as_it_says() -> None:
    """One request in four takes 0.5 s: of 400, 100 are expected, and three standard errors are 26."""
    law = Discrete(atoms=(Atom(duration_s=0.1, weight=3.0), Atom(duration_s=0.5, weight=1.0)))
    scenario = with_request(Wait(s_min=0.0, s_typical=0.1, s_max=1.0, law=law))

    slow = [seed for seed in range(400) if effects_at_s(scenario, seed) == [pytest.approx(0.506)]]

    assert 74 <= len(slow) <= 126


def test_any_wait_may_have_a_law_not_only_that_of_a_message() -> None:
    work = Wait(s_min=0.0, s_typical=0.001, s_max=0.4, law=Uniform(shortest_s=0.0, longest_s=0.4))
    scenario = downstream_with(a_scenario(), work=work)

    found = {effects_at_s(scenario, seed)[0] for seed in range(20)}

    assert len(found) == 20


def test_a_law_changes_nothing_that_is_explored() -> None:
    law = Uniform(shortest_s=0.0, longest_s=2.0)
    bare = with_request(Wait(s_min=0.0, s_typical=0.01, s_max=2.0))
    told = with_request(Wait(s_min=0.0, s_typical=0.01, s_max=2.0, law=law))

    explored = [explore(world, fault_budget=0, policy="as requested").exploration for world in (bare, told)]

    assert explored[0] == explored[1]
    # With a lease of 0 the second attempt runs beside the first, which it overtakes without any fault.
    assert explored[0].of(Promise.AT_MOST_ONE_EFFECT).fewest_faults == 0


def test_a_sample_meets_by_its_law_what_a_typical_latency_never_shows() -> None:
    """Half of all requests take longer than the second after which the agent calls again: two calls."""
    law = Uniform(shortest_s=0.0, longest_s=2.0)
    bare = with_request(Wait(s_min=0.0, s_typical=0.01, s_max=2.0))
    told = with_request(Wait(s_min=0.0, s_typical=0.01, s_max=2.0, law=law))

    calls = [
        sum(intent.call_count > 1 for intent in sampled_intents(world, intent_count=100, seed=1))
        for world in (bare, told)
    ]

    assert calls[0] == 0
    assert 35 <= calls[1] <= 65
