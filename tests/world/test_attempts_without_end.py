"""Attempts without an end of their own: what else ends them, on a clock and in every order."""

from dataclasses import replace

import pytest

from simkit.chance import Sampled, Scripted
from simkit.checks import verdicts
from simkit.choices import OnNotSeen
from simkit.distributions import Backoff, Wait
from simkit.errors import ScenarioError
from simkit.records import Attempt, Effect, End
from simkit.scenario import Reconciler, RetryLayer, Scenario
from simkit.study import explore
from simkit.terms import ClaimKind, ErrorClass, LayerName, Promise, PromiseVerdict
from simkit.world import run_concrete, run_intervals
from simkit.world.landing import own_landing_s
from tests.builders import (
    FaultsAt,
    a_layer,
    a_readback,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.layer_bench import DONE, DOWN, EVERY_ERROR, Bench, an_sdk

__all__: list[str] = []

ENDLESS_SDK = an_sdk(attempts=None, retries_on=EVERY_ERROR)
LOST = "server_to_downstream.request_lost"
GOOGLE_JITTER = Backoff(first_s=1.0, factor=2.0, cap_s=60.0, scale_min=0.0)
"""google-api-core: U(0, min(60 s, 1 s · 2^(n-1))), until a deadline."""


def test_an_endless_layer_goes_on_until_it_is_answered() -> None:
    bench = Bench(ENDLESS_SDK, answers=(*[DOWN] * 99, DONE))

    assert bench.call() == [DONE]
    assert bench.request_count == 100


@pytest.mark.parametrize(
    ("budget_s", "arrivals_s"),
    (
        (7.9, [0.0, 2.0, 4.0, 6.0]),
        (8.000001, [0.0, 2.0, 4.0, 6.0, 8.0]),
        (8.0, [0.0, 2.0, 4.0, 6.0]),  # at one instant the end of the budget comes first
    ),
)
def test_an_endless_layer_starts_no_attempt_once_its_budget_is_over(budget_s: float, arrivals_s: list[float]) -> None:
    bench = Bench(replace(ENDLESS_SDK, budget_s=budget_s), answers=(DOWN,))

    bench.call()

    assert bench.party.arrivals_s == arrivals_s


def reckoned_count(waits_s: list[float], deadline_s: float) -> int:
    """Attempts of a rule that reckons beforehand: it gives up where now plus the next wait is past the deadline."""
    now_s, count = 0.0, 1
    for wait_s in waits_s:
        if now_s + wait_s > deadline_s:
            break
        now_s, count = now_s + wait_s, count + 1
    return count


@pytest.mark.parametrize("seed", range(40))
def test_a_budget_allows_as_many_attempts_as_a_rule_that_reckons_beforehand(seed: int) -> None:
    policy = replace(ENDLESS_SDK, backoff=GOOGLE_JITTER, budget_s=120.0)
    bench = Bench(policy, answers=(DOWN,), chance=Sampled(seed, 0))

    bench.call()

    ends_s = [*bench.party.arrivals_s[1:], bench.timeline.now_s]  # the last wait is made in vain
    waits_s = [end_s - start_s for start_s, end_s in zip(bench.party.arrivals_s, ends_s, strict=True)]
    assert bench.request_count == reckoned_count(waits_s, 120.0)
    assert all(0 <= wait_s <= min(60.0, 2.0**index) for index, wait_s in enumerate(waits_s))
    assert ends_s[-1] >= 120.0 > bench.party.arrivals_s[-1]


def test_an_endless_layer_with_growing_waits_and_no_cap_reckons_without_overflow() -> None:
    backoff = Backoff(first_s=1.0, factor=1e6)
    bench = Bench(replace(ENDLESS_SDK, backoff=backoff), answers=(*[DOWN] * 80, DONE))

    assert bench.call() == [DONE]


def below_an_agent(sdk: RetryLayer, *sites: str, agent: RetryLayer | None = None) -> Scenario:
    """A server that keeps no record, above an SDK; the agent waits for each answer."""
    agent = a_layer(LayerName.AGENT, timeout_s=None) if agent is None else agent
    scenario = server_with(a_scenario(layers=(agent, sdk)), claim=ClaimKind.NONE)
    return conditions_with(scenario, rates=rates_at(0.1, *sites))


def endless(**changes: object) -> RetryLayer:
    """A downstream SDK without an end of its attempts, that waits 0.1 s for each."""
    return a_layer(LayerName.DOWNSTREAM_SDK, **{"attempts": None, "timeout_s": 0.1, **changes})


def test_an_exploration_of_an_endless_layer_ends_with_the_faults() -> None:
    explored = explore(below_an_agent(endless(), LOST), fault_budget=3, policy="as requested", runs_twice=True)

    # Each loss costs one attempt, and after the last one that is allowed the next attempt is answered.
    assert explored.exploration.is_complete
    assert [level.fault_count for level in explored.exploration.levels] == [0, 1, 2, 3]
    assert explored.exploration.of(Promise.AT_MOST_ONE_EFFECT).is_proved


def test_an_endless_layer_that_never_hears_anything_is_cut_and_proves_nothing() -> None:
    """The SDK waits 5 ms where the answer takes 7: it sends for ever, and each of its requests makes an effect."""
    run = run_intervals(below_an_agent(endless(timeout_s=0.005)), Scripted())

    assert [end.is_quiescent for end in run.journal.of(End)] == [False]
    assert verdicts(run.journal)[Promise.NOTHING_PENDS] is PromiseVerdict.UNDECIDED


@pytest.mark.parametrize("budget_s", (0.012, 0.0))
def test_a_budget_ends_an_endless_layer_that_never_hears_anything(budget_s: float) -> None:
    scenario = below_an_agent(endless(timeout_s=0.005, budget_s=budget_s))

    runs = (run_intervals(scenario, Scripted()), run_concrete(scenario, FaultsAt()))

    # Without a wait between them attempts start every 5 ms: at 0, 5 and 10 ms; none in no time but the first.
    for run in runs:
        assert [end.is_quiescent for end in run.journal.of(End)] == [True]
        assert len(run.journal.of(Effect)) == (3 if budget_s else 1)


def test_the_retry_horizon_ends_an_agent_whose_attempts_have_no_end() -> None:
    agent = a_layer(LayerName.AGENT, attempts=None, timeout_s=None, backoff=Wait.of(10.0))
    scenario = downstream_with(below_an_agent(endless(attempts=1), agent=agent), error=ErrorClass.SERVER_ERROR)
    scenario = conditions_with(scenario, rates=rates_at(1.0, LOST), retry_horizon_s=35.0)

    journal = run_concrete(scenario, Sampled(1, 0)).journal

    # Each attempt takes 10 + 100 + 10 ms and each wait 10 s: the fourth starts at 30.36 s, a fifth would at 40.48.
    sent_at_s = [attempt.at_s for attempt in journal.of(Attempt) if attempt.layer is LayerName.AGENT]
    assert sent_at_s == pytest.approx([0.0, 10.12, 20.24, 30.36])


def test_nobody_can_say_when_endless_attempts_have_landed_unless_a_budget_ends_them() -> None:
    # A request and an answer on the hops land after 10 and 10 ms, the work takes 1 ms; the SDK may be silent for
    # 0.1 s and start its last attempt as late as 2 s after its first, which is waited for another 0.1 s.
    scenario = below_an_agent(endless(budget_s=2.0))

    assert own_landing_s(below_an_agent(endless())) is None
    assert own_landing_s(scenario) == pytest.approx(0.021 + 0.1 + 2.0 + 0.1 + 0.1)


def test_waiting_for_the_landing_below_waits_that_grow_without_an_end_has_no_meaning() -> None:
    growing = Backoff(first_s=1.0, factor=2.0)
    reconciler = Reconciler(delay=Wait.of(1.0), on_not_seen=OnNotSeen.ESCALATE, waits_for_landing=True)
    asked = server_with(a_scenario(), readback=a_readback())

    def below(**changes: object) -> Scenario:
        layers = (asked.layers[0], endless(backoff=growing, **changes))
        return replace(asked, layers=layers, reconciler=reconciler)

    with pytest.raises(ScenarioError, match="give it attempts, a budget or a cap"):
        below()
    assert run_concrete(below(budget_s=5.0), FaultsAt()).journal.of(End)[-1].is_quiescent
    assert run_concrete(below(attempts=3), FaultsAt()).journal.of(End)[-1].is_quiescent
