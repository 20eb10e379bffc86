"""Retries without an end: a run is cut after so many steps, names the next one, and what it left open is undecided."""

from collections.abc import Generator
from typing import Any

from simpy.events import Event

from simkit.chance import Scripted
from simkit.checks import verdicts
from simkit.distributions import Wait
from simkit.records import Effect, End
from simkit.scenario import Scenario
from simkit.study import explore
from simkit.study.results import UndecidedStep
from simkit.terms import ClaimKind, LayerName, Promise, PromiseVerdict
from simkit.world import run_concrete, run_intervals, solve_witness
from simkit.world.timeline import ConcreteTimeline
from tests.builders import a_layer, a_scenario, server_with

__all__: list[str] = []


def endless() -> Scenario:
    """An agent that waits 10 ms where the answer takes 27 ms, and tries a million times: none can be answered."""
    agent = a_layer(LayerName.AGENT, attempts=1_000_000, timeout_s=0.01)
    return a_scenario(layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)))


def unprotected() -> Scenario:
    return server_with(endless(), claim=ClaimKind.NONE)


def a_clock(step_count_max: int, *labels: str) -> ConcreteTimeline:
    """A clock that takes so many steps, and two waits that somebody is called after."""
    timeline = ConcreteTimeline(Scripted())
    timeline.step_count_max = step_count_max
    for seconds, label in enumerate(labels, start=1):
        timeline.process(_after(timeline.wait(Wait.of(seconds), label)))
    return timeline


def _after(event: Event) -> Generator[Event, Any, None]:
    yield event


def test_a_run_that_is_cut_names_the_step_that_would_be_next() -> None:
    """The two processes begin in a step each; then the first wait ends, in a third one."""
    timelines = [a_clock(step_count, "first", "second") for step_count in (2, 3)]

    assert [timeline.run_out() for timeline in timelines] == ["first", "second"]


def test_a_run_whose_last_step_was_the_last_that_it_may_take_ended_by_itself() -> None:
    """One process: it begins, its wait ends, and it ends itself, which is a step that nobody waits for."""
    assert a_clock(3, "only").run_out() is None
    assert a_clock(1, "only").run_out() == "only"


def test_a_step_that_takes_no_time_has_no_name() -> None:
    assert a_clock(0, "only").run_out() == "what follows at once"


def test_retries_without_an_end_are_cut_on_intervals() -> None:
    journal = run_intervals(endless(), Scripted()).journal

    (end,) = journal.of(End)
    assert not end.is_quiescent
    assert "@" in end.waiting_for


def test_what_a_cut_run_has_shown_counts_and_what_it_left_open_is_undecided() -> None:
    """Two effects stay two, whatever comes; whether the agent ever says how it ended, nobody has seen."""
    found = verdicts(run_intervals(unprotected(), Scripted()).journal)

    assert found[Promise.AT_MOST_ONE_EFFECT] is PromiseVerdict.BROKEN
    assert found[Promise.NOTHING_PENDS] is PromiseVerdict.UNDECIDED


def test_the_witness_of_a_cut_run_ends_where_the_run_was_cut() -> None:
    chance = Scripted()
    found = run_intervals(unprotected(), chance).journal

    replayed = solve_witness(unprotected(), tuple(chance.trace)).journal

    assert len(replayed.of(Effect)) == len(found.of(Effect)) > 1
    (cut,), (end,) = found.of(End), replayed.of(End)
    assert (end.is_quiescent, end.waiting_for) == (False, cut.waiting_for)


def test_an_exploration_of_cut_runs_leaves_open_what_they_left_open_and_names_the_step() -> None:
    """All waits have one length, so there is one order and one run; another effect may follow where it was cut."""
    found = explore(endless(), fault_budget=0, policy="x").exploration

    (end,) = run_intervals(endless(), Scripted()).journal.of(End)
    result = found.of(Promise.AT_MOST_ONE_EFFECT)
    assert (found.run_count, found.is_complete) == (1, True)
    assert (result.is_proved, result.undecided_count) == (False, 1)
    assert result.undecided_steps == (UndecidedStep(waiting_for=end.waiting_for, run_count=1, fault_count_min=0),)


def test_a_run_that_comes_to_rest_is_not_cut() -> None:
    assert all(
        end.is_quiescent
        for play in (run_concrete, run_intervals)
        for end in play(a_scenario(), Scripted()).journal.of(End)
    )
