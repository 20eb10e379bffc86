"""Circuit breaker, share of calls and repeats at once, against what their authors publish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.policy import Admission, Breaker, Concurrency, Share

__all__: list[str] = []

COUNTS = st.integers(min_value=0, max_value=20)


def after(breaker: Breaker, answers: str) -> Breaker:
    """The breaker after answers to what a closed breaker let through: `F` a failure, `s` a success."""
    for answer in answers:
        breaker = breaker.heard(Admission.GRANTED, is_failure=answer == "F")
    return breaker


@pytest.mark.parametrize(
    ("fraction", "count_min", "call_count", "repeat_count"),
    (
        (0.2, 3, 0, 3),  # Envoy's budget: 20 %, but 3 in any case
        (0.2, 3, 19, 3),
        (0.2, 3, 20, 4),
        (0.2, 0, 4, 0),  # a fifth of four calls is less than one repeat
        (0.29, 0, 100, 29),  # 0.29 * 100 is 28.999999999999996 in floats
        (0.0, 0, 1000, 0),
        (1.0, 0, 7, 7),
    ),
)
def test_repeats_stay_within_the_share_of_the_calls(
    fraction: float, count_min: int, call_count: int, repeat_count: int
) -> None:
    share = Share(fraction=fraction, count_min=count_min)
    for _ in range(call_count):
        share = share.called()

    made_count = 0
    while share.can_repeat:
        share, made_count = share.repeated(), made_count + 1

    assert made_count == repeat_count


@given(
    percent=st.integers(min_value=0, max_value=100),
    count_min=COUNTS,
    steps=st.lists(st.booleans(), max_size=60),
)
def test_at_no_time_are_there_more_repeats_than_the_share_or_the_free_ones(
    percent: int, count_min: int, steps: list[bool]
) -> None:
    share = Share(fraction=percent / 100, count_min=count_min)

    for is_call in steps:
        if is_call:
            share = share.called()
        elif share.can_repeat:
            share = share.repeated()
        # In whole numbers: repeats / calls <= percent / 100.
        assert share.repeat_count <= count_min or share.repeat_count * 100 <= percent * share.call_count


def test_a_breaker_opens_at_the_last_of_so_many_failures_in_a_row() -> None:
    closed = Breaker(failure_count_max=3)

    assert not after(closed, "FF").is_open
    assert after(closed, "FFF").is_open
    assert not after(closed, "FFsFF").is_open  # the success begins a new row


def test_an_open_breaker_refuses_until_its_time_is_over_and_then_lets_one_try() -> None:
    breaker = after(Breaker(failure_count_max=1), "F")

    assert breaker.admission(open_time_is_over=False) is Admission.REFUSED
    assert breaker.admission(open_time_is_over=True) is Admission.TRIAL
    assert breaker.tried().admission(open_time_is_over=True) is Admission.REFUSED


@pytest.mark.parametrize("is_failure", (False, True))
def test_the_answer_to_the_one_try_closes_or_opens_again(is_failure: bool) -> None:  # noqa: FBT001
    trying = after(Breaker(failure_count_max=2), "FF").tried()

    decided = trying.heard(Admission.TRIAL, is_failure=is_failure)

    assert decided.is_open == decided.is_waiting == is_failure


def test_a_closed_breaker_counts_from_zero_after_its_try() -> None:
    trying = after(Breaker(failure_count_max=2), "FF").tried()

    closed = trying.heard(Admission.TRIAL, is_failure=False)

    assert not after(closed, "F").is_open
    assert after(closed, "FF").is_open


@given(late=st.text("Fs"), is_trying=st.booleans())
def test_answers_to_what_was_sent_before_it_opened_change_nothing(
    late: str,
    is_trying: bool,  # noqa: FBT001
) -> None:
    breaker = after(Breaker(failure_count_max=1), "F")
    breaker = breaker.tried() if is_trying else breaker

    assert after(breaker, late) == breaker


@given(answers=st.text("Fs", max_size=40), failure_count_max=st.integers(min_value=1, max_value=5))
def test_a_breaker_is_open_exactly_if_such_a_row_of_failures_was_heard(answers: str, failure_count_max: int) -> None:
    assert after(Breaker(failure_count_max=failure_count_max), answers).is_open == ("F" * failure_count_max in answers)


def test_as_many_repeats_are_under_way_as_are_allowed_and_each_that_ends_makes_room() -> None:
    """Envoy's `max_retries` is 3 where nobody says otherwise."""
    state = Concurrency(count_max=3).begun().begun()

    assert state.can_repeat
    assert not state.begun().can_repeat
    assert state.begun().ended().can_repeat
    assert not Concurrency(count_max=0).can_repeat
