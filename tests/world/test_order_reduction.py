"""Only the order of steps at one place is tried; an exploration of every visible order finds the same, to the word."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from simkit.chance import Chance
from simkit.checks import verdicts
from simkit.choices import KeyRecorded, OnConcurrent, WriteOrder
from simkit.distributions import Wait
from simkit.records import Attempt, Effect, Reply, Report
from simkit.scenario import Hop, Scenario
from simkit.study.tree import Leaf, leaves
from simkit.terms import ClaimKind, LayerName, OnPending, Promise, PromiseVerdict
from simkit.world import Run, run_intervals
from simkit.world.interval_timeline import IntervalTimeline
from simkit.world.plan import planned
from tests.builders import (
    a_call,
    a_layer,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.orders import run_at_one_place
from tests.world.race_scenarios import a_late_original, behind_a_gateway, varying

__all__: list[str] = []

Findings = set[tuple[object, ...]]


def two_callers(*sites: str, attempts: int = 2, **server: Any) -> Scenario:
    """One intent, issued twice at the same instant under one operation ID."""
    scenario = replace(varying(attempts, backoff=Wait.of(1.0)), calls=(a_call(), a_call()))
    return conditions_with(server_with(scenario, **server), rates=rates_at(0.01, *sites), pause_s_max=10.0)


def slow(scenario: Scenario, **changes: Any) -> Scenario:
    """The same with work that may outlast the patience of the server, 4 s, and nearly that of the callers, 5 s."""
    return downstream_with(scenario, work=Wait(s_min=0.05, s_typical=0.1, s_max=4.5), **changes)


CRASHES = ("server.after_reservation", "server.after_effect")
PAUSES = ("server.paused_after_reservation", "server.paused_after_effect")

BLOCKING = slow(
    two_callers(attempts=1, claim=ClaimKind.NONE),
    key_retention=a_retention(3600.0),
    on_concurrent=OnConcurrent.BLOCK_THEN_REJECT,
    key_recorded=KeyRecorded.AT_START,
)

PUSHED_BEHIND_A_DEADLINE = downstream_with(
    server_with(
        a_scenario(
            calls=(a_call(), a_call(intent="i2", operation="op2", start_s=1.0)),
            layers=(a_layer(LayerName.AGENT, timeout_s=1.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=2.0)),
            hops=(
                Hop(name="gateway_to_server", request=Wait.of(0.5), response=Wait.of(0.0), latest_landing_s=1.0),
                Hop(name="server_to_downstream", request=Wait.of(0.0), response=Wait.of(0.0), latest_landing_s=1.0),
            ),
        ),
        claim=ClaimKind.NONE,
        on_pending=OnPending.WAIT,
    ),
    work=Wait(s_min=0.0, s_typical=0.0, s_max=1.0),
)
"""The second call arrives at 1.5 s. The answer to the first comes after that, and so after its deadline at 1 s, only
in some of the orders; the others are found although no run in which it is pushed behind the deadline is finished."""

BEHIND_TWO_DEADLINES = a_scenario(
    calls=(a_call(), a_call()),
    layers=tuple(a_layer(name) for name in (LayerName.AGENT, LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK)),
    hops=(
        Hop(name="agent_to_gateway", request=Wait.of(0.01), response=Wait.of(0.0), latest_landing_s=1.0),
        Hop(name="gateway_to_server", request=Wait.of(0.0), response=Wait.of(0.0), latest_landing_s=1.0),
        Hop(
            name="server_to_downstream",
            request=Wait(s_min=0.0, s_typical=0.0, s_max=1.0),
            response=Wait.of(0.0),
            latest_landing_s=1.0,
        ),
    ),
)
"""Both agents give up at 1 s: once one has, the work below can come before the other's deadline no more, and only
before both."""

CASES = {
    "work that comes before two deadlines of one instant": (BEHIND_TWO_DEADLINES, 0),
    "an answer that is pushed behind a deadline": (PUSHED_BEHIND_A_DEADLINE, 0),
    "crashes under a lease": (two_callers(*CRASHES, lease_s=3.0), 1),
    "crashes past a lease": (two_callers(*CRASHES, lease_s=0.5), 1),
    "a duplicate that waits": (slow(two_callers(on_pending=OnPending.WAIT, wait_s=2.0)), 0),
    "a duplicate that waits, and a crash": (
        two_callers(*CRASHES, lease_s=1.0, on_pending=OnPending.WAIT, wait_s=2.0),
        1,
    ),
    "a system that lets a duplicate wait": (BLOCKING, 0),
    "slow work": (slow(two_callers(lease_s=3.0)), 0),
    "one transaction": (slow(two_callers(order=WriteOrder.ONE_TRANSACTION)), 0),
    "one transaction, checked first": (
        slow(two_callers(order=WriteOrder.ONE_TRANSACTION, claim=ClaimKind.CHECK_THEN_ACT)),
        0,
    ),
    "a paused worker that goes on after its lease": (two_callers(*PAUSES, lease_s=3.0), 1),
    "a gateway that outlasts its agent": (behind_a_gateway(3.0), 2),
    "a late original": (a_late_original(ClaimKind.CHECK_THEN_ACT, has_key=False), 2),
}


def told(leaf: Leaf) -> tuple[object, ...]:
    """A run to the word, without its instants and the order of what different parties did."""
    journal = leaf.run.journal
    return (
        frozenset(leaf.faults),
        tuple(sorted(verdicts(journal).items())),
        len(journal.of(Effect)),
        tuple(sorted(report.outcome for report in journal.of(Report))),
        tuple(sorted((reply.layer, reply.path, reply.state, reply.detail) for reply in journal.of(Reply))),
        tuple(sorted((attempt.layer, attempt.path) for attempt in journal.of(Attempt))),
    )


def found(run: Callable[[Scenario, Chance], Run], scenario: Scenario, fault_budget: int) -> Findings:
    """What an exploration of all runs within the budget finds."""
    return {told(leaf) for leaf in leaves(lambda chance: run(scenario, chance), fault_budget=fault_budget)}


def by_places(scenario: Scenario, chance: Chance) -> Run:
    return run_intervals(scenario, chance)


@pytest.mark.parametrize("name", CASES)
def test_orders_of_steps_that_meet_nowhere_add_nothing(name: str) -> None:
    scenario, fault_budget = CASES[name]

    reduced = found(by_places, scenario, fault_budget)

    assert planned(scenario).is_divided
    assert reduced == found(run_at_one_place, scenario, fault_budget)


def leave_unnoted(timeline: IntervalTimeline, step: int) -> None:
    timeline._touches.pop(step, None)  # noqa: SLF001 (this is the method, with a line left out)


@pytest.mark.parametrize(
    ("broken", "name"),
    (
        # What is taken back is never noted as something that might have come first.
        (("_leave_order", leave_unnoted), "slow work"),
        # A run that ends early does not say before whom what it left might have come.
        (("_note_pending", lambda *_: None), "an answer that is pushed behind a deadline"),
        # What was tried once is never tried again, whatever happens in between.
        (("_wake", lambda *_: None), "a late original"),
    ),
)
def test_a_reduction_that_forgets_a_dependence_is_found_out(
    broken: tuple[str, Callable[..., object]], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, fault_budget = CASES[name]
    monkeypatch.setattr(IntervalTimeline, *broken)

    reduced = found(by_places, scenario, fault_budget)

    assert reduced < found(run_at_one_place, scenario, fault_budget)


def test_two_identical_calls_that_check_first_make_two_effects_without_a_fault() -> None:
    scenario = two_callers(attempts=1, claim=ClaimKind.CHECK_THEN_ACT)

    runs = list(leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0))

    broken = [verdicts(leaf.run.journal)[Promise.AT_MOST_ONE_EFFECT] is PromiseVerdict.BROKEN for leaf in runs]
    assert any(broken)
    assert not all(broken)
