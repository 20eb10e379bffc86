"""Who makes the operation ID, what the dispatcher does with identical calls, and what drifts between attempts."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import Acknowledgement, Dispatch, Drift, Holder, OnConflict, OnRejected, OnUnknown
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, CleanUp, Effect, Report
from simkit.scenario import Agent, PlannedCall, Queue, Scenario, TokenBucket
from simkit.study.structure.exploration import explore
from simkit.terms import ClaimKind, ErrorClass, Identity, LayerName, Outcome, Promise, State
from simkit.world import run_concrete
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

RESPONSE_LOST = "gateway_to_server.response_lost"
REJECTED = "downstream.error"


def an_agent(identity: Identity = Identity.PER_INTENT, *, attempts: int = 3, **changes: Any) -> Scenario:
    """Another agent before a server that leases an ID for a minute; answers may be lost, or be rejections."""
    scenario = server_with(a_scenario(), lease_s=60.0)
    scenario = replace(
        scenario,
        agent=replace(Agent(identity=identity), **changes),
        layers=(a_layer(LayerName.AGENT, attempts=attempts), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)),
    )
    return conditions_with(scenario, rates=rates_at(0.01, RESPONSE_LOST, REJECTED))


def ids(journal: Journal) -> list[str]:
    """The operation IDs that the agent sent, in order."""
    return [attempt.operation_id for attempt in journal.of(Attempt) if attempt.layer is LayerName.AGENT]


def effect_count(scenario: Scenario, *faults: str) -> int:
    """How often it took effect on the clock."""
    return len(run_concrete(scenario, FaultsAt(*faults)).journal.of(Effect))


def told(scenario: Scenario, *faults: str) -> list[tuple[State, Outcome]]:
    """What was reported on the clock, in order."""
    return [(fact.state, fact.outcome) for fact in run_concrete(scenario, FaultsAt(*faults)).journal.of(Report)]


def fewest_faults(scenario: Scenario, promise: Promise = Promise.AT_MOST_ONE_EFFECT) -> int | None:
    """Of how many faults the smallest schedule is that breaks a promise, up to one fault, in any order."""
    found = explore(scenario, fault_budget=1, policy="agents", runs_twice=True).exploration
    return next(result.fewest_faults for result in found.promises if result.promise is promise)


@pytest.mark.parametrize(
    ("identity", "count"),
    (
        (Identity.PER_INTENT, 1),
        (Identity.PER_PROCESS, 1),  # the process lives on
        (Identity.HASH_OF_ARGUMENTS, 1),  # the arguments stay as they are
        (Identity.PER_ATTEMPT, 2),
        (Identity.BY_MODEL, 2),  # RS-026: the model takes "unique per request" at its word
    ),
)
def test_a_retry_after_a_lost_answer_is_recognised_only_under_the_same_id(identity: Identity, count: int) -> None:
    assert effect_count(an_agent(identity), f"{RESPONSE_LOST}@1") == count


def test_whether_a_model_writes_the_same_id_again_is_open_so_one_lost_answer_may_double_the_effect() -> None:
    """RS-026: two charges with a model-owned key, one with a key that is owned by whoever persists it."""
    assert fewest_faults(an_agent(Identity.BY_MODEL, attempts=2)) == 1
    assert fewest_faults(an_agent(Identity.PER_INTENT, attempts=2)) is None


@pytest.mark.parametrize(
    ("identity", "drift", "count", "outcome"),
    (
        (Identity.HASH_OF_ARGUMENTS, Drift.WORDING, 2, Outcome.OK),  # reworded, so another hash
        (Identity.HASH_OF_ARGUMENTS, Drift.INPUTS, 2, Outcome.OK),
        (Identity.HASH_OF_ARGUMENTS, Drift.CREDENTIAL, 1, Outcome.OK),  # no argument
        (Identity.PER_INTENT, Drift.WORDING, 1, Outcome.OK),
        # The record remembers other inputs under this ID; whether it is done the conflict does not say.
        (Identity.PER_INTENT, Drift.INPUTS, 1, Outcome.UNKNOWN),
    ),
)
def test_arguments_that_drift_change_a_hash_of_them_and_conflict_under_a_kept_id(
    identity: Identity, drift: Drift, count: int, outcome: Outcome
) -> None:
    scenario = an_agent(identity, drift=drift)

    assert effect_count(scenario, f"{RESPONSE_LOST}@1") == count
    assert [said for _, said in told(scenario, f"{RESPONSE_LOST}@1")] == [outcome]


def two_wishes(**changes: Any) -> tuple[PlannedCall, PlannedCall]:
    """Two intents with the same arguments at the same instant."""
    return a_call(**changes), a_call(intent="i2", operation="op2", **changes)


@pytest.mark.parametrize(
    ("identity", "dispatch", "count"),
    (
        # RS-027: nine byte-identical calls in one message.
        (Identity.PER_ATTEMPT, Dispatch.SEND_ALL, 9),
        (Identity.PER_INTENT, Dispatch.SEND_ALL, 1),  # the server keeps them apart by their common ID
        (Identity.PER_ATTEMPT, Dispatch.ONE_FOR_CONTENT, 1),
        (Identity.PER_ATTEMPT, Dispatch.BY_OCCURRENCE, 1),
    ),
)
def test_nine_copies_of_one_call_are_sent_nine_times_or_once(
    identity: Identity, dispatch: Dispatch, count: int
) -> None:
    scenario = replace(an_agent(identity, dispatch=dispatch), calls=(a_call(copies=9),))

    assert effect_count(scenario) == count


@pytest.mark.parametrize(
    ("identity", "dispatch", "count"),
    (
        (Identity.PER_INTENT, Dispatch.SEND_ALL, 2),
        (Identity.HASH_OF_ARGUMENTS, Dispatch.SEND_ALL, 1),  # the second is taken for a repeat of the first
        (Identity.PER_INTENT, Dispatch.ONE_FOR_CONTENT, 1),  # and here it is never sent
        (Identity.PER_INTENT, Dispatch.BY_OCCURRENCE, 2),
        (Identity.HASH_OF_ARGUMENTS, Dispatch.BY_OCCURRENCE, 2),  # the number is part of what is hashed
    ),
)
def test_two_wishes_with_equal_arguments_are_two_effects_unless_content_makes_them_one(
    identity: Identity, dispatch: Dispatch, count: int
) -> None:
    scenario = replace(an_agent(identity, dispatch=dispatch), calls=two_wishes())

    assert effect_count(scenario) == count


def test_a_call_that_was_merged_into_another_is_told_the_result_of_that_one() -> None:
    scenario = replace(an_agent(dispatch=Dispatch.ONE_FOR_CONTENT), calls=two_wishes())

    journal = run_concrete(scenario, FaultsAt()).journal

    assert [(fact.intent, fact.outcome) for fact in journal.of(Report)] == [("i1", Outcome.OK), ("i2", Outcome.OK)]
    assert [fact.intent for fact in journal.of(Effect)] == ["i1"]


def test_calls_are_merged_only_if_they_start_together() -> None:
    first, second = two_wishes()
    scenario = replace(an_agent(dispatch=Dispatch.ONE_FOR_CONTENT), calls=(first, replace(second, start_s=1.0)))

    assert effect_count(scenario) == 2


@pytest.mark.parametrize(("claim", "expected"), ((ClaimKind.UNIQUE, None), (ClaimKind.NONE, 0)))
def test_parallel_copies_under_one_id_are_one_effect_in_every_order_only_if_the_server_reserves_it(
    claim: ClaimKind, expected: int | None
) -> None:
    scenario = replace(server_with(an_agent(attempts=1), claim=claim), calls=(a_call(copies=2),))

    assert fewest_faults(scenario) == expected


@pytest.mark.parametrize(
    ("on_rejected", "count", "outcome"),
    (
        (OnRejected.STOP, 0, Outcome.FAILED),
        (OnRejected.SAME_ID, 0, Outcome.FAILED),  # the record replays its rejection
        (OnRejected.NEW_ID, 1, Outcome.OK),  # a new operation, which the system takes
    ),
)
def test_after_a_rejection_only_a_new_operation_can_still_take_effect(
    on_rejected: OnRejected, count: int, outcome: Outcome
) -> None:
    scenario = an_agent(attempts=2, on_rejected=on_rejected)

    assert effect_count(scenario, f"{REJECTED}@1/1") == count
    assert [said for _, said in told(scenario, f"{REJECTED}@1/1")] == [outcome]


def test_a_rejection_settles_nothing_about_the_operation_that_was_sent_after_it() -> None:
    scenario = an_agent(attempts=2, on_rejected=OnRejected.NEW_ID)

    assert told(scenario, f"{REJECTED}@1/1", f"{RESPONSE_LOST}@2") == [(State.UNKNOWN, Outcome.UNKNOWN)]


@pytest.mark.parametrize(
    ("on_conflict", "expected"),
    (
        (OnConflict.HOLD, (State.UNKNOWN, Outcome.UNKNOWN)),
        (OnConflict.ADOPT, (State.COMPLETED, Outcome.OK)),  # its effect is found by its ID
        (OnConflict.TAKE_AS_DONE, (State.COMPLETED, Outcome.OK)),  # without a look
        (OnConflict.SAY_FAILED, (State.CONFLICT, Outcome.FAILED)),  # though it is done
    ),
)
def test_what_a_conflict_after_a_lost_answer_is_taken_for(
    on_conflict: OnConflict, expected: tuple[State, Outcome]
) -> None:
    scenario = server_with(an_agent(drift=Drift.INPUTS, on_conflict=on_conflict), readback=a_readback())

    assert told(scenario, f"{RESPONSE_LOST}@1") == [expected]


def test_a_conflict_on_the_first_attempt_is_not_taken_as_done() -> None:
    """Somebody else's wish holds the ID; nothing of this one was sent before."""
    calls = (a_call(), a_call(intent="i2", inputs="y", start_s=1.0))
    scenario = replace(an_agent(on_conflict=OnConflict.TAKE_AS_DONE), calls=calls)

    assert told(scenario) == [(State.COMPLETED, Outcome.OK), (State.UNKNOWN, Outcome.UNKNOWN)]


def slow_to_commit(on_unknown: OnUnknown) -> Scenario:
    """RS-113: the catalog is still at work, for 2 s, when its caller stops waiting after 1 s."""
    scenario = server_with(an_agent(attempts=1, on_unknown=on_unknown), readback=a_readback())
    return downstream_with(scenario, work=Wait.of(2.0))


@pytest.mark.parametrize("on_unknown", (OnUnknown.CLEAN_UP, OnUnknown.CLEAN_UP_IF_ABSENT))
def test_a_clean_up_of_an_unknown_outcome_comes_before_the_late_commit(on_unknown: OnUnknown) -> None:
    journal = run_concrete(slow_to_commit(on_unknown), FaultsAt()).journal

    (clean_up,), (effect,) = journal.of(CleanUp), journal.of(Effect)
    assert clean_up.at_s < effect.at_s  # not in the history yet is no proof of failure
    assert [fact.outcome for fact in journal.of(Report)] == [Outcome.FAILED]


def test_a_readback_before_the_clean_up_finds_what_was_committed_in_time() -> None:
    lost = f"{RESPONSE_LOST}@1"

    def cleaned_up(on_unknown: OnUnknown) -> int:
        scenario = server_with(an_agent(attempts=1, on_unknown=on_unknown), readback=a_readback())
        return len(run_concrete(scenario, FaultsAt(lost)).journal.of(CleanUp))

    assert cleaned_up(OnUnknown.CLEAN_UP) == 1
    assert cleaned_up(OnUnknown.CLEAN_UP_IF_ABSENT) == 0
    assert cleaned_up(OnUnknown.HOLD) == 0


def test_what_was_cleaned_up_is_not_found_afterwards() -> None:
    """The effect is undone, so a second wish that reads back under the same ID sees nothing, and cleans up too."""
    scenario = an_agent(attempts=1, on_unknown=OnUnknown.CLEAN_UP_IF_ABSENT)
    both = (a_call(), a_call(intent="i2", start_s=5.0))
    found = replace(server_with(scenario, readback=a_readback()), calls=both)
    first_cleans = replace(found, agent=replace(found.agent, on_unknown=OnUnknown.CLEAN_UP))
    faults = (f"{RESPONSE_LOST}@1:1", f"{RESPONSE_LOST}@2:1")

    assert len(run_concrete(found, FaultsAt(*faults)).journal.of(CleanUp)) == 0
    assert len(run_concrete(first_cleans, FaultsAt(*faults)).journal.of(CleanUp)) == 2


@pytest.mark.parametrize(
    ("retries_on", "attempt_count"),
    (
        ((ErrorClass.TIMEOUT, ErrorClass.CONNECTION_CLOSED), 3),
        ((ErrorClass.OVERLOADED,), 1),  # a timeout is not on the list
    ),
)
def test_an_agent_that_lists_its_failures_repeats_those_alone(
    retries_on: tuple[ErrorClass, ...], attempt_count: int
) -> None:
    scenario = an_agent()
    agent = replace(scenario.layers[0], retries_on=retries_on)
    scenario = replace(scenario, layers=(agent, scenario.layers[1]))
    lost = (f"{RESPONSE_LOST}@{number}" for number in (1, 2, 3))

    journal = run_concrete(scenario, FaultsAt(*lost)).journal

    assert len(ids(journal)) == attempt_count


def test_an_agent_does_not_repeat_calls_of_a_method_that_it_holds_back() -> None:
    scenario = an_agent()
    agent = replace(scenario.layers[0], methods=("GET",))
    scenario = replace(scenario, layers=(agent, scenario.layers[1]))

    assert len(ids(run_concrete(scenario, FaultsAt(f"{RESPONSE_LOST}@1")).journal)) == 1


def test_an_agent_whose_bucket_is_empty_tells_what_it_knows() -> None:
    scenario = an_agent()
    agent = replace(scenario.layers[0], token_bucket=TokenBucket(token_count_max=1, cost_count=1, refund_count=0))
    scenario = replace(scenario, layers=(agent, scenario.layers[1]))
    lost = tuple(f"{RESPONSE_LOST}@{number}" for number in (1, 2, 3))

    assert len(ids(run_concrete(scenario, FaultsAt(*lost)).journal)) == 2  # one token, one repeat
    assert told(scenario, *lost) == [(State.UNKNOWN, Outcome.UNKNOWN)]


def with_a_queue(*, handover_completes: bool) -> Scenario:
    """A durable queue before the server, which delivers 2 s later."""
    scenario = an_agent(handover_completes=handover_completes)
    queue = Queue(
        delay=Wait.of(2.0),
        held_by=Holder.BROKER,
        visibility_timeout_s=30.0,
        delivery_count_max=1,
        acknowledges=Acknowledgement.AFTER_WORK,
    )
    return replace(scenario, hops=(replace(scenario.hops[0], queue=queue), scenario.hops[1]))


@pytest.mark.parametrize(
    ("handover_completes", "expected"),
    ((True, (State.COMPLETED, Outcome.OK)), (False, (State.ACCEPTED, Outcome.UNKNOWN))),
)
def test_what_was_handed_over_is_done_only_where_the_review_says_so_and_is_never_sent_again(
    handover_completes: bool,  # noqa: FBT001
    expected: tuple[State, Outcome],
) -> None:
    scenario = with_a_queue(handover_completes=handover_completes)

    assert told(scenario) == [expected]
    assert len(ids(run_concrete(scenario, FaultsAt()).journal)) == 1
    assert effect_count(scenario) == 1


def with_a_mail(**changes: Any) -> Scenario:
    """A second stage, a mail."""
    scenario = an_agent(**changes)
    (ticket,) = scenario.stages
    assert ticket.downstream is not None
    mail = replace(ticket, name="mail", downstream=replace(ticket.downstream, name="mail"))
    return replace(scenario, stages=(ticket, mail))


@pytest.mark.parametrize(
    ("fault", "expected"),
    (
        (f"{REJECTED}@1/mail/1", (Outcome.PARTIAL, State.COMPLETED, State.REJECTED)),
        (f"{REJECTED}@1/ticket/1", (Outcome.FAILED, State.REJECTED, State.NOT_STARTED)),  # it cannot begin any more
    ),
)
def test_a_rejected_stage_leaves_the_operation_done_in_part_or_not_at_all(
    fault: str, expected: tuple[Outcome, State, State]
) -> None:
    (report,) = run_concrete(with_a_mail(), FaultsAt(fault)).journal.of(Report)

    assert (report.outcome, *(state for _, state in report.stages)) == expected


def test_what_is_done_in_part_is_never_sent_again_whole() -> None:
    scenario = with_a_mail(on_rejected=OnRejected.NEW_ID)

    assert effect_count(scenario, f"{REJECTED}@1/mail/1") == 1  # the ticket


def test_a_clean_up_undoes_every_stage_the_last_one_first() -> None:
    scenario = with_a_mail(attempts=1, on_unknown=OnUnknown.CLEAN_UP)

    journal = run_concrete(scenario, FaultsAt(f"{RESPONSE_LOST}@1")).journal

    assert [clean_up.stage for clean_up in journal.of(CleanUp)] == ["mail", "ticket"]


def test_nothing_is_cleaned_up_after_a_readback_that_cannot_tell() -> None:
    scenario = slow_to_commit(OnUnknown.CLEAN_UP_IF_ABSENT)
    scenario = conditions_with(scenario, rates=rates_at(0.01, "readback.cannot_tell"))

    journal = run_concrete(scenario, FaultsAt("readback.cannot_tell@1/clean-up/agent-1")).journal

    assert journal.of(CleanUp) == []
    assert [fact.outcome for fact in journal.of(Report)] == [Outcome.UNKNOWN]


@pytest.mark.parametrize("drift", (Drift.WORDING, Drift.INPUTS))
def test_arguments_drift_from_the_second_attempt_on(drift: Drift) -> None:
    scenario = an_agent(Identity.HASH_OF_ARGUMENTS, drift=drift)
    undrifted = an_agent(Identity.HASH_OF_ARGUMENTS)

    first, second = ids(run_concrete(scenario, FaultsAt(f"{RESPONSE_LOST}@1")).journal)

    assert [first] == ids(run_concrete(undrifted, FaultsAt()).journal)
    assert second != first
