"""A whole study: every part is there, belongs to the same scenario, and the verdict follows from it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from simkit.distributions import Wait
from simkit.scenario import Scenario
from simkit.study import AS_REQUESTED, ONE_ATTEMPT, crash_windows, explore, probability, sample, study
from simkit.study.results import Bounds, StudyResult
from simkit.terms import ClaimKind, LayerName, OnMismatch, Promise, Verdict
from tests.builders import (
    a_readback,
    a_scenario,
    conditions_with,
    downstream_with,
    engine_policy,
    rates_at,
    server_with,
)

__all__: list[str] = []


def protected() -> Scenario:
    """A tool whose repeats are safe: what a readback cannot tell is left to the owner."""
    return server_with(engine_policy(2), readback=a_readback())


def studied(
    scenario: Scenario,
    *,
    contradictions: tuple[str, ...] = (),
    unjudged: tuple[str, ...] = (),
    is_over: Callable[[], bool] = lambda: False,
) -> StudyResult:
    return study(scenario, seed=3, intent_count=50, contradictions=contradictions, unjudged=unjudged, is_over=is_over)


def raced(typical_s: float) -> Scenario:
    """Check then act without a key; the agent, which waits 1 s, calls again while the work may take up to 3 s."""
    work = Wait(s_min=0.001, s_typical=typical_s, s_max=3.0)
    scenario = server_with(a_scenario(), claim=ClaimKind.CHECK_THEN_ACT)
    return downstream_with(scenario, work=work)


def test_a_protected_tool_would_be_allowed() -> None:
    """Up to two faults nothing breaks; what has three is below 1e-4 at rates of 1e-3."""
    judgement = studied(protected()).judgement

    assert judgement.design_verdict is Verdict.ALLOW
    assert judgement.wording == "the design would allow; not observed"


def test_a_study_holds_what_its_parts_find() -> None:
    scenario = protected()
    trials = explore(scenario, fault_budget=2, policy=AS_REQUESTED, has_trials=True)

    found = studied(scenario)

    assert found.scenario_digest == scenario.digest()
    assert found.cells == trials.cells
    assert found.are_cells_complete
    assert found.windows == crash_windows(scenario)
    assert found.probability == probability(scenario, fault_budget=2)
    assert found.sampling == sample(scenario, intent_count=50, seed=3)
    assert (found.as_requested.policy, found.one_attempt.policy) == (AS_REQUESTED, ONE_ATTEMPT)
    assert found.cell_run_count == trials.exploration.run_count > found.as_requested.run_count
    assert found.as_requested.levels == explore(scenario, fault_budget=2, policy=AS_REQUESTED).exploration.levels


def test_the_same_study_again_is_equal() -> None:
    assert studied(protected()) == studied(protected())


def test_one_attempt_is_explored_with_one_attempt() -> None:
    """Policy 1 duplicates only by its second attempt."""
    found = studied(engine_policy(1))

    assert found.as_requested.of(Promise.AT_MOST_ONE_EFFECT).fewest_faults == 1
    assert found.one_attempt.of(Promise.AT_MOST_ONE_EFFECT).is_proved
    assert found.judgement.design_verdict is Verdict.HOLD


def test_an_id_that_replays_for_other_inputs_disables_although_no_call_of_the_plan_reuses_one() -> None:
    """A second wish under the first one's ID would be swallowed, without any fault, also with one attempt."""
    found = studied(server_with(protected(), on_mismatch=OnMismatch.REPLAY))

    assert found.one_attempt.of(Promise.CHANGED_INPUT_CONFLICTS).fewest_faults == 0
    assert found.judgement.design_verdict is Verdict.DISABLE


def test_contradictions_reach_the_verdict() -> None:
    found = studied(protected(), contradictions=("a excludes b",))

    assert found.judgement.design_verdict is Verdict.DISABLE
    assert "declared: a excludes b" in found.judgement.reasons


def test_what_was_not_judged_reaches_the_verdict() -> None:
    found = studied(protected(), unjudged=("what happens after the handover",))

    assert found.judgement.design_verdict is Verdict.HOLD
    assert found.judgement.reasons == ("not judged: what happens after the handover",)


def test_a_probability_that_never_meets_what_breaks_is_not_a_number() -> None:
    """The agent waits 1 s. The work usually takes 1 ms, so that only on intervals does a second call overlap it."""
    found = studied(raced(typical_s=0.001))

    assert found.as_requested.of(Promise.AT_MOST_ONE_EFFECT).fewest_faults == 0
    assert (found.probability.independent, found.probability.common_cause) == (None, None)
    assert found.probability.method.startswith("breaks; probability not resolved: ")
    assert any("not resolved" in reason for reason in found.judgement.reasons)
    assert found.probability.unknown_sites == ()


def test_a_probability_that_meets_what_breaks_stays_a_number() -> None:
    """The same race, and the work usually takes 2.5 s: every operation has two effects."""
    found = studied(raced(typical_s=2.5))

    assert found.as_requested.of(Promise.AT_MOST_ONE_EFFECT).fewest_faults == 0
    assert found.probability.independent == Bounds(lower=1.0, upper=1.0)
    assert found.probability.method.startswith("enumerated up to 2 faults")


def test_a_probability_of_a_design_that_does_not_break_stays_a_number_although_nothing_is_met() -> None:
    found = studied(a_scenario())

    assert all(result.is_proved for result in found.as_requested.promises)
    assert found.probability.independent == Bounds(lower=0.0, upper=0.0)


def test_no_time_proves_nothing_and_disables() -> None:
    found = studied(protected(), is_over=lambda: True)

    assert (found.as_requested.run_count, found.one_attempt.run_count) == (0, 0)
    assert not found.are_cells_complete
    assert found.judgement.design_verdict is Verdict.DISABLE


def test_a_time_limit_that_ends_while_actions_are_tried_takes_nothing_but_the_table() -> None:
    told = [""]

    found = study(
        protected(), seed=3, intent_count=50, tell=told.append, is_over=lambda: "every other action" in told[-1]
    )

    whole = studied(protected())
    assert not found.are_cells_complete
    assert (found.judgement, found.probability) == (whole.judgement, whole.probability)
    assert (found.sampling, found.windows) == (whole.sampling, whole.windows)


def test_an_unknown_rate_leaves_the_proof_and_takes_the_numbers() -> None:
    """It keeps `allow` away, because no limit can be claimed, and does not by itself disable."""
    conditions = protected().conditions
    rates = (*rates_at(None, "server.after_effect"), *(r for r in conditions.rates if r.site != "server.after_effect"))

    found = studied(conditions_with(protected(), rates=rates))

    assert found.sampling is None
    assert found.probability.unknown_sites == ("server.after_effect",)
    assert all(result.is_proved for result in found.as_requested.promises)
    assert found.judgement.design_verdict is Verdict.HOLD


def test_what_the_conditions_leave_out_is_listed() -> None:
    """The three policies have lost messages, crashes and a failing readback, and nothing else."""
    found = studied(protected())

    assert "fault kind: late" in found.excluded
    assert "fault kind: downstream error" in found.excluded
    assert "fault kind: crash" not in found.excluded


def test_somebody_is_told_what_is_being_done() -> None:
    told: list[str] = []

    study(protected(), seed=3, intent_count=50, tell=told.append)

    assert "50 sampled intents" in told
    assert any("one attempt" in line for line in told)


@pytest.mark.parametrize("attempts", (1, 2))
def test_a_tool_that_asks_for_no_retries_is_judged_by_the_same_rule(attempts: int) -> None:
    """With one attempt policy 1 is safe: what is requested and what everybody falls back to are the same."""
    scenario = engine_policy(1)
    agent = scenario.layer(LayerName.AGENT)
    assert agent is not None
    layers = (replace(agent, attempts=attempts), *scenario.layers[1:])

    found = studied(replace(scenario, layers=layers))

    assert found.judgement.design_verdict is (Verdict.ALLOW if attempts == 1 else Verdict.HOLD)
