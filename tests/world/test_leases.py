"""Leases: how long a reservation counts, whose clock says so, and what keeps a worker that lost it from going on."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import Fencing, LeaseClock
from simkit.distributions import Wait
from simkit.records import Receipt
from simkit.scenario import PartyClock, Scenario
from simkit.terms import LayerName, OnPending, Outcome, StalePolicy
from tests.builders import (
    a_call,
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.server_worlds import (
    effect_counts,
    effects,
    fewest_faults,
    outcomes,
    played,
    retried_after_the_lease,
    told,
    two_at_once,
)

__all__: list[str] = []

PAUSED = "server.paused_after_reservation"
PAUSED_AFTER_EFFECT = "server.paused_after_effect"
AT_WORK = "another call with this ID is at work"
HELD = "outcome unknown, held for the owner"


def two_workers(*sites: str, second_s: float = 8.0, work_s: float = 10.0, **server_changes: Any) -> Scenario:
    """The same operation sent twice, the second time while the first is still at work below.

    Each is sent once and waited for long enough. The first is reserved at 0.01 s, its effect comes after
    0.005 s and the work, its receipt 0.001 s later. A stale reservation is run again.
    """
    scenario = a_scenario(
        calls=(a_call(), a_call(start_s=second_s)),
        layers=(a_layer(LayerName.AGENT, timeout_s=90.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=30.0)),
    )
    scenario = downstream_with(server_with(scenario, **server_changes), work=Wait.of(work_s))
    return conditions_with(scenario, rates=rates_at(0.1, *sites), pause_s_max=20.0)


@pytest.mark.parametrize(
    ("lease_s", "effect_count"),
    (
        (None, 1),  # absent: nobody ever takes it over
        (60.0, 1),  # longer than the work
        (8.000001, 1),  # the second call comes 8 s after the first one's reservation
        (8.0, 2),  # an expiry beats an arrival at the same instant
        (2.0, 2),  # runs out in the middle of the work
        (0.0, 2),  # zero: any second call takes it over
    ),
)
def test_a_lease_that_runs_out_in_the_middle_of_the_work_duplicates(lease_s: float | None, effect_count: int) -> None:
    scenario = two_workers(lease_s=lease_s)

    journal = played(scenario)

    assert len(effects(journal)) == effect_count
    assert told(journal) == (["receipt"] * 2 if effect_count == 2 else [AT_WORK, "receipt"])
    assert effect_counts(scenario) == {effect_count}


def test_a_lease_of_zero_is_no_claim_at_all() -> None:
    """Of two calls at once the second runs again unless it comes after the receipt of the first."""
    assert effect_counts(two_at_once(lease_s=0.0)) == {1, 2}
    assert effect_counts(two_at_once(lease_s=60.0)) == {1}


def test_without_a_lease_a_crash_leaves_a_reservation_that_nobody_ever_takes_over() -> None:
    scenario = retried_after_the_lease("server.after_reservation", lease_s=None)

    journal = played(scenario, "server.after_reservation@1")

    assert (effects(journal), outcomes(journal)) == ([], [Outcome.UNKNOWN])
    assert told(journal) == ["connection closed", AT_WORK]


def test_a_renewed_lease_lasts_as_long_as_its_worker_is_at_work() -> None:
    renewed = two_workers(lease_s=2.0, is_lease_renewed=True)

    journal = played(renewed)

    assert (effects(journal), told(journal)) == (["i1"], [AT_WORK, "receipt"])
    assert fewest_faults(renewed) is None


@pytest.mark.parametrize(("lease_s", "effect_count", "second"), ((2.0, 2, "receipt"), (60.0, 1, AT_WORK)))
def test_a_renewed_lease_runs_from_the_death_of_its_worker(lease_s: float, effect_count: int, second: str) -> None:
    """The worker dies at 10.016 s, after its effect; the second call comes at 15.01 s."""
    scenario = two_workers("server.after_effect", second_s=15.0, lease_s=lease_s, is_lease_renewed=True)

    journal = played(scenario, "server.after_effect@1:1")

    assert (len(effects(journal)), told(journal)) == (effect_count, ["connection closed", second])


def test_a_renewed_lease_runs_from_the_beginning_of_a_pause() -> None:
    """A worker that stands still renews nothing: it is taken for dead, and goes on all the same."""
    scenario = two_workers(PAUSED, work_s=0.001, lease_s=5.0, is_lease_renewed=True)

    journal = played(scenario, f"{PAUSED}@1:1")

    assert effects(journal) == ["i1", "i1"]


def test_a_worker_whose_process_dies_while_it_pauses_renews_nothing_when_the_pause_is_over() -> None:
    """It pauses from 0.01 s to 20.01 s; at 1.01 s its process dies under another call."""
    scenario = two_workers(PAUSED, "server.after_reservation", second_s=30.0, lease_s=5.0, is_lease_renewed=True)
    other = a_call(intent="i2", operation="op2", start_s=1.0)
    scenario = replace(scenario, calls=(*scenario.calls, other))

    journal = played(scenario, f"{PAUSED}@1:1", "server.after_reservation@3:1")

    assert effects(journal) == ["i1"]
    assert told(journal) == ["connection closed", "connection closed", "receipt"]


@pytest.mark.parametrize(
    ("fencing", "receipt_count", "first"),
    ((Fencing.NONE, 2, "receipt"), (Fencing.RECEIPT_CHECKS_OWNER, 1, HELD)),
)
def test_a_receipt_that_checks_the_owner_keeps_the_record_right_but_not_the_effect(
    fencing: Fencing, receipt_count: int, first: str
) -> None:
    """The first worker lost its claim at 8.01 s and made its effect at 10.016 s all the same."""
    scenario = two_workers(lease_s=5.0, fencing=fencing)

    journal = played(scenario)

    assert effects(journal) == ["i1", "i1"]
    assert (len(journal.of(Receipt)), told(journal)) == (receipt_count, [first, "receipt"])


@pytest.mark.parametrize(
    ("fencing", "effect_count", "late_one"),
    (
        (Fencing.NONE, 2, "receipt"),
        (Fencing.RECEIPT_CHECKS_OWNER, 2, HELD),
        (Fencing.TOKEN_DOWNSTREAM, 1, "an older token"),
    ),
)
def test_a_token_that_the_system_of_record_checks_stops_a_worker_that_paused_beyond_its_lease(
    fencing: Fencing, effect_count: int, late_one: str
) -> None:
    """It pauses from 0.01 s to 20.01 s, before it sends; the second one is done at 8.017 s."""
    scenario = two_workers(PAUSED, work_s=0.001, lease_s=5.0, fencing=fencing)

    journal = played(scenario, f"{PAUSED}@1:1")

    assert len(effects(journal)) == effect_count
    assert told(journal) == ["receipt", late_one]


def test_a_token_does_not_help_where_the_loser_is_done_before_the_winner() -> None:
    """A newer token never stands against an older one that came first: only a key makes the two one."""
    scenario = two_workers(lease_s=5.0, fencing=Fencing.TOKEN_DOWNSTREAM)
    with_key = downstream_with(scenario, key_retention=a_retention(3600.0))

    assert len(effects(played(scenario))) == 2
    assert (fewest_faults(scenario), fewest_faults(with_key)) == (0, None)


@pytest.mark.parametrize(
    ("stale", "lease_s", "fault_count"),
    (
        (StalePolicy.RUN_AGAIN, 5.0, 1),  # the second call finds the lease over while the first worker pauses
        (StalePolicy.READ_BACK, 5.0, None),  # the readback finds the effect
        (StalePolicy.HOLD, 5.0, None),  # nothing is repeated
        (StalePolicy.RUN_AGAIN, 60.0, None),  # the pause is over before the lease
    ),
)
def test_a_pause_between_the_effect_and_its_receipt(
    stale: StalePolicy, lease_s: float, fault_count: int | None
) -> None:
    scenario = two_workers(PAUSED_AFTER_EFFECT, work_s=0.001, stale=stale, lease_s=lease_s, readback=a_readback())

    journal = played(scenario, f"{PAUSED_AFTER_EFFECT}@1:1")

    assert len(effects(journal)) == (1 if fault_count is None else 2)
    assert fewest_faults(scenario) == fault_count


def test_what_a_duplicate_gets_while_the_first_call_is_at_work() -> None:
    """The second call comes at 8.01 s, the receipt of the first at 10.016 s."""
    expected = {
        (OnPending.RETURN_PENDING, 0.0): (1, [AT_WORK, "receipt"]),
        (OnPending.CONFLICT, 0.0): (1, [AT_WORK, "receipt"]),
        (OnPending.WAIT, 5.0): (1, ["receipt", "recorded result"]),
        (OnPending.WAIT, 1.0): (1, [AT_WORK, "receipt"]),  # it waits too short a time
        (OnPending.RUN_AGAIN, 0.0): (2, ["receipt", "receipt"]),
    }

    for (on_pending, wait_s), found in expected.items():
        scenario = two_workers(lease_s=60.0, on_pending=on_pending, wait_s=wait_s)
        journal = played(scenario)
        assert (len(effects(journal)), told(journal)) == found
        assert effect_counts(scenario) == {found[0]}


def test_a_duplicate_that_waits_takes_over_when_the_first_claim_is_given_up_meanwhile() -> None:
    """The first call is refused below at 0.016 s, and its reservation taken back: the one that waits runs at once."""
    scenario = two_workers("downstream.overloaded", second_s=0.001, lease_s=60.0, on_pending=OnPending.WAIT, wait_s=5.0)

    journal = played(scenario, "downstream.overloaded@1:1/1")

    assert len(effects(journal)) == 1
    assert told(journal)[1] == "receipt"


def skewed(skew_s_max: float, *, lease_s: float, second_s: float, **server_changes: Any) -> Scenario:
    """The second call comes `second_s` after the first one's reservation, 0.016 s before its receipt."""
    scenario = two_workers(second_s=second_s, work_s=second_s + 0.01, lease_s=lease_s, **server_changes)
    return conditions_with(scenario, clocks=(PartyClock(party="server", skew_s_max=skew_s_max),))


@pytest.mark.parametrize(
    ("lease_s", "second_s", "skew_s_max", "fault_count"),
    (
        # Case RS-126: a lease of 20 s, 10.1 s of it left; two clocks differ by up to twice the skew of one.
        (20.0, 9.9, 5.04, None),
        (20.0, 9.9, 5.05, 0),
        # The storage review in it: 2 s to live, 1 s of work, clocks 1.1 s apart.
        (2.0, 1.0, 0.49, None),
        (2.0, 1.0, 0.55, 0),
    ),
)
def test_a_lease_judged_by_another_workers_clock_duplicates_iff_the_skew_can_exceed_what_is_left_of_it(
    lease_s: float, second_s: float, skew_s_max: float, fault_count: int | None
) -> None:
    by_workers = skewed(skew_s_max, lease_s=lease_s, second_s=second_s, lease_clock=LeaseClock.WORKERS)
    by_store = skewed(skew_s_max, lease_s=lease_s, second_s=second_s, lease_clock=LeaseClock.STORE)

    assert fewest_faults(by_workers) == fault_count
    assert fewest_faults(by_store) is None


def test_whether_a_skewed_clock_takes_a_lease_for_over_is_a_pick() -> None:
    scenario = skewed(6.0, lease_s=20.0, second_s=9.9, lease_clock=LeaseClock.WORKERS)

    in_time, fast = played(scenario), played(scenario, "server.lease.skewed=1")

    assert (len(effects(in_time)), len(effects(fast))) == (1, 2)
    assert effect_counts(scenario) == {1, 2}
