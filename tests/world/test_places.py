"""Steps at places of their own: every order that can make a difference is seen, and none that cannot."""

from collections.abc import Callable

import pytest

from simkit.chance import Chance, Scripted
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.study.tree import leaves
from simkit.world import Run
from simkit.world.interval_timeline import IntervalTimeline
from simkit.world.places import EVERYTHING, NOTHING, LastTouches
from tests.world.orders import run_in_order

__all__: list[str] = []

SOON = Wait(s_min=0.0, s_typical=0.5, s_max=1.0)
LATER = Wait(s_min=2.0, s_typical=2.5, s_max=3.0)

A, B = 1, 2

Orders = set[tuple[str, ...]]
Begin = Callable[[IntervalTimeline, Callable[[str], None]], None]


def orders(begin: Begin) -> tuple[Orders, int]:
    """Every order in which the steps of a small world were taken, and how many runs it took."""
    found: Orders = set()

    def play(chance: Chance) -> Run:
        taken: list[str] = []

        def act(timeline: IntervalTimeline) -> Journal:
            timeline.is_divided = True
            begin(timeline, taken.append)
            timeline.run()
            return Journal()

        run = run_in_order(chance, act)
        if not run.is_redundant:
            found.add(tuple(taken))
        return run

    run_count = sum(1 for _ in leaves(play, fault_budget=0))
    return found, run_count


def at(timeline: IntervalTimeline, name: str, wait: Wait, touches: int, act: Callable[[str], None]) -> None:
    timeline.wait(wait, name, touches=touches).callbacks.append(lambda _: act(name))


def test_three_steps_at_one_place_have_six_orders() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        for name in ("x", "y", "z"):
            at(timeline, name, SOON, A, act)

    found, run_count = orders(begin)

    assert len(found) == run_count == 6


def test_steps_at_places_of_their_own_are_one_run() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        for name in ("x", "y", "z"):
            at(timeline, name, SOON, timeline.new_place(), act)

    _, run_count = orders(begin)

    assert run_count == 1


def test_what_touches_two_places_is_ordered_with_both_and_these_are_not_with_each_other() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        at(timeline, "a", SOON, A, act)
        at(timeline, "b", SOON, B, act)
        at(timeline, "both", SOON, A | B, act)

    _, run_count = orders(begin)

    # Before or after a, and before or after b.
    assert run_count == 4


def test_a_step_that_is_caused_elsewhere_may_come_before_one_that_was_there_first() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        at(timeline, "there", LATER, A, act)
        timeline.wait(SOON, "cause", touches=B).callbacks.append(lambda _: at(timeline, "sent", LATER, A, act))

    found, _ = orders(begin)

    # There at 2 s to 3 s; sent at 0 s to 1 s, and there 2 s to 3 s later.
    assert found == {("there", "sent"), ("sent", "there")}


def test_an_order_that_the_durations_rule_out_is_not_tried() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        at(timeline, "soon", SOON, A, act)
        timeline.wait(SOON, "cause", touches=B).callbacks.append(lambda _: at(timeline, "sent", LATER, A, act))

    found, run_count = orders(begin)

    assert (found, run_count) == ({("soon", "sent")}, 1)


def with_more_than_expected(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
    """A step at A that turns out to touch B, and one at B."""

    def touch_more(name: str) -> None:
        timeline.touch(B)
        act(name)

    at(timeline, "far", SOON, A, touch_more)
    at(timeline, "b", SOON, B, act)


def test_a_step_that_turns_out_to_touch_another_place_is_ordered_there_too() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        timeline.reaching = A
        with_more_than_expected(timeline, act)

    found, _ = orders(begin)

    assert found == {("far", "b"), ("b", "far")}


def test_without_the_guard_a_step_that_touches_more_sleeps_through_what_bears_on_it() -> None:
    found, _ = orders(with_more_than_expected)

    assert found == {("far", "b")}


def test_a_step_that_does_not_say_what_it_touches_loses_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IntervalTimeline, "touch", lambda *_: None)

    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        timeline.reaching = A
        with_more_than_expected(timeline, act)

    found, _ = orders(begin)

    assert len(found) == 1


def test_what_is_taken_back_might_have_come_first() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        deadline = timeline.deadline(1.0, "deadline", touches=A)
        deadline.callbacks.append(lambda _: act("deadline"))
        answer = timeline.wait(Wait(s_min=0.5, s_typical=1.0, s_max=2.0), "answer", touches=A)
        answer.callbacks.append(lambda _: timeline.forget(deadline))
        answer.callbacks.append(lambda _: act("answer"))

    found, _ = orders(begin)

    assert found == {("answer",), ("deadline", "answer")}


def test_at_one_instant_the_deadline_comes_first_even_where_the_answer_is_caused_elsewhere() -> None:
    def begin(timeline: IntervalTimeline, act: Callable[[str], None]) -> None:
        at(timeline, "answer", Wait.of(1.0), A, act)
        timeline.wait(Wait.of(0.5), "cause", touches=B).callbacks.append(
            lambda _: timeline.deadline(0.5, "deadline", touches=A).callbacks.append(lambda _: act("deadline"))
        )

    found, _ = orders(begin)

    assert found == {("deadline", "answer")}


def test_where_nothing_is_divided_a_new_place_is_everything() -> None:
    assert IntervalTimeline(Scripted()).new_place() == EVERYTHING


def test_a_step_is_kept_as_long_as_it_was_the_last_one_somewhere() -> None:
    last = LastTouches()

    assert last.touched(1, A | B) == []
    assert last.touched(2, A) == []
    assert last.keeps(1)
    assert last.touched(3, B) == [1]
    assert not last.keeps(1)
    assert sorted(last.touched(4, EVERYTHING)) == [2, 3]
    assert last.touched(5, NOTHING) == []
    assert last.keeps(4)
