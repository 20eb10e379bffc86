"""One intent is not another, and one tenant is not another, on journals written by hand."""

import pytest

from simkit.checks import check_distinct_intents, check_tenants_apart
from simkit.records import Fact
from simkit.terms import LayerName, PromiseVerdict, ReadbackAnswer, State
from tests.checks.journals import answered, asked, effect, reported, run, sent, tried, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
FIRST = (*tried(State.COMPLETED, "2:1", intent="other"), effect(intent="other"))
TWINS = (wanted("order"), wanted("other"))
SDK = LayerName.DOWNSTREAM_SDK
ACROSS = (wanted("order", tenant="acme"), wanted("other", tenant="zenith"))
DONE = reported(State.COMPLETED)


def heard_below(state: State, stage: str = "") -> tuple[Fact, ...]:
    """The server's downstream SDK hears something about the other intent; the agent hears that it is done."""
    return (sent(), answered(state, "1/1", layer=SDK, stage=stage, origin="other"), answered(State.COMPLETED))


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((*tried(State.COMPLETED, origin="other"), DONE), BROKEN, id="the result of the other one"),
        pytest.param(tried(State.COMPLETED, origin="other"), BROKEN, id="heard is told, even without a report"),
        pytest.param(tried(State.ACCEPTED, origin="other"), BROKEN, id="accepted as the other one"),
        pytest.param(heard_below(State.COMPLETED), BROKEN, id="the system of record took it for the other one"),
        pytest.param((*tried(State.COMPLETED, origin="other"), effect()), KEPT, id="it has an effect of its own"),
        pytest.param((*tried(State.COMPLETED, origin="order"), DONE), KEPT, id="its own record"),
        pytest.param((*tried(State.COMPLETED), DONE), KEPT, id="done without an effect is another promise"),
        pytest.param(tried(State.CONFLICT, origin="other"), KEPT, id="a conflict tells the caller"),
        pytest.param(tried(State.REFUSED, origin="other"), KEPT, id="a refusal tells the caller"),
        pytest.param(tried(State.PENDING, origin="other"), KEPT, id="pending tells the caller that it is open"),
        pytest.param(
            (sent(), answered(State.COMPLETED, "1/1", layer=SDK, origin="other"), answered(State.CONFLICT)),
            KEPT,
            id="the server noticed and said so",
        ),
        pytest.param(
            (
                sent(),
                answered(State.COMPLETED, "1/1", layer=SDK, origin="other"),
                answered(State.UNKNOWN),
                DONE,
            ),
            BROKEN,
            id="the user was told, whatever the agent heard",
        ),
        pytest.param((), KEPT, id="nobody tried"),
    ),
)
def test_a_second_intent_is_not_swallowed(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*FIRST, *facts, intents=TWINS)

    assert verdict_of(check_distinct_intents, journal) is expected
    assert verdict_of(check_distinct_intents, journal, "other") is KEPT


def test_a_stage_is_swallowed_by_itself() -> None:
    own, stages = effect(stage="ticket"), ("ticket", "mail")
    in_ticket = run(own, *heard_below(State.COMPLETED, "ticket"), intents=TWINS, stages=stages)
    in_mail = run(own, *heard_below(State.COMPLETED, "mail"), intents=TWINS, stages=stages)

    assert verdict_of(check_distinct_intents, in_ticket) is KEPT
    assert verdict_of(check_distinct_intents, in_mail) is BROKEN


def test_a_question_that_wants_no_effect_cannot_be_swallowed() -> None:
    journal = run(*tried(State.COMPLETED, origin="other"), intents=(wanted("order", wants_effect=False), TWINS[1]))

    assert verdict_of(check_distinct_intents, journal) is KEPT


def test_in_a_cut_run_an_effect_of_its_own_may_still_follow() -> None:
    swallowed = run(*tried(State.COMPLETED, origin="other"), DONE, intents=TWINS, cut_before="late request 1")
    made = run(*tried(State.COMPLETED, origin="other"), effect(), intents=TWINS, cut_before="late request 1")
    alone = run(*tried(State.COMPLETED), cut_before="late request 1")

    assert verdict_of(check_distinct_intents, swallowed) is UNDECIDED
    assert verdict_of(check_distinct_intents, made) is KEPT
    assert verdict_of(check_distinct_intents, alone) is KEPT  # there is no other that could swallow it


def test_the_evidence_names_whose_result_it_was() -> None:
    journal = run(*tried(State.COMPLETED, origin="other", result="ticket 1"), intents=TWINS)

    assert check_distinct_intents(journal)[0].evidence == (
        "1 s: attempt 1 of agent got ticket 1 of 'other'",
        "no effect of its own in ticket",
    )


@pytest.mark.parametrize(
    "state", (State.COMPLETED, State.CONFLICT, State.PENDING, State.REJECTED, State.EXPIRED, State.UNKNOWN)
)
def test_no_answer_to_one_tenant_speaks_of_another(state: State) -> None:
    crossed = run(*tried(state, origin="other"), effect(), intents=ACROSS)
    own = run(*tried(state, origin="order"), effect(), intents=ACROSS)
    same_tenant = run(*tried(state, origin="other"), effect(), intents=TWINS)

    assert verdict_of(check_tenants_apart, crossed) is BROKEN
    assert verdict_of(check_tenants_apart, crossed, "other") is KEPT  # who was shown is not who learned
    assert verdict_of(check_tenants_apart, own) is KEPT
    assert verdict_of(check_tenants_apart, same_tenant) is KEPT


@pytest.mark.parametrize(
    ("state", "result", "expected"),
    (
        (State.CONFLICT, "", KEPT),  # the server knows of both tenants; the caller was not shown it
        (State.COMPLETED, "", BROKEN),  # taken for done, so the caller gets it
        (State.ACCEPTED, "", BROKEN),
        (State.CONFLICT, "ticket 1", BROKEN),  # the answer carries the other tenant's object
    ),
)
def test_below_the_server_only_a_result_crosses(state: State, result: str, expected: PromiseVerdict) -> None:
    below = answered(state, "1/1", layer=SDK, origin="other", result=result)
    journal = run(sent(), below, answered(State.UNKNOWN), intents=ACROSS)

    assert verdict_of(check_tenants_apart, journal) is expected


THEIRS, OURS = effect(intent="other", at_s=1.0), effect(at_s=1.5)
LATER, ELSEWHERE = effect(at_s=2.5), effect(stage="mail")
FOUND = ReadbackAnswer.FOUND


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((THEIRS, asked(FOUND)), BROKEN, id="a status shows what only the other tenant made"),
        pytest.param((THEIRS, OURS, asked(FOUND)), KEPT, id="there was one of its own"),
        pytest.param((THEIRS, LATER, asked(FOUND)), BROKEN, id="its own came after the question"),
        pytest.param((THEIRS, ELSEWHERE, asked(FOUND, stage="ticket")), BROKEN, id="its own is another stage's"),
        pytest.param((THEIRS, asked(ReadbackAnswer.NOT_SEEN)), KEPT, id="not seen shows nothing"),
        pytest.param((THEIRS, asked(FOUND, operation_id="op/2")), KEPT, id="another ID was asked for"),
        pytest.param((THEIRS, asked(FOUND, at_s=0.5)), KEPT, id="the other one was not there yet"),
        pytest.param((THEIRS, asked(FOUND, stage="mail")), KEPT, id="another stage was asked for"),
        pytest.param((asked(FOUND),), KEPT, id="found, and nobody made it, is another matter"),
    ),
)
def test_no_status_shows_what_another_tenant_made(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=ACROSS, stages=("ticket", "mail"))

    assert verdict_of(check_tenants_apart, journal) is expected


@pytest.mark.parametrize(
    ("inputs", "expected"),
    (
        ("red", KEPT),
        ("blue", BROKEN),  # only the other tenant sent that, under this ID
        ("green", KEPT),  # nobody sent that: drift, not a crossing
    ),
)
def test_no_effect_is_made_with_what_another_tenant_sent(inputs: str, expected: PromiseVerdict) -> None:
    theirs = sent("2:1", intent="other", inputs="blue")
    journal = run(sent(), theirs, effect(inputs=inputs), intents=(ACROSS[0], wanted("other", "blue", "zenith")))

    assert verdict_of(check_tenants_apart, journal) is expected


def test_a_tenant_may_drift_to_inputs_that_another_one_has() -> None:
    theirs = sent("2:1", intent="other", inputs="blue")
    own = sent("2", inputs="blue")
    journal = run(own, theirs, effect(inputs="blue"), intents=(ACROSS[0], wanted("other", "blue", "zenith")))

    assert verdict_of(check_tenants_apart, journal) is KEPT


def test_inputs_of_another_intent_of_the_tenant_are_no_crossing() -> None:
    sister = sent("3:1", intent="sister", inputs="blue")
    journal = run(sister, effect(inputs="blue"), intents=(*ACROSS, wanted("sister", "blue")))

    assert verdict_of(check_tenants_apart, journal) is KEPT


def test_another_id_shares_nothing_with_this_one() -> None:
    theirs = sent("2:1", intent="other", inputs="blue", operation_id="op/2")
    journal = run(theirs, effect(inputs="blue"), intents=(ACROSS[0], wanted("other", "blue", "zenith")))

    assert verdict_of(check_tenants_apart, journal) is KEPT


def test_a_cut_run_leaves_tenants_undecided_where_there_are_several() -> None:
    several = run(*tried(State.COMPLETED), cut_before="report", intents=ACROSS)
    one = run(*tried(State.COMPLETED), cut_before="report", intents=TWINS)
    crossed = run(*tried(State.PENDING, origin="other"), cut_before="report", intents=ACROSS)

    assert verdict_of(check_tenants_apart, several) is UNDECIDED
    assert verdict_of(check_tenants_apart, one) is KEPT
    assert verdict_of(check_tenants_apart, crossed) is BROKEN


def test_the_evidence_names_the_tenant_and_what_was_got() -> None:
    journal = run(*tried(State.COMPLETED, origin="other", result="ticket 1"), effect(), intents=ACROSS)

    assert check_tenants_apart(journal)[0].evidence == (
        "1 s: agent attempt 1 got 'completed ticket 1' of tenant 'zenith'",
    )
