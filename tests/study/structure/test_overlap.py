"""Overlap by construction: what is in flight at once is found in every order, and its protection proved in all.

Each world stands here without and with its protection. Without, it breaks with the fewest faults that the text
reasons out; with it, every schedule of up to the budget keeps at most one effect.
"""

from dataclasses import replace
from typing import Any

import pytest

from simkit.chance import Sampled
from simkit.checks import verdicts
from simkit.choices import Fencing, OnNotSeen
from simkit.distributions import Wait
from simkit.records import Effect, Fault
from simkit.scenario import Reconciler, Scenario
from simkit.study import explore
from simkit.study.results import PromiseResult
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, OnUncertainReadback, Promise, PromiseVerdict
from simkit.world import run_concrete, run_intervals
from tests.builders import (
    FaultsAt,
    a_call,
    a_readback,
    a_retention,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.race_scenarios import a_late_original, varying

__all__: list[str] = []

ONCE = Promise.AT_MOST_ONE_EFFECT
CALL_LOST, ANSWER_LOST = "gateway_to_server.request_lost", "gateway_to_server.response_lost"
CRASHES = ("server.after_reservation", "server.after_effect")


def at_most_one(scenario: Scenario, fault_budget: int) -> PromiseResult:
    """What a complete exploration says; every run is made twice."""
    found = explore(scenario, fault_budget=fault_budget, policy="as requested", runs_twice=True).exploration
    return found.of(ONCE)


def at_once(call_count: int, claim: ClaimKind, *sites: str) -> Scenario:
    """One intent, issued several times at the same instant under one operation ID, each sent once."""
    scenario = replace(varying(1), calls=(a_call(),) * call_count)
    return conditions_with(server_with(scenario, claim=claim), rates=rates_at(0.01, *sites))


def effect_counts(scenario: Scenario) -> set[int]:
    """How many effects there can be without a fault, over all orders."""
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0)
    return {len(leaf.run.journal.of(Effect)) for leaf in runs}


@pytest.mark.parametrize("call_count", (2, 3))
def test_identical_calls_at_once_that_check_first_make_any_number_of_effects_without_a_fault(call_count: int) -> None:
    """Each check may come before or after the receipt of any other call: from one effect to one for each call."""
    scenario = at_once(call_count, ClaimKind.CHECK_THEN_ACT)

    result = at_most_one(scenario, 0)

    assert (result.fewest_faults, result.is_proved) == (0, False)
    assert effect_counts(scenario) == set(range(1, call_count + 1))


@pytest.mark.parametrize(("call_count", "fault_budget"), ((2, 2), (3, 1)))
def test_identical_calls_at_once_under_a_unique_reservation_are_proved_to_make_one(
    call_count: int, fault_budget: int
) -> None:
    """A crash or a loss takes one of them away and adds none; the lease of a minute outlasts them all."""
    scenario = at_once(call_count, ClaimKind.UNIQUE, CALL_LOST, ANSWER_LOST, *CRASHES)

    assert at_most_one(scenario, fault_budget).is_proved


@pytest.mark.parametrize(
    ("claim", "has_key", "fewest_faults"),
    (
        (ClaimKind.NONE, False, 1),  # late by more than the 5 s of patience: the retry and the original both run
        (ClaimKind.CHECK_THEN_ACT, False, 1),  # late into the time between the retry's check and its receipt
        (ClaimKind.CHECK_THEN_ACT, True, None),
        (ClaimKind.UNIQUE, False, None),
    ),
)
def test_a_late_original_duplicates_with_one_fault_unless_a_key_or_a_reservation_stands_against_it(
    claim: ClaimKind,
    has_key: bool,  # noqa: FBT001
    fewest_faults: int | None,
) -> None:
    result = at_most_one(a_late_original(claim, has_key=has_key), 2)

    assert (result.fewest_faults, result.is_proved) == (fewest_faults, fewest_faults is None)


def test_a_late_original_between_check_and_act_is_not_seen_in_a_hundred_samples() -> None:
    """On a clock a late call lands at its latest, half a minute after the retry was done: no luck shows the race."""
    scenario = a_late_original(ClaimKind.CHECK_THEN_ACT, has_key=False)
    scenario = conditions_with(scenario, rates=rates_at(0.5, "gateway_to_server.request_late"))

    sampled = [run_concrete(scenario, Sampled(seed, 0)).journal for seed in range(100)]

    assert sum("request_late" in fault.site for journal in sampled for fault in journal.of(Fault)) > 30
    assert not any(verdicts(journal)[ONCE] is PromiseVerdict.BROKEN for journal in sampled)


def paused(fencing: Fencing, *, lease_s: float = 3.0, key_retention_s: float | None = None) -> Scenario:
    """A worker may pause for up to 10 s before it sends; the caller waits 5 s, then calls again after another.

    So the second call is reserved 6.0 to 6.2 s after the first was sent.
    """
    scenario = server_with(varying(2, backoff=Wait.of(1.0)), lease_s=lease_s, fencing=fencing)
    scenario = downstream_with(
        scenario, key_retention=None if key_retention_s is None else a_retention(key_retention_s)
    )
    return conditions_with(scenario, rates=rates_at(0.01, "server.paused_after_reservation"), pause_s_max=10.0)


@pytest.mark.parametrize(
    ("fencing", "changes", "fewest_faults"),
    (
        (Fencing.NONE, {}, 1),  # it goes on after its lease, beside the second worker
        (Fencing.RECEIPT_CHECKS_OWNER, {}, 1),  # that keeps the record right, and comes after the effect
        # A newer token stops an older one only once it was seen: the paused one may send first.
        (Fencing.TOKEN_DOWNSTREAM, {}, 1),
        (Fencing.NONE, {"key_retention_s": 3600.0}, None),
        (Fencing.NONE, {"lease_s": 60.0}, None),  # the second call comes before the lease is over
    ),
)
def test_a_paused_worker_that_goes_on_after_its_lease_duplicates_whatever_fences_it_but_not_past_a_key(
    fencing: Fencing, changes: dict[str, Any], fewest_faults: int | None
) -> None:
    result = at_most_one(paused(fencing, **changes), 1)

    assert (result.fewest_faults, result.is_proved) == (fewest_faults, fewest_faults is None)


def test_a_token_holds_on_the_clock_where_some_other_order_breaks_it() -> None:
    """A pause takes its 10 s on a clock: the second worker is done at 6.2 s, and its token stops the first one."""
    chance = FaultsAt("server.paused_after_reservation@1")

    journal = run_concrete(paused(Fencing.TOKEN_DOWNSTREAM), chance).journal

    assert chance.left == set()
    assert len(journal.of(Effect)) == 1


def two_reconcilers(on_not_seen: OnNotSeen, claim: ClaimKind) -> Scenario:
    """One attempt that may be lost; a reconciler that waits for the last landing, and perhaps a second beside it."""
    scenario = server_with(varying(1), claim=claim, readback=a_readback(on_uncertain=OnUncertainReadback.HOLD))
    reconciler = Reconciler(delay=Wait.of(60.0), on_not_seen=on_not_seen, waits_for_landing=True)
    scenario = replace(scenario, reconciler=reconciler)
    return conditions_with(scenario, rates=rates_at(0.01, CALL_LOST, "reconciler.two_at_once"))


@pytest.mark.parametrize(
    ("on_not_seen", "claim", "fewest_faults"),
    (
        # The call is lost, or nobody has a case; then two of them have it, and neither sees anything.
        (OnNotSeen.NEW_ID, ClaimKind.UNIQUE, 2),
        (OnNotSeen.SAME_ID, ClaimKind.CHECK_THEN_ACT, 2),
        (OnNotSeen.SAME_ID, ClaimKind.UNIQUE, None),
        (OnNotSeen.ESCALATE, ClaimKind.CHECK_THEN_ACT, None),
    ),
)
def test_two_reconcilers_at_once_duplicate_with_two_faults_unless_they_send_one_id_to_a_reservation(
    on_not_seen: OnNotSeen, claim: ClaimKind, fewest_faults: int | None
) -> None:
    result = at_most_one(two_reconcilers(on_not_seen, claim), 2)

    assert (result.fewest_faults, result.is_proved) == (fewest_faults, fewest_faults is None)
