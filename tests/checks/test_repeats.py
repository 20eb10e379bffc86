"""The same ID with the same inputs gives the recorded result, on journals written by hand."""

import pytest

from simkit.checks import check_repeat_converges
from simkit.journal import Journal
from simkit.records import Fact
from simkit.terms import LayerName, PromiseVerdict, State
from tests.checks.journals import answered, effect, recorded, run, sent, tried, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
GATEWAY, SDK = LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK
TWO_INTENTS = (wanted("order"), wanted("other"))
FIRST = tried(State.COMPLETED, result="ticket 1")
COMPLETED, REJECTED, CONFLICT, EXPIRED = State.COMPLETED, State.REJECTED, State.CONFLICT, State.EXPIRED


def again(state: State, result: str = "", *, at_s: float = 10.0, path: str = "2") -> tuple[Fact, ...]:
    """The agent sends the same once more."""
    return tried(state, path, at_s=at_s, result=result)


@pytest.mark.parametrize(
    ("state", "result", "expected"),
    (
        pytest.param(COMPLETED, "ticket 1", KEPT, id="the recorded result"),
        pytest.param(COMPLETED, "ticket 2", BROKEN, id="another result"),
        pytest.param(COMPLETED, "", KEPT, id="completed, and no result is named"),
        pytest.param(REJECTED, "", BROKEN, id="rejected after completed"),
        pytest.param(CONFLICT, "", BROKEN, id="a conflict with itself, after it was recorded"),
        pytest.param(EXPIRED, "", BROKEN, id="expired inside the retention"),
        pytest.param(State.REFUSED, "", KEPT, id="refused is no result"),
        pytest.param(State.UNKNOWN, "", KEPT, id="unknown is no result"),
        pytest.param(State.PENDING, "", KEPT, id="pending is no result"),
        pytest.param(State.ACCEPTED, "", KEPT, id="accepted is no result"),
    ),
)
def test_a_repeat_gets_the_recorded_result_or_none(state: State, result: str, expected: PromiseVerdict) -> None:
    journal = run(*FIRST, *again(state, result))

    assert verdict_of(check_repeat_converges, journal) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param(FIRST, KEPT, id="no repeat"),
        pytest.param((), KEPT, id="nothing was sent"),
        pytest.param((*tried(REJECTED), *again(REJECTED)), KEPT, id="rejected twice"),
        pytest.param((*tried(REJECTED), *again(COMPLETED)), BROKEN, id="completed after rejected"),
        pytest.param((*tried(State.UNKNOWN), *again(COMPLETED)), KEPT, id="settled by the repeat"),
        pytest.param((*tried(CONFLICT), *again(COMPLETED)), KEPT, id="in conflict while the first was at work"),
        pytest.param(
            (*FIRST, sent("2", at_s=0.5), answered(CONFLICT, "2", at_s=9.0)), KEPT, id="sent before it was recorded"
        ),
        pytest.param(
            (*FIRST, sent("2", at_s=1.0), answered(CONFLICT, "2", at_s=9.0)), KEPT, id="sent in that very instant"
        ),
        pytest.param(
            (*FIRST, *tried(COMPLETED, "2", operation_id="op/2", result="ticket 2")), KEPT, id="another ID"
        ),
        pytest.param((*FIRST, *tried(CONFLICT, "2", at_s=10.0, inputs="blue")), KEPT, id="a conflict of other inputs"),
        pytest.param((*FIRST, *tried(COMPLETED, "2", inputs="blue", result="ticket 2")), KEPT, id="other inputs"),
        pytest.param(
            (*tried(COMPLETED, operation_id="", result="ticket 1"),
             *tried(COMPLETED, "2", operation_id="", result="ticket 2")),
            KEPT,
            id="without an ID nothing is repeated",
        ),
        pytest.param(
            (*FIRST, sent("2"), answered(REJECTED, "2", detail="gateway gave up and said failed")),
            KEPT,
            id="a layer that gave up decided nothing",
        ),
        pytest.param(
            (sent(), answered(COMPLETED, "1/1", layer=GATEWAY, result="ticket 1"),
             answered(COMPLETED, "1/2", layer=GATEWAY, result="ticket 2")),
            BROKEN,
            id="any layer above the server",
        ),
        pytest.param(
            (sent(), answered(COMPLETED, "1/1", layer=SDK, result="ticket 1"),
             answered(COMPLETED, "1/2", layer=SDK, result="ticket 2")),
            KEPT,
            id="what the server's own SDK heard is not what the tool gave",
        ),
        pytest.param((*again(COMPLETED, "ticket 2"), *FIRST), BROKEN, id="whichever stands first"),
    ),
)  # fmt: skip
def test_repeats_under_one_id_converge(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts)

    assert verdict_of(check_repeat_converges, journal) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((recorded(COMPLETED),), BROKEN, id="recorded, the answer was lost"),
        pytest.param((recorded(REJECTED),), BROKEN, id="recorded as rejected"),
        pytest.param((recorded(State.PENDING),), KEPT, id="only reserved"),
        pytest.param((recorded(COMPLETED, at_s=10.0),), KEPT, id="recorded when the repeat was sent, not before"),
        pytest.param((recorded(COMPLETED, operation_id="op/2"),), KEPT, id="recorded under another ID"),
        pytest.param(
            (recorded(COMPLETED), sent("1:1", intent="other", inputs="blue")),
            KEPT,
            id="it may be the other inputs' one",
        ),
        pytest.param((recorded(COMPLETED), sent("1:1", intent="third")), KEPT, id="it may be the other tenant's one"),
    ),
)
def test_a_conflict_with_itself_is_told_by_the_record(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    intents = (wanted("order"), wanted("other", "blue"), wanted("third", tenant="zenith"))
    journal = run(*tried(State.UNKNOWN), *facts, *again(CONFLICT), intents=intents)

    assert verdict_of(check_repeat_converges, journal) is expected


@pytest.mark.parametrize(
    ("at_s", "retention_s", "expected"),
    (
        (98.0, 100.0, BROKEN),
        (99.0, 100.0, KEPT),  # answered at 100 s, when the record may be gone
        (10.0, 0.0, KEPT),
    ),
)
def test_past_the_guarantee_a_repeat_may_get_anything(
    at_s: float, retention_s: float, expected: PromiseVerdict
) -> None:
    journal = run(*FIRST, *again(COMPLETED, "ticket 2", at_s=at_s), retention_s=retention_s)

    assert verdict_of(check_repeat_converges, journal) is expected


def test_the_guarantee_counts_from_the_first_attempt_under_that_id() -> None:
    other_id = tried(State.UNKNOWN, operation_id="op/2")
    first, second = again(COMPLETED, "ticket 1", at_s=95.0), again(COMPLETED, "ticket 2", at_s=150.0, path="3")
    journal = run(*other_id, *first, *second, retention_s=100.0)

    assert verdict_of(check_repeat_converges, journal) is BROKEN


def test_the_only_answer_may_be_a_conflict_with_what_was_recorded() -> None:
    journal = run(*tried(State.UNKNOWN), recorded(COMPLETED), *again(CONFLICT))

    assert verdict_of(check_repeat_converges, journal) is BROKEN


def test_two_intents_of_one_tenant_that_share_an_id_share_its_result() -> None:
    second = tried(COMPLETED, "2:1", at_s=10.0, intent="other", result="ticket 2")
    shared = run(*FIRST, *second, intents=TWO_INTENTS)
    apart = run(*FIRST, *second, intents=(wanted("order"), wanted("other", tenant="zenith")))

    assert verdict_of(check_repeat_converges, shared) is BROKEN
    assert verdict_of(check_repeat_converges, shared, "other") is BROKEN
    assert verdict_of(check_repeat_converges, apart) is KEPT
    assert verdict_of(check_repeat_converges, apart, "other") is KEPT


def test_the_finding_belongs_to_who_heard_the_conflict() -> None:
    second = tried(CONFLICT, "2:1", at_s=10.0, intent="other")
    journal = run(*FIRST, *second, intents=TWO_INTENTS)

    assert verdict_of(check_repeat_converges, journal) is KEPT
    assert verdict_of(check_repeat_converges, journal, "other") is BROKEN


def test_who_met_a_conflict_in_time_has_no_part_in_the_difference_of_two_results() -> None:
    third = (sent("3:1", intent="third"), answered(CONFLICT, "3:1", at_s=0.5, intent="third"))
    intents = (*TWO_INTENTS, wanted("third"))
    journal = run(*third, *FIRST, *again(COMPLETED, "ticket 2"), intents=intents)

    assert verdict_of(check_repeat_converges, journal) is BROKEN
    assert verdict_of(check_repeat_converges, journal, "third") is KEPT


@pytest.mark.parametrize(
    ("journal", "expected"),
    (
        (run(*FIRST, effect(), cut_before="backoff"), UNDECIDED),
        (run(*FIRST, *again(COMPLETED, "ticket 2"), cut_before="backoff"), BROKEN),
        (run(*FIRST, cut_before="backoff", retention_s=0.0), KEPT),
    ),
)
def test_a_cut_run_leaves_the_next_repeat_open(journal: Journal, expected: PromiseVerdict) -> None:
    verdict = verdict_of(check_repeat_converges, journal)

    assert verdict is expected


def test_the_evidence_shows_both_results_or_when_it_was_recorded() -> None:
    two = run(*FIRST, *again(COMPLETED, "ticket 2"))
    denied = run(*FIRST, *again(CONFLICT))

    lines = [check_repeat_converges(journal)[0].evidence for journal in (two, denied)]

    assert lines == [
        ("1 s: agent attempt 1 got completed with 'ticket 1'", "11 s: agent attempt 2 got completed with 'ticket 2'"),
        ("1 s: the result was recorded", "11 s: agent attempt 2 got conflict"),
    ]
