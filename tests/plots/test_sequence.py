"""The sequence diagram of journals written by hand: nothing left out, nothing drawn that did not happen."""

from simkit.journal import Journal
from simkit.plots.sequence import sequence_of
from simkit.plots.sequence_facts import CLOSED, TIMEOUT
from simkit.plots.sequence_parts import ArrowKind, Fate, MarkKind
from simkit.records import Attempt, Effect, End, Fault, Readback, Report, StateChange
from simkit.terms import LayerName, Outcome, ReadbackAnswer, State
from simkit.world.messages import CLOSED as CLOSED_ANSWER
from simkit.world.messages import TIMED_OUT
from tests.plots.sequence_journals import (
    OPENING,
    attempt,
    crash_then_retry_hours_later,
    effect,
    late_request,
    lost_answer,
    lost_request,
    reply,
)

__all__: list[str] = []


def test_every_attempt_has_one_arrow() -> None:
    for journal in (lost_request(), lost_answer(), late_request(), crash_then_retry_hours_later()):
        sent = [(fact.path, fact.at_s) for fact in journal if isinstance(fact, Attempt)]

        arrows = [arrow for arrow in sequence_of(journal).arrows if arrow.kind is ArrowKind.REQUEST]

        assert sorted((arrow.label, arrow.start_at_s) for arrow in arrows) == sorted(sent)


def test_a_lost_request_never_arrives_and_is_told_once() -> None:
    sequence = sequence_of(lost_request())

    (lost,) = [arrow for arrow in sequence.arrows if arrow.fate is Fate.LOST]

    assert (lost.sender, lost.receiver, lost.label, lost.end_at_s) == ("gateway", "server", "1/1", None)
    assert not lost.is_answered
    assert [line.text for line in sequence.happenings if "LOST" in line.text] == ["gateway sends 1/1 to server; LOST"]


def test_a_late_request_ends_on_the_line_before_what_its_landing_sets_off() -> None:
    sequence = sequence_of(late_request())

    (late,) = [arrow for arrow in sequence.arrows if arrow.fate is Fate.LATE]

    assert (late.start_at_s, late.end_at_s) == (0.1, 60.1)
    assert late.start_index == 1
    assert sequence.happenings[late.end_index].text == "late request 1/1 has reached server"
    assert sequence.happenings[late.end_index + 1].text == "server sends 1/1/1 to system of record"


def test_a_request_that_lands_after_its_sender_stopped_waiting_is_late_without_any_fault() -> None:
    journal = Journal(fact for fact in late_request() if not isinstance(fact, Fault))

    fates = {arrow.label: arrow.fate for arrow in sequence_of(journal).arrows if arrow.kind is ArrowKind.REQUEST}

    assert fates["1/1"] is Fate.LATE


def test_a_late_request_whose_landing_left_no_trace_has_no_end() -> None:
    fault = Fault(at_s=0.0, site="gateway_to_server.request_late@1")
    journal = Journal([*OPENING, attempt(0.0, "1"), fault, reply(9.0, "1", State.UNKNOWN, TIMEOUT)])

    (arrow,) = sequence_of(journal).arrows

    assert (arrow.fate, arrow.end_at_s) == (Fate.LATE, None)


def test_a_lost_answer_leaves_the_server_and_reaches_nobody() -> None:
    sequence = sequence_of(lost_answer())

    (lost,) = [arrow for arrow in sequence.arrows if arrow.fate is Fate.LOST]

    assert (lost.kind, lost.sender, lost.receiver, lost.end_at_s) == (ArrowKind.ANSWER, "server", "agent", None)
    assert [mark.lifeline for mark in sequence.marks if mark.kind is MarkKind.TIMEOUT] == ["agent"]


def test_a_late_answer_that_is_still_waited_for_spans_two_lines() -> None:
    fault = Fault(at_s=1.0, site="gateway_to_server.response_late@1")
    journal = Journal([*OPENING, attempt(0.0, "1"), fault, reply(50.0, "1", State.COMPLETED, "receipt")])

    (answer,) = [arrow for arrow in sequence_of(journal).arrows if arrow.kind is ArrowKind.ANSWER]

    assert (answer.fate, answer.start_at_s, answer.end_at_s) == (Fate.LATE, 1.0, 50.0)
    assert (answer.start_index, answer.end_index) == (1, 2)


def test_a_late_answer_to_a_caller_who_has_gone_has_no_end() -> None:
    fault = Fault(at_s=1.0, site="gateway_to_server.response_late@1")
    journal = Journal([*OPENING, attempt(0.0, "1"), fault, reply(9.0, "1", State.UNKNOWN, TIMEOUT)])

    (answer,) = [arrow for arrow in sequence_of(journal).arrows if arrow.kind is ArrowKind.ANSWER]

    assert (answer.fate, answer.end_at_s) == (Fate.LATE, None)


def test_effects_are_numbered_in_order_and_the_second_of_an_intent_is_a_duplicate() -> None:
    sequence = sequence_of(lost_answer())

    effects = [mark for mark in sequence.marks if mark.kind is MarkKind.EFFECT]

    assert [(mark.number, mark.is_duplicate) for mark in effects] == [(1, False), (2, True)]
    assert sequence.summary == ("i1: 2 effects in ticket, 1 too many; the user was told OK",)


def test_effects_of_two_intents_are_no_duplicates() -> None:
    journal = Journal(
        [*OPENING, effect(1.0), Effect(at_s=2.0, stage="ticket", intent="i2", operation_id="", inputs="")]
    )

    marks = sequence_of(journal).marks

    assert [(mark.number, mark.is_duplicate) for mark in marks] == [(1, False), (2, False)]


def test_an_effect_belongs_to_the_attempt_that_is_still_waited_for() -> None:
    sdk = LayerName.DOWNSTREAM_SDK
    journal = Journal(
        [
            *OPENING,
            attempt(0.0, "1/1", sdk),
            Fault(at_s=0.0, site="server_to_downstream.request_late@1/1"),
            reply(8.0, "1/1", State.UNKNOWN, TIMEOUT, sdk),
            attempt(9.0, "1/2", sdk),
            effect(9.5),
            reply(9.6, "1/2", State.COMPLETED, "receipt", sdk),
            effect(60.0),
        ]
    )

    ends = {a.label: a.end_at_s for a in sequence_of(journal).arrows if a.kind is ArrowKind.REQUEST}

    assert ends == {"1/2": 9.5, "1/1": 60.0}


def test_a_crash_closes_the_connection_and_a_receipt_is_told_with_its_state() -> None:
    sequence = sequence_of(crash_then_retry_hours_later())

    kinds = [mark.kind for mark in sequence.marks]
    closed = [arrow for arrow in sequence.arrows if arrow.fate is Fate.CLOSED]

    assert kinds == [
        MarkKind.STATE,
        MarkKind.EFFECT,
        MarkKind.CRASH,
        MarkKind.READBACK,
        MarkKind.RECEIPT,
        MarkKind.REPORT,
    ]
    assert [(arrow.sender, arrow.receiver) for arrow in closed] == [("server", "agent")]


def test_only_parties_that_occur_have_lifelines_and_they_stand_in_the_order_of_the_call() -> None:
    sequence = sequence_of(crash_then_retry_hours_later())

    names = [line.name for line in sequence.lifelines]

    assert names == ["user", "agent", "server", "record store", "system of ticket"]


def test_a_request_lost_before_the_gateway_points_at_the_gateway() -> None:
    fault = Fault(at_s=0.0, site="agent_to_gateway.request_lost@1")
    journal = Journal([*OPENING, attempt(0.0, "1"), fault])

    sequence = sequence_of(journal)

    assert [line.name for line in sequence.lifelines] == ["agent", "gateway"]
    assert sequence.arrows[0].receiver == "gateway"


def test_each_stage_has_its_own_system_of_record() -> None:
    sent = attempt(0.0, "1", LayerName.DOWNSTREAM_SDK)
    notified = Effect(at_s=1.0, stage="notice", intent="i1", operation_id="op1", inputs="x")
    journal = Journal([*OPENING, sent, notified])

    sequence = sequence_of(journal)

    assert [line.name for line in sequence.lifelines] == ["server", "system of ticket", "system of notice"]
    assert sequence.arrows[0].receiver == "system of notice"


def test_parties_and_faults_that_nobody_foresaw_are_told_all_the_same() -> None:
    journal = Journal(
        [
            Fault(at_s=1.0, site="queue.redelivered@1"),
            Fault(at_s=2.0, site="queue_to_server.torn@1"),
            StateChange(at_s=3.0, party="outbox", operation_id="op1", state=State.PENDING),
            Readback(at_s=4.0, party="reconciler", intent="i", operation_id="op1", answer=ReadbackAnswer.FOUND),
            End(at_s=5.0, is_quiescent=False, waiting_for="lease"),
        ]
    )

    sequence = sequence_of(journal)

    assert [line.name for line in sequence.lifelines] == ["reconciler", "outbox", "queue", "system of "]
    assert len(sequence.happenings) == 5
    assert sequence.happenings[-1].text == "the run was cut here; next would be lease"


def test_what_a_report_says_stands_beside_what_is_true() -> None:
    denied = Report(
        at_s=2.0,
        layer=LayerName.AGENT,
        intent="i1",
        state=State.UNKNOWN,
        outcome=Outcome.UNKNOWN,
        owner="ops",
        deadline_s=60.0,
    )
    journal = Journal([*OPENING, effect(1.0), denied])

    sequence = sequence_of(journal)

    assert sequence.summary == ("i1: 1 effect in ticket; the user was told UNKNOWN",)
    assert sequence.happenings[-1].text == "agent reports UNKNOWN to user, left to ops"


def test_the_words_for_timeout_and_closed_connection_are_those_of_the_world() -> None:
    assert (TIMED_OUT.detail, CLOSED_ANSWER.detail) == (TIMEOUT, CLOSED)
