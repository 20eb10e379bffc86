"""Effect and receipt in one transaction, and what becomes of records when an object is deleted on purpose."""

from dataclasses import replace

import pytest

from simkit.chance import Scheduled
from simkit.choices import StoreKind, WriteOrder
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.records import Deleted, Effect, Receipt, Reply, Report
from simkit.scenario import Deletion, Scenario, Store
from simkit.study import explore
from simkit.terms import ClaimKind, LayerName, OnPending, Outcome, Promise, State
from simkit.world import run_concrete
from tests.builders import a_call, a_layer, a_scenario, conditions_with, downstream_with, rates_at, server_with

__all__: list[str] = []

SITES = (
    "gateway_to_server.response_lost",
    "server_to_downstream.response_lost",
    "server.before_transaction",
    "server.after_transaction",
)


def in_one_transaction(claim: ClaimKind = ClaimKind.UNIQUE, **changes: object) -> Scenario:
    scenario = server_with(a_scenario(), claim=claim, order=WriteOrder.ONE_TRANSACTION, **changes)
    return conditions_with(scenario, rates=rates_at(0.1, *SITES), fault_budget=1)


def run(scenario: Scenario, *faults: str) -> Journal:
    chance = Scheduled(faults)
    journal = run_concrete(scenario, chance).journal
    assert not chance.waiting
    return journal


def overlapping(on_pending: OnPending, claim: ClaimKind = ClaimKind.UNIQUE) -> Scenario:
    """Two calls with one ID, the second sent while the first is at work: neither sees the other's row."""
    scenario = in_one_transaction(claim, on_pending=on_pending)
    layers = (a_layer(LayerName.AGENT, timeout_s=30.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=20.0))
    calls = (a_call(), a_call(start_s=1.0))
    return downstream_with(replace(scenario, calls=calls, layers=layers), work=Wait.of(5.0))


@pytest.mark.parametrize(
    ("fault", "effect_count"),
    (
        ("server.before_transaction@1", 1),  # nothing was durable: the repeat makes it
        ("server_to_downstream.response_lost@1/1", 1),  # committed, and the repeat finds the row
        ("server.after_transaction@1", 1),
        ("gateway_to_server.response_lost@1", 1),
    ),
)
def test_no_window_lies_between_an_effect_and_its_receipt(fault: str, effect_count: int) -> None:
    journal = run(in_one_transaction(), fault)

    assert len(journal.of(Effect)) == effect_count
    assert len(journal.of(Receipt)) == 1
    assert [report.outcome for report in journal.of(Report)] == [Outcome.OK]


def test_with_a_unique_row_no_schedule_and_no_order_makes_a_second_effect() -> None:
    scenario = overlapping(OnPending.WAIT)

    explored = explore(scenario, fault_budget=1, policy="as written", runs_twice=True).exploration

    assert explored.of(Promise.AT_MOST_ONE_EFFECT).is_proved


def test_without_a_unique_row_two_transactions_that_overlap_both_commit() -> None:
    journal = run(overlapping(OnPending.WAIT, ClaimKind.CHECK_THEN_ACT))

    assert len(journal.of(Effect)) == 2


@pytest.mark.parametrize(
    ("on_pending", "state"),
    (
        (OnPending.WAIT, State.COMPLETED),  # the loser replays the winner
        (OnPending.RETURN_PENDING, State.PENDING),
        (OnPending.CONFLICT, State.CONFLICT),
        (OnPending.RUN_AGAIN, State.UNKNOWN),  # the violation goes up as an error, as in a naive handler
    ),
)
def test_the_loser_of_two_commits_gets_what_the_policy_says(on_pending: OnPending, state: State) -> None:
    journal = run(overlapping(on_pending))

    second = [reply for reply in journal.of(Reply) if reply.layer is LayerName.AGENT and reply.path.startswith("2:")]
    assert [reply.state for reply in second] == [state]
    assert len(journal.of(Effect)) == 1


def test_what_dies_with_the_process_is_in_no_transaction() -> None:
    with pytest.raises(ScenarioError, match=r"'one transaction' and server\.store\.kind 'process memory'"):
        in_one_transaction(store=Store(kind=StoreKind.PROCESS_MEMORY))


def test_records_in_the_system_of_record_have_no_store_of_their_own_to_fail() -> None:
    stores = [site for site in in_one_transaction().sites() if site.startswith("record_store.")]
    beside = [site for site in a_scenario().sites() if site.startswith("record_store.")]

    assert (stores, beside) == ([], ["record_store.outage", "record_store.failover"])


@pytest.mark.parametrize(
    ("ends_with_object", "effect_count"),
    (
        (True, 2),  # the row went with the object: the late repeat makes it again
        (False, 1),  # the record outlives the object
    ),
)
def test_a_record_that_ends_with_its_object_lets_a_late_repeat_make_it_again(
    *, ends_with_object: bool, effect_count: int
) -> None:
    scenario = server_with(a_scenario(), ends_with_object=ends_with_object)
    layers = (a_layer(LayerName.AGENT, attempts=2, backoff=Wait.of(60.0)), *scenario.layers[1:])
    deletions = (Deletion(intent="i1", stage="ticket", at_s=10.0),)
    scenario = conditions_with(
        replace(scenario, layers=layers, deletions=deletions), rates=rates_at(0.1, "gateway_to_server.response_lost")
    )

    journal = run(scenario, "gateway_to_server.response_lost@1")

    assert len(journal.of(Deleted)) == 1
    assert len(journal.of(Effect)) == effect_count
