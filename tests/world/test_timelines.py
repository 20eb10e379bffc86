"""Time: what beats what at one instant, how long something is remembered, and when a late message lands."""

from dataclasses import replace

import pytest

from simkit.chance import Scripted
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Effect, Fault, Reply
from simkit.scenario import Hop, Scenario
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName, RetentionKind
from simkit.world import run_concrete, run_intervals
from simkit.world.interval_timeline import IntervalTimeline
from simkit.world.timeline import ConcreteTimeline
from tests.builders import (
    FaultsAt,
    a_call,
    a_layer,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.orders import run_in_order

__all__: list[str] = []

MICROSECOND_S = 1e-6
ROUND_TRIP_S = 0.01 + 0.005 + 0.001 + 0.001 + 0.01
"""Request, request downstream, work, response downstream, response: the plain world's whole way."""


def patient_for(timeout_s: float) -> Scenario:
    """The plain world with one attempt that is waited for that long."""
    return a_scenario(
        layers=(a_layer(LayerName.AGENT, timeout_s=timeout_s), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    )


def agent_heard(scenario: Scenario) -> list[set[str]]:
    """What the agent hears on the clock, and in every order on intervals."""
    on_clock = run_concrete(scenario, Scripted()).journal
    in_orders = [leaf.run.journal for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0)]
    return [
        {reply.detail for journal in journals for reply in journal.of(Reply) if reply.layer is LayerName.AGENT}
        for journals in ([on_clock], in_orders)
    ]


@pytest.mark.parametrize(
    ("timeout_s", "expected"),
    (
        (ROUND_TRIP_S - MICROSECOND_S, "timeout"),
        (ROUND_TRIP_S, "timeout"),  # at the same instant the deadline is first
        (ROUND_TRIP_S + MICROSECOND_S, "receipt"),
    ),
)
def test_a_deadline_beats_a_reply_at_the_same_instant(timeout_s: float, expected: str) -> None:
    assert agent_heard(patient_for(timeout_s)) == [{expected}, {expected}]


def two_calls(second_start_s: float, **server_changes: object) -> Scenario:
    """The plain world, called for the same intent a second time later on."""
    scenario = a_scenario(calls=(a_call(), a_call(start_s=second_start_s)))
    return server_with(scenario, **server_changes)


def effect_counts(scenario: Scenario, fault_budget: int = 0) -> set[int]:
    """How many effects there can be, over all orders of steps."""
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget)
    return {len(leaf.run.journal.of(Effect)) for leaf in runs}


@pytest.mark.parametrize(
    ("second_start_s", "expected"),
    (
        (50.0 - MICROSECOND_S, 1),  # remembered while t < expiry
        (50.0, 2),  # the expiry beats the arrival at the same instant
        (50.0 + MICROSECOND_S, 2),
    ),
)
def test_a_record_is_remembered_until_the_instant_of_its_expiry(second_start_s: float, expected: int) -> None:
    scenario = two_calls(second_start_s, retention=a_retention(50.0))

    assert len(run_concrete(scenario, Scripted()).journal.of(Effect)) == expected
    assert effect_counts(scenario) == {expected}


@pytest.mark.parametrize(
    ("second_start_s", "expected"), ((50.0 - MICROSECOND_S, 1), (50.0, 2), (50.0 + MICROSECOND_S, 2))
)
def test_a_downstream_key_is_remembered_until_the_instant_of_its_expiry(second_start_s: float, expected: int) -> None:
    scenario = two_calls(second_start_s, claim=ClaimKind.NONE)
    scenario = downstream_with(scenario, key_retention=a_retention(50.0))

    assert len(run_concrete(scenario, Scripted()).journal.of(Effect)) == expected
    assert effect_counts(scenario) == {expected}


@pytest.mark.parametrize(
    ("kind", "before_expiry", "after_expiry"),
    (
        (RetentionKind.EXACT, {1}, {2}),
        (RetentionKind.AT_LEAST, {1}, {1, 2}),  # past its guarantee it may be forgotten
        (RetentionKind.AT_MOST, {1, 2}, {2}),  # before its limit it may be forgotten
        (RetentionKind.NOT_STATED, {1, 2}, {1, 2}),
    ),
)
def test_forgetting_is_open_wherever_the_kind_of_retention_leaves_it_open(
    kind: RetentionKind, before_expiry: set[int], after_expiry: set[int]
) -> None:
    retention = a_retention(50.0, kind)

    assert effect_counts(two_calls(20.0, retention=retention)) == before_expiry
    assert effect_counts(two_calls(80.0, retention=retention)) == after_expiry


def orders_of_late_and_deadline(deadline_s: float) -> set[tuple[str, ...]]:
    """Every order of a message that lands 1 s to 5 s from now, and a deadline."""
    orders = set()

    def act(timeline: IntervalTimeline) -> Journal:
        order = list[str]()
        usual = Wait(s_min=0.1, s_typical=0.2, s_max=1.0)
        timeline.late(usual, 5.0, "message").callbacks.append(lambda _: order.append("message"))
        timeline.deadline(deadline_s, "deadline").callbacks.append(lambda _: order.append("deadline"))
        timeline.run()
        orders.add(tuple(order))
        return Journal()

    assert list(leaves(lambda chance: run_in_order(chance, act), fault_budget=0))
    return orders


@pytest.mark.parametrize(
    ("deadline_s", "expected"),
    (
        (1.0, {("deadline", "message")}),  # later than usual: not before the slowest usual one
        (1.0 + MICROSECOND_S, {("deadline", "message"), ("message", "deadline")}),
        (5.0, {("deadline", "message"), ("message", "deadline")}),
        (5.0 + MICROSECOND_S, {("message", "deadline")}),  # no later than its latest landing
    ),
)
def test_a_late_message_lands_after_the_usual_ones_and_by_its_latest_landing(
    deadline_s: float, expected: set[tuple[str, ...]]
) -> None:
    assert orders_of_late_and_deadline(deadline_s) == expected


def test_a_late_message_lands_on_the_clock_at_its_latest_landing() -> None:
    timeline, landed_at_s = ConcreteTimeline(Scripted()), list[float]()
    usual = Wait(s_min=0.1, s_typical=0.2, s_max=1.0)

    timeline.late(usual, 5.0, "message").callbacks.append(lambda _: landed_at_s.append(timeline.now_s))
    timeline.run()

    assert landed_at_s == [5.0]


def test_the_late_reply_of_a_caller_that_has_gone_is_dropped() -> None:
    scenario = conditions_with(patient_for(1.0), rates=rates_at(0.1, "gateway_to_server.response_late"))
    scenario = replace(scenario, hops=tuple(replace(hop, latest_landing_s=30.0) for hop in scenario.hops))

    journal = run_concrete(scenario, FaultsAt("gateway_to_server.response_late@1")).journal

    assert [reply.detail for reply in journal.of(Reply) if reply.layer is LayerName.AGENT] == ["timeout"]
    assert len(journal.of(Effect)) == 1


def test_work_runs_on_after_its_caller_has_gone_and_its_answer_goes_nowhere() -> None:
    scenario = conditions_with(patient_for(0.012), rates=rates_at(0.1, "gateway_to_server.response_lost"))

    journal = run_concrete(scenario, FaultsAt("gateway_to_server.response_lost@1")).journal

    assert [effect.at_s for effect in journal.of(Effect)] == [pytest.approx(0.016)]
    assert [reply.detail for reply in journal.of(Reply) if reply.layer is LayerName.AGENT] == ["timeout"]
    assert journal.of(Fault) == []  # nobody waits, so no response travels that could be lost


def test_a_layer_without_a_timeout_waits_for_ever_and_reports_nothing() -> None:
    agent = a_layer(LayerName.AGENT, timeout_s=None)
    scenario = a_scenario(layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK)))
    scenario = conditions_with(scenario, rates=rates_at(0.1, "gateway_to_server.response_lost"))

    journal = run_concrete(scenario, FaultsAt("gateway_to_server.response_lost@1")).journal

    assert [reply for reply in journal.of(Reply) if reply.layer is LayerName.AGENT] == []
    assert len(journal.of(Effect)) == 1


def test_no_attempt_of_the_agent_starts_past_the_retry_horizon() -> None:
    agent = a_layer(LayerName.AGENT, attempts=10, backoff=Wait.of(1.0))
    scenario = a_scenario(layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK)))
    lost = tuple(f"gateway_to_server.request_lost@{number}" for number in range(1, 11))
    scenario = conditions_with(scenario, retry_horizon_s=5.0, rates=rates_at(0.1, "gateway_to_server.request_lost"))

    journal = run_concrete(scenario, FaultsAt(*lost)).journal

    # One attempt each 2 s (1 s of waiting, 1 s between): at 0, 2 and 4 s, and none at 6 s.
    assert [reply.at_s for reply in journal.of(Reply)] == [1.0, 3.0, 5.0]


def test_a_hop_that_is_never_late_needs_no_margin() -> None:
    hop = Hop(name="hop", request=Wait.of(1.0), response=Wait.of(0.5), latest_landing_s=1.0)

    assert hop.latest_landing_s == hop.request.s_max
