"""Races at a system of record: every order of two requests that come at once, and of a late one."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.checks import verdicts
from simkit.choices import Deduplication, EffectKind, FailuresStored, KeyRecorded, OnConcurrent
from simkit.records import Effect, Reply
from simkit.scenario import Deletion, Scenario
from simkit.study import explore
from simkit.study.tree import Leaf, leaves
from simkit.terms import ClaimKind, LayerName, OnMismatch, Promise, PromiseVerdict, RetentionKind, State
from simkit.world import run_intervals
from tests.builders import a_call, a_layer, a_retention, conditions_with, downstream_with, rates_at
from tests.world.race_scenarios import a_late_original, two_at_once

__all__: list[str] = []


def at_once(**changes: Any) -> Scenario:
    """One intent, issued twice at once under one ID, through a server that keeps no record."""
    return downstream_with(two_at_once(ClaimKind.NONE), **{"key_retention": a_retention(3600.0), **changes})


def explored(scenario: Scenario, fault_budget: int = 0) -> list[Leaf]:
    """Every run in every order, each made twice."""
    return list(leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget, runs_twice=True))


def effect_counts(found: list[Leaf]) -> set[int]:
    """How many effects there can be."""
    return {len(leaf.run.journal.of(Effect)) for leaf in found}


def states_said(found: list[Leaf]) -> set[tuple[State, ...]]:
    """What the two requests can hear, whichever hears what."""
    return {
        tuple(sorted(reply.state for reply in leaf.run.journal.of(Reply) if reply.layer is LayerName.DOWNSTREAM_SDK))
        for leaf in found
    }


@pytest.mark.parametrize(
    ("on_concurrent", "key_recorded", "counts"),
    (
        (OnConcurrent.BOTH_EXECUTE, KeyRecorded.WITH_EFFECT, {1}),
        (OnConcurrent.BOTH_EXECUTE, KeyRecorded.BEFORE_EFFECT, {1, 2}),
        (OnConcurrent.BOTH_EXECUTE, KeyRecorded.ON_SUCCESS, {1, 2}),
        (OnConcurrent.CONFLICT_ERROR, KeyRecorded.ON_SUCCESS, {1}),  # the first is known while it is there
        (OnConcurrent.ONE_WINS_REPLAY, KeyRecorded.AT_START, {1}),
        (OnConcurrent.ONE_WINS_REJECTED, KeyRecorded.WITH_EFFECT, {1}),
        (OnConcurrent.BLOCK_THEN_REJECT, KeyRecorded.WITH_EFFECT, {1}),
        (OnConcurrent.ACCEPTED_DEDUPED, KeyRecorded.ON_ACCEPT, {1}),
        (OnConcurrent.MAY_FAIL_SECOND, KeyRecorded.AT_START, {1}),
        (OnConcurrent.FENCED, KeyRecorded.WITH_EFFECT, {1}),
    ),
)
def test_how_many_effects_two_requests_at_once_can_make(
    on_concurrent: OnConcurrent, key_recorded: KeyRecorded, counts: set[int]
) -> None:
    found = explored(at_once(on_concurrent=on_concurrent, key_recorded=key_recorded))

    assert effect_counts(found) == counts


def test_whether_the_second_fails_is_left_open_where_it_may() -> None:
    found = explored(at_once(on_concurrent=OnConcurrent.MAY_FAIL_SECOND, key_recorded=KeyRecorded.AT_START))

    both, one = (State.COMPLETED, State.COMPLETED), (State.COMPLETED, State.CONFLICT)
    assert states_said(found) == {tuple(sorted(both)), tuple(sorted(one))}


@pytest.mark.parametrize("kind", [kind for kind in Deduplication if kind is not Deduplication.NONE])
def test_no_kind_makes_two_effects_of_two_requests_at_once_where_one_wins(kind: Deduplication) -> None:
    scenario = at_once(deduplication=kind, on_concurrent=OnConcurrent.ONE_WINS_REPLAY)

    found = explore(scenario, fault_budget=0, policy="R", runs_twice=True)

    by_promise = {result.promise: result for result in found.exploration.promises}
    assert by_promise[Promise.AT_MOST_ONE_EFFECT].is_proved


def test_a_toggle_that_is_executed_twice_is_off_again() -> None:
    found = explored(at_once(effect=EffectKind.TOGGLE, deduplication=Deduplication.NONE, key_retention=None))

    assert {tuple(effect.state for effect in leaf.run.journal.of(Effect)) for leaf in found} == {("on", "off")}
    assert all(verdicts(leaf.run.journal)[Promise.AT_MOST_ONE_EFFECT] is PromiseVerdict.BROKEN for leaf in found)


def test_a_heuristic_swallows_another_intent_with_equal_inputs() -> None:
    scenario = replace(
        at_once(deduplication=Deduplication.HEURISTIC),
        calls=(a_call(), a_call(intent="i2", operation="op2", start_s=30.0)),
    )

    found = explored(scenario)

    assert effect_counts(found) == {1}
    assert {effect.intent for leaf in found for effect in leaf.run.journal.of(Effect)} == {"i1"}


def test_a_stored_error_is_replayed_for_ever_and_the_effect_never_comes() -> None:
    scenario = at_once(failures_stored=FailuresStored.ALL, key_recorded=KeyRecorded.AT_START)
    agent = a_layer(LayerName.AGENT, attempts=3, timeout_s=5.0)
    scenario = replace(scenario, calls=(a_call(),), layers=(agent, scenario.layers[-1]))
    scenario = conditions_with(scenario, rates=rates_at(0.1, "downstream.error_of_unknown_outcome"))

    found = explored(scenario, fault_budget=1)

    assert effect_counts([leaf for leaf in found if leaf.fault_count == 0]) == {1}
    assert effect_counts([leaf for leaf in found if leaf.fault_count == 1]) == {0}


@pytest.mark.parametrize(("failures_stored", "counts"), ((FailuresStored.NONE, {2}), (FailuresStored.ALL, {1})))
def test_an_error_after_the_effect_is_a_duplicate_where_only_responses_are_remembered(
    failures_stored: FailuresStored, counts: set[int]
) -> None:
    # Requests cannot overtake each other here: the second is sent after the first has been answered.
    scenario = at_once(failures_stored=failures_stored, key_recorded=KeyRecorded.AT_START)
    agent = a_layer(LayerName.AGENT, attempts=2, timeout_s=60.0)
    scenario = replace(scenario, calls=(a_call(),), layers=(agent, scenario.layers[-1]))
    scenario = conditions_with(scenario, rates=rates_at(0.1, "downstream.error_after_effect"))

    found = explored(scenario, fault_budget=1)

    assert effect_counts([leaf for leaf in found if leaf.fault_count == 1]) == counts


def test_a_late_original_is_a_second_create_after_the_object_and_its_key_have_been_deleted() -> None:
    scenario = a_late_original(ClaimKind.NONE, has_key=True)
    with_object = a_retention(3600.0, RetentionKind.WITH_OBJECT)
    scenario = downstream_with(scenario, deduplication=Deduplication.NATURAL_KEY_REJECT, key_retention=with_object)
    deleted = replace(scenario, deletions=(Deletion(intent="i1", stage="ticket", at_s=15.0),))

    assert effect_counts(explored(scenario, fault_budget=1)) == {1}
    assert effect_counts(explored(deleted, fault_budget=1)) == {1, 2}


def test_a_late_original_of_an_upsert_overwrites_what_came_after_it() -> None:
    scenario = a_late_original(ClaimKind.NONE, has_key=True)
    scenario = downstream_with(
        scenario, deduplication=Deduplication.NATURAL_KEY_UPSERT, on_mismatch=OnMismatch.OVERWRITE
    )
    second = a_call(intent="i2", operation="op2", inputs="y", target="contact", start_s=12.0)
    scenario = replace(scenario, calls=(a_call(target="contact"), second))

    found = explored(scenario, fault_budget=1)

    last = {leaf.run.journal.of(Effect)[-1].inputs for leaf in found if leaf.fault_count == 0}
    assert last == {"y"}
    assert {leaf.run.journal.of(Effect)[-1].inputs for leaf in found if leaf.fault_count == 1} == {"x", "y"}
