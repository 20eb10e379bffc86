"""A replayed schedule as lines: the mark stands where the promise broke, with its evidence beneath."""

from simkit.checks import Finding
from simkit.journal import Journal
from simkit.review import replay_head, replay_lines, unknown_schedule_lines
from simkit.study import Replayed, Searched
from simkit.study.results import Level, PromiseResult, Schedule
from simkit.terms import Promise, PromiseVerdict

__all__: list[str] = []

TWICE = Promise.AT_MOST_ONE_EFFECT
SCHEDULE = Schedule(schedule_id="abc123", faults=("server.after_effect@1",), story=())
STORY = ("       0.000 s  agent calls", "       5.000 s  EFFECT in ticket", "       6.000 s  agent reports OK")


def a_finding(promise: Promise, verdict: PromiseVerdict, *evidence: str) -> Finding:
    return Finding(promise=promise, intent="order", verdict=verdict, evidence=evidence)


def a_replay(breaking_line_index: int | None, *, scope: str = "") -> Replayed:
    result = PromiseResult(
        promise=TWICE,
        fewest_faults=1,
        is_proved=False,
        undecided_count=0,
        schedules=(SCHEDULE,),
        scope=scope,
        is_smallest=True,
    )
    return Replayed(
        schedule=SCHEDULE,
        result=result,
        levels=(Level(fault_count=0, schedule_count=1, run_count=7, is_complete=True),),
        journal=Journal(),
        findings=(
            a_finding(TWICE, PromiseVerdict.BROKEN, "5 s: effect in ticket"),
            a_finding(Promise.NOTHING_PENDS, PromiseVerdict.BROKEN, "not settled"),
            a_finding(Promise.EFFECT_HAPPENS, PromiseVerdict.KEPT),
        ),
        lines=STORY,
        breaking_line_index=breaking_line_index,
    )


def test_the_head_says_what_breaks_by_what_and_why_by_nothing_smaller() -> None:
    assert list(replay_head(a_replay(1))) == [
        "abc123: broken: at most one effect",
        "what goes wrong: server crashes after the effect (attempt 1)",
        "smallest: by 1 fault; every schedule of fewer keeps it (1 schedule, 7 runs)",
    ]


def test_the_head_says_where_it_was_tried_if_not_in_the_scenario_itself() -> None:
    assert next(replay_head(a_replay(1, scope="tried apart"))) == "abc123: broken: at most one effect (tried apart)"


def test_the_line_at_which_it_broke_is_marked_and_the_evidence_stands_beneath() -> None:
    lines = list(replay_lines(a_replay(1)))

    assert lines[1:] == [
        "       0.000 s  agent calls",
        ">>     5.000 s  EFFECT in ticket",
        "                ^ here it is broken: at most one effect",
        "                  5 s: effect in ticket",
        "       6.000 s  agent reports OK",
        "this run breaks as well: nothing pends for ever",
    ]


def test_what_only_the_end_decides_is_marked_behind_the_last_line() -> None:
    lines = list(replay_lines(a_replay(None)))

    assert lines[1:4] == list(STORY)
    assert lines[4:6] == [
        ">> the run is over, nothing is in flight, and it is broken: at most one effect",
        "                  5 s: effect in ticket",
    ]


def test_an_unknown_id_is_answered_with_those_that_there_are() -> None:
    searched = Searched(found=None, results=(a_replay(1).result, a_replay(1, scope="apart").result), is_complete=True)

    assert list(unknown_schedule_lines(searched, "zzz", fault_budget=2)) == [
        "no smallest schedule of up to 2 faults has the ID 'zzz'",
        "at most one effect: abc123",
        "at most one effect (apart): abc123",
    ]


def test_of_a_search_without_a_broken_promise_it_is_said_that_there_is_nothing_to_replay() -> None:
    searched = Searched(found=None, results=(), is_complete=False)

    assert list(unknown_schedule_lines(searched, "zzz", fault_budget=1))[1:] == [
        "stopped before all of them were seen: it may be one of the others",
        "nothing is broken so far, so there is none to replay",
    ]
