"""A reused operation ID with other inputs meets a conflict while the record is guaranteed."""

import pytest

from simkit.checks import check_changed_input_conflicts
from simkit.records import Fact
from simkit.terms import LayerName, PromiseVerdict, State
from tests.checks.journals import answered, effect, recorded, reported, run, sent, tried, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
RED_AND_BLUE = (wanted("order", "red"), wanted("other", "blue"))
FIRST = (*tried(State.COMPLETED, "1:1"), recorded(), effect())


def reused(state: State, *, at_s: float = 10.0, path: str = "2:1", detail: str = "") -> tuple[Fact, ...]:
    """The other intent sends the ID of the first with its own inputs."""
    attempt = sent(path, at_s=at_s, intent="other", inputs="blue")
    return attempt, answered(state, path, at_s=at_s + 1, intent="other", inputs="blue", detail=detail)


@pytest.mark.parametrize(
    ("state", "expected"),
    (
        (State.CONFLICT, KEPT),
        (State.COMPLETED, BROKEN),
        (State.ACCEPTED, BROKEN),
        (State.REJECTED, BROKEN),
        (State.UNKNOWN, KEPT),
        (State.PENDING, KEPT),
        (State.REFUSED, KEPT),
        (State.EXPIRED, KEPT),
    ),
)
def test_a_reused_id_with_other_inputs_gets_a_conflict_or_no_result(state: State, expected: PromiseVerdict) -> None:
    journal = run(*FIRST, *reused(state), reported(State.UNKNOWN, intent="other"), intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is expected


def test_the_finding_belongs_to_the_intent_that_reused_the_id() -> None:
    journal = run(*FIRST, *reused(State.COMPLETED), intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "order") is KEPT
    assert verdict_of(check_changed_input_conflicts, journal, "other") is BROKEN


def test_a_conflict_for_the_first_one_does_not_excuse_the_second() -> None:
    later = tried(State.CONFLICT, "1:2", at_s=20.0)
    journal = run(*FIRST, *later, *reused(State.COMPLETED), intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is BROKEN


def test_an_effect_with_the_changed_inputs_breaks_it_whatever_the_answer_was() -> None:
    changed = effect(at_s=10.5, intent="other", inputs="blue")
    journal = run(*FIRST, *reused(State.CONFLICT), changed, intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is BROKEN


def test_a_record_without_an_effect_binds_the_inputs_too() -> None:
    first = (*tried(State.UNKNOWN, "1:1"), recorded())
    changed = effect(at_s=10.5, intent="other", inputs="blue")
    journal = run(*first, *reused(State.COMPLETED), changed, intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is BROKEN


def test_a_call_that_was_never_received_binds_nothing() -> None:
    lost = tried(State.UNKNOWN, "1:1")
    own_record = recorded(at_s=10.4)
    changed = effect(at_s=10.5, intent="other", inputs="blue")
    again = reused(State.COMPLETED, at_s=12.0, path="2:2")
    told = tried(State.CONFLICT, "1:2", at_s=20.0)
    journal = run(*lost, *reused(State.UNKNOWN), own_record, changed, *again, *told, intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT
    assert verdict_of(check_changed_input_conflicts, journal, "order") is KEPT


def test_of_two_calls_under_way_at_once_either_may_win_but_not_both() -> None:
    red, blue = effect(at_s=2.0), effect(at_s=2.0, intent="other", inputs="blue")
    sent_both = (sent("1:1"), sent("2:1", at_s=0.1, intent="other", inputs="blue"))
    answer = answered(State.COMPLETED, "2:1", at_s=3.0, intent="other", inputs="blue")

    second_wins = run(*sent_both, blue, answer, answered(State.CONFLICT, "1:1"), intents=RED_AND_BLUE)
    both_win = run(*sent_both, red, blue, answer, answered(State.COMPLETED, "1:1"), intents=RED_AND_BLUE)
    replayed = run(*sent_both, red, answer, answered(State.COMPLETED, "1:1"), intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, second_wins, "other") is KEPT
    assert verdict_of(check_changed_input_conflicts, both_win, "other") is BROKEN
    assert verdict_of(check_changed_input_conflicts, replayed, "other") is BROKEN


@pytest.mark.parametrize(
    ("at_s", "retention_s", "expected"),
    (
        (99.0, 100.0, BROKEN),
        (100.0, 100.0, KEPT),
        (101.0, 100.0, KEPT),
        (10.0, 0.0, KEPT),
    ),
)
def test_nothing_is_promised_once_the_record_is_no_longer_guaranteed(
    at_s: float, retention_s: float, expected: PromiseVerdict
) -> None:
    journal = run(*FIRST, *reused(State.COMPLETED, at_s=at_s), intents=RED_AND_BLUE, retention_s=retention_s)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is expected


def test_an_effect_after_the_guarantee_is_no_breach_of_it() -> None:
    changed = effect(at_s=150.0, intent="other", inputs="blue")
    journal = run(*FIRST, *reused(State.UNKNOWN, at_s=99.0), changed, intents=RED_AND_BLUE, retention_s=100.0)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT


def test_a_result_of_an_attempt_after_the_guarantee_is_not_laid_to_the_one_before() -> None:
    early, late = reused(State.UNKNOWN, at_s=99.0), reused(State.COMPLETED, at_s=150.0, path="2:2")
    journal = run(*FIRST, *early, *late, intents=RED_AND_BLUE, retention_s=100.0)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT


def test_who_met_the_conflict_may_go_on_under_an_id_of_its_own() -> None:
    own_id = tried(State.COMPLETED, "2:2", at_s=20.0, intent="other", operation_id="op/2", inputs="blue")
    own_effect = effect(at_s=20.5, intent="other", operation_id="op/2", inputs="blue")
    journal = run(*FIRST, *reused(State.CONFLICT), *own_id, own_effect, intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT


def test_an_earlier_id_does_not_count_as_the_first_use_of_this_one() -> None:
    own_id = tried(State.COMPLETED, "2:1", at_s=-5.0, intent="other", operation_id="op/2", inputs="blue")
    journal = run(*own_id, *FIRST, *reused(State.COMPLETED, path="2:2"), intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is BROKEN


def test_an_effect_with_the_first_inputs_is_no_effect_of_the_changed_ones() -> None:
    sent_first = tried(State.COMPLETED)
    drifted = tried(State.CONFLICT, "2", at_s=10.0, inputs="blue")
    journal = run(*sent_first, recorded(), effect(), *drifted)

    assert verdict_of(check_changed_input_conflicts, journal) is KEPT


def test_one_intent_whose_inputs_drift_reuses_its_own_id() -> None:
    drifted = tried(State.COMPLETED, "2", at_s=10.0, inputs="blue")
    journal = run(*tried(State.COMPLETED), effect(), *drifted)

    assert verdict_of(check_changed_input_conflicts, journal) is BROKEN


def test_which_call_came_first_is_told_by_its_instant_not_by_its_place() -> None:
    journal = run(*reused(State.CONFLICT), *FIRST, intents=RED_AND_BLUE)
    swapped = run(*reused(State.COMPLETED), *FIRST, intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT
    assert verdict_of(check_changed_input_conflicts, swapped, "other") is BROKEN
    assert verdict_of(check_changed_input_conflicts, swapped, "order") is KEPT


@pytest.mark.parametrize(
    ("operation_id", "inputs", "tenant"),
    (
        pytest.param("op/2", "blue", "acme", id="another ID"),
        pytest.param("op", "red", "acme", id="the same inputs"),
        pytest.param("op", "blue", "zenith", id="another tenant"),
    ),
)
def test_only_a_reuse_with_other_inputs_in_one_tenant_is_owed_a_conflict(
    operation_id: str, inputs: str, tenant: str
) -> None:
    second = tried(State.COMPLETED, "2:1", at_s=10.0, intent="other", operation_id=operation_id, inputs=inputs)
    journal = run(*FIRST, *second, intents=(wanted("order"), wanted("other", inputs, tenant)))

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT


def test_calls_without_an_id_share_none() -> None:
    first = (*tried(State.COMPLETED, "1:1", operation_id=""), effect(operation_id=""))
    second = tried(State.COMPLETED, "2:1", at_s=10.0, intent="other", operation_id="", inputs="blue")
    journal = run(*first, *second, intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT


def test_a_layer_that_gave_up_and_said_failed_decided_nothing() -> None:
    journal = run(*FIRST, *reused(State.REJECTED, detail="gateway gave up and said failed"), intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT


def test_what_only_a_lower_layer_heard_is_not_what_the_caller_got() -> None:
    below = answered(State.COMPLETED, "2:1/1", at_s=11.0, layer=LayerName.GATEWAY, intent="other", inputs="blue")
    journal = run(*FIRST, *reused(State.CONFLICT), below, intents=RED_AND_BLUE)

    assert verdict_of(check_changed_input_conflicts, journal, "other") is KEPT


def test_a_cut_run_leaves_a_reuse_open_and_an_intent_that_may_still_send() -> None:
    told = reported(State.UNKNOWN, intent="other")
    first = (*FIRST, reported(State.COMPLETED))
    reuse = run(*first, *reused(State.UNKNOWN), told, intents=RED_AND_BLUE, cut_before="late request 2:1")
    silent = run(*first, intents=RED_AND_BLUE, cut_before="start 2")
    broken = run(*first, *reused(State.COMPLETED), intents=RED_AND_BLUE, cut_before="late request 2:1")

    assert verdict_of(check_changed_input_conflicts, reuse, "other") is UNDECIDED
    assert verdict_of(check_changed_input_conflicts, reuse, "order") is KEPT
    assert verdict_of(check_changed_input_conflicts, silent, "other") is UNDECIDED
    assert verdict_of(check_changed_input_conflicts, broken, "other") is BROKEN
    assert verdict_of(check_changed_input_conflicts, run(retention_s=0.0, cut_before="start")) is KEPT


def test_the_evidence_tells_the_story_of_the_id() -> None:
    journal = run(*FIRST, *reused(State.COMPLETED), intents=RED_AND_BLUE)

    (_, finding) = check_changed_input_conflicts(journal)

    assert finding.evidence == (
        "0 s: ID 'op' was first sent with 'red'",
        "1 s: attempt 1:1 with 'red' got completed",
        "0.5 s: effect in ticket with 'red'",
        "10 s: attempt 2:1 reused it with 'blue'",
        "11 s: attempt 2:1 got completed, not conflict",
    )
