"""A throttle that calls share, in every order: who gets what is left is a matter of order, and none is missed."""

from dataclasses import replace

import pytest

from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Effect, Fault, Report
from simkit.scenario import CircuitBreaker, RetryLayer, RetryShare, Scenario, TokenBucket
from simkit.study import explore
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, ErrorClass, LayerName, Outcome, Promise
from simkit.world import run_intervals, solve_witness
from tests.builders import a_call, a_layer, a_scenario, conditions_with, rates_at, server_with
from tests.world.orders import run_unreduced
from tests.world.race_scenarios import hops

__all__: list[str] = []

Finding = tuple[object, ...]

LOST = "gateway_to_server.request_lost"
LATE = "gateway_to_server.request_late"
ONE_REPEAT = TokenBucket(token_count_max=1, cost_count=1, refund_count=0)
LIKE_GRPC = TokenBucket(token_count_max=2, cost_count=1, refund_count=0.5, charges_failures=True, above_count=0.75)
TOUCHY = CircuitBreaker(failure_count=1, open_s=5.0)
BOTH = frozenset({"i1", "i2"})


def two_calls(*layers: RetryLayer, second_start_s: float = 0.0, site: str = LOST) -> Scenario:
    """Two intents above these layers; the server keeps no record, and requests to it get lost."""
    calls = (
        a_call(intent="i1", operation="op1"),
        a_call(intent="i2", operation="op2", start_s=second_start_s),
    )
    names = ("agent_to_gateway",) if layers[0].name is LayerName.GATEWAY else ()
    scenario = a_scenario(
        calls=calls,
        layers=(a_layer(LayerName.AGENT, timeout_s=None), *layers, a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=None)),
        hops=hops(*names, "gateway_to_server", "server_to_downstream"),
    )
    return conditions_with(server_with(scenario, claim=ClaimKind.NONE), rates=rates_at(0.01, site))


def an_sdk(**changes: object) -> RetryLayer:
    """A client SDK with two attempts of 1 s each and 0.1 s between them."""
    return a_layer(LayerName.CLIENT_SDK, **{"attempts": 2, "backoff": Wait.of(0.1), **changes})


def a_gateway(**changes: object) -> RetryLayer:
    """The same as a gateway; what the SDK below answered when it gave up is repeated too."""
    retries_on = (ErrorClass.TIMEOUT, ErrorClass.UNKNOWN, ErrorClass.UNAVAILABLE)
    return replace(an_sdk(retries_on=retries_on, **changes), name=LayerName.GATEWAY)


def finding_of(journal: Journal) -> Finding:
    """Faults, effects and reports of a run, each with its intent."""
    return (
        frozenset(fault.site for fault in journal.of(Fault)),
        tuple(sorted(effect.intent for effect in journal.of(Effect))),
        tuple(sorted((report.intent, report.outcome) for report in journal.of(Report))),
    )


def findings(scenario: Scenario, fault_budget: int) -> set[Finding]:
    """What the exploration finds."""
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget)
    return {finding_of(leaf.run.journal) for leaf in runs}


def done_together(scenario: Scenario, fault_budget: int) -> set[frozenset[str]]:
    """Which intents are reported as done in one run, over all runs with exactly so many faults."""
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget)
    return {
        frozenset(report.intent for report in leaf.run.journal.of(Report) if report.outcome is Outcome.OK)
        for leaf in runs
        if leaf.fault_count == fault_budget
    }


def test_one_token_repeats_one_of_two_lost_calls_and_either_may_get_it() -> None:
    # Two losses hit the first attempts of both calls, or both attempts of one; never are both repeated.
    done = done_together(two_calls(an_sdk(token_bucket=ONE_REPEAT)), 2)

    assert done == {frozenset({"i1"}), frozenset({"i2"})}


def test_one_of_two_lost_calls_is_repeated_where_only_one_may_be_at_once() -> None:
    # Both time out at 1 s, and either is the first to be repeated; the other is not, as that one is under way.
    assert done_together(two_calls(an_sdk(concurrent_retry_count_max=1)), 2) == {frozenset({"i1"}), frozenset({"i2"})}


def test_without_a_throttle_both_lost_calls_are_repeated() -> None:
    assert BOTH in done_together(two_calls(an_sdk()), 2)


def test_a_call_that_starts_as_another_fails_is_refused_or_sent() -> None:
    """The first call times out at 1 s, and the second starts at that instant."""
    done = done_together(two_calls(an_sdk(attempts=1, circuit_breaker=TOUCHY), second_start_s=1.0), 1)

    # The first call lost: the second is sent or refused. The second lost: the first is done.
    assert done == {frozenset({"i2"}), frozenset(), frozenset({"i1"})}


THROTTLED = (
    (two_calls(an_sdk(token_bucket=ONE_REPEAT)), 2),
    (two_calls(an_sdk(attempts=1, circuit_breaker=TOUCHY), second_start_s=1.0), 1),
    (two_calls(an_sdk(retry_share=RetryShare(fraction=0.5, count_min=0))), 2),
    (two_calls(a_gateway(timeout_s=9.0), an_sdk(attempts=1, circuit_breaker=TOUCHY), second_start_s=1.0), 1),
    (two_calls(a_gateway(token_bucket=ONE_REPEAT)), 2),
    (two_calls(a_gateway(circuit_breaker=TOUCHY), second_start_s=1.0), 1),
    (two_calls(an_sdk(token_bucket=LIKE_GRPC)), 2),
    (two_calls(an_sdk(concurrent_retry_count_max=1)), 2),
)


@pytest.mark.parametrize(("scenario", "fault_budget"), THROTTLED)
def test_the_reduced_exploration_finds_what_the_unreduced_one_finds(scenario: Scenario, fault_budget: int) -> None:
    unreduced = leaves(lambda chance: run_unreduced(scenario, chance), fault_budget=fault_budget)

    assert findings(scenario, fault_budget) == {finding_of(leaf.run.journal) for leaf in unreduced}


@pytest.mark.parametrize(("scenario", "fault_budget"), (THROTTLED[1], *THROTTLED[3:6]))
def test_a_throttled_layer_that_is_taken_for_local_loses_orders(
    scenario: Scenario, fault_budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    every_order = findings(scenario, fault_budget)
    monkeypatch.setattr(RetryLayer, "is_throttled", False)

    assert findings(scenario, fault_budget) < every_order


@pytest.mark.parametrize(("scenario", "fault_budget"), THROTTLED)
def test_every_run_with_a_throttle_replays_on_the_clock(scenario: Scenario, fault_budget: int) -> None:
    """Raises `Divergence` where a replay tells another story than the interval run."""
    for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget, runs_twice=True):
        witness = solve_witness(scenario, leaf.trace)

        assert finding_of(witness.journal) == finding_of(leaf.run.journal)


def test_an_exploration_over_a_shared_bucket_is_deterministic_and_its_witnesses_replay() -> None:
    """A late request and its repeat make two effects of one intent, without a record and a key."""
    scenario = two_calls(an_sdk(token_bucket=ONE_REPEAT), site=LATE)

    explored = explore(scenario, fault_budget=1, policy="requested", runs_twice=True).exploration

    found = {result.promise: result for result in explored.promises}[Promise.AT_MOST_ONE_EFFECT]
    assert found.fewest_faults == 1
    assert {schedule.faults for schedule in found.schedules} == {(f"{LATE}@1:1/1",), (f"{LATE}@2:1/1",)}


def test_a_bucket_without_a_token_proves_that_a_late_request_is_no_duplicate() -> None:
    bucket = TokenBucket(token_count_max=0, cost_count=1, refund_count=0)

    explored = explore(
        two_calls(an_sdk(token_bucket=bucket), site=LATE), fault_budget=2, policy="requested", runs_twice=True
    ).exploration

    found = {result.promise: result for result in explored.promises}[Promise.AT_MOST_ONE_EFFECT]
    assert found.fewest_faults is None
    assert explored.is_complete
