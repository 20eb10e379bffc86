"""Whatever was sent is settled, or somebody is named who settles it; on journals written by hand."""

import pytest

from simkit.checks import check_nothing_pends
from simkit.journal import Journal
from simkit.records import Fact
from simkit.terms import LayerName, Outcome, PromiseVerdict, ReadbackAnswer, Settled, State
from tests.checks.journals import (
    answered,
    asked,
    effect,
    fault,
    recorded,
    reported,
    run,
    sent,
    settled,
    tried,
    verdict_of,
    wanted,
)

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
TWO_INTENTS = (wanted("order"), wanted("other"))
GATEWAY, SDK = LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK
OPEN = reported(State.UNKNOWN)
TIMED_OUT = tried(State.UNKNOWN)
ANOTHER_ID_DONE = (*TIMED_OUT, *tried(State.COMPLETED, "2", operation_id="op/2"), reported(State.COMPLETED))


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((), KEPT, id="nothing was sent"),
        pytest.param(tried(State.COMPLETED), KEPT, id="completed"),
        pytest.param(tried(State.REJECTED), KEPT, id="durably rejected"),
        pytest.param((*TIMED_OUT, *tried(State.REJECTED, "2")), KEPT, id="rejected under the same ID"),
        pytest.param(
            (*TIMED_OUT, *tried(State.REJECTED, "2", operation_id="op/2")), BROKEN, id="rejected under another ID"
        ),
        pytest.param(tried(State.REFUSED), KEPT, id="nothing got through"),
        pytest.param((*TIMED_OUT, OPEN), KEPT, id="open, with an owner and a deadline"),
        pytest.param((*TIMED_OUT, reported(State.UNKNOWN, owner="")), BROKEN, id="open, and nobody owns it"),
        pytest.param((*TIMED_OUT, reported(State.UNKNOWN, deadline_s=0.0)), BROKEN, id="open, without a deadline"),
        pytest.param(TIMED_OUT, BROKEN, id="open, and nobody was told"),
        pytest.param((sent(),), BROKEN, id="sent, and nothing was heard"),
        pytest.param((*TIMED_OUT, reported(State.REJECTED)), BROKEN, id="calling it failed settles nothing"),
        pytest.param((*TIMED_OUT, reported(State.COMPLETED)), BROKEN, id="calling it done settles nothing"),
        pytest.param((*TIMED_OUT, effect()), BROKEN, id="it happened, and nobody knows"),
        pytest.param((*TIMED_OUT, asked(ReadbackAnswer.FOUND, party="reconciler")), KEPT, id="somebody found it"),
        pytest.param((*TIMED_OUT, asked(ReadbackAnswer.NOT_SEEN)), BROKEN, id="not seen settles nothing"),
        pytest.param((*TIMED_OUT, settled(Settled.ABSENT)), KEPT, id="settled as absent"),
        pytest.param((*TIMED_OUT, settled(operation_id="op/2")), BROKEN, id="another one was settled"),
        pytest.param((*tried(State.ACCEPTED),), BROKEN, id="accepted is not done"),
        pytest.param((*tried(State.CONFLICT),), BROKEN, id="a conflict settles nothing"),
        pytest.param((*tried(State.PENDING),), BROKEN, id="pending, and nobody polls"),
        pytest.param(
            (sent(), answered(State.REJECTED, detail="gateway gave up and said failed")), BROKEN, id="a layer gave up"
        ),
        pytest.param(
            (sent(), answered(State.COMPLETED, "1/1", layer=GATEWAY), answered(State.UNKNOWN)),
            BROKEN,
            id="only the gateway heard that it is done",
        ),
        pytest.param((*TIMED_OUT, reported(State.UNKNOWN, intent="other")), BROKEN, id="another intent has an owner"),
        pytest.param(
            (*TIMED_OUT, reported(State.UNKNOWN, outcome=Outcome.FAILED)),
            BROKEN,
            id="an owner of what is called failed",
        ),
        pytest.param((*tried(State.UNKNOWN, intent="other"),), KEPT, id="what another intent sent"),
    ),
)
def test_what_was_sent_is_settled_or_has_an_owner(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=TWO_INTENTS)

    assert verdict_of(check_nothing_pends, journal) is expected


@pytest.mark.parametrize(
    ("record_tenant", "expected"),
    (
        ("acme", BROKEN),
        ("globex", KEPT),  # the other tenant's operation, which happens to bear the same ID
        ("", BROKEN),  # nobody knows whose it is
    ),
)
def test_a_record_that_stays_open_is_about_its_own_tenant(record_tenant: str, expected: PromiseVerdict) -> None:
    facts = (*tried(State.REFUSED), *tried(State.UNKNOWN, intent="other"), recorded(at_s=0.6, tenant=record_tenant))
    journal = run(*facts, intents=(wanted("order"), wanted("other", tenant="globex")))

    assert verdict_of(check_nothing_pends, journal) is expected


def test_handover_settles_where_the_review_says_so() -> None:
    journal = run(*tried(State.ACCEPTED), recorded(State.ACCEPTED), handover_completes=True)

    assert verdict_of(check_nothing_pends, journal) is KEPT


@pytest.mark.parametrize(
    ("stages", "expected"),
    (
        ((("ticket", State.COMPLETED), ("mail", State.COMPLETED)), KEPT),
        ((("ticket", State.COMPLETED), ("mail", State.REJECTED)), KEPT),  # partial is definite
        ((("ticket", State.COMPLETED), ("mail", State.PENDING)), BROKEN),
        ((("ticket", State.COMPLETED), ("mail", State.NOT_STARTED)), BROKEN),  # nobody will begin it
        ((("ticket", State.NOT_STARTED), ("mail", State.NOT_STARTED)), BROKEN),
    ),
)
def test_every_stage_is_settled(stages: tuple[tuple[str, State], ...], expected: PromiseVerdict) -> None:
    journal = run(sent(), answered(State.UNKNOWN, stages=stages), stages=("ticket", "mail"))

    assert verdict_of(check_nothing_pends, journal) is expected


def test_stages_may_be_settled_one_after_the_other() -> None:
    first = (sent(), answered(State.COMPLETED, stages=(("ticket", State.COMPLETED), ("mail", State.UNKNOWN))))
    found = run(*first, asked(ReadbackAnswer.FOUND, stage="mail"), stages=("ticket", "mail"))
    found_late = run(*first, asked(ReadbackAnswer.FOUND, stage="mail", at_s=4000.0), stages=("ticket", "mail"))
    found_again = run(*first, asked(ReadbackAnswer.FOUND, stage="ticket"), stages=("ticket", "mail"))

    assert verdict_of(check_nothing_pends, found) is KEPT
    assert verdict_of(check_nothing_pends, found_late) is BROKEN  # the deadline is 3600 s, and the last stage counts
    assert verdict_of(check_nothing_pends, found_again) is BROKEN


@pytest.mark.parametrize(
    ("facts", "deadline_s", "expected"),
    (
        pytest.param((*TIMED_OUT, reported(State.UNKNOWN, at_s=100.0)), 100.0, KEPT, id="in time"),
        pytest.param((*TIMED_OUT, reported(State.UNKNOWN, at_s=101.0)), 100.0, BROKEN, id="too late"),
        pytest.param(
            (*TIMED_OUT, fault(at_s=50.0), fault(), reported(State.UNKNOWN, at_s=150.0)),
            100.0,
            KEPT,
            id="after the last fault",
        ),
        pytest.param(
            (*TIMED_OUT, fault(at_s=50.0), fault(), reported(State.UNKNOWN, at_s=151.0)),
            100.0,
            BROKEN,
            id="too late after the last fault",
        ),
        pytest.param(
            (fault(), *tried(State.UNKNOWN, at_s=500.0), reported(State.UNKNOWN, at_s=550.0)),
            100.0,
            KEPT,
            id="a call that began later",
        ),
        pytest.param(tried(State.COMPLETED, at_s=0.0), 0.5, BROKEN, id="settled too late"),
        pytest.param(
            (*tried(State.COMPLETED, "2", at_s=300.0), *TIMED_OUT, OPEN), 100.0, KEPT, id="an owner in time is enough"
        ),
        pytest.param((*TIMED_OUT, settled(at_s=200.0)), 100.0, BROKEN, id="settled without an effect, too late"),
        pytest.param((*TIMED_OUT, reported(State.UNKNOWN, at_s=1e6)), 0.0, KEPT, id="no deadline is stated"),
    ),
)
def test_it_is_settled_or_owned_by_the_deadline(
    facts: tuple[Fact, ...], deadline_s: float, expected: PromiseVerdict
) -> None:
    journal = run(*facts, deadline_s=deadline_s)

    assert verdict_of(check_nothing_pends, journal) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((*ANOTHER_ID_DONE, recorded()), BROKEN, id="a reservation that nobody takes up"),
        pytest.param((*ANOTHER_ID_DONE, recorded(State.UNKNOWN)), BROKEN, id="a record that is open"),
        pytest.param((*ANOTHER_ID_DONE, recorded(), recorded(State.COMPLETED)), KEPT, id="a record that was settled"),
        pytest.param((*ANOTHER_ID_DONE, recorded(), recorded(State.REJECTED)), KEPT, id="a record that was rejected"),
        pytest.param((*ANOTHER_ID_DONE, recorded(State.COMPLETED), recorded()), BROKEN, id="begun again"),
        pytest.param((*ANOTHER_ID_DONE, recorded(), reported(State.UNKNOWN, at_s=9.0)), KEPT, id="it has an owner"),
        pytest.param(
            (*ANOTHER_ID_DONE, recorded(), asked(ReadbackAnswer.FOUND)), KEPT, id="its operation was found elsewhere"
        ),
        pytest.param(
            (*ANOTHER_ID_DONE, recorded(), asked(ReadbackAnswer.FOUND, operation_id="op/2")),
            BROKEN,
            id="another was found",
        ),
        pytest.param((*ANOTHER_ID_DONE, recorded(), settled(operation_id="op/2")), BROKEN, id="another was settled"),
        pytest.param(
            (*ANOTHER_ID_DONE, recorded(), *tried(State.REJECTED, "3")), KEPT, id="its operation was rejected later"
        ),
        pytest.param((*ANOTHER_ID_DONE, recorded(), settled()), KEPT, id="its operation was settled elsewhere"),
        pytest.param((*ANOTHER_ID_DONE, recorded(operation_id="op/2")), KEPT, id="its operation is done"),
        pytest.param(
            (*ANOTHER_ID_DONE, recorded(), answered(State.COMPLETED, "1/1", layer=SDK)),
            BROKEN,
            id="its result was heard by a process that died",
        ),
        pytest.param((*ANOTHER_ID_DONE, recorded(operation_id="op/9")), KEPT, id="a record of somebody else"),
    ),
)
def test_no_record_pends_without_an_owner(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts)

    assert verdict_of(check_nothing_pends, journal) is expected


def test_an_owner_of_one_intent_settles_a_record_that_another_one_shares() -> None:
    theirs = (*tried(State.UNKNOWN, "2:1", intent="other"), reported(State.UNKNOWN, intent="other"))
    shared = run(*ANOTHER_ID_DONE, recorded(), *theirs, intents=TWO_INTENTS)

    assert verdict_of(check_nothing_pends, shared) is KEPT


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((recorded(), recorded()), KEPT, id="delivered again once"),
        pytest.param((recorded(), recorded(), recorded()), BROKEN, id="again and again"),
        pytest.param((recorded(), recorded(), recorded(), fault()), KEPT, id="a fault explains one"),
        pytest.param((recorded(), recorded(), recorded(), sent("2")), KEPT, id="an attempt explains one"),
        pytest.param((recorded(), recorded(), recorded(), effect()), KEPT, id="an effect is progress"),
        pytest.param((*[recorded(), recorded(State.REJECTED)] * 3,), BROKEN, id="round in circles"),
        pytest.param(
            (recorded(), recorded(), recorded(), sent("1/1", layer=SDK)), BROKEN, id="its own work is no excuse"
        ),
        pytest.param(
            (recorded(), recorded(), recorded(), sent("2", operation_id="op/2")), BROKEN, id="another's attempt"
        ),
        pytest.param((recorded(), recorded(), recorded(), effect(operation_id="op/2")), BROKEN, id="another's effect"),
        pytest.param((*[recorded(operation_id="op/9")] * 3,), KEPT, id="a record of somebody else"),
    ),
)
@pytest.mark.parametrize("cut_before", ("", "redelivery"))
def test_no_state_recurs_without_progress(facts: tuple[Fact, ...], expected: PromiseVerdict, cut_before: str) -> None:
    journal = run(sent(), OPEN, *facts, cut_before=cut_before)

    assert verdict_of(check_nothing_pends, journal) is (UNDECIDED if cut_before and expected is KEPT else expected)


@pytest.mark.parametrize(
    ("journal", "expected"),
    (
        (run(cut_before="start"), UNDECIDED),
        (run(*TIMED_OUT, cut_before="report"), UNDECIDED),
        (run(*TIMED_OUT, OPEN, cut_before="late request 1"), UNDECIDED),
        (run(*tried(State.COMPLETED), cut_before="late request 1"), UNDECIDED),
    ),
)
def test_a_cut_run_may_still_settle_or_pend(journal: Journal, expected: PromiseVerdict) -> None:
    verdict = verdict_of(check_nothing_pends, journal)

    assert verdict is expected


def test_the_evidence_says_what_pends_and_since_when() -> None:
    silent = run(*TIMED_OUT)
    late = run(*TIMED_OUT, fault(at_s=50.0), reported(State.UNKNOWN, at_s=151.0), deadline_s=100.0)
    record = run(*ANOTHER_ID_DONE, recorded())
    circle = run(sent(), *[recorded()] * 3)

    lines = [check_nothing_pends(journal)[0].evidence for journal in (silent, late, record, circle)]

    assert lines == [
        ("something was sent, it is not settled, and no owner with a deadline was named",),
        ("50 s: the deadline of 100 s began", "151 s: settled, or an owner named"),
        ("record store keeps 'op' as pending", "and no owner with a deadline was named"),
        ("record store entered pending for 'op' 3 times; 1 are explained",),
    ]
