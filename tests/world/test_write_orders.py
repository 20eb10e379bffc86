"""In which order the durable steps are made: what a crash in each window leaves, and what two calls at once do."""

from dataclasses import replace

import pytest

from simkit.chance import Episode, Scheduled
from simkit.choices import WriteOrder
from simkit.records import Effect, Fault, StateChange
from simkit.scenario import Scenario, windows_of
from simkit.terms import ClaimKind, Outcome, Promise, StalePolicy, State
from simkit.world import run_concrete
from tests.builders import a_retention, conditions_with, downstream_with
from tests.world.server_worlds import (
    broken,
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

NOTHING, CHECK_THEN_ACT, UNIQUE = ClaimKind.NONE, ClaimKind.CHECK_THEN_ACT, ClaimKind.UNIQUE
EFFECT_ONLY, EFFECT_THEN_RECEIPT = WriteOrder.EFFECT_ONLY, WriteOrder.EFFECT_THEN_RECEIPT
RESERVE_FIRST, RECORD_FIRST, OUTBOX = WriteOrder.RESERVE_FIRST, WriteOrder.RECORD_FIRST, WriteOrder.OUTBOX

POINTS = (
    (NOTHING, EFFECT_ONLY),
    *((claim, order) for claim in (CHECK_THEN_ACT, UNIQUE) for order in (EFFECT_THEN_RECEIPT, RESERVE_FIRST)),
    *((claim, order) for claim in (CHECK_THEN_ACT, UNIQUE) for order in (RECORD_FIRST, OUTBOX)),
)

OK = Outcome.OK
SOUND: frozenset[Promise] = frozenset()
TWICE = frozenset({Promise.AT_MOST_ONE_EFFECT})
LOST = frozenset({Promise.EFFECT_HAPPENS, Promise.COMPLETED_MEANS_DONE})

WINDOWS = {
    # Without a record the retry runs again, whatever the first attempt did.
    (EFFECT_ONLY, "server.before_effect"): (1, OK, SOUND),
    (EFFECT_ONLY, "server.after_effect"): (2, OK, TWICE),
    # Until the receipt is written the retry is a first call; from then on it is answered from the receipt.
    (EFFECT_THEN_RECEIPT, "server.before_effect"): (1, OK, SOUND),
    (EFFECT_THEN_RECEIPT, "server.after_effect"): (2, OK, TWICE),
    (EFFECT_THEN_RECEIPT, "server.after_receipt"): (1, OK, SOUND),
    # The retry meets a reservation past its lease, and runs it again: right before the effect, wrong after it.
    (RESERVE_FIRST, "server.before_reservation"): (1, OK, SOUND),
    (RESERVE_FIRST, "server.after_reservation"): (1, OK, SOUND),
    (RESERVE_FIRST, "server.after_effect"): (2, OK, TWICE),
    (RESERVE_FIRST, "server.after_receipt"): (1, OK, SOUND),
    # The record says `completed` before anything is done: the retry believes it, and nothing is ever done.
    (RECORD_FIRST, "server.before_receipt"): (1, OK, SOUND),
    (RECORD_FIRST, "server.after_receipt"): (0, OK, LOST),
    (RECORD_FIRST, "server.after_effect"): (1, OK, SOUND),
    # What is in the outbox is the relay's, whatever becomes of the server; by the time of a retry it is done.
    (OUTBOX, "server.before_reservation"): (1, OK, SOUND),
    (OUTBOX, "server.after_reservation"): (1, OK, SOUND),
    # The relay sends what is not marked as done: right before the effect, wrong after it.
    (OUTBOX, "relay.before_effect"): (1, OK, SOUND),
    (OUTBOX, "relay.after_effect"): (2, OK, TWICE),
}


def crashing(claim: ClaimKind, order: WriteOrder, *windows: str) -> Scenario:
    """One call that is retried after the lease; a stale reservation runs again; a crash in some windows.

    What an outbox has accepted counts as done: the review names handover as the evidence.
    """
    scenario = retried_after_the_lease(*windows, claim=claim, order=order, stale=StalePolicy.RUN_AGAIN)
    return replace(scenario, agent=replace(scenario.agent, handover_completes=order is OUTBOX))


def site_of(window: str) -> str:
    """The window as the first attempt, or the first round of the relay, passes it."""
    return f"{window}@1/relay-1" if window.startswith("relay.") else f"{window}@1"


def test_every_window_of_every_order_has_its_row() -> None:
    assert {(order, window) for _, order in POINTS for window in windows_of(order)} == set(WINDOWS)


@pytest.mark.parametrize(("claim", "order"), POINTS)
def test_without_a_fault_there_is_one_effect_in_every_order(claim: ClaimKind, order: WriteOrder) -> None:
    scenario = crashing(claim, order)

    journal = played(scenario)

    assert (effects(journal), outcomes(journal), broken(journal)) == (["i1"], [OK], SOUND)
    assert effect_counts(scenario) == {1}


@pytest.mark.parametrize(
    ("claim", "order", "window"), [(claim, order, window) for claim, order in POINTS for window in windows_of(order)]
)
def test_a_crash_in_each_window_on_the_clock_and_in_every_order(
    claim: ClaimKind, order: WriteOrder, window: str
) -> None:
    """The claim makes no difference here: it matters where two calls are at work at once."""
    effect_count, outcome, promises = WINDOWS[order, window]
    scenario = crashing(claim, order, window)

    journal = played(scenario, site_of(window))

    assert (len(effects(journal)), outcomes(journal), broken(journal)) == (effect_count, [outcome], promises)
    for promise in (Promise.AT_MOST_ONE_EFFECT, Promise.EFFECT_HAPPENS, Promise.COMPLETED_MEANS_DONE):
        assert fewest_faults(scenario, promise) == (1 if promise in promises else None)


def test_a_claim_written_before_the_work_loses_it_on_a_crash_and_a_claim_in_two_phases_does_not() -> None:
    """Case RS-074: the redelivery looked like a duplicate of what had never run."""
    record_first = crashing(UNIQUE, RECORD_FIRST, "server.after_receipt")
    two_phases = crashing(UNIQUE, RESERVE_FIRST, "server.after_reservation")

    lost = played(record_first, "server.after_receipt@1")
    kept = played(two_phases, "server.after_reservation@1")

    assert (effects(lost), told(lost)) == ([], ["connection closed", "recorded result"])
    assert (effects(kept), told(kept)) == (["i1"], ["connection closed", "receipt"])


@pytest.mark.parametrize(("claim", "order"), POINTS)
def test_two_identical_calls_at_once(claim: ClaimKind, order: WriteOrder) -> None:
    """Only a claim that is unique and comes before the effect keeps them apart.

    Checking first and writing then leaves a gap, however short; a receipt comes too late to be a claim.
    """
    is_apart = claim is UNIQUE and order not in (EFFECT_ONLY, EFFECT_THEN_RECEIPT)
    scenario = two_at_once(claim=claim, order=order)

    possible = effect_counts(scenario)

    assert possible == ({1} if is_apart else {2} if claim is NOTHING else {1, 2})
    assert fewest_faults(scenario) == (None if is_apart else 0)


def test_a_relay_that_dies_after_the_effect_repeats_it_unless_the_system_of_record_knows_the_key() -> None:
    without_key = crashing(UNIQUE, OUTBOX, "relay.after_effect")
    with_key = downstream_with(without_key, key_retention=a_retention(3600.0))

    repeated, recognised = (
        played(without_key, "relay.after_effect@1/relay-1"),
        played(with_key, "relay.after_effect@1/relay-1"),
    )

    assert (len(effects(repeated)), len(effects(recognised))) == (2, 1)
    assert (fewest_faults(without_key), fewest_faults(with_key, fault_budget=2)) == (1, None)


def test_an_outbox_answers_before_the_effect_and_marks_it_as_done_after_it() -> None:
    journal = played(crashing(UNIQUE, OUTBOX))

    assert told(journal) == ["written to the outbox"]
    assert [change.state for change in journal.of(StateChange)] == [State.ACCEPTED, State.COMPLETED]


def test_what_an_outbox_has_accepted_is_unknown_where_the_review_does_not_name_handover_as_evidence() -> None:
    scenario = crashing(UNIQUE, OUTBOX)
    scenario = replace(scenario, agent=replace(scenario.agent, handover_completes=False))

    journal = played(scenario)

    assert (effects(journal), outcomes(journal)) == (["i1"], [Outcome.UNKNOWN])


def test_a_relay_in_an_episode_of_crashes_goes_on_when_that_is_over() -> None:
    """It hits every round while it lasts, and no time passes between two rounds without a backoff."""
    site = "relay.before_effect@1/relay-1"
    scenario = conditions_with(crashing(UNIQUE, OUTBOX, "relay.before_effect"), episode_s=30.0)

    journal = run_concrete(scenario, Scheduled([f"{site}={Episode.ONSET:d}"]), has_episodes=True).journal

    assert [fault.site for fault in journal.of(Fault)] == [site]
    # 0.01 s to the server, 30 s of the episode, 0.005 s to the system of record, 0.001 s of work
    assert [effect.at_s for effect in journal.of(Effect)] == [30.016]
