"""Small worlds in which random search once found the simulation wrong, each with what has to happen there.

The mistakes were: a witness without the step that it needs; a backoff inside a process that did not race with its
caller's deadline; the order of a deadline and an arrival at one instant; a tombstone that did not refuse; IDs that two
calls or two tenants shared; a rejection that settled another operation; a forgotten row taken for a new one.
"""

import pytest

from simkit.chance import Chance, Scripted
from simkit.checks import verdicts
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Readback, Reply, Report
from simkit.scenario import Agent, Hop, PlannedCall, Scenario
from simkit.study import explore
from simkit.study.tree import leaves
from simkit.terms import (
    ClaimKind,
    Identity,
    LayerName,
    OnExhausted,
    OnExpired,
    Outcome,
    Promise,
    ReadbackAnswer,
    RetentionKind,
    StalePolicy,
    State,
)
from simkit.world import Run, run_concrete, run_intervals, solve_witness
from tests.builders import (
    FaultsAt,
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

__all__: list[str] = []

PAST_RETENTION = "this ID is past its retention"


def agent_heard(journal: Journal) -> tuple[str, ...]:
    """What the agent heard, in order."""
    return tuple(reply.detail for reply in journal.of(Reply) if reply.layer is LayerName.AGENT)


def in_every_order(scenario: Scenario, fault_budget: int = 0) -> list[Journal]:
    """The journals of all runs on intervals."""

    def play(chance: Chance) -> Run:
        return run_intervals(scenario, chance)

    return [leaf.run.journal for leaf in leaves(play, fault_budget=fault_budget)]


def effect_counts(scenario: Scenario) -> set[int]:
    """How many effects there can be without a fault, over all orders."""
    return {len(journal.of(Effect)) for journal in in_every_order(scenario)}


def an_impatient_gateway() -> Scenario:
    """One call and no fault: check then act, and a gateway that repeats after 5 s while the work may take 7 s."""
    network, back = Wait(s_min=0.01, s_typical=1.0, s_max=2.0), Wait.of(1.0)
    slow_back = Wait(s_min=1.0, s_typical=2.0, s_max=2.0)
    scenario = a_scenario(
        layers=(
            a_layer(LayerName.AGENT, timeout_s=8.0),
            a_layer(LayerName.GATEWAY, attempts=2, timeout_s=5.0),
            a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0),
        ),
        hops=(
            Hop(name="agent_to_gateway", request=network, response=back, latest_landing_s=2.0),
            Hop(name="gateway_to_server", request=network, response=back, latest_landing_s=2.0),
            Hop(name="server_to_downstream", request=network, response=slow_back, latest_landing_s=2.0),
        ),
    )
    return server_with(scenario, claim=ClaimKind.CHECK_THEN_ACT)


def test_a_gateway_that_repeats_while_the_first_call_is_at_work_duplicates_by_construction() -> None:
    """The second check comes after 5.02 s at the earliest, the first receipt after 6.001 s at the latest."""
    found = explore(an_impatient_gateway(), fault_budget=0, policy="as requested").exploration

    assert found.is_complete
    assert found.of(Promise.AT_MOST_ONE_EFFECT).fewest_faults == 0


def an_sdk_that_gives_up_in_its_backoff(most_s: float) -> Scenario:
    """A client SDK inside the agent: 7 s for a try, then a wait, then its budget of 4 s is over and it says failed."""
    client_sdk = a_layer(
        LayerName.CLIENT_SDK,
        attempts=2,
        timeout_s=7.0,
        budget_s=4.0,
        backoff=Wait(s_min=0.01, s_typical=most_s, s_max=most_s),
        on_exhausted=OnExhausted.SAY_FAILED,
    )
    layers = (
        a_layer(LayerName.AGENT, attempts=2, timeout_s=8.0),
        client_sdk,
        a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=20.0),
    )
    scenario = a_scenario(layers=layers)
    scenario = downstream_with(scenario, work=Wait.of(9.0))
    return server_with(scenario, claim=ClaimKind.NONE)


GAVE_UP, TIMEOUT = "client_sdk gave up and said failed", "timeout"


@pytest.mark.parametrize(
    ("most_s", "on_the_clock", "expected"),
    (
        (0.5, GAVE_UP, {GAVE_UP}),  # over after 7.5 s at the latest: the agent hears it before its 8 s
        (1.0, TIMEOUT, {GAVE_UP, TIMEOUT}),  # after 7.01 s to 8 s; at 8 s the deadline is first
        (3.0, TIMEOUT, {GAVE_UP, TIMEOUT}),  # after 7.01 s to 10 s; the agent's deadline of 8 s lies between
    ),
)
def test_a_backoff_inside_a_process_races_with_the_deadline_of_its_caller(
    most_s: float, on_the_clock: str, expected: set[str]
) -> None:
    scenario = an_sdk_that_gives_up_in_its_backoff(most_s)

    assert {agent_heard(journal)[0] for journal in in_every_order(scenario)} == expected
    assert agent_heard(run_concrete(scenario, Scripted()).journal)[0] == on_the_clock


def test_a_layer_that_gives_up_and_says_failed_settles_nothing_for_the_layer_above() -> None:
    """The agent has a second attempt and makes it, whatever the SDK calls its giving up: two effects."""
    assert effect_counts(an_sdk_that_gives_up_in_its_backoff(0.5)) == {2}


def a_tie_of_a_deadline_and_an_arrival() -> Scenario:
    """At 2 s the downstream SDK gives up, and the second call arrives."""
    back = Wait.of(0.5)
    scenario = a_scenario(
        calls=(a_call(), a_call(start_s=1.0)),
        layers=(
            a_layer(LayerName.AGENT, timeout_s=30.0),
            a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=1.0, on_exhausted=OnExhausted.SAY_FAILED),
        ),
        hops=(
            Hop(name="gateway_to_server", request=Wait.of(1.0), response=back, latest_landing_s=1.0),
            Hop(name="server_to_downstream", request=Wait.of(3.0), response=back, latest_landing_s=3.0),
        ),
    )
    return server_with(scenario, lease_s=1.0, stale=StalePolicy.HOLD)


@pytest.mark.parametrize(
    "scenario",
    (
        an_impatient_gateway(),
        an_sdk_that_gives_up_in_its_backoff(1.0),
        an_sdk_that_gives_up_in_its_backoff(3.0),
        a_tie_of_a_deadline_and_an_arrival(),
    ),
)
def test_every_order_of_these_worlds_replays_on_a_clock(scenario: Scenario) -> None:
    """`solve_witness` itself insists on the same effects, records and reports."""
    for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0):
        witness = solve_witness(scenario, leaf.trace)

        assert agent_heard(witness.journal) == agent_heard(leaf.run.journal)
        assert verdicts(witness.journal) == verdicts(leaf.run.journal)


@pytest.mark.parametrize(
    ("kind", "second_start_s", "expected"),
    (
        (RetentionKind.EXACT, 49.0, {"recorded result"}),
        (RetentionKind.EXACT, 50.0, {PAST_RETENTION}),
        (RetentionKind.EXACT, 100.0, {PAST_RETENTION}),
        (RetentionKind.AT_LEAST, 100.0, {PAST_RETENTION, "recorded result"}),
    ),
)
def test_a_tombstone_refuses_every_call_past_the_retention_the_first_of_them_too(
    kind: RetentionKind, second_start_s: float, expected: set[str]
) -> None:
    """An ID that is refused is never run as new, so that there is one effect whatever was forgotten."""
    calls = (a_call(), a_call(start_s=second_start_s), a_call(start_s=second_start_s + 100.0))
    retention = a_retention(50.0, kind, after=OnExpired.REFUSE)

    journals = in_every_order(server_with(a_scenario(calls=calls), retention=retention))

    assert {agent_heard(journal)[0] for journal in journals} == {"receipt"}
    assert {agent_heard(journal)[1] for journal in journals} == expected
    assert {len(journal.of(Effect)) for journal in journals} == {1}


def test_an_id_that_is_refused_as_expired_is_not_sent_again_and_reported_as_unknown() -> None:
    scenario = a_scenario(calls=(a_call(), a_call(start_s=100.0)))
    scenario = server_with(scenario, retention=a_retention(50.0, after=OnExpired.REFUSE))

    journal = run_concrete(scenario, Scripted()).journal

    assert [attempt.path for attempt in journal.of(Attempt) if attempt.layer is LayerName.AGENT] == ["1:1", "2:1"]
    assert [report.outcome for report in journal.of(Report)] == [Outcome.OK, Outcome.UNKNOWN]


@pytest.mark.parametrize(
    ("second", "site", "answer", "effect_count"),
    (
        (a_call(start_s=10.0), "server.after_effect@1:1", ReadbackAnswer.FOUND, 1),
        (a_call(intent="i2", tenant="t2", start_s=10.0), "server.after_reservation@2:1", ReadbackAnswer.NOT_SEEN, 2),
    ),
)
def test_a_readback_finds_the_effect_of_its_own_tenant_only(
    second: PlannedCall, site: str, answer: ReadbackAnswer, effect_count: int
) -> None:
    """Two calls bear one ID; the server dies with a reservation in hand, and asks when the ID comes again."""
    layers = (a_layer(LayerName.AGENT, attempts=2, backoff=Wait.of(20.0)), a_layer(LayerName.DOWNSTREAM_SDK))
    scenario = a_scenario(calls=(a_call(), second), layers=layers)
    scenario = server_with(scenario, lease_s=2.0, stale=StalePolicy.READ_BACK, readback=a_readback())
    scenario = conditions_with(scenario, rates=rates_at(0.1, site.partition("@")[0]))

    journal = run_concrete(scenario, FaultsAt(site)).journal

    assert [readback.answer for readback in journal.of(Readback)] == [answer]
    assert len(journal.of(Effect)) == effect_count


def test_ids_per_attempt_are_not_shared_by_two_calls_of_one_intent() -> None:
    scenario = a_scenario(calls=(a_call(), a_call(start_s=10.0)), agent=Agent(identity=Identity.PER_ATTEMPT))

    effects = run_concrete(scenario, Scripted()).journal.of(Effect)

    assert len(effects) == 2
    assert len({effect.operation_id for effect in effects}) == 2


@pytest.mark.parametrize(("attempts", "outcome"), ((2, Outcome.UNKNOWN), (3, Outcome.OK)))
def test_a_rejection_under_a_second_id_does_not_settle_the_first(attempts: int, outcome: Outcome) -> None:
    """The first attempt made its effect and its answer was lost; the second, under another ID, is rejected.

    Nothing is told as failed: the agent goes on trying, and where it may not, it says that it does not know.
    """
    layers = (a_layer(LayerName.AGENT, attempts=attempts), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    scenario = a_scenario(agent=Agent(identity=Identity.PER_ATTEMPT), layers=layers)
    rates = rates_at(0.1, "gateway_to_server.response_lost", "downstream.error")
    faults = FaultsAt("gateway_to_server.response_lost@1", "downstream.error@2/1")

    journal = run_concrete(conditions_with(scenario, rates=rates), faults).journal

    assert faults.left == set()
    assert State.REJECTED not in [report.state for report in journal.of(Report)]
    assert [report.outcome for report in journal.of(Report)] == [outcome]


def test_a_rejection_under_the_same_id_does_settle_it() -> None:
    """The first attempt never arrived; whatever is still under way would meet the recorded failure."""
    rates = rates_at(0.1, "gateway_to_server.request_lost", "downstream.error")
    faults = FaultsAt("gateway_to_server.request_lost@1", "downstream.error@2/1")

    journal = run_concrete(conditions_with(a_scenario(), rates=rates), faults).journal

    assert journal.of(Effect) == []
    assert [report.outcome for report in journal.of(Report)] == [Outcome.FAILED]
    assert len([attempt for attempt in journal.of(Attempt) if attempt.layer is LayerName.AGENT]) == 2


def test_a_takeover_does_not_mistake_a_new_row_for_the_one_that_it_saw() -> None:
    """The first call reserves and dies; the second finds it stale, and asks for 5 s before it takes over.

    Meanwhile the row is forgotten, and the third call reserves the ID anew. The second must not take that over.
    """
    layers = (a_layer(LayerName.AGENT, timeout_s=30.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=30.0))
    calls = tuple(a_call(start_s=start_s) for start_s in (0.0, 8.0, 11.0))
    scenario = a_scenario(calls=calls, layers=layers)
    scenario = downstream_with(scenario, work=Wait.of(5.0))
    scenario = server_with(
        scenario,
        lease_s=6.0,
        stale=StalePolicy.READ_BACK,
        readback=a_readback(latency=Wait.of(5.0)),
        retention=a_retention(10.0),
    )
    scenario = conditions_with(scenario, rates=rates_at(0.1, "server.after_reservation"))

    journal = run_concrete(scenario, FaultsAt("server.after_reservation@1:1")).journal

    assert len(journal.of(Effect)) == 1
    assert agent_heard(journal)[1:] == ("another call with this ID is at work", "receipt")
