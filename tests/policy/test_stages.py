"""What may be concluded about an operation from the states of its stages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.policy import conclusion, knowledge_of_stages, merged_stages, outcome_of_stages
from simkit.terms import Knowledge, OnExhausted, Outcome, State

__all__: list[str] = []

DONE, REJECTED, OPEN = State.COMPLETED, State.REJECTED, State.UNKNOWN
NOT_BEGUN, ACCEPTED = State.NOT_STARTED, State.ACCEPTED

any_states = st.lists(st.sampled_from(State), min_size=1, max_size=4)


def named(*states: State) -> tuple[tuple[str, State], ...]:
    """Stages `0`, `1` and so on with these states."""
    return tuple((str(index), state) for index, state in enumerate(states))


@pytest.mark.parametrize(
    ("states", "expected"),
    (
        ((DONE, DONE), Outcome.OK),
        ((REJECTED, REJECTED), Outcome.FAILED),
        ((REJECTED, NOT_BEGUN), Outcome.FAILED),  # the second cannot begin any more
        ((DONE, REJECTED), Outcome.PARTIAL),
        ((DONE, REJECTED, NOT_BEGUN), Outcome.PARTIAL),
        ((DONE, NOT_BEGUN), Outcome.UNKNOWN),  # it may still begin
        ((DONE, OPEN), Outcome.UNKNOWN),
        ((REJECTED, OPEN), Outcome.UNKNOWN),
        ((DONE, State.PENDING), Outcome.UNKNOWN),
        ((DONE, ACCEPTED), Outcome.UNKNOWN),
    ),
)
def test_the_outcome_of_several_stages(states: tuple[State, ...], expected: Outcome) -> None:
    assert outcome_of_stages(named(*states), handover_completes=False) is expected


def test_an_accepted_stage_is_done_where_handover_is_the_evidence() -> None:
    assert outcome_of_stages(named(DONE, ACCEPTED), handover_completes=True) is Outcome.OK
    assert outcome_of_stages(named(REJECTED, ACCEPTED), handover_completes=True) is Outcome.PARTIAL


@given(states=any_states)
def test_one_stage_more_that_is_open_leaves_the_whole_open(states: list[State]) -> None:
    assert outcome_of_stages(named(*states, OPEN), handover_completes=False) is Outcome.UNKNOWN


@given(before=any_states, heard=any_states)
def test_a_settled_stage_stays_settled_whatever_is_heard_later(before: list[State], heard: list[State]) -> None:
    merged = dict(merged_stages(named(*before), named(*heard)))

    for name, state in named(*before):
        if state in (DONE, REJECTED) and name in merged:
            assert merged[name] is state


@given(before=any_states)
def test_an_answer_without_stages_takes_nothing_back(before: list[State]) -> None:
    assert merged_stages(named(*before), ()) == named(*before)


@pytest.mark.parametrize(
    ("states", "on_exhausted", "expected"),
    (
        ((DONE, OPEN), OnExhausted.SAY_UNKNOWN, (State.UNKNOWN, Outcome.UNKNOWN)),
        ((DONE, OPEN), OnExhausted.SAY_FAILED, (State.REJECTED, Outcome.FAILED)),  # careless, as with one stage
        ((DONE, REJECTED), OnExhausted.SAY_FAILED, (State.UNKNOWN, Outcome.PARTIAL)),  # definite, so said as it is
        ((DONE, DONE), OnExhausted.SAY_UNKNOWN, (State.COMPLETED, Outcome.OK)),
        ((REJECTED, NOT_BEGUN), OnExhausted.SAY_UNKNOWN, (State.REJECTED, Outcome.FAILED)),
    ),
)
def test_what_is_said_in_the_end_follows_the_stages(
    states: tuple[State, ...], on_exhausted: OnExhausted, expected: tuple[State, Outcome]
) -> None:
    said = conclusion(Knowledge.POSSIBLY_SENT, OPEN, named(*states), on_exhausted, handover_completes=False)

    assert said == expected


def test_a_receipt_for_the_whole_does_not_outweigh_a_stage_that_is_open() -> None:
    said = conclusion(Knowledge.FOUND, DONE, named(DONE, OPEN), OnExhausted.SAY_UNKNOWN, handover_completes=False)

    assert said == (State.UNKNOWN, Outcome.UNKNOWN)


@pytest.mark.parametrize(
    ("handover_completes", "expected"),
    ((True, (State.COMPLETED, Outcome.OK)), (False, (ACCEPTED, Outcome.UNKNOWN))),
)
def test_a_handover_is_said_as_what_the_review_takes_it_for(
    handover_completes: bool,  # noqa: FBT001
    expected: tuple[State, Outcome],
) -> None:
    said = conclusion(
        Knowledge.POSSIBLY_SENT, ACCEPTED, (), OnExhausted.SAY_FAILED, handover_completes=handover_completes
    )

    assert said == expected


NAMES = ("publish", "notify")


@pytest.mark.parametrize(
    ("known", "states", "expected"),
    (
        # Nobody spoke of a stage: what is known of the whole stands for each.
        (Knowledge.POSSIBLY_SENT, (), (Knowledge.POSSIBLY_SENT, Knowledge.POSSIBLY_SENT)),
        (Knowledge.POSSIBLY_SENT, (State.COMPLETED, State.UNKNOWN), (Knowledge.FOUND, Knowledge.POSSIBLY_SENT)),
        (Knowledge.STORED_FAILURE, (State.COMPLETED, State.UNKNOWN), (Knowledge.FOUND, Knowledge.STORED_FAILURE)),
        (Knowledge.REJECTED, (State.COMPLETED, State.REJECTED), (Knowledge.FOUND, Knowledge.REJECTED)),
        (Knowledge.PENDING, (State.ACCEPTED, State.PENDING), (Knowledge.PENDING, Knowledge.PENDING)),
        (
            Knowledge.CONFLICT_OTHER_INPUTS,
            (State.COMPLETED, State.CONFLICT),
            (Knowledge.FOUND, Knowledge.CONFLICT_OTHER_INPUTS),
        ),
        (Knowledge.APPROVAL_LAPSED, (State.REFUSED, State.NOT_STARTED), (Knowledge.APPROVAL_LAPSED,) * 2),
    ),
)
def test_what_is_known_of_a_stage_follows_its_own_state(
    known: Knowledge, states: tuple[State, ...], expected: tuple[Knowledge, ...]
) -> None:
    heard = tuple(zip(NAMES, states, strict=False))

    told = knowledge_of_stages(NAMES, known, heard, (), is_only_attempt=False)

    assert told == tuple(zip(NAMES, expected, strict=True))


@pytest.mark.parametrize(
    ("is_only_attempt", "expected"), ((True, Knowledge.NOTHING_SENT), (False, Knowledge.POSSIBLY_SENT))
)
@pytest.mark.parametrize("state", (State.NOT_STARTED, State.REFUSED))
def test_a_stage_that_one_attempt_did_not_begin_another_may_have_begun(
    is_only_attempt: bool,  # noqa: FBT001
    state: State,
    expected: Knowledge,
) -> None:
    heard = (("publish", State.COMPLETED), ("notify", state))

    told = knowledge_of_stages(NAMES, Knowledge.POSSIBLY_SENT, heard, (), is_only_attempt=is_only_attempt)

    assert told[1] == ("notify", expected)


def test_what_the_system_of_record_shows_of_a_stage_counts_more_than_what_was_said_of_it() -> None:
    heard = (("publish", State.UNKNOWN), ("notify", State.UNKNOWN))

    told = knowledge_of_stages(
        NAMES, Knowledge.POSSIBLY_SENT, heard, (("publish", Knowledge.FOUND),), is_only_attempt=True
    )

    assert told == (("publish", Knowledge.FOUND), ("notify", Knowledge.POSSIBLY_SENT))


def test_the_one_stage_of_a_tool_is_what_the_operation_is() -> None:
    told = knowledge_of_stages(("ticket",), Knowledge.EXPIRED, (), (), is_only_attempt=True)

    assert told == (("ticket", Knowledge.EXPIRED),)
