"""A schedule by its ID: found again from the scenario alone, replayed, and the fact at which its promise broke."""

from dataclasses import replace
from itertools import count

import pytest

from simkit.journal import Journal
from simkit.records import Effect, End, Fact
from simkit.scenario import Scenario
from simkit.study import breaking_index, explore, proofs, replay
from simkit.terms import LayerName, OnExhausted, Outcome, Promise, PromiseVerdict, State
from tests.builders import a_layer, engine_policy
from tests.checks.journals import answered, effect, reported, run, sent

__all__: list[str] = []

TWICE = Promise.AT_MOST_ONE_EFFECT


def id_of(scenario: Scenario, promise: Promise = TWICE, fault_budget: int = 3, fault: str = "") -> str:
    """The ID of the only smallest schedule, or of the only one in which that fault takes part."""
    found = explore(scenario, fault_budget=fault_budget, policy="x", counts=frozenset({promise})).exploration
    (schedule,) = (one for one in found.of(promise).schedules if not fault or fault in one.faults)
    return schedule.schedule_id


def broken_at(journal: Journal, promise: Promise) -> Fact:
    return list(journal)[breaking_index(journal, promise)]


def test_two_effects_break_the_promise_at_the_second_one() -> None:
    first, second = effect(at_s=1.0), effect(at_s=5.0)
    journal = run(sent(), first, sent("2", at_s=4.0), second, answered(State.COMPLETED, "2", at_s=6.0))

    assert broken_at(journal, TWICE) is second


def test_a_report_breaks_the_promise_that_rejected_means_nothing_where_the_effect_is_there_already() -> None:
    report = reported(State.REJECTED, at_s=3.0)
    journal = run(sent(), effect(at_s=1.0), answered(State.UNKNOWN, at_s=2.0), report)

    assert broken_at(journal, Promise.REJECTED_MEANS_NOTHING) is report


def test_an_effect_that_lands_after_the_report_breaks_it_there() -> None:
    late = effect(at_s=50.0)
    journal = run(sent(), answered(State.UNKNOWN, at_s=2.0), reported(State.REJECTED, at_s=3.0), late)

    assert broken_at(journal, Promise.REJECTED_MEANS_NOTHING) is late


def test_what_only_has_to_come_some_day_breaks_at_the_end() -> None:
    """No fault, and no effect: up to the end it could have been made."""
    journal = run(sent(), answered(State.UNKNOWN, at_s=2.0), reported(State.UNKNOWN, at_s=3.0))

    assert isinstance(broken_at(journal, Promise.EFFECT_HAPPENS), End)


@pytest.mark.parametrize("number", (1, 2, 3))
def test_a_schedule_is_found_by_its_id_and_breaks_its_promise_at_the_second_effect(number: int) -> None:
    """The three policies break by one, two and three faults, each in one way."""
    scenario = engine_policy(number)

    found = replay(scenario, id_of(scenario), fault_budget=3).found

    assert found is not None
    assert (found.result.promise, len(found.schedule.faults)) == (TWICE, number)
    assert found.breaking_line_index is not None
    assert "EFFECT" in found.lines[found.breaking_line_index]
    assert sum("EFFECT" in line for line in found.lines[: found.breaking_line_index]) == 1
    assert len(found.journal.of(Effect)) == 2
    broken = {finding.promise for finding in found.findings if finding.verdict is PromiseVerdict.BROKEN}
    assert TWICE in broken


def test_a_small_schedule_is_found_before_larger_ones_are_tried() -> None:
    told: list[str] = []

    replay(engine_policy(1), id_of(engine_policy(1)), fault_budget=4, tell=told.append)

    assert told == ["schedules of up to 0 faults", "schedules of up to 1 fault"]


def test_an_id_outlives_other_rates_another_name_and_another_budget() -> None:
    scenario = engine_policy(2, 1e-6)
    other = replace(engine_policy(2, 0.3), name="renamed")

    found = replay(other, id_of(scenario, fault_budget=2), fault_budget=4).found

    assert found is not None
    assert found.schedule.faults == ("server.after_effect@1", "readback.cannot_tell@2/server-1")


def test_an_unknown_id_comes_with_all_that_there_are() -> None:
    searched = replay(engine_policy(1), "000000", fault_budget=1)

    ids = {schedule.schedule_id for result in searched.results for schedule in result.schedules}
    printed = proofs(engine_policy(1), fault_budget=1)
    assert searched.found is None
    assert searched.is_complete
    assert ids >= {schedule.schedule_id for result in printed.promises for schedule in result.schedules}


def test_every_id_that_an_exploration_prints_is_found() -> None:
    """Those of the scenario itself, and those of promises that are tried in a scenario beside it."""
    scenario = engine_policy(1)
    printed = proofs(scenario, fault_budget=1)
    wanted = {schedule.schedule_id: result.promise for result in printed.promises for schedule in result.schedules}

    found = {name: replay(scenario, name, fault_budget=1).found for name in wanted}

    assert wanted
    assert {name: one.result.promise for name, one in found.items() if one is not None} == wanted


def test_a_search_that_was_cut_does_not_say_that_there_is_none() -> None:
    asked, told = count(1), list[str]()

    searched = replay(engine_policy(3), "000000", fault_budget=3, is_over=lambda: next(asked) > 4, tell=told.append)

    assert (searched.found, searched.is_complete) == (None, False)
    assert len(told) < 4  # it did not go on to levels for which there is no time either


def test_a_schedule_that_is_a_smallest_one_with_one_attempt_alone_is_found_too() -> None:
    """An agent that calls open failed: its one answer lost is enough; with three attempts one of them gets through."""
    scenario = engine_policy(1)
    agent = a_layer(LayerName.AGENT, attempts=3, on_exhausted=OnExhausted.SAY_FAILED)
    careless = replace(scenario, layers=(agent, *scenario.layers[1:]))
    name = id_of(careless.with_one_attempt(), Promise.REJECTED_MEANS_NOTHING, 1, "gateway_to_server.response_lost@1")

    found = replay(careless, name, fault_budget=1).found

    assert explore(careless, fault_budget=1, policy="x").exploration.of(Promise.REJECTED_MEANS_NOTHING).schedules == ()
    assert found is not None
    assert found.result.scope == "with one attempt of every layer"


def test_a_search_ends_where_no_run_has_more_faults() -> None:
    told: list[str] = []

    searched = replay(engine_policy(1), "000000", fault_budget=1000, tell=told.append, is_over=lambda: len(told) > 30)

    assert searched.is_complete
    assert len(told) < 30


def test_outcomes_are_told_as_they_were_reported() -> None:
    """The policy without a readback reports success although there are two effects."""
    found = replay(engine_policy(1), id_of(engine_policy(1)), fault_budget=1).found

    assert found is not None
    assert found.lines[-1].endswith(f"agent reports {Outcome.OK}")
