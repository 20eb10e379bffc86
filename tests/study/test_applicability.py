"""Which promises a scenario is about: those that nothing could break are named, the others are tried."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import Drift, OnUnknown, ScopePart, WriteOrder
from simkit.scenario import PartyClock, Scenario
from simkit.study import NOT_APPLYING, study
from simkit.study.applicability import beside, excluded, why_not
from simkit.study.results import StudyResult
from simkit.terms import ClaimKind, FaultKind, Identity, OnMismatch, Promise, Verdict
from tests.builders import a_readback, conditions_with, engine_policy, rates_at, server_with

__all__: list[str] = []

NOT_THERE = (
    Promise.DISTINCT_INTENTS,
    Promise.TENANTS_APART,
    Promise.APPROVAL_RESPECTED,
    Promise.AUDIENCE_APPROVED,
    Promise.NOTHING_AFTER_SETTLEMENT,
    Promise.CLEAN_UP_WAITS,
    Promise.WORK_IN_BUDGET,
)
"""What one call without an approval, a deletion or a budget is not about."""

LINKS = ("gateway_to_server.request_lost", "gateway_to_server.response_lost")


def protected() -> Scenario:
    return server_with(engine_policy(2), readback=a_readback())


def agent_with(scenario: Scenario, **changes: Any) -> Scenario:
    """The scenario with a changed agent."""
    return replace(scenario, agent=replace(scenario.agent, **changes))


def studied(scenario: Scenario) -> StudyResult:
    return study(scenario, seed=3, intent_count=10)


def test_a_promise_that_nothing_in_the_scenario_could_break_is_said_not_to_apply() -> None:
    found = [promise for promise in Promise if why_not(protected(), promise)]

    assert tuple(found) == NOT_THERE


@pytest.mark.parametrize("promise", NOT_THERE)
def test_a_study_says_of_it_that_it_does_not_apply_under_both_policies(promise: Promise) -> None:
    scenario = conditions_with(protected(), rates=())

    found = studied(scenario)

    for part in (found.as_requested, found.one_attempt):
        assert part.of(promise).is_proved
        assert part.of(promise).scope.startswith(NOT_APPLYING)


@pytest.mark.parametrize(
    ("promise", "scenario"),
    (
        (Promise.WORK_IN_BUDGET, conditions_with(protected(), attempt_count_max=3)),
        (Promise.WORK_IN_BUDGET, conditions_with(protected(), time_s_max=60.0)),
        (Promise.CLEAN_UP_WAITS, agent_with(protected(), on_unknown=OnUnknown.CLEAN_UP)),
        (Promise.DISTINCT_INTENTS, protected().with_reused_id()),
    ),
)
def test_a_promise_that_something_could_break_applies(promise: Promise, scenario: Scenario) -> None:
    assert why_not(scenario, promise) == ""


def test_an_id_is_always_tried_with_other_inputs_and_a_tenant_only_where_the_record_ignores_it() -> None:
    tried = [promise for promise, _, _ in beside(protected())]
    loose = [promise for promise, _, _ in beside(server_with(protected(), scope=(ScopePart.OPERATION_ID,)))]

    assert tried == [Promise.CHANGED_INPUT_CONFLICTS]
    assert loose == [Promise.CHANGED_INPUT_CONFLICTS, Promise.TENANTS_APART]


def test_without_an_id_there_is_nothing_that_a_second_wish_could_meet() -> None:
    unkept = server_with(
        conditions_with(engine_policy(1), rates=()), claim=ClaimKind.NONE, order=WriteOrder.EFFECT_ONLY
    )

    assert list(beside(agent_with(unkept, identity=Identity.NONE))) == []


def test_a_record_that_ignores_the_tenant_disables_by_construction() -> None:
    """Another tenant's call under the same ID gets the first one's result, with one attempt and no fault."""
    found = studied(conditions_with(server_with(protected(), scope=(ScopePart.OPERATION_ID,)), rates=()))

    assert found.one_attempt.of(Promise.TENANTS_APART).fewest_faults == 0
    assert "another tenant" in found.one_attempt.of(Promise.TENANTS_APART).scope
    assert found.judgement.design_verdict is Verdict.DISABLE


@pytest.mark.parametrize("identity", (Identity.HASH_OF_ARGUMENTS, Identity.PER_PROCESS))
def test_an_id_that_equal_wishes_share_swallows_the_second_by_construction(identity: Identity) -> None:
    found = studied(conditions_with(agent_with(protected(), identity=identity), rates=()))

    assert found.one_attempt.of(Promise.DISTINCT_INTENTS).fewest_faults == 0
    assert found.judgement.design_verdict is Verdict.DISABLE


def test_what_the_scenario_breaks_itself_is_not_hidden_by_what_was_tried_apart() -> None:
    """Its own second call reuses an ID that replays: broken here too, and not only in the scenario beside it."""
    scenario = server_with(protected(), on_mismatch=OnMismatch.REPLAY).with_reused_id()

    found = studied(conditions_with(scenario, rates=rates_at(None, "server.after_effect")))

    assert found.as_requested.of(Promise.CHANGED_INPUT_CONFLICTS).fewest_faults == 0
    assert found.as_requested.of(Promise.CHANGED_INPUT_CONFLICTS).scope == ""


def test_each_kind_of_fault_that_takes_no_part_is_listed_as_excluded() -> None:
    scenario = conditions_with(protected(), rates=rates_at(0.001, "server.after_effect"))

    kinds = [text.removeprefix("fault kind: ") for text in excluded(scenario) if text.startswith("fault kind: ")]

    assert kinds == [kind for kind in FaultKind if kind is not FaultKind.CRASH]


def test_a_single_site_of_an_included_kind_is_listed_by_its_place() -> None:
    scenario = conditions_with(protected(), rates=rates_at(0.001, "server.after_effect"))

    assert "no fault at server crashes after the receipt" in excluded(scenario)
    assert "no fault at server crashes after the effect" not in excluded(scenario)


@pytest.mark.parametrize(
    ("text", "scenario"),
    (
        ("clock skew", conditions_with(protected(), clocks=(PartyClock(party="server", skew_s_max=1.0),))),
        ("drifting arguments", agent_with(protected(), drift=Drift.WORDING)),
        ("other calls meanwhile", protected().with_reused_id()),
        ("too few workers", server_with(protected(), worker_count=1)),
    ),
)
def test_what_a_scenario_has_is_not_listed_as_left_out(text: str, scenario: Scenario) -> None:
    assert text in excluded(protected())
    assert text not in excluded(scenario)


def test_a_budget_that_is_stated_and_exceeded_rules_out_allow_and_does_not_matter_for_hold() -> None:
    """One attempt is stated, and one fault makes the agent try a second time; with one attempt nobody does."""
    scenario = conditions_with(protected(), attempt_count_max=1)

    found = studied(replace(scenario, conditions=replace(scenario.conditions, fault_budget=1)))

    assert found.as_requested.of(Promise.WORK_IN_BUDGET).fewest_faults == 1
    assert found.judgement.design_verdict is Verdict.HOLD
    assert "'work stays in budget' is broken by 1 fault" in found.judgement.reasons[0]


def test_a_rate_of_zero_is_said_among_what_is_left_out() -> None:
    """It cannot happen, so no schedule has it; a proof that keeps silent about that would say too much."""
    scenario = conditions_with(protected(), rates=(*rates_at(0.0, "server.after_effect"), *rates_at(0.1, *LINKS)))

    left_out = excluded(scenario)

    assert "no fault at server crashes after the effect: its rate is 0" in left_out
    assert f"fault kind: {FaultKind.CRASH}" in left_out  # the only crash that is listed cannot happen
    assert "no fault at server crashes after the effect" not in left_out


def test_a_rate_of_one_is_said_since_each_passing_takes_one_fault_of_the_budget() -> None:
    scenario = conditions_with(protected(), rates=rates_at(1.0, "gateway_to_server.request_lost"))

    (said,) = [what for what in excluded(scenario) if "its rate is 1" in what]

    assert said == (
        "more faults than that, although request lost, gateway to server is what happens each time: its rate is 1"
    )
    assert not any("its rate is" in what for what in excluded(protected()))
