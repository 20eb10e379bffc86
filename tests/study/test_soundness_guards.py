"""The guards without which an exploration would be wrong and not say so, each with a test in which it bites.

What goes wrong without the guard stands under its name, and then the tests in which it is needed. Those that
stand nowhere else are in this file.

Leaky randomness: a question depends on something besides the answers so far
    The tree of runs is then no tree: branches are explored that do not exist, others are not.
    tests/study/test_tree.py
        test_a_site_that_is_named_by_something_other_than_the_answers_diverges
        test_a_probability_that_changes_between_runs_diverges
        test_a_run_that_ends_before_it_asked_what_was_scripted_diverges

Hidden randomness: the questions are the same, and the run ends otherwise
    Nothing diverges; a promise is proved or not by a coin that nobody knows of.
    tests/study/test_tree.py
        test_running_each_leaf_twice_finds_hidden_luck
    tests/study/test_soundness_guards.py
        test_a_world_that_tosses_a_coin_of_its_own_is_found_out_by_running_twice

Ties: two steps at one instant have two orders
    A clock takes the one that was scheduled first, always: it says one thing, and the other order another.
    tests/study/test_soundness_guards.py
        test_two_agents_at_one_instant_end_one_way_on_a_clock_and_two_in_all_orders
        test_a_clock_calls_safe_what_another_order_of_one_instant_breaks
    tests/world/test_timelines.py
        test_a_deadline_beats_a_reply_at_the_same_instant

Latency against latency: two waits are compared with each other and with no constant
    Drawn latencies miss a narrow race, and a cell at a constant does not hold it apart.
    tests/study/test_soundness_guards.py
        test_a_race_that_two_hundred_samples_hardly_see_needs_no_fault
    tests/world/test_interval_races.py
        test_check_then_act_races_with_itself_in_some_orders_and_not_in_others

A missing cut: a latency is in a cell within which its length still decides
    The probability is left to the luck inside the cell, and looks like nothing.
    tests/study/probability/test_latency_cells.py
        test_only_late_or_not_late_leaves_the_tail_to_luck_and_is_not_enough
        test_a_race_without_its_cut_is_not_resolved_though_another_way_to_break_is

A window in which no time passes: a crash per second never comes to it
    Its probability would be a silent zero.
    tests/study/probability/test_crash_gaps.py
        test_a_window_in_which_no_time_passes_is_refused
        test_without_a_response_latency_the_window_after_the_effect_is_refused_too

Mass: the runs of one resolution of the picks are not all there is
    A probability would leave out what was never enumerated.
    tests/study/probability/test_best_first.py
        test_a_complete_enumeration_without_the_whole_mass_is_a_divergence

Orders that are left out: a step touches more than it says, or may come earlier than it is asked
    The exploration lacks runs and proves what is broken.
    tests/world/test_order_reduction.py
        test_orders_of_steps_that_meet_nowhere_add_nothing
        test_a_reduction_that_forgets_a_dependence_is_found_out
    tests/world/test_places.py
        test_a_step_that_does_not_say_what_it_touches_loses_an_order
    tests/world/test_reduction.py
        test_a_step_at_a_shared_record_that_is_taken_for_local_loses_orders
"""

import re
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from simkit.chance import Sampled, Scripted
from simkit.checks import verdicts
from simkit.distributions import Wait
from simkit.errors import Divergence
from simkit.journal import Journal
from simkit.records import Effect
from simkit.scenario import Hop, Scenario
from simkit.study import explore
from simkit.study.structure import exploration
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName, Promise, PromiseVerdict
from simkit.world import Run, run_concrete, run_intervals
from tests.builders import a_call, a_layer, a_scenario, downstream_with, engine_policy, server_with
from tests.late_originals import two_that_race

__all__: list[str] = []

ONCE = Promise.AT_MOST_ONE_EFFECT
ROOT = Path(__file__).parents[2]


def named_tests() -> list[tuple[str, str]]:
    """File and name of each test in the list above."""
    file, named = "", []
    for word in re.findall(r"\btests/\S+\.py|\btest_\w+$", str(__doc__), flags=re.MULTILINE):
        if word.startswith("tests/"):
            file = word
        else:
            named.append((file, word))
    return named


def test_every_guard_of_the_list_has_the_tests_that_it_names() -> None:
    named = named_tests()

    missing = [test for file, test in named if f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8")]

    assert len(named) > 15
    assert missing == []


def test_a_world_that_tosses_a_coin_of_its_own_is_found_out_by_running_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second run loses its effects after the last question was asked."""
    tosses = count()

    def run_with_a_coin(*arguments: Any, **options: Any) -> Run:
        run = run_intervals(*arguments, **options)
        if next(tosses) % 2:
            return replace(run, journal=Journal(fact for fact in run.journal if not isinstance(fact, Effect)))
        return run

    monkeypatch.setattr(exploration, "run_intervals", run_with_a_coin)

    assert explore(engine_policy(1), fault_budget=0, policy="x").exploration.is_complete
    with pytest.raises(Divergence, match="ended in two ways"):
        explore(engine_policy(1), fault_budget=1, policy="x", runs_twice=True)


def both_ways(scenario: Scenario) -> tuple[int, set[int]]:
    """How many effects there are on a clock, where the first that was scheduled is first, and in all orders."""
    on_clock = len(run_concrete(scenario, Scripted()).journal.of(Effect))
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0)
    return on_clock, {len(leaf.run.journal.of(Effect)) for leaf in runs}


def check_then_act(second_start_s: float, request_s: float, work_s: float, response_s: float) -> Scenario:
    """One intent, sent twice under one key by two agents, to a server that looks at its record and then acts.

    Every duration is given: to the server, at work in the system of record, and from there back to the server.
    """
    at_once = Wait.of(0.0)
    scenario = a_scenario(
        calls=(a_call(), a_call(start_s=second_start_s)),
        layers=(a_layer(LayerName.AGENT, timeout_s=10.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)),
        hops=(
            Hop(name="gateway_to_server", request=Wait.of(request_s), response=at_once, latest_landing_s=1.0),
            Hop(name="server_to_downstream", request=at_once, response=Wait.of(response_s), latest_landing_s=1.0),
        ),
    )
    scenario = downstream_with(scenario, work=Wait.of(work_s))
    return server_with(scenario, claim=ClaimKind.CHECK_THEN_ACT)


def test_two_agents_at_one_instant_end_one_way_on_a_clock_and_two_in_all_orders() -> None:
    """Nothing takes time. In turns, both look before either acts; one after the other, the second sees the receipt."""
    on_clock, in_all_orders = both_ways(check_then_act(0.0, 0.0, 0.0, 0.0))

    assert on_clock == 2
    assert in_all_orders == {1, 2}


def test_a_clock_calls_safe_what_another_order_of_one_instant_breaks() -> None:
    """The first call gets its receipt at 0.01 + 0.01 + 0.05 s, the instant at which the second arrives.

    The answer was sent at 0.02 s, the second call at 0.06 s: on a clock the receipt is there first.
    """
    scenario = check_then_act(0.06, 0.01, 0.01, 0.05)

    on_clock, in_all_orders = both_ways(scenario)

    assert on_clock == 1
    assert in_all_orders == {1, 2}
    assert explore(scenario, fault_budget=0, policy="x").exploration.of(ONCE).fewest_faults == 0


def test_a_race_that_two_hundred_samples_hardly_see_needs_no_fault() -> None:
    """Two calls with lognormal latencies of 20 ms meet within 50 us once in about 600 runs: 0.3 of 200 expected.

    More than three of 200 would happen once in some three thousand such samples.
    """
    scenario = two_that_race(0.00005)

    sampled = [run_concrete(scenario, Sampled(seed, 0)).journal for seed in range(200)]
    result = explore(scenario, fault_budget=0, policy="x", runs_twice=True).exploration.of(ONCE)

    assert sum(verdicts(journal)[ONCE] is PromiseVerdict.BROKEN for journal in sampled) <= 3
    assert (result.fewest_faults, result.is_proved) == (0, False)
