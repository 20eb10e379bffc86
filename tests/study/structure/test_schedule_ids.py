"""The short names of schedules: they follow promise and faults alone, and no two schedules of a list share one."""

from itertools import count

from simkit.study.structure.schedule_ids import Named, schedule_ids
from simkit.terms import Promise

__all__: list[str] = []

LOST: Named = (Promise.AT_MOST_ONE_EFFECT, ("gateway_to_server.response_lost@1",))
TWO: Named = (Promise.AT_MOST_ONE_EFFECT, ("server.after_effect@1", "readback.cannot_tell@2/server-1"))


def numbered(number: int) -> Named:
    return Promise.AT_MOST_ONE_EFFECT, (f"server.after_effect@{number}",)


def two_of_one_name() -> tuple[Named, Named]:
    """The first two numbered schedules whose names alone would be equal; some thousand names are enough for that."""
    seen: dict[str, Named] = {}
    for number in count(1):
        one = numbered(number)
        name = schedule_ids([one])[one]
        if name in seen:
            return seen[name], one
        seen[name] = one
    raise AssertionError


def test_a_schedule_has_the_same_name_whatever_else_was_found() -> None:
    alone, together = schedule_ids([TWO]), schedule_ids([LOST, TWO, *map(numbered, range(100))])

    assert alone[TWO] == together[TWO]
    assert len(alone[TWO]) == 6


def test_the_order_in_which_faults_happen_is_no_part_of_the_name() -> None:
    promise, faults = TWO
    backwards = promise, faults[::-1]

    assert schedule_ids([TWO])[TWO] == schedule_ids([backwards])[backwards]


def test_the_same_faults_have_another_name_where_they_break_another_promise() -> None:
    other = Promise.EFFECT_HAPPENS, LOST[1]

    assert len(set(schedule_ids([LOST, other]).values())) == 2


def test_two_schedules_of_one_name_both_take_more_digits_and_keep_their_beginning() -> None:
    first, second = two_of_one_name()
    short = schedule_ids([first])[first]

    ids = schedule_ids([first, second, LOST])

    assert ids[first] != ids[second]
    assert len(ids[first]) == len(ids[second]) > 6
    assert all(ids[one].startswith(short) for one in (first, second))
    assert ids[LOST] == schedule_ids([LOST])[LOST]
