"""A measured duration is what a linear form says, whatever is added, compared or rounded."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.chance import microseconds
from simkit.study.structure.measured import Measured, Microseconds, Scale

__all__: list[str] = []

NUMBER_COUNT = 3

terms = st.lists(st.tuples(st.integers(0, NUMBER_COUNT - 1), st.integers(-20, 20)), min_size=1, max_size=12)
values = st.lists(st.integers(0, 10**12), min_size=NUMBER_COUNT, max_size=NUMBER_COUNT)


def measured(scale: Scale, numbers: list[int]) -> list[Measured]:
    """Each number in seconds, knowing that it is itself."""
    return [Measured.of(value / 1e6, scale.unit(index), scale) for index, value in enumerate(numbers)]


@settings(max_examples=60, deadline=None)
@given(sum_of=terms, numbers=values, constant=st.integers(0, 10**9))
def test_a_sum_of_times_knows_its_value_and_how_often_it_holds_each_number(
    sum_of: list[tuple[int, int]], numbers: list[int], constant: int
) -> None:
    scale = Scale(NUMBER_COUNT)
    known = measured(scale, numbers)

    total = sum((known[index] * times for index, times in sum_of), Measured.of(constant / 1e6, 0, scale))
    whole = microseconds(total)

    assert isinstance(whole, Microseconds)
    # The oracle is the sum of whole microseconds, and a count of how often each number was added.
    assert scale.value(whole.packed) == constant + sum(numbers[index] * times for index, times in sum_of)
    assert [scale.slope(whole.packed, index) for index in range(NUMBER_COUNT)] == [
        sum(times for which, times in sum_of if which == index) for index in range(NUMBER_COUNT)
    ]


@settings(max_examples=60, deadline=None)
@given(left=st.integers(0, 50), right=st.integers(0, 50), least=st.sampled_from(["<", "<=", ">", ">="]))
def test_what_a_comparison_lacks_is_how_far_the_number_must_move_to_end_it_otherwise(
    left: int, right: int, least: str
) -> None:
    scale = Scale(1)
    told: list[tuple[bool, int, int]] = []
    scale.watcher = lambda is_less, to_fail, to_hold: told.append((is_less, to_fail, to_hold))

    def compared(value: int, slopes: int) -> bool:
        number, bound = Measured.of(value / 1e6, slopes, scale), right / 1e6
        return {"<": number < bound, "<=": number <= bound, ">": number > bound, ">=": number >= bound}[least]

    present = compared(left, scale.unit(0))
    is_less, to_fail, to_hold = told[["<", "<=", ">", ">="].index(least)]
    lacking = to_fail if is_less else to_hold
    further = -scale.value(lacking) * scale.slope(lacking, 0)

    # Nothing changes one microsecond short of that, and there it does; where it is, no time is watched.
    scale.watcher = None
    assert compared(left + further - int(math.copysign(1, further)), 0) is present
    assert compared(left + further, 0) is not present


def test_durations_that_depend_on_the_same_are_compared_without_a_word() -> None:
    scale = Scale(1)
    told: list[bool] = []
    scale.watcher = lambda is_less, _fail, _hold: told.append(is_less)
    number = Measured.of(2.0, scale.unit(0), scale)

    is_longer = number + 1.0 > number

    assert is_longer
    assert not told


def test_what_is_not_linear_is_refused() -> None:
    number = Measured.of(2.0, 1, Scale(1))

    with pytest.raises(TypeError, match="nothing else"):
        number / 2
    with pytest.raises(TypeError, match="nothing else"):
        number * number
    with pytest.raises(TypeError, match="nothing else"):
        -microseconds(number)
