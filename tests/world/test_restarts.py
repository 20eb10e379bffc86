"""A restart of the agent: in each window, with the ID persisted or lost, and what goes on afterwards."""

from dataclasses import replace

import pytest

from simkit.choices import OnRestart
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Fault, Report
from simkit.scenario import Agent, Scenario, TokenBucket
from simkit.study.structure.exploration import explore
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, Identity, LayerName, Outcome, Promise
from simkit.world import run_concrete, run_intervals
from tests.builders import FaultsAt, a_call, a_layer, a_scenario, conditions_with, rates_at, server_with

__all__: list[str] = []

BEFORE_SENDING, AFTER_SENDING, AFTER_REPLY = "agent.before_sending", "agent.after_sending", "agent.after_reply"
PERSISTED, LOST = True, False
FORGET, RESUME, RUN_AGAIN = OnRestart.FORGET, OnRestart.RESUME, OnRestart.RUN_AGAIN


def restarting(on_restart: OnRestart, *, is_id_persisted: bool, **changes: object) -> Scenario:
    """One attempt for each life of the agent, which is back after 5 s; a server that keeps IDs apart."""
    agent = Agent(
        identity=Identity.PER_INTENT,
        is_id_persisted=is_id_persisted,
        on_restart=on_restart,
        restart=Wait.of(5.0),
    )
    layers = (a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    scenario = a_scenario(**{"agent": agent, "layers": layers, **changes})
    return conditions_with(scenario, rates=rates_at(0.01, BEFORE_SENDING, AFTER_SENDING, AFTER_REPLY))


def told(journal: Journal) -> list[Outcome]:
    """The outcomes that were reported, in order."""
    return [report.outcome for report in journal.of(Report)]


@pytest.mark.parametrize(
    ("window", "on_restart", "is_id_persisted", "effect_count", "outcomes"),
    (
        # Nobody goes on: what was sent still arrives, and nobody is told.
        (BEFORE_SENDING, FORGET, PERSISTED, 0, []),
        (AFTER_SENDING, FORGET, PERSISTED, 1, []),
        (AFTER_REPLY, FORGET, PERSISTED, 1, []),
        # The step goes on under its own ID, so that the server recognises what had arrived.
        (BEFORE_SENDING, RESUME, PERSISTED, 1, [Outcome.OK]),
        (AFTER_SENDING, RESUME, PERSISTED, 1, [Outcome.OK]),
        (AFTER_REPLY, RESUME, PERSISTED, 1, [Outcome.OK]),
        # Under another ID it is another operation; only what was never sent cannot be doubled.
        (BEFORE_SENDING, RESUME, LOST, 1, [Outcome.OK]),
        (AFTER_SENDING, RESUME, LOST, 2, [Outcome.OK]),
        (AFTER_REPLY, RESUME, LOST, 2, [Outcome.OK]),
        # RS-022: the tool had succeeded, the model call after it failed, and the whole run is run again.
        (AFTER_REPLY, RUN_AGAIN, PERSISTED, 1, [Outcome.OK]),
        (AFTER_REPLY, RUN_AGAIN, LOST, 2, [Outcome.OK]),
    ),
)
def test_a_restart_in_each_window(
    window: str,
    on_restart: OnRestart,
    is_id_persisted: bool,  # noqa: FBT001
    effect_count: int,
    outcomes: list[Outcome],
) -> None:
    scenario = restarting(on_restart, is_id_persisted=is_id_persisted)

    journal = run_concrete(scenario, FaultsAt(f"{window}@1")).journal

    assert len(journal.of(Effect)) == effect_count
    assert told(journal) == outcomes


def test_the_paths_of_a_life_after_a_restart_show_it_and_come_after_the_wait() -> None:
    scenario = restarting(RESUME, is_id_persisted=PERSISTED)

    journal = run_concrete(scenario, FaultsAt(f"{AFTER_SENDING}@1", f"{AFTER_SENDING}@r1:1")).journal

    sent = [(fact.path, fact.at_s) for fact in journal.of(Attempt) if fact.layer is LayerName.AGENT]
    assert sent == [("1", 0.0), ("r1:1", 5.0), ("r2:1", 10.0)]  # each back after 5 s


@pytest.mark.parametrize(("on_restart", "first_effect_count"), ((RESUME, 1), (RUN_AGAIN, 2)))
def test_only_a_run_that_is_run_again_repeats_a_call_that_had_finished(
    on_restart: OnRestart, first_effect_count: int
) -> None:
    """RS-023: an interrupt of one call replays the node, and with it the calls beside it that had finished."""
    calls = (a_call(), a_call(intent="i2", operation="op2", start_s=2.0))
    scenario = restarting(on_restart, is_id_persisted=LOST, calls=calls)

    journal = run_concrete(scenario, FaultsAt(f"{BEFORE_SENDING}@2:1")).journal

    made = [effect.intent for effect in journal.of(Effect)]
    assert made.count("i1") == first_effect_count
    assert made.count("i2") == 1  # it was never sent before the restart


def test_a_restart_ends_every_call_that_the_process_has_in_hand() -> None:
    """The first call waits out its backoff when the second one takes the process down; neither goes on."""
    layers = (
        a_layer(LayerName.AGENT, attempts=2, backoff=Wait.of(3.0)),
        a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0),
    )
    calls = (a_call(), a_call(intent="i2", operation="op2", start_s=2.0))
    scenario = restarting(FORGET, is_id_persisted=PERSISTED, calls=calls, layers=layers)
    sites = ("gateway_to_server.request_lost", BEFORE_SENDING)
    scenario = conditions_with(scenario, rates=rates_at(0.01, *sites))

    journal = run_concrete(scenario, FaultsAt("gateway_to_server.request_lost@1:1", f"{BEFORE_SENDING}@2:1")).journal

    assert [fact.path for fact in journal.of(Attempt)] == ["1:1"]
    assert told(journal) == []


def test_an_agent_that_lost_its_id_says_failed_of_what_it_no_longer_knows_it_sent() -> None:
    """The first life's attempt takes effect; the second one's would be rejected if it got as far as the system."""

    def outcomes(*, is_id_persisted: bool) -> list[Outcome]:
        scenario = restarting(RESUME, is_id_persisted=is_id_persisted)
        scenario = conditions_with(scenario, rates=rates_at(0.01, AFTER_SENDING, "downstream.error"))
        return told(run_concrete(scenario, FaultsAt(f"{AFTER_SENDING}@1", "downstream.error@r1:1/1")).journal)

    assert outcomes(is_id_persisted=PERSISTED) == [Outcome.OK]  # the recorded result of the first
    assert outcomes(is_id_persisted=LOST) == [Outcome.FAILED]  # a new operation, truly rejected


@pytest.mark.parametrize(("is_id_persisted", "fewest_faults"), ((PERSISTED, None), (LOST, 1)))
def test_in_every_order_of_two_calls_in_one_process_a_persisted_id_keeps_each_to_one_effect(
    is_id_persisted: bool,  # noqa: FBT001
    fewest_faults: int | None,
) -> None:
    calls = (a_call(), a_call(intent="i2", operation="op2"))
    scenario = restarting(RESUME, is_id_persisted=is_id_persisted, calls=calls)

    found = explore(scenario, fault_budget=1, policy="restarts", runs_twice=True).exploration

    result = next(result for result in found.promises if result.promise is Promise.AT_MOST_ONE_EFFECT)
    assert (result.fewest_faults, result.is_proved) == (fewest_faults, fewest_faults is None)


def test_a_restart_that_takes_no_time_is_refused() -> None:
    scenario = restarting(RESUME, is_id_persisted=PERSISTED)

    with pytest.raises(ScenarioError, match=r"agent.restart 0 and conditions.rates 'agent.before_sending'"):
        replace(scenario, agent=replace(scenario.agent, restart=Wait.of(0.0)))


def test_a_server_without_a_record_doubles_what_a_resumed_agent_sends_again_under_any_id() -> None:
    scenario = server_with(restarting(RESUME, is_id_persisted=PERSISTED), claim=ClaimKind.NONE)

    journal = run_concrete(scenario, FaultsAt(f"{AFTER_SENDING}@1")).journal

    assert len(journal.of(Effect)) == 2


@pytest.mark.parametrize(
    ("identity", "is_id_persisted", "effect_count"),
    (
        (Identity.PER_PROCESS, PERSISTED, 2),  # another process, another ID, whatever was written down
        (Identity.HASH_OF_ARGUMENTS, LOST, 1),  # worked out again from the same arguments
        (Identity.BY_MODEL, LOST, 2),
        (Identity.PER_ATTEMPT, PERSISTED, 2),
    ),
)
def test_what_a_restart_does_to_each_kind_of_id(
    identity: Identity,
    is_id_persisted: bool,  # noqa: FBT001
    effect_count: int,
) -> None:
    scenario = restarting(RESUME, is_id_persisted=is_id_persisted)
    scenario = replace(scenario, agent=replace(scenario.agent, identity=identity))

    journal = run_concrete(scenario, FaultsAt(f"{AFTER_REPLY}@1")).journal

    assert len(journal.of(Effect)) == effect_count


def test_a_persisted_id_reminds_the_next_life_that_something_was_possibly_sent() -> None:
    """The second life's attempt never leaves; that says nothing about the first life's."""
    refused = "gateway_to_server.connection_refused"

    def outcomes(*, is_id_persisted: bool) -> list[Outcome]:
        scenario = restarting(RESUME, is_id_persisted=is_id_persisted)
        scenario = conditions_with(scenario, rates=rates_at(0.01, AFTER_SENDING, refused))
        return told(run_concrete(scenario, FaultsAt(f"{AFTER_SENDING}@1", f"{refused}@r1:1")).journal)

    assert outcomes(is_id_persisted=PERSISTED) == [Outcome.UNKNOWN]
    assert outcomes(is_id_persisted=LOST) == [Outcome.FAILED]


def test_a_new_process_begins_with_a_full_bucket() -> None:
    """One token: the first life pays its repeat with it and dies in that; the second one repeats as well."""
    lost = "gateway_to_server.request_lost"
    bucket = TokenBucket(token_count_max=1, cost_count=1, refund_count=0)
    layers = (
        a_layer(LayerName.AGENT, attempts=3, token_bucket=bucket),
        a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0),
    )
    scenario = restarting(RESUME, is_id_persisted=PERSISTED, layers=layers)
    scenario = conditions_with(scenario, rates=rates_at(0.01, AFTER_SENDING, lost))
    faults = (f"{lost}@1", f"{AFTER_SENDING}@2", f"{lost}@r1:1")

    journal = run_concrete(scenario, FaultsAt(*faults)).journal

    assert [fact.path for fact in journal.of(Attempt) if fact.layer is LayerName.AGENT] == ["1", "2", "r1:1", "r1:2"]


def test_a_restart_may_come_before_or_after_the_answer_to_another_call() -> None:
    """The second call starts after 1 s; the answer to the first one takes up to 2 s, so both orders exist."""
    calls = (a_call(), a_call(intent="i2", operation="op2", start_s=1.0))
    layers = (a_layer(LayerName.AGENT, timeout_s=9.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    scenario = restarting(FORGET, is_id_persisted=PERSISTED, calls=calls, layers=layers)
    to_server = replace(scenario.hops[0], response=Wait(s_min=0.01, s_typical=0.02, s_max=2.0), latest_landing_s=2.0)
    scenario = replace(scenario, hops=(to_server, scenario.hops[1]))
    scenario = conditions_with(scenario, rates=rates_at(0.01, BEFORE_SENDING))

    found = [
        [report.intent for report in leaf.run.journal.of(Report)]
        for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1)
        if any(fault.site == f"{BEFORE_SENDING}@2:1" for fault in leaf.run.journal.of(Fault))
    ]

    assert ["i1"] in found
    assert [] in found
