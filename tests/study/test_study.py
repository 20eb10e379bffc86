"""A whole study: every part is there, belongs to the same scenario, and the verdict follows from it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from simkit.scenario import Scenario
from simkit.study import AS_REQUESTED, ONE_ATTEMPT, crash_windows, explore, probability, sample, study
from simkit.study.results import StudyResult
from simkit.terms import LayerName, OnMismatch, Promise, Verdict
from tests.builders import a_readback, conditions_with, engine_policy, rates_at, server_with

__all__: list[str] = []


def protected() -> Scenario:
    """A tool whose repeats are safe: what a readback cannot tell is left to the owner."""
    return server_with(engine_policy(2), readback=a_readback())


def studied(
    scenario: Scenario, *, contradictions: tuple[str, ...] = (), is_over: Callable[[], bool] | None = None
) -> StudyResult:
    return study(scenario, seed=3, intent_count=50, contradictions=contradictions, is_over=is_over)


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
    assert found.as_requested.run_count == trials.exploration.run_count


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


def test_no_time_proves_nothing_and_disables() -> None:
    found = studied(protected(), is_over=lambda: True)

    assert (found.as_requested.run_count, found.one_attempt.run_count) == (0, 0)
    assert not found.are_cells_complete
    assert found.judgement.design_verdict is Verdict.DISABLE


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

    assert told[-1] == "50 sampled intents"
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
