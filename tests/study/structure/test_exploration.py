"""Explorations: the smallest schedules are found, all of them, and a proof is claimed only where there is one."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from simkit.scenario import Scenario
from simkit.study import explore
from simkit.study.results import Exploration
from simkit.study.structure import tallies
from simkit.terms import LayerName, OnExhausted, Promise
from simkit.world import Witness, solve_witness
from tests.builders import a_layer, a_readback, a_scenario, conditions_with, engine_policy, rates_at, server_with

__all__: list[str] = []

POLICIES = (1, 2, 3)
SMALLEST = {
    # Only a crash between effect and receipt leaves an effect that nobody recorded. It has to hit the first
    # attempt: a second one is made only after another fault.
    1: ("server.after_effect@1",),
    # The next attempt finds a stale reservation and asks; each of its questions has to fail.
    2: ("server.after_effect@1", "readback.cannot_tell@2/server-1"),
    3: ("server.after_effect@1", "readback.cannot_tell@2/server-1", "readback.cannot_tell@2/server-2"),
}


def protected() -> Scenario:
    """A tool whose repeats are safe: what a readback cannot tell is left to the owner."""
    return server_with(engine_policy(2), readback=a_readback())


def explored(scenario: Scenario, fault_budget: int, is_over: Callable[[], bool] | None = None) -> Exploration:
    return explore(scenario, fault_budget=fault_budget, policy="as requested", is_over=is_over).exploration


def over_after(question_count: int) -> Callable[[], bool]:
    """A clock that has run out once it was looked at that often."""
    asked = count(1)
    return lambda: next(asked) > question_count


@pytest.mark.parametrize("number", POLICIES)
def test_the_only_smallest_schedule_of_each_policy_is_found(number: int) -> None:
    found = explored(engine_policy(number), 3).of(Promise.AT_MOST_ONE_EFFECT)

    assert found.fewest_faults == number
    assert [schedule.faults for schedule in found.schedules] == [SMALLEST[number]]


@pytest.mark.parametrize("number", POLICIES)
def test_one_fault_less_proves_the_promise(number: int) -> None:
    found = explored(engine_policy(number), number - 1)

    assert found.is_complete
    assert all(result.is_proved and result.schedules == () for result in found.promises)


def test_all_smallest_schedules_are_listed() -> None:
    """Without a record every answer that does not come is followed by a second effect: three ways with one fault."""
    sites = ("gateway_to_server.response_lost", "server.after_receipt", "server.after_effect")
    scenario = conditions_with(a_scenario(), rates=rates_at(0.01, *sites, "gateway_to_server.request_lost"))
    no_receipt = server_with(scenario, retention=replace(scenario.server.retention, retention_s=0.0))

    found = explored(no_receipt, 2).of(Promise.AT_MOST_ONE_EFFECT)

    assert {schedule.faults for schedule in found.schedules} == {(f"{site}@1",) for site in sites}


def test_a_proof_needs_a_complete_exploration_of_every_level() -> None:
    """Policy 1 breaks at one fault, so two and three were never tried, and nothing is proved up to three."""
    found = explored(engine_policy(1), 3)

    assert (found.explored_faults, found.is_complete) == (1, False)
    assert not any(result.is_proved for result in found.promises)
    assert found.of(Promise.EFFECT_HAPPENS).fewest_faults is None


def test_the_exploration_stops_after_the_level_that_broke_an_effect_promise() -> None:
    """One run without a fault and one for each of the seven sites that the first attempt passes."""
    found = explored(engine_policy(1), 3)

    assert found.run_count == 1 + 7
    assert found.run_count == explored(engine_policy(1), 1).run_count


def test_a_level_that_is_the_budget_is_finished_and_proves_the_other_promises() -> None:
    found = explored(engine_policy(3), 3)

    assert (found.explored_faults, found.is_complete) == (3, True)
    proved = {result.promise for result in found.promises if result.is_proved}
    assert proved == set(Promise) - {Promise.AT_MOST_ONE_EFFECT}


def test_a_broken_report_promise_stops_nothing() -> None:
    """An agent that calls an unknown outcome failed is wrong with one lost answer; the effects are still proved."""
    agent = a_layer(LayerName.AGENT, on_exhausted=OnExhausted.SAY_FAILED)
    scenario = replace(engine_policy(1), layers=(agent, *engine_policy(1).layers[1:]))

    found = explored(scenario, 2)

    assert found.is_complete
    assert found.of(Promise.REJECTED_MEANS_NOTHING).fewest_faults == 1
    assert found.of(Promise.AT_MOST_ONE_EFFECT).is_proved


def test_an_exploration_that_never_began_proves_nothing() -> None:
    found = explored(protected(), 2, is_over=lambda: True)

    assert (found.run_count, found.explored_faults, found.is_complete) == (0, -1, False)
    assert not any(result.is_proved for result in found.promises)


@pytest.mark.parametrize("question_count", (1, 5, 20, 50))
def test_an_exploration_that_was_cut_proves_nothing(question_count: int) -> None:
    """The whole has more than fifty runs, so each of these ends within it."""
    found = explore(
        protected(), fault_budget=2, policy="as requested", has_trials=True, is_over=over_after(question_count)
    )

    assert not found.are_cells_complete
    assert not any(cell.is_permitted and cell.action.name == "SAME_ID" for cell in found.cells)
    assert found.exploration.explored_faults < 2
    assert not any(result.is_proved for result in found.exploration.promises)


def test_enough_time_for_the_last_run_is_enough() -> None:
    whole = explored(protected(), 2)

    found = explored(protected(), 2, is_over=over_after(whole.run_count))

    assert found == whole


def test_schedules_keep_their_ids_whatever_the_rates_are() -> None:
    """People cite them; they name what goes wrong, not how often."""
    seldom, often = (explored(engine_policy(2, rate), 2).of(Promise.AT_MOST_ONE_EFFECT) for rate in (1e-6, 0.3))

    assert [schedule.schedule_id for schedule in seldom.schedules] == [
        schedule.schedule_id for schedule in often.schedules
    ]


def test_different_schedules_have_different_ids() -> None:
    found = [explored(engine_policy(number), 3).of(Promise.AT_MOST_ONE_EFFECT).schedules[0] for number in POLICIES]

    assert len({schedule.schedule_id for schedule in found}) == 3
    assert all(len(schedule.schedule_id) == 6 for schedule in found)


@pytest.mark.parametrize("number", POLICIES)
def test_the_story_of_a_smallest_schedule_tells_its_faults_and_the_second_effect(number: int) -> None:
    schedule = explored(engine_policy(number), 3).of(Promise.AT_MOST_ONE_EFFECT).schedules[0]

    told = [line.split(" s  ", 1)[1] for line in schedule.story]

    assert sum(line.startswith("FAULT: ") for line in told) == number
    assert told.count("FAULT: server crashes after the effect (attempt 1)") == 1
    assert told.count("EFFECT in ticket, ID op1") == 2
    assert told.index("FAULT: server crashes after the effect (attempt 1)") < told.index(
        "agent calls, attempt 2, ID op1"
    )
    assert told[-1] == "agent reports OK"


def test_the_instants_of_a_story_never_go_back() -> None:
    schedule = explored(engine_policy(3), 3).of(Promise.AT_MOST_ONE_EFFECT).schedules[0]

    instants = [float(line.split(" s  ", 1)[0]) for line in schedule.story]

    assert instants == sorted(instants)


def test_every_run_ends_the_same_way_twice() -> None:
    guarded = explore(protected(), fault_budget=2, policy="as requested", has_trials=True, runs_twice=True)

    assert guarded == explore(protected(), fault_budget=2, policy="as requested", has_trials=True)


def test_every_smallest_schedule_has_been_replayed_on_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key and a record every lost answer duplicates; each of those schedules asks for its witness."""
    replayed: list[tuple[str, ...]] = []

    def solve(*arguments: Any, **options: Any) -> Witness:
        witness = solve_witness(*arguments, **options)
        replayed.append(witness.faults)
        return witness

    monkeypatch.setattr(tallies, "solve_witness", solve)

    found = explore(engine_policy(1), fault_budget=1, policy="as requested").exploration

    shown = [schedule.faults for result in found.promises for schedule in result.schedules]
    assert shown
    assert sorted(replayed) == sorted(shown)
