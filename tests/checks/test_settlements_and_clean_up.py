"""Nothing lands once it was settled, and nobody undoes what is open or was never made; journals written by hand."""

import pytest

from simkit.checks import check_clean_up_waits, check_nothing_after_settlement
from simkit.journal import Journal
from simkit.records import Fact
from simkit.terms import LayerName, PromiseVerdict, ReadbackAnswer, Settled, State
from tests.checks.journals import answered, asked, cleaned_up, effect, run, sent, settled, tried, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
TWO_INTENTS = (wanted("order"), wanted("other"))
FOUND, NOT_SEEN, CANNOT_TELL = ReadbackAnswer.FOUND, ReadbackAnswer.NOT_SEEN, ReadbackAnswer.CANNOT_TELL
DONE = (*tried(State.COMPLETED), effect())


@pytest.mark.parametrize("how", Settled)
@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((effect(at_s=300.0),), BROKEN, id="it lands later"),
        pytest.param((effect(at_s=0.5),), BROKEN, id="it existed already"),
        pytest.param((effect(at_s=200.0),), BROKEN, id="at the same instant"),
        pytest.param((), KEPT, id="nothing lands"),
        pytest.param((effect(at_s=300.0, operation_id="op/2"),), KEPT, id="another operation of the intent"),
        pytest.param((effect(at_s=300.0, intent="other"),), KEPT, id="another intent under the same ID"),
    ),
)
def test_a_settled_operation_has_no_effect(how: Settled, facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(settled(how), *facts, intents=TWO_INTENTS)

    assert verdict_of(check_nothing_after_settlement, journal) is expected


def test_without_a_settlement_an_effect_may_land_when_it_likes() -> None:
    assert verdict_of(check_nothing_after_settlement, run(*DONE, effect(at_s=300.0))) is KEPT


def test_attempts_without_an_id_are_settled_together() -> None:
    journal = run(settled(operation_id=""), effect(at_s=300.0, operation_id=""))

    assert verdict_of(check_nothing_after_settlement, journal) is BROKEN


def test_the_second_settlement_counts_as_well() -> None:
    journal = run(settled(operation_id="op/1"), settled(operation_id="op/2"), effect(operation_id="op/2"))

    assert verdict_of(check_nothing_after_settlement, journal) is BROKEN


@pytest.mark.parametrize(
    ("journal", "expected"),
    (
        (run(settled(), cut_before="late request 1"), UNDECIDED),
        (run(effect(), cut_before="reconciler"), UNDECIDED),
        (run(settled(), effect(at_s=300.0), cut_before="lease"), BROKEN),
    ),
)
def test_a_cut_run_leaves_a_late_effect_open(journal: Journal, expected: PromiseVerdict) -> None:
    verdict = verdict_of(check_nothing_after_settlement, journal)

    assert verdict is expected


def test_the_evidence_of_a_late_effect_names_who_settled_it() -> None:
    journal = run(settled(), effect(at_s=300.0))

    assert check_nothing_after_settlement(journal)[0].evidence == (
        "200 s: reconciler settled it as confirmed absent",
        "300 s: effect in ticket",
    )


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param(DONE, KEPT, id="completed was heard"),
        pytest.param((*tried(State.UNKNOWN), effect(), asked(FOUND)), KEPT, id="it was found"),
        pytest.param((*tried(State.UNKNOWN), effect()), BROKEN, id="after a timeout, although it is there"),
        pytest.param((*tried(State.PENDING), effect()), BROKEN, id="while pending"),
        pytest.param((*tried(State.CONFLICT), effect()), BROKEN, id="after a conflict"),
        pytest.param((*tried(State.ACCEPTED), effect()), BROKEN, id="after a handover that is no completion"),
        pytest.param((*tried(State.UNKNOWN), asked(NOT_SEEN)), BROKEN, id="after a readback without a finding"),
        pytest.param((*tried(State.UNKNOWN), effect(), asked(CANNOT_TELL)), BROKEN, id="after a failed readback"),
        pytest.param((*tried(State.COMPLETED),), BROKEN, id="completed was said, and nothing was made"),
        pytest.param((*tried(State.COMPLETED), effect(at_s=5.0)), BROKEN, id="it was made after the clean-up"),
        pytest.param((*tried(State.REJECTED),), BROKEN, id="rejected, so never made"),
        pytest.param((*tried(State.REJECTED), effect()), KEPT, id="rejected wrongly, and undone all the same"),
        pytest.param(
            (sent(), effect(), answered(State.REJECTED, detail="gateway gave up and said failed")),
            BROKEN,
            id="a layer that gave up decided nothing",
        ),
        pytest.param((*tried(State.COMPLETED, at_s=4.0), effect()), BROKEN, id="completed came too late"),
        pytest.param((*tried(State.UNKNOWN), effect(), asked(FOUND, at_s=5.0)), BROKEN, id="found too late"),
        pytest.param((*tried(State.UNKNOWN), effect(), asked(FOUND, party="server")), BROKEN, id="found by another"),
        pytest.param(
            (*tried(State.UNKNOWN), effect(), asked(FOUND, operation_id="op/2")), BROKEN, id="another one was found"
        ),
        pytest.param((*DONE[:2], effect(stage="mail")), BROKEN, id="only another stage was made"),
        pytest.param((*DONE[:2], effect(intent="other")), BROKEN, id="only another intent's was made"),
        pytest.param(
            (*DONE, *tried(State.UNKNOWN, "2", operation_id="op/2")), KEPT, id="another operation of it is still open"
        ),
        pytest.param(
            (*tried(State.UNKNOWN), *tried(State.COMPLETED, "2", operation_id="op/2"), effect()),
            BROKEN,
            id="this one is open, another is done",
        ),
        pytest.param((*tried(State.COMPLETED), effect(operation_id="op/2")), BROKEN, id="made by another operation"),
    ),
)
def test_a_clean_up_waits_until_there_is_known_to_be_something(
    facts: tuple[Fact, ...], expected: PromiseVerdict
) -> None:
    journal = run(*facts, cleaned_up(), intents=TWO_INTENTS)

    assert verdict_of(check_clean_up_waits, journal) is expected


def test_a_clean_up_under_an_id_of_its_own_is_judged_by_what_the_intent_sent() -> None:
    waited = run(*DONE, cleaned_up(operation_id="op/undo"))
    hasty = run(*tried(State.UNKNOWN), effect(), cleaned_up(operation_id="op/undo"))

    assert verdict_of(check_clean_up_waits, waited) is KEPT
    assert verdict_of(check_clean_up_waits, hasty) is BROKEN


def test_handover_is_completion_only_where_the_review_says_so() -> None:
    journal = run(*tried(State.ACCEPTED), effect(), cleaned_up(), handover_completes=True)

    assert verdict_of(check_clean_up_waits, journal) is KEPT


def test_each_party_goes_by_what_it_heard_itself() -> None:
    agent_knows = run(*DONE, cleaned_up(party="server"))
    below = answered(State.COMPLETED, "1/1", layer=LayerName.DOWNSTREAM_SDK)
    server_knows = run(sent(), below, effect(), cleaned_up(party="server"))
    agent_does_not = run(sent(), below, effect(), cleaned_up(party="agent"))
    reconciler = run(*tried(State.UNKNOWN), effect(), asked(FOUND, party="reconciler"), cleaned_up(party="reconciler"))

    assert verdict_of(check_clean_up_waits, agent_knows) is BROKEN
    assert verdict_of(check_clean_up_waits, server_knows) is KEPT  # its downstream SDK is a library inside it
    assert verdict_of(check_clean_up_waits, agent_does_not) is BROKEN
    assert verdict_of(check_clean_up_waits, reconciler) is KEPT


def test_several_stages_are_undone_one_by_one_or_all_when_all_are_known() -> None:
    stages = ("ticket", "mail")
    one_known = (sent(), answered(State.UNKNOWN, stages=(("ticket", State.COMPLETED), ("mail", State.UNKNOWN))))
    facts = (*one_known, effect(), effect(stage="mail"))

    ticket = run(*facts, cleaned_up(stage="ticket"), stages=stages)
    mail = run(*facts, cleaned_up(stage="mail"), stages=stages)
    whole = run(*facts, cleaned_up(stage=""), stages=stages)
    other_found = run(*facts, asked(FOUND, stage="ticket"), cleaned_up(stage="mail"), stages=stages)
    found = run(*facts, asked(FOUND, stage="mail"), cleaned_up(stage="mail"), stages=stages)

    assert verdict_of(check_clean_up_waits, ticket) is KEPT
    assert verdict_of(check_clean_up_waits, mail) is BROKEN
    assert verdict_of(check_clean_up_waits, whole) is BROKEN
    assert verdict_of(check_clean_up_waits, other_found) is BROKEN
    assert verdict_of(check_clean_up_waits, found) is KEPT
    assert verdict_of(check_clean_up_waits, run(*DONE, cleaned_up(stage=""))) is KEPT


@pytest.mark.parametrize(
    ("journal", "expected"),
    (
        (run(*DONE), KEPT),
        (run(*DONE, cut_before="lease"), UNDECIDED),
        (run(*DONE, cleaned_up(), cut_before="lease"), UNDECIDED),
        (run(*tried(State.UNKNOWN), cleaned_up(), cut_before="lease"), BROKEN),
    ),
)
def test_a_cut_run_leaves_the_next_clean_up_open(journal: Journal, expected: PromiseVerdict) -> None:
    verdict = verdict_of(check_clean_up_waits, journal)

    assert verdict is expected


def test_the_evidence_says_why_the_clean_up_was_wrong() -> None:
    hasty, idle = run(*tried(State.UNKNOWN), cleaned_up()), run(*tried(State.REJECTED), cleaned_up())

    lines = [check_clean_up_waits(journal)[0].evidence for journal in (hasty, idle)]

    assert lines == [
        ("4 s: agent began to undo ticket, while its outcome was open",),
        ("4 s: agent began to undo ticket, which was never made",),
    ]
