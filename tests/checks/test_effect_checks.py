"""The effect happens, at most once, and `completed` and `rejected` say what is true, on journals written by hand."""

import pytest

from simkit.checks import (
    check_at_most_one_effect,
    check_completed_means_done,
    check_effect_happens,
    check_rejected_means_nothing,
)
from simkit.journal import Journal
from simkit.records import Fact
from simkit.terms import LayerName, Outcome, PromiseVerdict, State
from tests.checks.journals import answered, approved, effect, fault, reported, run, sent, tried, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
DONE = (*tried(State.COMPLETED), effect(), reported(State.COMPLETED))
TWO_STAGES = ("ticket", "mail")
TWO_INTENTS = (wanted("order"), wanted("other"))


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param(DONE, KEPT, id="completed with its effect"),
        pytest.param((*DONE, effect(at_s=2.0)), KEPT, id="twice is another promise"),
        pytest.param((*tried(State.COMPLETED), reported(State.COMPLETED)), BROKEN, id="no fault, no effect"),
        pytest.param((*tried(State.UNKNOWN), effect(), reported(State.UNKNOWN)), BROKEN, id="no fault, not completed"),
        pytest.param((), BROKEN, id="no fault, nobody tried"),
        pytest.param((fault(), *tried(State.UNKNOWN), reported(State.UNKNOWN)), KEPT, id="a fault, and it is said"),
        pytest.param((fault(), *tried(State.REJECTED), reported(State.REJECTED)), KEPT, id="a fault, and it failed"),
        pytest.param((fault(), *tried(State.UNKNOWN), effect(), reported(State.UNKNOWN)), KEPT, id="a fault, done"),
        pytest.param((fault(), *tried(State.COMPLETED), reported(State.COMPLETED)), BROKEN, id="completed, not done"),
        pytest.param((fault(), sent(), reported(State.COMPLETED)), BROKEN, id="reported without a reply, not done"),
        pytest.param((fault(), *tried(State.ACCEPTED)), BROKEN, id="accepted, not done, nobody told"),
        pytest.param((fault(), *tried(State.COMPLETED)), BROKEN, id="completed heard, not done, nobody told"),
        pytest.param((fault(), *tried(State.ACCEPTED), reported(State.UNKNOWN)), KEPT, id="accepted, not done, told"),
        pytest.param(
            (fault(), *tried(State.ACCEPTED), reported(State.UNKNOWN, owner="")), BROKEN, id="told, but nobody owns it"
        ),
        pytest.param(
            (fault(), sent(), answered(State.COMPLETED, "1/1", layer=LayerName.GATEWAY), answered(State.UNKNOWN)),
            KEPT,
            id="only a lower layer was acknowledged",
        ),
        pytest.param((*tried(State.CONFLICT), reported(State.UNKNOWN)), BROKEN, id="conflict with itself is no excuse"),
    ),
)
def test_the_effect_happens_or_somebody_knows_that_it_may_not(
    facts: tuple[Fact, ...], expected: PromiseVerdict
) -> None:
    journal = run(*facts)

    assert verdict_of(check_effect_happens, journal) is expected


@pytest.mark.parametrize(
    ("expires_at_s", "expected"),
    (
        (0.0, KEPT),  # had lapsed when it was first sent: nothing is owed any more
        (0.3, BROKEN),  # it was good when the call was sent, and nothing went wrong
        (None, BROKEN),
    ),
)
def test_what_was_first_sent_after_its_approval_had_lapsed_is_owed_no_effect(
    expires_at_s: float | None, expected: PromiseVerdict
) -> None:
    journal = run(approved(expires_at_s=expires_at_s), *tried(State.REFUSED), reported(State.REFUSED))

    assert verdict_of(check_effect_happens, journal) is expected


@pytest.mark.parametrize(
    ("given_for", "inputs", "is_single_use", "expected"),
    (
        ("order", "red", True, BROKEN),  # its own
        ("other", "red", True, KEPT),  # somebody else's, and good for that one alone
        ("other", "red", False, BROKEN),  # good for everybody who asks for this
        ("order", "blue", True, KEPT),  # its own, for something else
    ),
)
def test_what_names_an_approval_of_something_else_is_owed_no_effect(
    given_for: str, inputs: str, *, is_single_use: bool, expected: PromiseVerdict
) -> None:
    approval = approved(intent=given_for, inputs=inputs, is_single_use=is_single_use)
    asked = (wanted("order", approval=approval.approval), wanted("other"))

    journal = run(approval, *tried(State.REFUSED), reported(State.REFUSED), intents=asked)

    assert verdict_of(check_effect_happens, journal) is expected


@pytest.mark.parametrize(
    ("intent", "expected"),
    (
        ("other", KEPT),  # the ID was somebody else's: the conflict is what is owed
        ("order", BROKEN),  # its own arguments drifted, and nothing went wrong otherwise
    ),
)
def test_a_conflict_is_owed_to_those_who_reuse_an_id_and_not_to_those_who_drift(
    intent: str, expected: PromiseVerdict
) -> None:
    first = (sent(intent=intent, inputs="blue"), answered(State.REFUSED, intent=intent, inputs="blue"))
    journal = run(*first, *tried(State.CONFLICT, "2"), reported(State.UNKNOWN), intents=TWO_INTENTS)

    assert verdict_of(check_effect_happens, journal) is expected


def test_an_effect_of_another_intent_does_not_make_this_one_happen() -> None:
    journal = run(*DONE[:2], DONE[3], effect(intent="other"), intents=TWO_INTENTS)

    assert verdict_of(check_effect_happens, journal) is BROKEN


def test_every_promised_stage_has_to_happen() -> None:
    half = run(*DONE, stages=TWO_STAGES)
    whole = run(*DONE, effect(stage="mail"), stages=TWO_STAGES)

    assert verdict_of(check_effect_happens, half) is BROKEN
    assert verdict_of(check_effect_happens, whole) is KEPT


def test_who_reused_an_id_for_other_inputs_is_owed_a_conflict_and_no_effect() -> None:
    reuse = (*tried(State.CONFLICT, at_s=5, intent="other", inputs="blue"), reported(State.UNKNOWN, intent="other"))
    journal = run(*DONE, *reuse, intents=(wanted("order"), wanted("other", "blue")))

    assert verdict_of(check_effect_happens, journal, "other") is KEPT


def test_who_reused_an_id_and_got_no_conflict_is_not_excused() -> None:
    reuse = (*tried(State.UNKNOWN, at_s=5, intent="other", inputs="blue"), reported(State.UNKNOWN, intent="other"))
    journal = run(*DONE, *reuse, intents=(wanted("order"), wanted("other", "blue")))

    assert verdict_of(check_effect_happens, journal, "other") is BROKEN


def test_the_evidence_says_what_is_missing() -> None:
    not_done = run(*tried(State.COMPLETED), reported(State.COMPLETED))
    not_said = run(*tried(State.UNKNOWN), effect(), reported(State.UNKNOWN))
    silent = run(*tried(State.UNKNOWN), effect())

    last_lines = [check_effect_happens(journal)[0].evidence[-1] for journal in (not_done, not_said, silent)]

    assert last_lines == [
        "no effect in ticket",
        "completed was not reported (agent reported unknown)",
        "completed was not reported (nothing was)",
    ]


def test_what_a_cut_run_can_still_fulfil_is_undecided_and_names_the_next_step() -> None:
    journal = run(*tried(State.UNKNOWN), cut_before="late request 1/1")

    (finding,) = check_effect_happens(journal)

    assert finding.verdict is UNDECIDED
    assert "late request 1/1" in finding.evidence[0]
    assert verdict_of(check_effect_happens, run(*DONE, cut_before="lease")) is KEPT
    assert verdict_of(check_effect_happens, run(fault(), effect(), cut_before="lease")) is KEPT
    assert verdict_of(check_effect_happens, run(effect(), cut_before="lease")) is UNDECIDED


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((), KEPT, id="none"),
        pytest.param((effect(),), KEPT, id="one"),
        pytest.param((effect(), effect(at_s=7.0)), BROKEN, id="two under one ID"),
        pytest.param((effect(), effect(operation_id="op/2")), BROKEN, id="two under two IDs"),
        pytest.param((effect(), effect(stage="mail")), KEPT, id="one in each of two stages"),
        pytest.param((effect(), effect(stage="mail"), effect(stage="mail")), BROKEN, id="two in the second stage"),
        pytest.param((effect(), effect(intent="other")), KEPT, id="the second is another intent's"),
    ),
)
def test_an_intent_has_at_most_one_effect_in_a_stage(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, stages=TWO_STAGES, intents=TWO_INTENTS)

    assert verdict_of(check_at_most_one_effect, journal) is expected


def test_evidence_of_a_duplicate_shows_the_effects_of_that_stage_only() -> None:
    journal = run(effect(), effect(at_s=7.0, operation_id="op/2"), effect(stage="mail"), stages=TWO_STAGES)

    (finding,) = check_at_most_one_effect(journal)

    assert finding.evidence == ("0.5 s: effect in ticket under ID 'op'", "7 s: effect in ticket under ID 'op/2'")


def test_a_cut_run_leaves_a_second_effect_open_but_does_not_undo_one() -> None:
    one = run(effect(), cut_before="late request 1/1")
    two = run(effect(), effect(at_s=7.0), cut_before="late request 1/1")

    assert verdict_of(check_at_most_one_effect, one) is UNDECIDED
    assert verdict_of(check_at_most_one_effect, two) is BROKEN


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param(DONE, KEPT, id="done"),
        pytest.param((effect(at_s=70.0), reported(State.COMPLETED)), KEPT, id="done later"),
        pytest.param((reported(State.COMPLETED),), BROKEN, id="reported, never done"),
        pytest.param((fault(), *tried(State.COMPLETED), reported(State.UNKNOWN)), BROKEN, id="heard, never done"),
        pytest.param(
            (sent(), answered(State.COMPLETED, "1/1", layer=LayerName.DOWNSTREAM_SDK)), BROKEN, id="heard far below"
        ),
        pytest.param((reported(State.COMPLETED), effect(intent="other")), BROKEN, id="another intent's effect"),
        pytest.param((reported(State.COMPLETED, intent="other"),), KEPT, id="said about another intent"),
        pytest.param((*tried(State.UNKNOWN), reported(State.UNKNOWN)), KEPT, id="nobody said so"),
        pytest.param((*tried(State.ACCEPTED),), KEPT, id="accepted is not completed"),
    ),
)
def test_completed_means_done(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=TWO_INTENTS)

    assert verdict_of(check_completed_means_done, journal) is expected


def test_completed_means_every_stage_done() -> None:
    half = run(*DONE, stages=TWO_STAGES)

    assert verdict_of(check_completed_means_done, half) is BROKEN


def test_completed_without_an_effect_is_undecided_in_a_cut_run() -> None:
    promised_only = run(reported(State.COMPLETED), cut_before="relay")
    nothing_yet = run(cut_before="relay")
    done = run(effect(), cut_before="relay")

    assert verdict_of(check_completed_means_done, promised_only) is UNDECIDED
    assert verdict_of(check_completed_means_done, nothing_yet) is UNDECIDED
    assert verdict_of(check_completed_means_done, done) is KEPT


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((reported(State.REJECTED),), KEPT, id="nothing happened"),
        pytest.param((effect(), reported(State.REJECTED)), BROKEN, id="it had happened"),
        pytest.param((reported(State.REJECTED), effect(at_s=70.0)), BROKEN, id="it happens later"),
        pytest.param((reported(State.REFUSED), effect(at_s=70.0)), BROKEN, id="refused, so failed, and it happens"),
        pytest.param((reported(State.REJECTED, outcome=Outcome.UNKNOWN), effect()), BROKEN, id="the state says it"),
        pytest.param((reported(State.UNKNOWN, outcome=Outcome.FAILED), effect()), BROKEN, id="the outcome says it"),
        pytest.param((reported(State.REJECTED, layer=LayerName.GATEWAY), effect()), BROKEN, id="any layer"),
        pytest.param((reported(State.REJECTED), effect(intent="other")), KEPT, id="another intent's effect"),
        pytest.param((reported(State.REJECTED, intent="other"), effect()), KEPT, id="said about another intent"),
        pytest.param((reported(State.UNKNOWN), effect()), KEPT, id="unknown denies nothing"),
        pytest.param((*tried(State.REJECTED), effect(), reported(State.UNKNOWN)), KEPT, id="a reply is no report"),
    ),
)
def test_rejected_means_nothing_happened(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=TWO_INTENTS)

    assert verdict_of(check_rejected_means_nothing, journal) is expected


@pytest.mark.parametrize(
    ("journal", "expected"),
    (
        (run(reported(State.REJECTED), cut_before="late request 1"), UNDECIDED),
        (run(effect(), cut_before="backoff"), UNDECIDED),
        (run(reported(State.UNKNOWN), cut_before="late request 1"), KEPT),
        (run(reported(State.REJECTED), effect(), cut_before="late request 1"), BROKEN),
    ),
)
def test_a_denial_in_a_cut_run_is_undecided_until_its_effect_shows(journal: Journal, expected: PromiseVerdict) -> None:
    verdict = verdict_of(check_rejected_means_nothing, journal)

    assert verdict is expected
