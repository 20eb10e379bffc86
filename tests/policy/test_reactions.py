"""What a layer knows after a series of answers, what it does then, and what it says in the end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.choices import OnConflict, OnRejected
from simkit.policy import (
    can_try,
    declared_action,
    failure_of,
    is_settled,
    outcome_after_conflict,
    outcome_to_report,
    worst_knowledge,
)
from simkit.terms import Action, ErrorClass, Identity, Knowledge, OnExhausted, Outcome, State

__all__: list[str] = []

UNDONE = tuple(state for state in State if state is not State.COMPLETED)
OPEN = tuple(state for state in UNDONE if state not in (State.REJECTED, State.REFUSED))


def known_after(states: list[State], *, is_same_operation: bool = True) -> Knowledge:
    """What is known after these answers."""
    known: Knowledge | None = None
    for state in states:
        known = worst_knowledge(known, state, is_same_operation=is_same_operation)
    assert known is not None
    return known


@pytest.mark.parametrize(
    ("state", "expected"),
    (
        (State.REFUSED, Knowledge.NOTHING_SENT),
        (State.CONFLICT, Knowledge.CONFLICT_POSSIBLY_MINE),
        (State.EXPIRED, Knowledge.EXPIRED),
        (State.REJECTED, Knowledge.REJECTED),
        (State.ACCEPTED, Knowledge.PENDING),  # taken over: somebody works on it, and there is no effect yet
        (State.PENDING, Knowledge.PENDING),
        (State.NOT_STARTED, Knowledge.POSSIBLY_SENT),  # may still begin
        (State.COMPLETED, Knowledge.FOUND),
        (State.UNKNOWN, Knowledge.POSSIBLY_SENT),
    ),
)
def test_the_first_answer_is_all_that_is_known(state: State, expected: Knowledge) -> None:
    assert worst_knowledge(None, state) is expected


@given(earlier=st.lists(st.sampled_from(State)), later=st.lists(st.sampled_from(State)), is_same=st.booleans())
def test_a_receipt_settles_whatever_was_heard_before_and_whatever_comes_after(
    earlier: list[State],
    later: list[State],
    is_same: bool,  # noqa: FBT001
) -> None:
    """An effect that exists is not unmade by a later answer, under whatever ID."""
    known = known_after([*earlier, State.COMPLETED, *later], is_same_operation=is_same)

    assert known is Knowledge.FOUND


@given(earlier=st.lists(st.sampled_from(UNDONE)), later=st.lists(st.sampled_from(UNDONE)))
def test_a_durable_decision_under_one_id_settles_whatever_was_heard_before_and_after(
    earlier: list[State], later: list[State]
) -> None:
    assert known_after([*earlier, State.REJECTED, *later]) is Knowledge.REJECTED


@given(open_answers=st.lists(st.sampled_from(OPEN), min_size=1))
def test_a_durable_decision_under_another_id_settles_nothing_about_what_was_sent(open_answers: list[State]) -> None:
    known = known_after(open_answers)

    assert worst_knowledge(known, State.REJECTED, is_same_operation=False) is known


@pytest.mark.parametrize("before", (None, Knowledge.NOTHING_SENT))
def test_a_durable_decision_settles_under_any_id_where_nothing_was_sent_before(before: Knowledge | None) -> None:
    """There is only this attempt to settle."""
    assert worst_knowledge(before, State.REJECTED, is_same_operation=False) is Knowledge.REJECTED


@pytest.mark.parametrize("settled", (Knowledge.FOUND, Knowledge.REJECTED))
@pytest.mark.parametrize("state", OPEN)
def test_what_is_settled_is_not_forgotten_when_a_later_answer_is_open(settled: Knowledge, state: State) -> None:
    assert worst_knowledge(settled, state) is settled


@given(
    refusals=st.lists(st.just(State.REFUSED)),
    open_answers=st.lists(st.sampled_from(OPEN), min_size=1),
    later=st.lists(st.just(State.REFUSED)),
)
def test_a_refusal_takes_nothing_back_once_something_was_possibly_sent(
    refusals: list[State], open_answers: list[State], later: list[State]
) -> None:
    known = known_after([*refusals, *open_answers, *later])

    assert known is known_after(open_answers)
    assert known not in (Knowledge.NOTHING_SENT, Knowledge.FOUND, Knowledge.REJECTED)


@given(states=st.lists(st.sampled_from((*OPEN, State.REFUSED)), min_size=1), on_exhausted=st.sampled_from(OnExhausted))
def test_without_evidence_success_is_never_reported(states: list[State], on_exhausted: OnExhausted) -> None:
    _, outcome = outcome_to_report(known_after(states), on_exhausted)

    assert outcome is not Outcome.OK
    if on_exhausted is OnExhausted.SAY_UNKNOWN and set(states) != {State.REFUSED}:
        assert outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("known", "on_exhausted", "expected"),
    (
        (Knowledge.FOUND, OnExhausted.SAY_FAILED, (State.COMPLETED, Outcome.OK)),
        (Knowledge.REJECTED, OnExhausted.SAY_UNKNOWN, (State.REJECTED, Outcome.FAILED)),
        (Knowledge.NOTHING_SENT, OnExhausted.SAY_UNKNOWN, (State.REFUSED, Outcome.FAILED)),
        (Knowledge.POSSIBLY_SENT, OnExhausted.SAY_UNKNOWN, (State.UNKNOWN, Outcome.UNKNOWN)),
        # What careless libraries do: the error of the last attempt is told as if it settled the call.
        (Knowledge.POSSIBLY_SENT, OnExhausted.SAY_FAILED, (State.REJECTED, Outcome.FAILED)),
        (Knowledge.NOT_SEEN, OnExhausted.SAY_UNKNOWN, (State.UNKNOWN, Outcome.UNKNOWN)),  # not confirmed absent
    ),
)
def test_the_report_says_what_is_known(
    known: Knowledge, on_exhausted: OnExhausted, expected: tuple[State, Outcome]
) -> None:
    assert outcome_to_report(known, on_exhausted) == expected


@pytest.mark.parametrize(
    ("known", "with_attempts_left", "without"),
    (
        (Knowledge.NOTHING_SENT, Action.SAME_ID, Action.HOLD),
        (Knowledge.POSSIBLY_SENT, Action.SAME_ID, Action.HOLD),
        (Knowledge.PENDING, Action.SAME_ID, Action.HOLD),
        (Knowledge.FOUND, Action.STOP, Action.STOP),
        (Knowledge.REJECTED, Action.STOP, Action.STOP),
        (Knowledge.CONFLICT_POSSIBLY_MINE, Action.HOLD, Action.HOLD),  # the same ID meets the same conflict
        (Knowledge.CONFLICT_OTHER_INPUTS, Action.HOLD, Action.HOLD),
        (Knowledge.EXPIRED, Action.HOLD, Action.HOLD),  # outside protection a repeat is a new operation
    ),
)
def test_a_layer_repeats_as_declared_and_then_holds(
    known: Knowledge, with_attempts_left: Action, without: Action
) -> None:
    assert declared_action(known, has_attempts_left=True) is with_attempts_left
    assert declared_action(known, has_attempts_left=False) is without


@given(
    known=st.sampled_from(Knowledge),
    identity=st.sampled_from(Identity),
    has_attempts_left=st.booleans(),
    has_readback=st.booleans(),
)
def test_only_what_sends_or_asks_something_is_tried_and_only_what_is_possible(
    known: Knowledge,
    identity: Identity,
    has_attempts_left: bool,  # noqa: FBT001
    has_readback: bool,  # noqa: FBT001
) -> None:
    tried = can_try(known, identity, has_attempts_left=has_attempts_left, has_readback=has_readback)

    assert len(set(tried)) == len(tried)
    assert not {Action.HOLD, Action.STOP} & set(tried)
    assert (Action.SAME_ID in tried) == has_attempts_left
    assert (Action.NEW_OPERATION in tried) == (has_attempts_left and identity is not Identity.NONE)
    assert has_readback or not {Action.STATUS_FIRST, Action.POLL} & set(tried)
    # Who has just asked, or knows for certain, asks no more; to wait and ask helps where it may come out by itself.
    certain = (Knowledge.NOT_SEEN, Knowledge.CONFIRMED_ABSENT, Knowledge.FOUND, Knowledge.REJECTED)
    assert Action.STATUS_FIRST not in tried or known not in certain
    assert Action.POLL not in tried or (has_attempts_left and known in (Knowledge.PENDING, Knowledge.POSSIBLY_SENT))


@pytest.mark.parametrize(
    ("known", "last", "expected"),
    (
        # The last attempt was refused at the door; that the one before may have been sent is not said.
        (Knowledge.POSSIBLY_SENT, State.REFUSED, (State.REFUSED, Outcome.FAILED)),
        (Knowledge.POSSIBLY_SENT, State.REJECTED, (State.REJECTED, Outcome.FAILED)),
        (Knowledge.POSSIBLY_SENT, State.UNKNOWN, (State.UNKNOWN, Outcome.UNKNOWN)),
        (Knowledge.FOUND, State.UNKNOWN, (State.COMPLETED, Outcome.OK)),  # nobody forgets a receipt
    ),
)
def test_who_says_what_the_last_attempt_heard_forgets_the_ones_before(
    known: Knowledge, last: State, expected: tuple[State, Outcome]
) -> None:
    assert outcome_to_report(known, OnExhausted.SAY_LAST, last) == expected


@given(known=st.sampled_from(Knowledge), last=st.sampled_from(State))
def test_the_last_answer_matters_only_to_who_says_it(known: Knowledge, last: State) -> None:
    for on_exhausted in (OnExhausted.SAY_UNKNOWN, OnExhausted.SAY_FAILED):
        assert outcome_to_report(known, on_exhausted, last) == outcome_to_report(known, on_exhausted)


@pytest.mark.parametrize(
    ("on_rejected", "expected"),
    (
        (OnRejected.STOP, Action.STOP),
        (OnRejected.SAME_ID, Action.SAME_ID),
        (OnRejected.NEW_ID, Action.NEW_OPERATION),
    ),
)
def test_after_a_rejection_a_layer_does_as_declared_while_it_has_attempts(
    on_rejected: OnRejected, expected: Action
) -> None:
    rejected = Knowledge.REJECTED

    assert declared_action(rejected, has_attempts_left=True, on_rejected=on_rejected) is expected
    assert declared_action(rejected, has_attempts_left=False, on_rejected=on_rejected) is Action.STOP


@pytest.mark.parametrize(
    ("state", "error", "failure"),
    (
        (State.UNKNOWN, ErrorClass.TIMEOUT, ErrorClass.TIMEOUT),  # what is known of the way counts
        (State.REFUSED, ErrorClass.OVERLOADED, ErrorClass.OVERLOADED),
        (State.UNKNOWN, None, ErrorClass.UNKNOWN),
        (State.PENDING, None, ErrorClass.PENDING),
        (State.CONFLICT, None, ErrorClass.CONFLICT),
        (State.REJECTED, None, None),  # a decision is no failure
        (State.COMPLETED, None, None),
    ),
)
def test_a_list_of_failures_names_those_of_the_way_and_answers_that_leave_it_open(
    state: State, error: ErrorClass | None, failure: ErrorClass | None
) -> None:
    assert failure_of(state, error) is failure


def test_a_list_of_failures_decides_whether_an_open_outcome_is_tried_again() -> None:
    def action(known: Knowledge, *, is_listed: bool) -> Action:
        return declared_action(known, has_attempts_left=True, is_listed=is_listed)

    assert action(Knowledge.POSSIBLY_SENT, is_listed=True) is Action.SAME_ID
    assert action(Knowledge.POSSIBLY_SENT, is_listed=False) is Action.HOLD
    assert action(Knowledge.CONFLICT_POSSIBLY_MINE, is_listed=True) is Action.SAME_ID  # it asked for it
    assert action(Knowledge.FOUND, is_listed=True) is Action.STOP


@pytest.mark.parametrize(
    ("on_conflict", "has_sent_before", "expected"),
    (
        (OnConflict.HOLD, True, None),
        (OnConflict.ADOPT, True, None),  # only a readback could say something
        (OnConflict.TAKE_AS_DONE, True, (State.COMPLETED, Outcome.OK)),
        (OnConflict.TAKE_AS_DONE, False, None),  # it cannot be the own one
        (OnConflict.SAY_FAILED, True, (State.CONFLICT, Outcome.FAILED)),
        (OnConflict.SAY_FAILED, False, (State.CONFLICT, Outcome.FAILED)),
    ),
)
def test_what_is_made_of_a_conflict_without_any_evidence(
    on_conflict: OnConflict,
    has_sent_before: bool,  # noqa: FBT001
    expected: tuple[State, Outcome] | None,
) -> None:
    assert outcome_after_conflict(on_conflict, has_sent_before=has_sent_before) == expected


def test_settled_is_what_no_later_effect_can_change() -> None:
    settled = {known for known in Knowledge if is_settled(known)}

    # Where the approval has lapsed the attempt did nothing, as with any refusal.
    assert settled == {Knowledge.FOUND, Knowledge.REJECTED, Knowledge.NOTHING_SENT, Knowledge.APPROVAL_LAPSED}


@pytest.mark.parametrize("means", (Knowledge.CONFLICT_OTHER_INPUTS, Knowledge.STORED_FAILURE))
def test_an_answer_that_says_more_than_its_state_is_taken_at_its_word(means: Knowledge) -> None:
    assert worst_knowledge(None, State.UNKNOWN, means=means) is means


def test_a_lapsed_approval_takes_back_nothing_that_was_possibly_sent() -> None:
    """The attempt did nothing; the one before it may have."""
    known = worst_knowledge(Knowledge.POSSIBLY_SENT, State.REFUSED, means=Knowledge.APPROVAL_LAPSED)

    assert known is Knowledge.POSSIBLY_SENT


def test_what_follows_a_lapsed_approval_counts() -> None:
    assert worst_knowledge(Knowledge.APPROVAL_LAPSED, State.UNKNOWN) is Knowledge.POSSIBLY_SENT
