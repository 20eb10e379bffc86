"""An exploration as lines: each kind of answer says what it rests on, and a cut one proves nothing."""

from dataclasses import replace

import pytest

from simkit.review import ExploreResult, exploration_lines
from simkit.study.results import Exploration, PromiseResult, Schedule
from simkit.terms import Promise

__all__: list[str] = []

LOST = Schedule(schedule_id="a", faults=("gateway_to_server.response_lost@1",), story=())
DEAD = Schedule(schedule_id="b", faults=("server.after_effect@1", "server.after_effect@2"), story=())


def result_of(promise: PromiseResult, *, explored_faults: int = 2) -> ExploreResult:
    exploration = Exploration(
        policy="as requested",
        fault_budget=2,
        explored_faults=explored_faults,
        is_complete=explored_faults == 2,
        run_count=1200,
        promises=(promise,),
    )
    return ExploreResult(
        schema_version=1,
        scenario="mine",
        scenario_digest="d",
        notes=(),
        exploration=exploration,
        excluded=("fault kind: late", "clock skew"),
    )


def a_promise(*, fewest_faults: int | None = None, is_proved: bool = False, **more: object) -> PromiseResult:
    plain = PromiseResult(
        promise=Promise.AT_MOST_ONE_EFFECT,
        fewest_faults=fewest_faults,
        is_proved=is_proved,
        undecided_count=0,
        schedules=(),
    )
    return replace(plain, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("promise", "said"),
    (
        (a_promise(is_proved=True), "proved          at most one effect: up to 2 faults"),
        (a_promise(fewest_faults=0), "broken          at most one effect: without a fault"),
        (
            a_promise(fewest_faults=1, schedules=(LOST,)),
            "broken          at most one effect: by 1 fault: response lost, gateway to server (attempt 1)",
        ),
        (
            a_promise(fewest_faults=2, schedules=(DEAD, LOST)),
            (
                "broken          at most one effect: by 2 faults: server crashes after the effect (attempt 1), "
                "then server crashes after the effect (attempt 2); or 1 other way"
            ),
        ),
        (a_promise(undecided_count=3), "undecided       at most one effect: in 3 runs"),
        (
            a_promise(is_proved=True, scope="does not apply: nothing of the kind here"),
            "does not apply  at most one effect: nothing of the kind here",
        ),
        (
            a_promise(is_proved=True, scope="tried with a second wish"),
            "proved          at most one effect: up to 2 faults (tried with a second wish)",
        ),
    ),
)
def test_a_promise_has_one_line(promise: PromiseResult, said: str) -> None:
    assert list(exploration_lines(result_of(promise)))[1] == said


@pytest.mark.parametrize(
    ("promise", "explored_faults", "said"),
    (
        (a_promise(), 1, "not proved      at most one effect: seen up to 1 fault only"),
        (a_promise(), -1, "not proved      at most one effect: not seen to the end"),
        (a_promise(undecided_count=3), 1, "not proved      at most one effect: seen up to 1 fault only"),
        # What was tried apart was cut at a place of its own, which is not told.
        (a_promise(scope="apart"), 1, "not proved      at most one effect: not seen to the end (apart)"),
    ),
)
def test_of_an_exploration_that_was_cut_nothing_is_proved(
    promise: PromiseResult, explored_faults: int, said: str
) -> None:
    lines = list(exploration_lines(result_of(promise, explored_faults=explored_faults)))

    assert lines[1:3] == ["the time was over before all of them were seen", said]


def test_the_head_counts_the_runs_and_the_end_names_what_is_left_out() -> None:
    lines = list(exploration_lines(result_of(a_promise(is_proved=True))))

    assert lines[0] == "mine: schedules of up to 2 faults in every possible order, 1,200 runs"
    assert lines[-2:] == ["left out, kinds of fault: late", "left out, besides: clock skew"]


def test_the_notes_of_a_review_stand_above_the_promises() -> None:
    result = replace(result_of(a_promise(is_proved=True)), notes=("this is effect ticket",))

    assert list(exploration_lines(result))[1] == "note: this is effect ticket"
