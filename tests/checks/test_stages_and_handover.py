"""Stages, partial outcomes, handover, and intents that want no effect: what the words mean for each promise."""

import pytest

from simkit.checks import (
    check_at_most_one_effect,
    check_completed_means_done,
    check_effect_happens,
    check_rejected_means_nothing,
    check_unknown_is_said,
)
from simkit.records import Fact
from simkit.terms import LayerName, Outcome, PromiseVerdict, ReadbackAnswer, Settled, State
from tests.checks.journals import (
    answered,
    asked,
    effect,
    fault,
    reported,
    run,
    sent,
    settled,
    tried,
    verdict_of,
    wanted,
)

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
SDK = LayerName.DOWNSTREAM_SDK
STAGES = ("ticket", "mail")
MAIL = effect(stage="mail")
QUESTION = (wanted("order", wants_effect=False),)
COMPLETED, REJECTED, UNKNOWN, NOT_STARTED = State.COMPLETED, State.REJECTED, State.UNKNOWN, State.NOT_STARTED
BOTH_DONE = (("ticket", COMPLETED), ("mail", COMPLETED))
MAIL_OPEN = (("ticket", COMPLETED), ("mail", UNKNOWN))
MAIL_REJECTED = (("ticket", COMPLETED), ("mail", REJECTED))
MAIL_NOT_STARTED = (("ticket", COMPLETED), ("mail", NOT_STARTED))
BOTH_REJECTED = (("ticket", REJECTED), ("mail", NOT_STARTED))
OK, FAILED = reported(COMPLETED), reported(REJECTED)


def heard(stages: tuple[tuple[str, State], ...], state: State = UNKNOWN) -> tuple[Fact, ...]:
    """One attempt of the agent, and an answer that speaks of each stage."""
    return sent(), answered(state, stages=stages)


def partial(stages: tuple[tuple[str, State], ...] = ()) -> Fact:
    return reported(COMPLETED, outcome=Outcome.PARTIAL, stages=stages)


def test_an_intent_that_wants_no_effect_has_one_too_many_with_its_first() -> None:
    asked_only, made, open_yet = (
        run(*tried(COMPLETED), OK, intents=QUESTION),
        run(effect(), intents=QUESTION),
        run(intents=QUESTION, cut_before="late request 1"),
    )

    assert verdict_of(check_at_most_one_effect, asked_only) is KEPT
    assert verdict_of(check_at_most_one_effect, made) is BROKEN
    assert verdict_of(check_at_most_one_effect, open_yet) is UNDECIDED
    assert check_at_most_one_effect(made)[0].evidence[0] == "no effect was wanted"


@pytest.mark.parametrize("facts", ((), tried(UNKNOWN), (*tried(COMPLETED), OK), (*tried(REJECTED), FAILED)))
def test_a_question_is_owed_no_effect_and_completed_promises_it_none(facts: tuple[Fact, ...]) -> None:
    journal = run(*facts, intents=QUESTION)

    assert verdict_of(check_effect_happens, journal) is KEPT
    assert verdict_of(check_completed_means_done, journal) is KEPT


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((*heard(BOTH_DONE, COMPLETED), effect()), BROKEN, id="both were called done"),
        pytest.param((*heard(MAIL_OPEN), effect()), KEPT, id="only the first was called done"),
        pytest.param((*heard(MAIL_OPEN), MAIL), BROKEN, id="the one that was called done is missing"),
        pytest.param(
            (sent(), answered(COMPLETED, "1/1", layer=SDK, stage="ticket"), effect()), KEPT, id="by its stage"
        ),
        pytest.param(
            (sent(), answered(COMPLETED, "1/1", layer=SDK, stage="mail"), effect()), BROKEN, id="the other stage"
        ),
        pytest.param((partial(MAIL_REJECTED), effect()), KEPT, id="a partial report names what is done"),
        pytest.param((partial(MAIL_REJECTED), MAIL), BROKEN, id="and means it"),
        pytest.param((partial(), effect()), KEPT, id="partial without stages calls no single one done"),
        pytest.param((reported(UNKNOWN, stages=MAIL_OPEN), MAIL), BROKEN, id="an open report with a stage done"),
        pytest.param((reported(State.ACCEPTED, outcome=Outcome.OK), effect()), BROKEN, id="OK calls all done"),
    ),
)
def test_completed_of_a_stage_means_that_stage_done(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, stages=STAGES)

    assert verdict_of(check_completed_means_done, journal) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((partial(MAIL_REJECTED), effect()), KEPT, id="the rejected one was not made"),
        pytest.param((partial(MAIL_REJECTED), effect(), MAIL), BROKEN, id="the rejected one was made"),
        pytest.param((partial(MAIL_NOT_STARTED), effect(), MAIL), KEPT, id="not started denies nothing for ever"),
        pytest.param((reported(REJECTED, outcome=Outcome.PARTIAL), effect()), KEPT, id="partial denies no single one"),
        pytest.param((reported(REJECTED), effect(stage="log")), BROKEN, id="failed denies whatever was made"),
        pytest.param(
            (reported(UNKNOWN, outcome=Outcome.FAILED, stages=MAIL_REJECTED), effect()), BROKEN, id="failed denies all"
        ),
    ),
)
def test_rejected_of_a_stage_means_nothing_happened_there(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, stages=STAGES)

    assert verdict_of(check_rejected_means_nothing, journal) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param(
            (*heard(BOTH_DONE), reported(UNKNOWN, stages=BOTH_DONE), effect(), MAIL), KEPT, id="stage by stage"
        ),
        pytest.param(
            (*heard(MAIL_OPEN), reported(UNKNOWN, stages=MAIL_OPEN), effect(), MAIL), BROKEN, id="one not said"
        ),
        pytest.param(
            (reported(UNKNOWN, stages=MAIL_OPEN), reported(UNKNOWN, stages=(("mail", COMPLETED),)), effect(), MAIL),
            KEPT,
            id="in two reports",
        ),
        pytest.param((fault(), *heard(MAIL_OPEN), effect()), KEPT, id="a fault, the missing one is not acknowledged"),
        pytest.param((fault(), *heard(MAIL_OPEN), MAIL), BROKEN, id="a fault, the acknowledged one is missing"),
        pytest.param(
            (fault(), *heard((("ticket", State.ACCEPTED), ("mail", UNKNOWN))), MAIL), BROKEN, id="accepted acknowledges"
        ),
        pytest.param((fault(), sent(), partial(MAIL_REJECTED), effect()), KEPT, id="a fault, and partly done"),
    ),
)
def test_each_stage_happens_or_is_not_acknowledged(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, stages=STAGES)

    assert verdict_of(check_effect_happens, journal) is expected


def test_handover_is_completion_where_the_review_says_so() -> None:
    facts = (*tried(State.ACCEPTED), effect(), reported(State.ACCEPTED, outcome=Outcome.UNKNOWN))

    assert verdict_of(check_effect_happens, run(*facts)) is BROKEN  # without a fault it is to be completed
    assert verdict_of(check_effect_happens, run(*facts, handover_completes=True)) is KEPT


def test_an_outcome_of_ok_calls_it_completed_whatever_the_state() -> None:
    facts = (sent(), reported(State.ACCEPTED, outcome=Outcome.OK))

    assert verdict_of(check_effect_happens, run(*facts, effect())) is KEPT
    assert verdict_of(check_effect_happens, run(fault(), sent(), reported(UNKNOWN, outcome=Outcome.OK))) is BROKEN


def test_a_report_of_accepted_is_an_acknowledgement() -> None:
    journal = run(fault(), sent(), reported(State.ACCEPTED, owner=""))

    assert verdict_of(check_effect_happens, journal) is BROKEN


def test_what_was_handed_over_and_lost_is_missing_all_the_same() -> None:
    lost = run(fault(), *tried(State.ACCEPTED), reported(COMPLETED), handover_completes=True)

    assert verdict_of(check_effect_happens, lost) is BROKEN
    assert verdict_of(check_completed_means_done, lost) is BROKEN
    assert verdict_of(check_unknown_is_said, lost) is KEPT  # it said what it was allowed to say


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((*tried(COMPLETED), effect(at_s=101.0)), KEPT, id="in time"),
        pytest.param((*tried(COMPLETED), effect(at_s=102.0)), BROKEN, id="past the deadline, nobody told"),
        pytest.param((*tried(UNKNOWN), effect(at_s=102.0)), KEPT, id="never acknowledged"),
        pytest.param((*tried(COMPLETED), effect(at_s=102.0), reported(UNKNOWN)), KEPT, id="somebody was told"),
        pytest.param(
            (*tried(COMPLETED), effect(at_s=102.0), reported(UNKNOWN, at_s=101.5)), BROKEN, id="told too late"
        ),
        pytest.param(
            (sent(), answered(COMPLETED, "1/1", layer=SDK), effect(at_s=102.0)), KEPT, id="only acknowledged below"
        ),
        pytest.param((*tried(COMPLETED), effect(), effect(at_s=102.0)), KEPT, id="the first one was in time"),
        pytest.param(
            (*tried(COMPLETED), *tried(COMPLETED, "2", at_s=50.0), effect(at_s=102.0)),
            BROKEN,
            id="the first one counts",
        ),
    ),
)
@pytest.mark.parametrize("cut_before", ("", "relay"))
def test_what_was_acknowledged_happens_by_the_deadline(
    facts: tuple[Fact, ...], expected: PromiseVerdict, cut_before: str
) -> None:
    journal = run(fault(), *facts, deadline_s=100.0, cut_before=cut_before)

    assert verdict_of(check_effect_happens, journal) is expected


def test_without_a_stated_deadline_nothing_is_late() -> None:
    journal = run(fault(), *tried(COMPLETED), effect(at_s=1e6), deadline_s=0.0)

    assert verdict_of(check_effect_happens, journal) is KEPT


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((*heard(BOTH_DONE), OK), KEPT, id="OK, both heard"),
        pytest.param((*heard(MAIL_OPEN), OK), BROKEN, id="OK, one not heard"),
        pytest.param((*tried(COMPLETED), OK), KEPT, id="OK, completed of the whole"),
        pytest.param((*heard(MAIL_OPEN), asked(ReadbackAnswer.FOUND, stage="mail"), OK), KEPT, id="OK, the rest found"),
        pytest.param((*heard(MAIL_OPEN), asked(ReadbackAnswer.FOUND, stage="ticket"), OK), BROKEN, id="the same found"),
        pytest.param((*tried(UNKNOWN), asked(ReadbackAnswer.FOUND), OK), KEPT, id="OK, the whole found"),
        pytest.param((*heard(MAIL_REJECTED), partial(MAIL_REJECTED)), KEPT, id="partial, as heard"),
        pytest.param((*heard(MAIL_NOT_STARTED), partial(MAIL_NOT_STARTED)), KEPT, id="partial, never begun"),
        pytest.param((*heard(MAIL_OPEN), partial(MAIL_REJECTED)), BROKEN, id="partial, no rejection was heard"),
        pytest.param(
            (
                *heard(MAIL_OPEN),
                sent("1/1", layer=SDK, stage="mail"),
                answered(REJECTED, "1/1", layer=SDK, stage="mail"),
                partial(MAIL_REJECTED),
            ),
            BROKEN,
            id="partial, the rejection was heard by another layer",
        ),
        pytest.param((*heard(MAIL_REJECTED), partial(BOTH_DONE)), BROKEN, id="partial, one done that was not heard"),
        pytest.param((*heard(MAIL_OPEN), partial(MAIL_OPEN)), BROKEN, id="partial, while one is open"),
        pytest.param((*heard(MAIL_OPEN), partial()), KEPT, id="partial without stages, something heard"),
        pytest.param((*tried(UNKNOWN), partial()), BROKEN, id="partial without stages, nothing heard"),
        pytest.param((*heard(BOTH_REJECTED, REJECTED), FAILED), KEPT, id="failed, all rejected or never begun"),
        pytest.param((*heard(MAIL_REJECTED, REJECTED), FAILED), BROKEN, id="failed, and one is done"),
        pytest.param((*heard((("ticket", UNKNOWN), ("mail", REJECTED)), REJECTED), FAILED), BROKEN, id="one is open"),
        pytest.param(
            (
                sent(),
                sent("1/1", layer=SDK, stage="ticket"),
                sent("1/2", layer=SDK, stage="mail"),
                answered(REJECTED, "1/2", layer=SDK, stage="mail"),
                answered(REJECTED),
                FAILED,
            ),
            BROKEN,
            id="a rejected stage decides nothing about another",
        ),
        pytest.param(
            (
                sent(),
                sent("1/1", layer=SDK, stage="ticket"),
                answered(REJECTED, "1/1", layer=SDK, stage="ticket"),
                answered(REJECTED),
                FAILED,
            ),
            KEPT,
            id="the only stage that was begun is rejected",
        ),
        pytest.param(
            (*heard(MAIL_OPEN), reported(UNKNOWN, stages=MAIL_OPEN)), KEPT, id="open, with its owner and deadline"
        ),
    ),
)
def test_nobody_says_more_of_a_stage_than_was_known(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, stages=STAGES)

    assert verdict_of(check_unknown_is_said, journal) is expected


def test_accepted_is_known_to_be_done_only_where_handover_completes_it() -> None:
    facts = (*tried(State.ACCEPTED), OK)

    assert verdict_of(check_unknown_is_said, run(*facts)) is BROKEN
    assert verdict_of(check_unknown_is_said, run(*facts, handover_completes=True)) is KEPT


LATE_FAILED = reported(REJECTED, at_s=300.0)
NOT_SEEN = ReadbackAnswer.NOT_SEEN


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        # The latest landing is 60 s, and the attempt was sent at 0 s.
        pytest.param((asked(NOT_SEEN, party="reconciler", at_s=60.0), settled()), KEPT, id="a view after the landing"),
        pytest.param(
            (asked(NOT_SEEN, party="reconciler", at_s=59.0), settled()), BROKEN, id="a view before the landing"
        ),
        pytest.param(
            (asked(NOT_SEEN, party="reconciler", at_s=201.0), settled()), BROKEN, id="settled before the view"
        ),
        pytest.param((asked(NOT_SEEN, at_s=60.0), settled()), BROKEN, id="the view of another party"),
        pytest.param(
            (asked(ReadbackAnswer.CANNOT_TELL, party="reconciler", at_s=60.0), settled()), BROKEN, id="no view at all"
        ),
        pytest.param(
            (asked(NOT_SEEN, party="reconciler", at_s=60.0, operation_id="op/2"), settled()),
            BROKEN,
            id="a view of another operation",
        ),
        pytest.param(
            (sent("1/1", at_s=10.0, layer=SDK), asked(NOT_SEEN, party="reconciler", at_s=60.0), settled()),
            BROKEN,
            id="something was sent after the first",
        ),
        pytest.param(
            (
                *tried(REJECTED, "2", at_s=150.0, operation_id="op/2"),
                asked(NOT_SEEN, party="reconciler", at_s=60.0),
                settled(),
            ),
            KEPT,
            id="only another operation was sent after the view",
        ),
        pytest.param(
            (asked(NOT_SEEN, party="reconciler", at_s=60.0), settled(), sent("1/1", at_s=400.0, layer=SDK)),
            KEPT,
            id="what is sent after the report was not known",
        ),
        pytest.param((asked(NOT_SEEN, party="reconciler", at_s=60.0),), BROKEN, id="seen, not settled"),
        pytest.param((settled(Settled.CANCELLED),), KEPT, id="cancelled at the system of record"),
        pytest.param((settled(Settled.SUPERSEDED),), KEPT, id="superseded"),
        pytest.param((settled(Settled.CANCELLED, at_s=301.0),), BROKEN, id="cancelled after the report"),
        pytest.param((settled(Settled.CANCELLED, operation_id="op/2"),), BROKEN, id="another one was cancelled"),
    ),
)
def test_failed_may_be_said_of_what_was_rightly_settled(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*tried(UNKNOWN), *facts, LATE_FAILED)

    assert verdict_of(check_unknown_is_said, journal) is expected
