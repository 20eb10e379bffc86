"""How operation records get lost, or out of reach, and what a retry does then."""

from dataclasses import replace

import pytest

from simkit.choices import OnOutage, Resume, StoredFailure, StoreKind
from simkit.distributions import Wait
from simkit.records import Fault, Reply, StateChange
from simkit.scenario import Scenario, Stage, Store
from simkit.terms import ClaimKind, LayerName, OnMismatch, OnPending, Outcome, StalePolicy, State
from tests.builders import (
    a_call,
    a_layer,
    a_readback,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.server_worlds import (
    broken,
    effect_counts,
    effects,
    fewest_faults,
    outcomes,
    played,
    retried_after_the_lease,
    told,
)

__all__: list[str] = []

RESPONSE_LOST = "gateway_to_server.response_lost"
AFTER_RECEIPT = "server.after_receipt"
OUTAGE, FAILOVER = "record_store.outage", "record_store.failover"
CHECK_THEN_ACT = ClaimKind.CHECK_THEN_ACT


def unheard(store: Store, *sites: str, replica_count: int = 1) -> Scenario:
    """A call whose answer may be lost, and that is then retried: 8 s after it was sent first."""
    return retried_after_the_lease(RESPONSE_LOST, *sites, store=store, replica_count=replica_count)


def test_process_memory_protects_from_a_retry_that_comes_to_the_same_process() -> None:
    scenario = unheard(Store(kind=StoreKind.PROCESS_MEMORY))

    journal = played(scenario, f"{RESPONSE_LOST}@1")

    assert (effects(journal), told(journal)) == (["i1"], ["timeout", "recorded result"])
    assert fewest_faults(scenario) is None


def test_process_memory_does_not_protect_from_a_retry_that_comes_to_another_process() -> None:
    """Case RS-076: two pods, each with its own memory. A shared store protects."""
    own = unheard(Store(kind=StoreKind.PROCESS_MEMORY), replica_count=2)
    shared = unheard(Store(), replica_count=2)

    journal = played(own, f"{RESPONSE_LOST}@1", "server.replica@2=1")

    assert effects(journal) == ["i1", "i1"]
    # Which process gets the retry is open: one effect in some orders, two in others.
    assert effect_counts(own, fault_count=1) == {1, 2}
    assert effect_counts(shared, fault_count=1) == {1}
    assert (fewest_faults(own), fewest_faults(shared)) == (1, None)


def test_process_memory_is_gone_after_a_restart() -> None:
    """Case RS-076, too: the receipt was written, in a memory that no longer is."""
    own = retried_after_the_lease(AFTER_RECEIPT, store=Store(kind=StoreKind.PROCESS_MEMORY))
    shared = retried_after_the_lease(AFTER_RECEIPT)

    journal = played(own, f"{AFTER_RECEIPT}@1")

    assert (effects(journal), told(journal)) == (["i1", "i1"], ["connection closed", "receipt"])
    assert (fewest_faults(own), fewest_faults(shared)) == (1, None)


@pytest.mark.parametrize(
    ("loss_s", "site", "effect_count"),
    (
        (3.0, f"{FAILOVER}@2", 1),  # copied long before
        (8.0, f"{FAILOVER}@2", 2),
        (3.0, f"{FAILOVER}@1/ticket/receipt", 2),  # nothing is copied yet, however late the retry comes
    ),
)
def test_a_failover_loses_a_record_that_is_too_fresh_to_have_been_copied(
    loss_s: float, site: str, effect_count: int
) -> None:
    """Case RS-080. The first attempt is recorded at 0.01 s and done at 0.017 s, the second arrives at 8.01 s."""
    scenario = unheard(Store(failover_loss_s=loss_s), FAILOVER)

    journal = played(scenario, f"{RESPONSE_LOST}@1", site)

    assert len(effects(journal)) == effect_count
    # One fault alone does no harm: without a retry nobody asks, without a failover the record is there. Both do,
    # since a failover may come right after the receipt.
    assert fewest_faults(scenario, fault_budget=2) == 2


def test_a_store_that_loses_nothing_when_it_fails_over_protects() -> None:
    assert fewest_faults(unheard(Store(), FAILOVER), fault_budget=2) is None


def test_a_failover_that_loses_the_receipt_alone_leaves_a_reservation_behind() -> None:
    """Reserved at 0.01 s, done at 2.6 s: a failover at 8.01 s that loses 6 s takes back the receipt alone."""
    scenario = downstream_with(unheard(Store(failover_loss_s=6.0), FAILOVER), work=Wait.of(2.6))
    layers = (scenario.layers[0], replace(scenario.layers[1], timeout_s=10.0))
    scenario = replace(server_with(scenario, stale=StalePolicy.READ_BACK, readback=a_readback()), layers=layers)
    faults = (f"{RESPONSE_LOST}@1", f"{FAILOVER}@2")

    read_back = played(scenario, *faults)
    run_again = played(server_with(scenario, stale=StalePolicy.RUN_AGAIN), *faults)
    held = played(server_with(scenario, stale=StalePolicy.HOLD), *faults)

    assert (len(effects(read_back)), outcomes(read_back)) == (1, [Outcome.OK])
    assert (len(effects(run_again)), outcomes(run_again)) == (2, [Outcome.OK])
    assert (len(effects(held)), outcomes(held)) == (1, [Outcome.UNKNOWN])


def an_outage(on_outage: OnOutage) -> Scenario:
    """An outage of the store of 60 s, which spans the first attempt, whose answer is lost, and the second."""
    return unheard(Store(outage_s=60.0, on_outage=on_outage), OUTAGE)


def test_an_outage_that_spans_attempt_and_retry_is_one_fault_and_duplicates_where_the_server_fails_open() -> None:
    """Case RS-081: with the store away, both the call and its retry ran."""
    scenario = an_outage(OnOutage.FAIL_OPEN)

    journal = played(scenario, f"{OUTAGE}@1", f"{RESPONSE_LOST}@1")

    assert effects(journal) == ["i1", "i1"]
    assert [fault.site for fault in journal.of(Fault)] == [f"{OUTAGE}@1", f"{RESPONSE_LOST}@1"]
    assert fewest_faults(scenario, fault_budget=2) == 2


def test_where_the_server_fails_closed_nothing_is_done_and_both_attempts_are_told_so() -> None:
    """Case RS-081 with the fix: an explicit refusal, which settles nothing and does no harm."""
    scenario = an_outage(OnOutage.FAIL_CLOSED)

    journal = played(scenario, f"{OUTAGE}@1")

    assert effects(journal) == []
    assert told(journal) == ["the record store is away"] * 2
    assert {reply.state for reply in journal.of(Reply)} == {State.REFUSED}
    assert [fault.site for fault in journal.of(Fault)] == [f"{OUTAGE}@1"]
    assert fewest_faults(scenario, fault_budget=2) is None


def test_an_outage_is_over_after_its_time() -> None:
    """The second attempt comes 5.02 s after the first one was refused."""
    scenario = an_outage(OnOutage.FAIL_CLOSED)
    shorter = server_with(scenario, store=replace(scenario.server.store, outage_s=5.0))

    journal = played(shorter, f"{OUTAGE}@1")

    assert (effects(journal), told(journal)) == (["i1"], ["the record store is away", "receipt"])


def test_an_outage_between_the_effect_and_its_receipt_leaves_the_reservation_open() -> None:
    """The effect is made and said to be; the retry of a caller that did not hear it meets no receipt."""
    scenario = an_outage(OnOutage.FAIL_CLOSED)
    scenario = server_with(scenario, store=replace(scenario.server.store, outage_s=1.0))

    journal = played(scenario, f"{OUTAGE}@1/receipt", f"{RESPONSE_LOST}@1")

    assert [change.state for change in journal.of(StateChange)] == [State.PENDING, State.PENDING, State.COMPLETED]
    assert effects(journal) == ["i1", "i1"]


def test_a_call_that_waits_for_the_first_one_is_refused_when_the_store_goes_away_meanwhile() -> None:
    """The duplicate waits from 0.11 s on; the outage begins with the receipt of the first call, at 2.016 s."""
    scenario = a_scenario(
        calls=(a_call(), a_call(start_s=0.1)),
        layers=(a_layer(LayerName.AGENT, timeout_s=30.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)),
    )
    scenario = downstream_with(conditions_with(scenario, rates=rates_at(0.1, OUTAGE)), work=Wait.of(2.0))
    scenario = server_with(scenario, lease_s=60.0, on_pending=OnPending.WAIT, wait_s=5.0, store=Store(outage_s=60.0))

    journal = played(scenario, f"{OUTAGE}@1:1/receipt")

    assert told(journal) == ["receipt", "the record store is away"]
    assert effects(journal) == ["i1"]


def evicting(row_count_max: int | None) -> Scenario:
    """One call that is not heard and retried after 8 s; another operation is recorded in between."""
    scenario = unheard(Store(row_count_max=row_count_max))
    other = a_call(intent="i2", operation="op2", start_s=4.0)
    return replace(scenario, calls=(*scenario.calls, other))


@pytest.mark.parametrize(("row_count_max", "first_effect_count"), ((None, 1), (2, 1), (1, 2)))
def test_a_record_that_other_operations_push_out_protects_no_longer(
    row_count_max: int | None, first_effect_count: int
) -> None:
    scenario = evicting(row_count_max)

    journal = played(scenario, f"{RESPONSE_LOST}@1:1")

    assert effects(journal).count("i1") == first_effect_count
    assert effects(journal).count("i2") == 1
    assert fewest_faults(scenario) == (1 if first_effect_count == 2 else None)


def test_each_process_bounds_its_own_memory() -> None:
    """The other operation is recorded in the other process, so it pushes nothing out here."""
    scenario = server_with(evicting(1), store=Store(kind=StoreKind.PROCESS_MEMORY, row_count_max=1), replica_count=2)

    apart = played(scenario, f"{RESPONSE_LOST}@1:1", "server.replica@2:1=1")
    together = played(scenario, f"{RESPONSE_LOST}@1:1")

    assert (effects(apart).count("i1"), effects(together).count("i1")) == (1, 2)


def test_a_refusal_from_below_takes_back_no_record_of_another_call() -> None:
    """Two calls checked and found nothing; the first one's receipt stays when the second one is refused.

    A third call, under the same ID, is then answered from that receipt.
    """
    calls = (a_call(), a_call(), a_call(start_s=5.0))
    scenario = a_scenario(calls=calls, layers=(a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK)))
    scenario = server_with(scenario, claim=CHECK_THEN_ACT)
    scenario = conditions_with(scenario, rates=rates_at(0.1, "downstream.overloaded"))

    journal = played(scenario, "downstream.overloaded@2:1/1")

    assert told(journal)[-1] == "recorded result"
    assert effects(journal) == ["i1"]


@pytest.mark.parametrize(
    ("stored", "effect_count", "second"),
    (
        # An error whose outcome nobody knows: the effect may have been made, and was not.
        (StoredFailure.REPLAY_FOR_EVER, 0, "recorded failure"),
        (StoredFailure.REPLAY_DEFINITE, 1, "receipt"),
        (StoredFailure.RELEASE_RESULT, 1, "receipt"),
        (StoredFailure.DELETE_RECORD, 1, "receipt"),
    ),
)
def test_what_a_retry_meets_after_a_failure_that_decides_nothing(
    stored: StoredFailure, effect_count: int, second: str
) -> None:
    scenario = retried_after_the_lease("server_to_downstream.request_lost", stored_failure=stored)

    journal = played(scenario, "server_to_downstream.request_lost@1/1")

    assert (len(effects(journal)), told(journal)[-1]) == (effect_count, second)


def test_a_record_that_is_run_anew_for_other_inputs_begins_with_nothing_done() -> None:
    """A second wish under the first one's ID: what was done for the first is not done for the second."""
    calls = (a_call(), a_call(intent="i2", inputs="y", start_s=5.0), a_call(intent="i2", inputs="y", start_s=10.0))
    scenario = a_scenario(calls=calls, layers=(a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK)))

    for claim in (CHECK_THEN_ACT, ClaimKind.UNIQUE):
        journal = played(server_with(scenario, claim=claim, on_mismatch=OnMismatch.RUN_AS_NEW))

        assert effects(journal) == ["i1", "i2"]
        assert told(journal) == ["receipt", "receipt", "recorded result"]
        # The record is now about the second wish.
        assert journal.of(Reply)[-1].origin == "i2"


def test_a_first_result_that_is_not_there_yet_cannot_be_replayed() -> None:
    """Where other inputs get the first result, they get `pending` while there is none."""
    calls = (a_call(), a_call(intent="i2", inputs="y", start_s=0.5))
    scenario = a_scenario(calls=calls, layers=(a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK)))
    scenario = downstream_with(server_with(scenario, on_mismatch=OnMismatch.REPLAY), work=Wait.of(0.9))

    journal = played(scenario)

    replies = {reply.intent: reply for reply in journal.of(Reply) if reply.layer is LayerName.AGENT}
    assert (replies["i2"].state, replies["i2"].origin) == (State.PENDING, "i1")


def test_a_failover_takes_the_states_of_the_stages_back_with_their_receipts() -> None:
    """Two stages, done at 0.017 s and 0.024 s; the failover leaves nothing, so both run again."""
    scenario = unheard(Store(failover_loss_s=60.0), FAILOVER)
    first = scenario.stages[0]
    assert first.downstream is not None
    second = Stage(name="mail", downstream=replace(first.downstream, name="mail"))
    scenario = server_with(replace(scenario, stages=(first, second)), resume=Resume.OPEN_STAGES)

    journal = played(scenario, f"{RESPONSE_LOST}@1", f"{FAILOVER}@2")

    assert effects(journal) == ["i1"] * 4


@pytest.mark.parametrize("refusal_count", (1, 2))
def test_an_id_whose_attempts_were_refused_stays_bound_to_its_inputs(refusal_count: int) -> None:
    """Nothing was sent downstream, so the same wish may run; another one under the ID meets a conflict."""
    scenario = retried_after_the_lease("downstream.overloaded")
    layers = (replace(scenario.layers[0], attempts=refusal_count), *scenario.layers[1:])
    calls = (
        a_call(),
        a_call(intent="i2", inputs="y", start_s=60.0),
        a_call(intent="i3", start_s=120.0),
    )
    scenario = replace(scenario, layers=layers, calls=calls)
    refusals = [f"downstream.overloaded@1:{number}/1" for number in range(1, refusal_count + 1)]

    journal = played(scenario, *refusals)

    assert effects(journal) == ["i3"]
    assert broken(journal) == frozenset()
