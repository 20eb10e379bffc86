"""Nobody says more than was known when it was said: guesses break the promise even if they come true."""

import pytest

from simkit.checks import check_unknown_is_said
from simkit.journal import Journal
from simkit.records import Fact
from simkit.terms import LayerName, Outcome, PromiseVerdict, ReadbackAnswer, State
from tests.checks.journals import answered, asked, effect, reported, run, sent, tried, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
GATEWAY, SDK = LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK
GAVE_UP = answered(State.REJECTED, detail="gateway gave up and said failed")
OK, FAILED, OPEN = reported(State.COMPLETED), reported(State.REJECTED), reported(State.UNKNOWN)


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((*tried(State.COMPLETED), effect(), OK), KEPT, id="a receipt"),
        pytest.param((*tried(State.UNKNOWN), effect(), OK), BROKEN, id="a lucky guess"),
        pytest.param((sent(), effect(), OK, answered(State.COMPLETED)), BROKEN, id="the receipt came too late"),
        pytest.param((*tried(State.UNKNOWN), asked(ReadbackAnswer.FOUND), OK), KEPT, id="found"),
        pytest.param((*tried(State.UNKNOWN), OK, asked(ReadbackAnswer.FOUND)), BROKEN, id="found too late"),
        pytest.param((*tried(State.UNKNOWN), asked(ReadbackAnswer.NOT_SEEN), OK), BROKEN, id="not seen"),
        pytest.param((*tried(State.UNKNOWN), asked(ReadbackAnswer.CANNOT_TELL), OK), BROKEN, id="cannot tell"),
        pytest.param(
            (*tried(State.UNKNOWN), asked(ReadbackAnswer.FOUND, party="server"), OK), BROKEN, id="found by another"
        ),
        pytest.param(
            (*tried(State.UNKNOWN), OPEN, asked(ReadbackAnswer.FOUND, party="reconciler"), OK),
            KEPT,
            id="found by whoever reconciles, who tells the user",
        ),
        pytest.param(
            (*tried(State.UNKNOWN), OPEN, asked(ReadbackAnswer.NOT_SEEN, party="reconciler"), OK),
            BROKEN,
            id="not seen by whoever reconciles",
        ),
        pytest.param(
            (*tried(State.UNKNOWN), asked(ReadbackAnswer.FOUND, intent="other"), OK), BROKEN, id="found another"
        ),
        pytest.param(
            (sent(), answered(State.COMPLETED, "1/1", layer=GATEWAY), answered(State.UNKNOWN), OK),
            BROKEN,
            id="only the gateway heard it",
        ),
        pytest.param(
            (*tried(State.UNKNOWN), *tried(State.COMPLETED, "2", operation_id="op/2"), OK), KEPT, id="one is enough"
        ),
        pytest.param((effect(), OK), KEPT, id="nothing was sent, so nothing was open"),
        pytest.param((*tried(State.ACCEPTED), OK), BROKEN, id="accepted is not done"),
        pytest.param(
            (*tried(State.UNKNOWN), reported(State.COMPLETED, outcome=Outcome.PARTIAL)), BROKEN, id="a partial guess"
        ),
    ),
)
def test_ok_needs_a_receipt_or_a_find(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=(wanted("order"), wanted("other")))

    assert verdict_of(check_unknown_is_said, journal) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((*tried(State.REJECTED), FAILED), KEPT, id="durably rejected"),
        pytest.param((sent(), FAILED, answered(State.REJECTED)), BROKEN, id="rejected too late"),
        pytest.param((*tried(State.UNKNOWN), FAILED), BROKEN, id="a timeout"),
        pytest.param((sent(), FAILED), BROKEN, id="nothing was heard"),
        pytest.param((sent(), GAVE_UP, FAILED), BROKEN, id="a layer gave up and said failed"),
        pytest.param(
            (*tried(State.UNKNOWN), *tried(State.REJECTED, "2"), FAILED), KEPT, id="rejected under the same ID"
        ),
        pytest.param(
            (*tried(State.UNKNOWN), *tried(State.REJECTED, "2", operation_id="op/2"), FAILED),
            BROKEN,
            id="rejected under another ID",
        ),
        pytest.param(
            (*tried(State.UNKNOWN, operation_id=""), *tried(State.REJECTED, "2", operation_id=""), FAILED),
            BROKEN,
            id="without an ID each attempt stands alone",
        ),
        pytest.param((*tried(State.REFUSED), *tried(State.REFUSED, "2"), FAILED), KEPT, id="all refused"),
        pytest.param((*tried(State.UNKNOWN), *tried(State.REFUSED, "2"), FAILED), BROKEN, id="refused after a timeout"),
        pytest.param((*tried(State.CONFLICT), FAILED), BROKEN, id="a conflict settles nothing"),
        pytest.param((*tried(State.EXPIRED), FAILED), BROKEN, id="expired settles nothing"),
        pytest.param((*tried(State.UNKNOWN), asked(ReadbackAnswer.NOT_SEEN), FAILED), BROKEN, id="not seen"),
        pytest.param((FAILED,), KEPT, id="nothing was sent"),
        pytest.param((*tried(State.UNKNOWN, intent="other"), FAILED), KEPT, id="only another intent was sent"),
    ),
)
def test_failed_needs_a_durable_decision_about_all_that_was_sent(
    facts: tuple[Fact, ...], expected: PromiseVerdict
) -> None:
    journal = run(*facts, intents=(wanted("order"), wanted("other")))

    assert verdict_of(check_unknown_is_said, journal) is expected


def test_a_recorded_failure_decides_nothing_while_a_layer_below_is_left_without_an_answer() -> None:
    left_open = (sent("1/1", layer=SDK), answered(State.UNKNOWN, "1/1", layer=SDK, detail="timeout"))
    decided = (sent("1/1", layer=SDK), answered(State.REJECTED, "1/1", layer=SDK))
    attempt, recorded_failure = tried(State.REJECTED)

    guess = run(attempt, *left_open, recorded_failure, FAILED)
    known = run(attempt, *decided, recorded_failure, FAILED)

    assert verdict_of(check_unknown_is_said, guess) is BROKEN
    assert verdict_of(check_unknown_is_said, known) is KEPT


def test_what_an_outer_layer_does_not_know_is_nothing_to_an_inner_one() -> None:
    agent = (sent(), answered(State.UNKNOWN))
    gateway = (sent("1/1", layer=GATEWAY), answered(State.REJECTED, "1/1", layer=GATEWAY))
    journal = run(*agent, *gateway, reported(State.REJECTED, layer=GATEWAY), OPEN)

    assert verdict_of(check_unknown_is_said, journal) is KEPT


@pytest.mark.parametrize(
    ("report", "expected"),
    (
        (OPEN, KEPT),
        (reported(State.UNKNOWN, owner=""), BROKEN),
        (reported(State.UNKNOWN, deadline_s=0.0), BROKEN),
        (reported(State.UNKNOWN, deadline_s=-1.0), BROKEN),
    ),
)
def test_unknown_names_an_owner_and_a_deadline(report: Fact, expected: PromiseVerdict) -> None:
    journal = run(*tried(State.UNKNOWN), report)

    assert verdict_of(check_unknown_is_said, journal) is expected


def test_one_good_report_does_not_mend_a_bad_one() -> None:
    journal = run(*tried(State.UNKNOWN), FAILED, *tried(State.COMPLETED, "2"), effect(), OK)

    assert verdict_of(check_unknown_is_said, journal) is BROKEN


@pytest.mark.parametrize(
    ("journal", "expected"),
    (
        (run(*tried(State.COMPLETED), effect()), BROKEN),
        (run(*tried(State.COMPLETED), effect(), cut_before="report"), UNDECIDED),
        (run(cut_before="start"), UNDECIDED),
        (run(), KEPT),
        (run(*tried(State.UNKNOWN), sent("1/1", layer=GATEWAY), reported(State.UNKNOWN, layer=GATEWAY)), BROKEN),
        (run(*tried(State.UNKNOWN), FAILED, cut_before="late request 1"), BROKEN),
        (run(*tried(State.UNKNOWN), OPEN, cut_before="late request 1"), KEPT),
    ),
)
def test_somebody_is_told_in_the_end(journal: Journal, expected: PromiseVerdict) -> None:
    verdict = verdict_of(check_unknown_is_said, journal)

    assert verdict is expected


def test_the_evidence_names_the_layer_and_the_attempt_that_is_open() -> None:
    journal = run(*tried(State.UNKNOWN), *tried(State.REFUSED, "2"), FAILED)

    (finding,) = check_unknown_is_said(journal)

    assert finding.evidence == ("3 s: agent reported FAILED, while open for agent: attempt 1",)
