"""Answers after which nobody can tell: a closed connection, a 503 and a 409 for no reason, an error of any class."""

from dataclasses import replace

import pytest

from simkit.choices import AskedWait, KeyRecorded, OnConcurrent, OnConflict
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Fault, Reply, Report
from simkit.scenario import RetryAfter, RetryLayer, Scenario
from simkit.study import explore
from simkit.study.tree import leaves
from simkit.terms import (
    ClaimKind,
    ErrorClass,
    FaultKind,
    LayerName,
    OnExhausted,
    Outcome,
    Promise,
    State,
)
from simkit.world import run_concrete, run_intervals
from tests.builders import (
    FaultsAt,
    a_layer,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []

CLOSED = "gateway_to_server.response_closed"
CLOSED_BELOW = "server_to_downstream.response_closed"
UNAVAILABLE, CONFLICT = "downstream.unavailable", "downstream.conflict"
UNKNOWN_OUTCOME, AFTER_EFFECT = "downstream.error_of_unknown_outcome", "downstream.error_after_effect"
OVERLOADED = "downstream.overloaded"
REPORTS = frozenset({Promise.UNKNOWN_IS_SAID, Promise.COMPLETED_MEANS_DONE})


def plain(*sites: str, agent: RetryLayer | None = None, sdk: RetryLayer | None = None) -> Scenario:
    """A server without a record, which says upward what it heard; the agent waits for each answer."""
    agent = a_layer(LayerName.AGENT, timeout_s=None) if agent is None else agent
    sdk = a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=None, on_exhausted=OnExhausted.SAY_LAST) if sdk is None else sdk
    scenario = server_with(a_scenario(layers=(agent, sdk)), claim=ClaimKind.NONE, passes_errors_on=True)
    return conditions_with(scenario, rates=rates_at(0.1, *sites))


def heard(journal: Journal, layer: LayerName = LayerName.AGENT) -> list[tuple[float, State, str]]:
    """What a layer heard, and when."""
    return [(round(reply.at_s, 6), reply.state, reply.detail) for reply in journal.of(Reply) if reply.layer is layer]


def effects_of(journal: Journal) -> list[float]:
    """When the effects were made."""
    return [round(effect.at_s, 6) for effect in journal.of(Effect)]


def test_a_connection_is_closed_once_the_call_was_read_and_the_work_runs_on() -> None:
    journal = run_concrete(plain(CLOSED), FaultsAt(f"{CLOSED}@1")).journal

    # 10 ms down and 10 ms back up; the effect follows after 10 + 5 ms of way and 1 ms of work, and no answer does.
    assert heard(journal) == [(0.02, State.UNKNOWN, "connection closed")]
    assert effects_of(journal) == [0.016]


def test_a_closed_connection_to_the_system_of_record_leaves_its_effect_unseen() -> None:
    journal = run_concrete(plain(CLOSED_BELOW), FaultsAt(f"{CLOSED_BELOW}@1/1")).journal

    # 10 + 5 ms down, 1 ms back: the SDK hears it at the instant of the effect.
    assert heard(journal, LayerName.DOWNSTREAM_SDK) == [(0.016, State.UNKNOWN, "connection closed")]
    assert effects_of(journal) == [0.016]
    assert [report.outcome for report in journal.of(Report)] == [Outcome.UNKNOWN]


@pytest.mark.parametrize(
    ("retries_on", "request_count"), (((ErrorClass.CONNECTION_CLOSED,), 2), ((ErrorClass.TIMEOUT,), 1))
)
def test_whoever_repeats_on_a_closed_connection_meets_its_first_call_at_work(
    retries_on: tuple[ErrorClass, ...], request_count: int
) -> None:
    agent = a_layer(LayerName.AGENT, timeout_s=None, attempts=2, retries_on=retries_on)
    scenario = downstream_with(
        plain(CLOSED, agent=agent),
        work=Wait.of(1.0),
        key_retention=a_retention(1e6),
        key_recorded=KeyRecorded.AT_START,
        on_concurrent=OnConcurrent.CONFLICT_ERROR,
    )

    journal = run_concrete(scenario, FaultsAt(f"{CLOSED}@1")).journal

    answers = [(reply.state, reply.path) for reply in journal.of(Reply) if reply.layer is LayerName.DOWNSTREAM_SDK]
    assert len(effects_of(journal)) == 1
    assert ((State.CONFLICT, "2/1") in answers) is (request_count == 2)
    assert sum(attempt.layer is LayerName.AGENT for attempt in journal.of(Attempt)) == request_count


def test_every_order_of_a_closed_connection_is_explored() -> None:
    agent = a_layer(LayerName.AGENT, timeout_s=None, attempts=2)
    scenario = plain(CLOSED, agent=agent)

    found = {
        (len(leaf.run.journal.of(Fault)), len(leaf.run.journal.of(Effect)))
        for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=2, runs_twice=True)
    }

    # Without a record each attempt makes an effect, and a closed connection costs one more attempt.
    assert found == {(0, 1), (1, 2), (2, 2)}


@pytest.mark.parametrize(
    ("site", "state", "error"),
    (
        (UNAVAILABLE, State.UNKNOWN, ErrorClass.UNAVAILABLE),
        (CONFLICT, State.CONFLICT, ErrorClass.CONFLICT),
    ),
)
def test_an_answer_in_front_of_the_effect_makes_nothing_and_settles_nothing(
    site: str, state: State, error: ErrorClass
) -> None:
    once, twice = (replace(plain(site).layers[1], attempts=count, retries_on=(error,)) for count in (1, 2))
    given_up = run_concrete(plain(site, sdk=once), FaultsAt(f"{site}@1/1")).journal
    repeated = run_concrete(plain(site, sdk=twice), FaultsAt(f"{site}@1/1")).journal

    assert [reply.state for reply in given_up.of(Reply)] == [state, state]
    assert effects_of(given_up) == []
    assert [report.outcome for report in given_up.of(Report)] == [Outcome.UNKNOWN]
    assert len(effects_of(repeated)) == 1


@pytest.mark.parametrize("site", (CLOSED, CLOSED_BELOW, UNAVAILABLE, CONFLICT, UNKNOWN_OUTCOME))
def test_after_each_of_them_only_unknown_may_be_said(site: str) -> None:
    def fewest_faults(on_exhausted: OnExhausted) -> int | None:
        agent = a_layer(LayerName.AGENT, timeout_s=None, on_exhausted=on_exhausted)
        explored = explore(plain(site, agent=agent), fault_budget=1, policy="as requested", counts=REPORTS)
        return explored.exploration.of(Promise.UNKNOWN_IS_SAID).fewest_faults

    assert fewest_faults(OnExhausted.SAY_UNKNOWN) is None
    assert fewest_faults(OnExhausted.SAY_FAILED) == 1


def test_a_false_conflict_is_taken_for_the_own_effect_by_an_agent_that_takes_it_as_done() -> None:
    """The first request is lost, the second is told that such a one is under way: nothing was made at all."""
    lost = "gateway_to_server.request_lost"
    scenario = plain(lost, CONFLICT, agent=a_layer(LayerName.AGENT, attempts=2))
    scenario = replace(scenario, agent=replace(scenario.agent, on_conflict=OnConflict.TAKE_AS_DONE))

    journal = run_concrete(scenario, FaultsAt(f"{lost}@1", f"{CONFLICT}@2/1")).journal
    explored = explore(scenario, fault_budget=2, policy="as requested", counts=REPORTS).exploration

    assert [report.outcome for report in journal.of(Report)] == [Outcome.OK]
    assert effects_of(journal) == []
    assert explored.of(Promise.COMPLETED_MEANS_DONE).fewest_faults == 2


@pytest.mark.parametrize("error", (ErrorClass.REQUEST_TIMEOUT, ErrorClass.BAD_GATEWAY, ErrorClass.GATEWAY_TIMEOUT))
def test_an_error_of_unknown_outcome_is_answered_as_the_system_says(error: ErrorClass) -> None:
    sdk = a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=None, attempts=2, retries_on=(error,))
    scenario = plain(UNKNOWN_OUTCOME, sdk=sdk)

    def request_count(scenario: Scenario) -> int:
        journal = run_concrete(scenario, FaultsAt(f"{UNKNOWN_OUTCOME}@1/1")).journal
        return sum(attempt.layer is LayerName.DOWNSTREAM_SDK for attempt in journal.of(Attempt))

    assert request_count(downstream_with(scenario, error=error)) == 2
    assert request_count(scenario) == 1  # a 500 where nothing else is said


@pytest.mark.parametrize(
    ("site", "error", "wait_s"),
    (
        (OVERLOADED, ErrorClass.SERVER_ERROR, 7.0),
        (UNAVAILABLE, ErrorClass.SERVER_ERROR, 7.0),
        (AFTER_EFFECT, ErrorClass.SERVER_ERROR, 7.0),  # a 503 as well
        (UNKNOWN_OUTCOME, ErrorClass.UNAVAILABLE, 7.0),
        (UNKNOWN_OUTCOME, ErrorClass.OVERLOADED, 7.0),
        (UNKNOWN_OUTCOME, ErrorClass.SERVER_ERROR, 2.0),
        (UNKNOWN_OUTCOME, ErrorClass.GATEWAY_TIMEOUT, 2.0),
        (CONFLICT, ErrorClass.SERVER_ERROR, 2.0),
    ),
)
@pytest.mark.parametrize("layer", (LayerName.DOWNSTREAM_SDK, LayerName.AGENT))
def test_a_429_and_a_503_ask_for_the_wait_of_the_system_through_a_server_that_passes_errors_on(
    layer: LayerName, site: str, error: ErrorClass, wait_s: float
) -> None:
    asked = RetryAfter(waits=AskedWait.INSTEAD)
    changed = {"attempts": 2, "backoff": Wait.of(2.0), "retries_on": tuple(ErrorClass), "retry_after": asked}
    agent = a_layer(LayerName.AGENT, timeout_s=None, **(changed if layer is LayerName.AGENT else {}))
    sdk = a_layer(
        LayerName.DOWNSTREAM_SDK,
        timeout_s=None,
        on_exhausted=OnExhausted.SAY_LAST,
        **(changed if layer is LayerName.DOWNSTREAM_SDK else {}),
    )
    scenario = downstream_with(plain(site, agent=agent, sdk=sdk), error=error, retry_after_s=7.0)

    journal = run_concrete(scenario, FaultsAt(f"{site}@1/1")).journal

    first_heard_s = next(reply.at_s for reply in journal.of(Reply) if reply.layer is layer)
    sent_at_s = [attempt.at_s for attempt in journal.of(Attempt) if attempt.layer is layer]
    assert sent_at_s[1] - first_heard_s == pytest.approx(wait_s)


def test_the_new_sites_are_sites_of_every_scenario_and_have_kinds_of_their_own() -> None:
    rates = rates_at(0.1, CLOSED, CLOSED_BELOW, UNAVAILABLE, CONFLICT)

    assert {rate.site for rate in rates} <= set(a_scenario().sites())
    assert [rate.kind for rate in rates] == [
        FaultKind.CONNECTION_CLOSED,
        FaultKind.CONNECTION_CLOSED,
        FaultKind.UNAVAILABLE,
        FaultKind.FALSE_CONFLICT,
    ]
