"""What becomes of each promise: explored to the end of the budget, whatever breaks on the way."""

from itertools import count

from simkit.contract import named_scenario
from simkit.study import NOT_APPLYING, proofs
from simkit.terms import Promise
from tests.builders import conditions_with, engine_policy

__all__: list[str] = []


def test_what_breaks_early_does_not_keep_the_rest_from_being_proved() -> None:
    # Running a stale reservation again duplicates after one fault; the other promises still hold up to two.
    found = proofs(engine_policy(1), fault_budget=2)

    assert found.of(Promise.AT_MOST_ONE_EFFECT).fewest_faults == 1
    assert found.is_complete
    assert found.of(Promise.COMPLETED_MEANS_DONE).is_proved


def test_the_budget_is_the_one_that_is_asked_for() -> None:
    scenario = conditions_with(engine_policy(1), fault_budget=2)

    found = proofs(scenario, fault_budget=0)

    assert (found.fault_budget, found.is_complete) == (0, True)
    assert found.of(Promise.AT_MOST_ONE_EFFECT).is_proved


def test_what_cannot_break_is_said_not_to_apply_and_what_needs_a_second_wish_is_tried_with_one() -> None:
    found = proofs(named_scenario("changed-input-unprotected"), fault_budget=0)

    # The server replays the first result to other inputs, without any fault.
    assert found.of(Promise.CHANGED_INPUT_CONFLICTS).fewest_faults == 0
    assert found.of(Promise.APPROVAL_RESPECTED).scope.startswith(NOT_APPLYING)


def test_without_time_nothing_is_proved_that_applies() -> None:
    found = proofs(engine_policy(1), fault_budget=1, is_over=lambda: True)

    assert not found.is_complete
    assert all(result.scope.startswith(NOT_APPLYING) for result in found.promises if result.is_proved)


def test_a_proof_beside_the_scenario_is_none_where_the_scenario_itself_was_not_seen() -> None:
    """Its own calls may break the promise too: here their exploration ends after one run, and the other goes on."""
    asked = count(1)

    whole, cut = (
        proofs(engine_policy(2), fault_budget=1, is_over=is_over).of(Promise.CHANGED_INPUT_CONFLICTS)
        for is_over in (lambda: False, lambda: next(asked) == 2)
    )

    assert whole.scope == cut.scope != ""
    assert (whole.is_proved, cut.is_proved) == (True, False)
