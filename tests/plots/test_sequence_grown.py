"""The sequence diagram of the grown world: queues, copies, other callers, stages, approvals, clean-ups."""

from simkit.journal import Journal
from simkit.plots.sequence import sequence_of
from simkit.plots.sequence_facts import GIVEN_UP, QUEUED, TIMEOUT
from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate, MarkKind, Sequence
from simkit.records import (
    Approval,
    CleanUp,
    Deleted,
    Effect,
    Fault,
    Intent,
    Readback,
    Receipt,
    Settlement,
    Start,
    StateChange,
)
from simkit.terms import LayerName, Outcome, ReadbackAnswer, Settled, State
from simkit.world.messages import INTERRUPTED
from simkit.world.queue import ACCEPTED
from tests.plots.sequence_journals import OPENING, attempt, effect, lost_answer, reply, report

__all__: list[str] = []

AGENT, GATEWAY, DOWNSTREAM = LayerName.AGENT, LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK


def texts(sequence: Sequence) -> list[str]:
    return [happening.text for happening in sequence.happenings]


def of_kind(sequence: Sequence, kind: ArrowKind) -> list[Arrow]:
    return [arrow for arrow in sequence.arrows if arrow.kind is kind]


def queued() -> Journal:
    """The gateway's call goes into a queue, is run 60 s later, dies with the server, and is handed out again."""
    return Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            attempt(0.1, "1/1", GATEWAY),
            reply(0.2, "1/1", State.ACCEPTED, QUEUED, GATEWAY),
            reply(0.3, "1", State.ACCEPTED, QUEUED),
            Fault(at_s=60.0, site="server.before_effect@1/1"),
            attempt(360.0, "1/1~2/1", DOWNSTREAM),
            effect(360.2),
        ]
    )


def test_a_queue_takes_over_and_hands_out_again() -> None:
    sequence = sequence_of(queued())

    handed = of_kind(sequence, ArrowKind.DELIVERY)
    accepted = of_kind(sequence, ArrowKind.ANSWER)

    assert [line.name for line in sequence.lifelines][:4] == ["agent", "gateway", "queue of gateway", "server"]
    assert [(arrow.label, arrow.start_at_s, arrow.end_at_s) for arrow in handed] == [
        ("1/1", 60.0, 60.0),
        ("1/1~2", 360.0, 360.0),
    ]
    assert {(arrow.sender, arrow.receiver) for arrow in handed} == {("queue of gateway", "server")}
    assert [(arrow.sender, arrow.receiver) for arrow in accepted] == [
        ("queue of gateway", "gateway"),
        ("gateway", "agent"),
    ]
    assert "server gets 1/1~2 from queue AGAIN" in texts(sequence)


def test_a_call_that_the_queue_lost_sight_of_is_accepted_and_never_handed_out() -> None:
    journal = Journal([*OPENING, attempt(0.0, "1"), reply(0.2, "1", State.ACCEPTED, QUEUED)])

    sequence = sequence_of(journal)

    assert of_kind(sequence, ArrowKind.DELIVERY) == []
    assert texts(sequence)[-1] == "agent gets accepted for 1 (put into the queue)"


def doubled() -> Journal:
    """The request arrives twice; the copy makes a second ticket after the answer."""
    return Journal(
        [
            *OPENING,
            attempt(0.0, "1/1", DOWNSTREAM),
            Fault(at_s=0.0, site="server_to_downstream.request_duplicated@1/1"),
            effect(0.2),
            reply(0.3, "1/1", State.COMPLETED, "receipt", DOWNSTREAM),
            effect(30.0),
        ]
    )


def test_a_copy_leaves_with_its_request_and_lands_where_its_own_effect_is() -> None:
    sequence = sequence_of(doubled())

    (copy,) = of_kind(sequence, ArrowKind.DELIVERY)

    assert (copy.label, copy.start_at_s, copy.end_at_s, copy.start_index) == ("1/1+copy", 0.0, 30.0, 0)
    assert texts(sequence)[0] == "server sends 1/1 to system of record; it arrives TWICE"
    assert texts(sequence)[copy.end_index] == "second delivery 1/1+copy has reached system of record"


def test_a_copy_that_nothing_shows_is_said_to_have_left_no_trace() -> None:
    journal = Journal(list(doubled())[:-1])

    sequence = sequence_of(journal)

    assert of_kind(sequence, ArrowKind.DELIVERY) == []
    assert texts(sequence)[0].endswith("; it arrives TWICE, the copy left no trace")


def test_a_refused_connection_carries_nothing_and_an_answer_that_was_replaced_never_arrives() -> None:
    journal = Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            Fault(at_s=0.0, site="gateway_to_server.connection_refused@1"),
            reply(0.1, "1", State.REFUSED, "connection refused"),
            attempt(1.0, "2"),
            Fault(at_s=1.2, site="gateway_to_server.response_replaced@2"),
            reply(1.3, "2", State.UNKNOWN, "503 in place of the answer"),
        ]
    )

    sequence = sequence_of(journal)

    lost = [(arrow.label, arrow.kind) for arrow in sequence.arrows if arrow.fate is Fate.LOST]
    assert lost == [("1", ArrowKind.REQUEST), ("2", ArrowKind.ANSWER)]
    assert texts(sequence)[0] == "agent sends 1 to server, ID op1; connection REFUSED, nothing is sent"
    assert "server answers 2; the answer is replaced by an error" in texts(sequence)


def test_restarts_pauses_and_outages_are_marked_where_they_happen() -> None:
    journal = Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            Fault(at_s=0.1, site="record_store.outage@1"),
            Fault(at_s=0.2, site="server.paused_before_effect@1"),
            Fault(at_s=0.3, site="agent.after_sending@1"),
            attempt(9.0, "r1:1"),
        ]
    )

    sequence = sequence_of(journal)

    assert [(mark.kind, mark.lifeline) for mark in sequence.marks] == [
        (MarkKind.FAULT, "record store"),
        (MarkKind.PAUSE, "server"),
        (MarkKind.CRASH, "agent"),
    ]
    assert texts(sequence)[1:4] == [
        "the record store is away (attempt 1)",
        "server PAUSES before the effect, during 1",
        "agent RESTARTS after sending, during 1",
    ]
    assert [arrow.sender for arrow in sequence.arrows] == ["agent", "agent"]


def test_the_relay_has_a_lifeline_of_its_own() -> None:
    journal = Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            reply(0.1, "1", State.ACCEPTED, "written to the outbox"),
            attempt(0.2, "1/relay-1/1", DOWNSTREAM),
            effect(0.3),
            Fault(at_s=0.4, site="relay.after_effect@1/relay-1"),
            attempt(0.5, "1/relay-2/1", DOWNSTREAM),
        ]
    )

    sequence = sequence_of(journal)

    senders = {arrow.label: arrow.sender for arrow in of_kind(sequence, ArrowKind.REQUEST)}
    assert senders == {"1": "agent", "1/relay-1/1": "relay", "1/relay-2/1": "relay"}
    assert [(mark.kind, mark.lifeline) for mark in sequence.marks][1] == (MarkKind.CRASH, "relay")


def test_whoever_sends_again_stands_before_the_agent_and_tells_for_itself() -> None:
    journal = Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            reply(1.0, "1", State.UNKNOWN, "x"),
            report(1.0, Outcome.UNKNOWN),
            attempt(9.0, "sweep:1"),
            reply(9.5, "sweep:1", State.COMPLETED, "receipt"),
            report(9.5),
        ]
    )

    sequence = sequence_of(journal)

    assert [line.name for line in sequence.lifelines] == ["user", "sweep", "agent", "server"]
    assert [arrow.sender for arrow in of_kind(sequence, ArrowKind.REPORT)] == ["agent", "sweep"]


def test_the_reconciler_tells_what_it_concluded_by_receipt_settlement_question_or_error() -> None:
    told = {"intent": "i1", "operation_id": "op1"}
    steps = (
        Receipt(at_s=9.0, party="reconciler", stage="ticket", operation_id="op1"),
        Settlement(at_s=9.0, party="reconciler", settled=Settled.ABSENT, **told),
        Readback(at_s=9.0, party="reconciler", answer=ReadbackAnswer.CANNOT_TELL, **told),
        Fault(at_s=9.0, site="reconciler.weak_query@reconciler:1"),
    )

    for step in steps:
        sequence = sequence_of(Journal([*OPENING, attempt(0.0, "1"), report(1.0), step, report(9.0)]))

        assert [arrow.sender for arrow in of_kind(sequence, ArrowKind.REPORT)] == ["agent", "reconciler"]


def test_a_stage_is_taken_from_the_fact_and_each_has_its_own_lifeline() -> None:
    told = {"intent": "i1", "operation_id": "op1"}
    journal = Journal(
        [
            OPENING[1],
            attempt(0.0, "1/page/1", DOWNSTREAM)._replace(stage="page"),
            attempt(1.0, "1/notice/1", DOWNSTREAM)._replace(stage="notice"),
            Readback(at_s=2.0, party="server", answer=ReadbackAnswer.NOT_SEEN, stage="notice", **told),
            Fault(at_s=3.0, site="downstream.error@1/notice/1"),
            report(4.0, Outcome.PARTIAL)._replace(
                stages=(("page", State.COMPLETED), ("notice", State.REJECTED)),
                owner="ops",
            ),
        ]
    )

    sequence = sequence_of(journal)

    requests = [(arrow.receiver, arrow.short_label) for arrow in of_kind(sequence, ArrowKind.REQUEST)]
    assert requests == [("system of page", "1/1"), ("system of notice", "1/1")]
    assert [arrow.sender for arrow in of_kind(sequence, ArrowKind.READBACK)] == ["system of notice"]
    assert [mark.lifeline for mark in sequence.marks if mark.kind is MarkKind.FAULT] == ["system of notice"]
    assert texts(sequence)[-1] == "agent reports PARTIAL to user (page completed, notice rejected), left to ops"


def test_an_approval_is_given_before_and_named_where_a_stage_is_begun() -> None:
    approval = Approval(
        approval="yes", intent="i1", inputs="x", audience="staff", expires_at_s=3600.0, is_single_use=True
    )
    start = Start(at_s=1.0, party="server", stage="ticket", intent="i1", operation_id="op1", inputs="y", approval="yes")

    sequence = sequence_of(Journal([*OPENING, approval, start]))

    assert sequence.given == ("yes approves x to staff for i1, for this wish alone, until 1:00:00.000",)
    assert texts(sequence) == ["server begins ticket under yes, with other inputs: y"]


def test_an_effect_says_what_was_made_for_whom_and_what_nobody_wanted() -> None:
    dry = Intent(intent="dry", tenant="t", inputs="x", audience="staff", wants_effect=False)
    made = Effect(
        at_s=1.0,
        stage="flag",
        intent="dry",
        operation_id="op1",
        inputs="z",
        audience="all",
        result="flag 1",
        state="off",
    )

    sequence = sequence_of(Journal([dry, made]))

    (said,) = texts(sequence)
    assert said.startswith("EFFECT 1 in flag (flag 1) to all instead of to staff, with other inputs: z, now off, ")
    assert said.endswith("though no effect was wanted, ID op1")
    assert sequence.summary == ("dry: 1 effect in flag, 1 too many; the user was told nothing",)


def test_the_result_of_another_wish_is_called_so_and_another_tenants_louder() -> None:
    other, foreign = (Intent(intent=name, tenant=tenant, inputs="x") for name, tenant in (("i2", "t"), ("i3", "u")))
    answers = [
        reply(at_s, path, State.COMPLETED, "recorded result")._replace(origin=origin, result="ticket 1")
        for at_s, path, origin in ((1.0, "1", "i1"), (2.0, "2", "i2"), (3.0, "3", "i3"))
    ]

    said = texts(sequence_of(Journal([*OPENING, other, foreign, *answers])))

    assert said == [
        "agent gets completed for 1 (recorded result; ticket 1)",
        "agent gets completed for 2 (recorded result; ticket 1); this is of another wish, i2",
        "agent gets completed for 3 (recorded result; ticket 1); this is of another wish, i3, and of ANOTHER TENANT",
    ]


def test_a_clean_up_goes_to_the_system_of_record_and_what_it_takes_away_is_marked() -> None:
    undo = CleanUp(at_s=9.0, party="agent", stage="ticket", intent="i1", operation_id="op1")
    gone = Deleted(at_s=9.0, stage="ticket", intent="i1")

    sequence = sequence_of(Journal([*OPENING, attempt(0.0, "1"), effect(1.0), undo, gone]))

    (arrow,) = of_kind(sequence, ArrowKind.CLEAN_UP)
    assert (arrow.sender, arrow.receiver) == ("agent", "system of ticket")
    assert sequence.marks[-1].kind is MarkKind.REMOVED
    assert sequence.summary == ("i1: 1 effect in ticket, taken away in ticket; the user was told nothing",)


def test_a_receipt_of_one_stage_is_told_with_the_state_that_it_was_written_with() -> None:
    pending = StateChange(at_s=1.0, party="record store", operation_id="op1", state=State.PENDING)
    receipt = Receipt(at_s=1.0, party="record store", stage="page", operation_id="op1")

    sequence = sequence_of(Journal([pending, receipt]))

    assert texts(sequence) == ["record store: op1 is pending, with receipt of page"]


def test_a_caller_that_is_interrupted_stops_waiting_and_hears_nothing() -> None:
    journal = Journal([attempt(0.0, "1"), reply(1.0, "1", State.UNKNOWN, GIVEN_UP)])

    sequence = sequence_of(journal)

    assert texts(sequence)[-1] == "agent stops waiting for 1 (its caller has given up)"
    assert of_kind(sequence, ArrowKind.ANSWER) == []


def test_the_words_for_queued_and_interrupted_are_those_of_the_world() -> None:
    assert (ACCEPTED.detail, INTERRUPTED.detail) == (QUEUED, GIVEN_UP)


def test_a_journal_without_queue_or_copy_has_no_deliveries() -> None:
    assert of_kind(sequence_of(lost_answer()), ArrowKind.DELIVERY) == []


def test_the_effect_after_a_timeout_is_the_originals_since_a_copy_lands_later() -> None:
    journal = Journal(
        [
            *OPENING,
            attempt(0.0, "1/1", DOWNSTREAM),
            Fault(at_s=0.0, site="server_to_downstream.request_duplicated@1/1"),
            reply(8.0, "1/1", State.UNKNOWN, TIMEOUT, DOWNSTREAM),
            effect(20.0),
        ]
    )

    sequence = sequence_of(journal)

    assert [arrow.end_at_s for arrow in of_kind(sequence, ArrowKind.REQUEST)] == [20.0]
    assert of_kind(sequence, ArrowKind.DELIVERY) == []


def test_a_call_is_handed_out_before_the_server_writes_anything_for_it() -> None:
    pending = StateChange(at_s=60.0, party="record store", operation_id="op1", state=State.PENDING)
    journal = Journal(
        [
            *OPENING,
            attempt(0.0, "1"),
            reply(0.3, "1", State.ACCEPTED, QUEUED),
            pending,
            attempt(60.0, "1/1", DOWNSTREAM),
        ]
    )

    assert texts(sequence_of(journal))[2:4] == ["server gets 1 from queue", "record store: op1 is pending"]
