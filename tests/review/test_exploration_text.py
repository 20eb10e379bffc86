"""An exploration as lines: each kind of answer says what it rests on, and a cut one proves nothing."""

from dataclasses import replace

import pytest

from simkit.review import ExploreResult, exploration_lines
from simkit.study.results import Exploration, Level, PromiseResult, Schedule, UndecidedStep
from simkit.terms import Promise

__all__: list[str] = []

LOST = Schedule(schedule_id="a", faults=("gateway_to_server.response_lost@1",), story=())
DEAD = Schedule(schedule_id="b", faults=("server.after_effect@1", "server.after_effect@2"), story=())
LEVELS = tuple(
    Level(fault_count=number, schedule_count=schedules, run_count=runs, is_complete=True)
    for number, (schedules, runs) in enumerate(((1, 2), (9, 40), (70, 1158)))
)


def result_of(promise: PromiseResult, *, explored_faults: int = 2) -> ExploreResult:
    exploration = Exploration(
        policy="as requested",
        fault_budget=2,
        explored_faults=explored_faults,
        is_complete=explored_faults == 2,
        run_count=1200,
        promises=(promise,),
        levels=LEVELS,
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
            # Both levels below were seen: one schedule without a fault, and nine with one.
            a_promise(fewest_faults=2, is_smallest=True),
            "broken          at most one effect: by 2 faults; every schedule of fewer keeps it (10 schedules, 42 runs)",
        ),
        (
            a_promise(fewest_faults=1),
            "broken          at most one effect: by 1 fault; whether by fewer is undecided",
        ),
        (
            # What was tried in another scenario was counted there.
            a_promise(fewest_faults=1, is_smallest=True, scope="apart"),
            "broken          at most one effect: by 1 fault; every schedule of fewer keeps it (apart)",
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
    assert list(exploration_lines(result_of(promise)))[2] == said


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

    assert lines[2:4] == ["stopped before all of them were seen: what is not broken is not proved", said]


def test_the_head_counts_the_runs_and_the_end_names_what_is_left_out() -> None:
    lines = list(exploration_lines(result_of(a_promise(is_proved=True))))

    assert lines[:2] == [
        "mine: schedules of up to 2 faults in every possible order, 1,200 runs",
        "seen: 0 faults: 1 schedule in 2 runs; 1 fault: 9 schedules in 40 runs; 2 faults: 70 schedules in 1,158 runs",
    ]
    assert lines[-2:] == ["left out, kinds of fault: late", "left out, besides: clock skew"]


def test_the_notes_of_a_review_stand_above_the_promises() -> None:
    result = replace(result_of(a_promise(is_proved=True)), notes=("this is effect ticket",))

    assert list(exploration_lines(result))[2] == "note: this is effect ticket"


def lines_under(promise: PromiseResult) -> list[str]:
    """What stands beneath the line of a promise."""
    lines = list(exploration_lines(result_of(promise)))
    return [line.strip() for line in lines[3:] if line.startswith(" " * 16)]


def test_the_smallest_schedules_stand_beneath_with_the_ids_that_replay_them() -> None:
    promise = a_promise(fewest_faults=2, is_smallest=True, are_all_listed=True, schedules=(DEAD, LOST))

    assert lines_under(promise) == [
        "b  server crashes after the effect (attempt 1), then server crashes after the effect (attempt 2)",
        "a  response lost, gateway to server (attempt 1)",
    ]


def test_many_schedules_are_counted_and_a_list_with_gaps_says_so() -> None:
    promise = a_promise(fewest_faults=1, schedules=(LOST,) * 5)

    assert lines_under(promise)[3:] == ["and 2 others of that size, with --json", "there may be others of that size"]


def test_a_schedule_without_a_fault_says_that_nothing_goes_wrong() -> None:
    promise = a_promise(fewest_faults=0, are_all_listed=True, schedules=(replace(LOST, faults=()),))

    assert lines_under(promise) == ["a  nothing goes wrong"]


def test_what_is_undecided_names_the_steps_that_could_decide_it() -> None:
    steps = tuple(UndecidedStep(waiting_for=step, run_count=2, fault_count_min=0) for step in ("backoff@1", "lease@2"))

    assert lines_under(a_promise(undecided_count=4, undecided_steps=steps)) == [
        "4 runs were cut before a step that could decide it: backoff@1, lease@2"
    ]


def test_an_exploration_that_ran_out_of_schedules_says_that_more_faults_change_nothing() -> None:
    result = result_of(a_promise(is_proved=True))
    found = replace(result.exploration, fault_budget=9, explored_faults=9, is_complete=True)

    lines = list(exploration_lines(replace(result, exploration=found)))

    assert lines[2] == "no run has more than 2 faults: what is proved holds for any number"
    assert lines[2] not in list(exploration_lines(result))


def test_a_level_that_was_cut_is_said_to_be_cut() -> None:
    result = result_of(a_promise(), explored_faults=1)
    levels = (*LEVELS[:2], replace(LEVELS[2], is_complete=False))

    (seen,) = list(exploration_lines(replace(result, exploration=replace(result.exploration, levels=levels))))[1:2]

    assert seen.endswith("2 faults: 70 schedules in 1,158 runs, not all")
