"""What an exploration answers beside broken or proved: what it saw, whether nothing smaller breaks, what is open."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from simkit.chance import Answered, Question
from simkit.journal import Journal
from simkit.records import End
from simkit.scenario import Scenario
from simkit.study import Leaf, explore
from simkit.study.results import Level, UndecidedStep
from simkit.study.structure.tallies import Tally, promise_results
from simkit.terms import Promise, PromiseVerdict
from simkit.world import Run
from simkit.world.trials import Decisions
from tests.builders import a_scenario, conditions_with, engine_policy, rates_at, server_with

__all__: list[str] = []


def a_leaf(fault_count: int, waiting_for: str = "") -> Leaf:
    """A run of so many faults that ended at rest, or was cut before a step."""
    fault = Answered(Question.FLIP, "gateway_to_server.response_lost@1", (0.9, 0.1), 1, 1)
    end = End(at_s=1.0, is_quiescent=not waiting_for, waiting_for=waiting_for)
    run = Run(journal=Journal([end]), decisions=Decisions())
    return Leaf(trace=(fault,) * fault_count, fault_count=fault_count, departure_count=0, run=run)


def one_lossy_link() -> Scenario:
    """Three attempts, and one place where anything goes wrong: the answer to the gateway is lost."""
    return conditions_with(a_scenario(), rates=rates_at(0.1, "gateway_to_server.response_lost"))


def _after(run_count: int) -> Callable[[], bool]:
    """Time for so many runs."""
    asked = count(1)
    return lambda: next(asked) > run_count


def test_the_levels_count_what_was_seen_for_each_number_of_faults() -> None:
    """No answer lost; the first; the second as well; all. Nothing else is in flight, so each schedule has one order."""
    found = explore(one_lossy_link(), fault_budget=3, policy="x", counts=frozenset()).exploration

    assert found.levels == tuple(
        Level(fault_count=faults, schedule_count=1, run_count=1, is_complete=True) for faults in range(4)
    )


def test_an_exploration_is_exhausted_where_no_run_reaches_its_budget() -> None:
    """Three attempts cannot lose four answers: what holds up to three faults holds up to any number."""
    short, long = (explore(one_lossy_link(), fault_budget=k, policy="x", counts=frozenset()) for k in (3, 9))

    assert not short.exploration.is_exhausted
    assert long.exploration.is_exhausted
    assert long.exploration.run_count == short.exploration.run_count == 4


def test_a_level_that_was_cut_is_told_from_one_that_was_finished() -> None:
    """Asked before each run: two runs are made, the one without a fault and one of those with one."""
    found = explore(engine_policy(1), fault_budget=1, policy="x", is_over=_after(2)).exploration

    assert [(level.run_count, level.is_complete) for level in found.levels] == [(1, True), (1, False)]
    assert not found.is_exhausted


@pytest.mark.parametrize("number", (1, 2, 3))
def test_of_a_finished_level_all_smallest_schedules_are_listed_and_nothing_smaller_breaks(number: int) -> None:
    found = explore(engine_policy(number), fault_budget=3, policy="x").exploration.of(Promise.AT_MOST_ONE_EFFECT)

    assert (found.is_smallest, found.are_all_listed) == (True, True)


def test_of_a_level_that_was_cut_nothing_smaller_breaks_but_others_may_be_missing() -> None:
    """Without a record a lost answer and two crashes each duplicate; runs end after the first that does."""
    sites = ("gateway_to_server.response_lost", "server.after_effect", "server.after_receipt")
    lossy = conditions_with(a_scenario(), rates=rates_at(0.1, *sites))
    scenario = server_with(lossy, retention=replace(lossy.server.retention, retention_s=0.0))
    broken = Promise.AT_MOST_ONE_EFFECT
    whole = explore(scenario, fault_budget=1, policy="x").exploration.of(broken)
    first_break = next(
        runs
        for runs in count(1)
        if explore(scenario, fault_budget=1, policy="x", is_over=_after(runs)).exploration.of(broken).schedules
    )

    found = explore(scenario, fault_budget=1, policy="x", is_over=_after(first_break)).exploration.of(broken)

    assert (whole.is_smallest, whole.are_all_listed) == (True, True)
    assert (found.is_smallest, found.are_all_listed) == (True, False)


def test_a_run_that_was_cut_below_leaves_open_whether_a_schedule_is_a_smallest_one() -> None:
    """One run of no fault never came to its end: it may have broken the promise as well."""
    tally = Tally()
    tally.add(a_leaf(0, "backoff@1"), PromiseVerdict.UNDECIDED)
    tally.add(a_leaf(1), PromiseVerdict.KEPT)

    assert tally.is_undecided_below(1)
    assert not tally.is_undecided_below(0)


@pytest.mark.parametrize(
    ("explored_faults", "undecided_faults", "is_smallest"),
    ((2, None, True), (1, None, True), (0, None, False), (2, 1, False), (2, 2, True)),
)
def test_a_schedule_is_a_smallest_one_where_all_below_was_seen_and_decided(
    explored_faults: int, undecided_faults: int | None, *, is_smallest: bool
) -> None:
    tally = Tally(fewest_faults=2)
    if undecided_faults is not None:
        tally.add(a_leaf(undecided_faults, "backoff@1"), PromiseVerdict.UNDECIDED)

    witnessed = promise_results(
        one_lossy_link(),
        {Promise.EFFECT_HAPPENS: tally},
        explored_faults=explored_faults,
        is_complete=True,
        has_trials=False,
    )

    assert witnessed.promises[0].is_smallest is is_smallest
    assert witnessed.promises[0].are_all_listed is (explored_faults == 2)


def test_what_is_undecided_is_said_with_the_step_that_could_decide_it() -> None:
    tally = Tally()
    for fault_count, waiting_for in ((1, "lease@1"), (0, "backoff@1"), (2, "backoff@1")):
        tally.add(a_leaf(fault_count, waiting_for), PromiseVerdict.UNDECIDED)

    witnessed = promise_results(
        one_lossy_link(), {Promise.EFFECT_HAPPENS: tally}, explored_faults=2, is_complete=True, has_trials=False
    )

    (result,) = witnessed.promises
    assert (result.undecided_count, result.is_proved) == (3, False)
    assert result.undecided_steps == (
        UndecidedStep(waiting_for="backoff@1", run_count=2, fault_count_min=0),
        UndecidedStep(waiting_for="lease@1", run_count=1, fault_count_min=1),
    )


def test_the_same_faults_in_another_order_are_one_schedule() -> None:
    first, second = (Answered(Question.FLIP, f"server.after_effect@{number}", (0.9, 0.1), 1, 1) for number in (1, 2))
    tally = Tally()
    for trace in ((first, second), (second, first)):
        run = Run(journal=Journal(), decisions=Decisions())
        tally.add(Leaf(trace=trace, fault_count=2, departure_count=0, run=run), PromiseVerdict.BROKEN)

    assert list(tally.scripts) == [("server.after_effect@1", "server.after_effect@2")]
