"""A crash: what ends, what still arrives, and who may go on in its place."""

from dataclasses import replace

from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Reply, StateChange
from simkit.scenario import Scenario
from simkit.study.tree import leaves
from simkit.terms import LayerName, StalePolicy, State
from simkit.world import run_concrete, run_intervals
from tests.builders import (
    FaultsAt,
    a_call,
    a_layer,
    a_readback,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []


def two_operations(**downstream_sdk_changes: object) -> Scenario:
    """Two operations of one attempt each; the second arrives while the first is downstream, for 2 s."""
    layers = (
        a_layer(LayerName.AGENT, timeout_s=30.0),
        a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=5.0, **downstream_sdk_changes),
    )
    calls = (a_call(), a_call(intent="i2", operation="op2", start_s=0.5))
    scenario = a_scenario(calls=calls, layers=layers)
    scenario = downstream_with(scenario, work=Wait.of(2.0))
    sites = ("server.after_reservation", "server_to_downstream.request_lost")
    return conditions_with(scenario, rates=rates_at(0.1, *sites))


def told(journal: Journal, operation_id: str, layer: LayerName) -> list[str]:
    """What a layer was told about an operation."""
    return [reply.detail for reply in journal.of(Reply) if (reply.operation_id, reply.layer) == (operation_id, layer)]


def recorded(journal: Journal, operation_id: str) -> list[State]:
    """What the record store went through for an operation."""
    return [change.state for change in journal.of(StateChange) if change.operation_id == operation_id]


def test_a_crash_under_one_call_ends_the_others_at_their_next_step_but_what_was_sent_still_arrives() -> None:
    journal = run_concrete(two_operations(), FaultsAt("server.after_reservation@2:1")).journal

    assert [effect.operation_id for effect in journal.of(Effect)] == ["op1"]
    assert recorded(journal, "op1") == [State.PENDING]
    assert recorded(journal, "op2") == [State.PENDING]


def test_a_crash_closes_the_connections_of_every_call_in_flight() -> None:
    journal = run_concrete(two_operations(), FaultsAt("server.after_reservation@2:1")).journal

    assert told(journal, "op1", LayerName.AGENT) == ["connection closed"]
    assert told(journal, "op2", LayerName.AGENT) == ["connection closed"]
    # 0.5 s start, 0.01 s request, 0.01 s for the news of the closed connection
    assert {reply.at_s for reply in journal.of(Reply) if reply.layer is LayerName.AGENT} == {0.52}


def test_without_the_crash_both_operations_complete() -> None:
    journal = run_concrete(two_operations(), FaultsAt()).journal

    assert recorded(journal, "op1") == recorded(journal, "op2") == [State.PENDING, State.COMPLETED]


def test_the_downstream_sdk_of_a_dead_process_sends_nothing_more() -> None:
    scenario = two_operations(attempts=3)
    lost = "server_to_downstream.request_lost@1:1/1"

    alive = run_concrete(scenario, FaultsAt(lost)).journal
    dead = run_concrete(scenario, FaultsAt(lost, "server.after_reservation@2:1")).journal

    def attempts(journal: Journal) -> list[str]:
        sent = [attempt for attempt in journal.of(Attempt) if attempt.layer is LayerName.DOWNSTREAM_SDK]
        return [attempt.path for attempt in sent if attempt.operation_id == "op1"]

    assert attempts(alive) == ["1:1/1", "1:1/2"]
    assert attempts(dead) == ["1:1/1"]
    assert dead.of(Effect) == []


def test_a_process_that_dies_while_its_sdk_waits_to_retry_sends_nothing_more() -> None:
    scenario = two_operations(attempts=3, backoff=Wait.of(10.0))
    late_second = (scenario.calls[0], replace(scenario.calls[1], start_s=8.0))
    faults = FaultsAt("server_to_downstream.request_lost@1:1/1", "server.after_reservation@2:1")

    journal = run_concrete(replace(scenario, calls=late_second), faults).journal

    assert faults.left == set()
    assert journal.of(Effect) == []


def a_stale_reservation(stale: StalePolicy) -> Scenario:
    """One call crashes behind its reservation; two more for the same intent come at once, past its lease."""
    starts_s = (0.0, 10.0, 10.0)
    layers = (a_layer(LayerName.AGENT, timeout_s=3.0), a_layer(LayerName.DOWNSTREAM_SDK))
    scenario = a_scenario(calls=tuple(a_call(start_s=start_s) for start_s in starts_s), layers=layers)
    scenario = server_with(scenario, stale=stale, lease_s=5.0, readback=a_readback())
    return conditions_with(scenario, rates=rates_at(0.1, "server.after_reservation"))


def test_of_two_callers_with_the_same_knowledge_only_one_takes_over_a_stale_reservation() -> None:
    scenario = a_stale_reservation(StalePolicy.READ_BACK)

    journal = run_concrete(scenario, FaultsAt("server.after_reservation@1:1")).journal

    details = [reply.detail for reply in journal.of(Reply) if reply.layer is LayerName.AGENT]
    assert sorted(details) == ["another call with this ID is at work", "connection closed", "receipt"]
    assert len(journal.of(Effect)) == 1


def test_in_every_order_only_one_takes_over() -> None:
    scenario = a_stale_reservation(StalePolicy.READ_BACK)

    runs = list(leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1))

    first_crashed = [
        leaf.run.journal for leaf in runs if any(asked.answer and asked.site.endswith("@1:1") for asked in leaf.trace)
    ]
    assert {len(journal.of(Effect)) for journal in first_crashed} == {1}
    assert len(first_crashed) > 1
