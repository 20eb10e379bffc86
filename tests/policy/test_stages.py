"""What may be concluded about an operation from the states of its stages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.policy import conclusion, merged_stages, outcome_of_stages
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
