"""Crashes at a random instant: vulnerable time by hand, by every crash there is, and by random crashes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simkit.chance import Sampled, microseconds
from simkit.distributions import Atom, Discrete, Wait
from simkit.errors import ScenarioError
from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.stats import clopper_pearson_interval
from simkit.study import probability
from simkit.study.probability.crash_gaps import CrashGaps, averaged, crash_gaps
from simkit.study.probability.workloads import are_apart, told_apart
from simkit.terms import Driver, Identity, LayerName, OnUncertainReadback, Promise, RetentionKind, StalePolicy
from simkit.world import ServerCrash, Step, planned, run_with_crash
from tests.builders import a_call, a_layer, a_readback, a_retention, a_scenario, conditions_with, rates_at, server_with

__all__: list[str] = []

DUPLICATES = (Promise.AT_MOST_ONE_EFFECT,)


def gaps_of(scenario: Scenario, **settings: object) -> CrashGaps:
    """Crash gaps for duplicates, without luck."""
    return crash_gaps(scenario, **{"crashes_per_s": 1e-5, "seed": 1, "promises": DUPLICATES, **settings})  # type: ignore[arg-type]


def with_downstream_hop(scenario: Scenario, request_s: float, response_s: float) -> Scenario:
    """The same world with other latencies to the system of record."""
    first, second = scenario.hops
    latest_s = max(request_s, response_s)
    hop = replace(second, request=Wait.of(request_s), response=Wait.of(response_s), latest_landing_s=latest_s)
    return replace(scenario, hops=(first, hop))


def with_calls(scenario: Scenario, count: int, seed: int) -> Scenario:
    """The same world with calls that overlap: 40 a second, each at work for 7 ms."""
    starts_s = np.cumsum(np.random.default_rng(seed).exponential(0.025, count)).round(6)
    calls = tuple(
        a_call(intent=f"i{number}", operation=f"op{number}", start_s=float(start_s))
        for number, start_s in enumerate(starts_s)
    )
    return replace(scenario, calls=calls)


def is_duplicated(scenario: Scenario, at_us: int) -> bool:
    """Whether a crash then makes any intent have two effects."""
    found = run_with_crash(planned(scenario), Sampled(1, 0), ServerCrash(at_us=at_us, replica_index=None))
    intents = [effect.intent for effect in found.run.journal.of(Effect)]
    return len(set(intents)) < len(intents)


def test_a_stale_reservation_that_runs_again_is_vulnerable_from_sending_to_the_receipt() -> None:
    """Sent downstream at 10 ms (5 ms request, 1 ms work, 1 ms response), receipt at 17 ms: 7 ms.

    What was sent still arrives, so it counts from the sending, not from the effect. The answer is back at 27 ms.
    """
    found = gaps_of(a_scenario())

    assert (found.vulnerable_s_min, found.vulnerable_s_max) == (0.007, 0.007)
    assert found.end_s == pytest.approx(0.027)
    assert found.given_one_crash.lower == pytest.approx(7 / 27)
    assert found.gap_count == 5


def test_where_effect_and_sending_are_one_instant_the_vulnerable_time_is_the_response_latency() -> None:
    scenario = with_downstream_hop(a_scenario(), request_s=0.0, response_s=0.003)
    first = scenario.stages[0]
    assert first.downstream is not None
    downstream = replace(first.downstream, work=Wait.of(0.0))

    found = gaps_of(replace(scenario, stages=(replace(first, downstream=downstream),)))

    assert found.vulnerable_s_min == found.vulnerable_s_max == 0.003


@pytest.mark.parametrize("more_us", (0, 6))
def test_a_gap_whose_crashes_end_in_two_ways_is_split_to_the_microsecond(more_us: int) -> None:
    """The request is under way downstream from 10 to 60 ms, and its effect is made at 61 ms; or 6 µs later.

    After a crash at t the retry arrives at t + 20 ms, asks at once, and its question is answered as things stand
    1 ms later: before 61 ms nothing is seen and the effect is made twice. So the crashes from 10 to 40 ms do it and
    those of the 20 ms after that, in the same gap, do not.
    """
    readback = a_readback(on_uncertain=OnUncertainReadback.TREAT_AS_ABSENT)
    reading = server_with(a_scenario(), stale=StalePolicy.READ_BACK, readback=readback)
    scenario = with_downstream_hop(reading, request_s=0.05 + more_us * 1e-6, response_s=0.001)

    found = gaps_of(scenario)

    every_200_us = [is_duplicated(scenario, at_us) for at_us in range(0, microseconds(found.end_s), 200)]
    assert found.vulnerable_s_min == found.vulnerable_s_max == pytest.approx(sum(every_200_us) * 2e-4, abs=2e-4)
    assert found.vulnerable_s_min == pytest.approx(0.030 + more_us * 1e-6, abs=1e-9)
    assert found.run_count < 300  # of 72,000 microseconds


def test_a_rate_per_second_gives_a_first_crash_term_and_a_bound_for_the_second() -> None:
    """At λ = 2/s and E = 0.053999 s: one crash in V = 7 ms has λ V exp(−λ E), two or more 1 − exp(−λ E)(1 + λ E).

    E is longer than the 27 ms without a crash: a crash at 26.999 ms has its last step 27 ms later.
    """
    found = gaps_of(a_scenario(), crashes_per_s=2.0)

    expected_count = 2.0 * found.horizon_s
    assert found.probability.lower == pytest.approx(2.0 * 0.007 * np.exp(-expected_count), rel=1e-12)
    several = 1 - np.exp(-expected_count) * (1 + expected_count)
    assert found.probability.upper - found.probability.lower == pytest.approx(several, rel=1e-9)


def test_random_crashes_agree_with_the_gaps_of_a_workload() -> None:
    scenario = with_calls(a_scenario(), count=10, seed=7)
    found = gaps_of(scenario)

    instants = np.random.default_rng(8).integers(0, microseconds(found.end_s), 400)
    hits = sum(is_duplicated(scenario, int(at_us)) for at_us in instants)

    low, high = clopper_pearson_interval(hits, 400, confidence=0.999)
    assert low < found.given_one_crash.lower == found.given_one_crash.upper < high
    assert found.given_one_crash.lower > 0.1
    assert found.run_count < 3 * found.gap_count


def test_a_crash_of_one_process_spares_the_calls_of_the_other() -> None:
    """Of two processes each call picks one, by luck; each call is vulnerable to its own alone, for 7 ms."""
    scenario = with_calls(server_with(a_scenario(), replica_count=2), count=6, seed=3)
    scenario = replace(scenario, calls=tuple(replace(call, start_s=i) for i, call in enumerate(scenario.calls)))

    one, other, both = (gaps_of(scenario, replica_index=index) for index in (0, 1, None))

    assert both.vulnerable_s_min == pytest.approx(6 * 0.007)
    assert one.vulnerable_s_min + other.vulnerable_s_min == pytest.approx(both.vulnerable_s_min)
    assert 0 < one.vulnerable_s_min < both.vulnerable_s_min


def test_calls_that_wait_for_one_worker_touch_each_other_and_are_told_together() -> None:
    """One worker at a time: whoever waits for it has nothing under way, so only the call at work is vulnerable.

    Both calls come at once. The second begins when the first has its receipt, at 17 ms, and is through at 24 ms.
    """
    scenario = server_with(a_scenario(), worker_count=1)
    scenario = replace(scenario, calls=tuple(a_call(intent=f"i{n}", operation=f"op{n}") for n in (1, 2)))

    found = gaps_of(scenario)

    assert not are_apart(scenario)
    assert found.vulnerable_s_min == found.vulnerable_s_max == pytest.approx(0.014)


def test_only_calls_that_are_apart_are_told_one_by_one() -> None:
    """Their steps come in two orders between them, in one order for each."""
    first, second, third = (Step(path=path, what=path) for path in ("1:1", "2:1", "1:2"))
    plan = planned(with_calls(a_scenario(), count=2, seed=1))

    apart, together = (
        [told_apart(plan, steps, is_apart=is_apart) for steps in ((first, second, third), (first, third, second))]
        for is_apart in (True, False)
    )

    assert apart[0] == apart[1]
    assert together[0] != together[1]
    assert are_apart(plan.scenario)


@pytest.mark.parametrize(
    "scenario",
    (
        server_with(a_scenario(), worker_count=2),
        replace(a_scenario(), calls=(a_call(), a_call(intent="i2"))),
        server_with(a_scenario(), retention=a_retention(1.0, RetentionKind.AT_LEAST)),
        conditions_with(a_scenario(), rates=rates_at(0.1, "record_store.outage")),
        replace(a_scenario(), agent=replace(a_scenario().agent, identity=Identity.PER_PROCESS)),
    ),
    ids=("workers", "one ID", "forgetting by luck", "an outage", "one ID for all"),
)
def test_calls_that_share_something_are_told_together(scenario: Scenario) -> None:
    assert not are_apart(scenario)


@pytest.mark.parametrize("run_count_max", (3, 4))
def test_what_was_not_looked_at_goes_to_the_upper_end(run_count_max: int) -> None:
    stopped = gaps_of(a_scenario(), run_count_max=run_count_max)

    assert stopped.run_count <= run_count_max + 1  # both ends of a gap
    assert stopped.vulnerable_s_min <= 0.007 <= stopped.vulnerable_s_max
    assert stopped.vulnerable_s_max > stopped.vulnerable_s_min


def test_a_window_in_which_no_time_passes_is_refused() -> None:
    """A receipt is answered at once, and what is reserved is sent at once: a crash per second comes to neither."""
    sites = ("server.before_reservation", "server.after_reservation", "server.after_effect", "server.after_receipt")

    with pytest.raises(ScenarioError, match=r"before_reservation, server\.after_reservation, server\.after_receipt'"):
        gaps_of(conditions_with(a_scenario(), rates=rates_at(1e-3, *sites)))


def test_a_window_in_which_time_passes_is_weighed_by_its_time_and_by_nothing_else() -> None:
    """Its probability per passing would count the crashes twice, so it is left out."""
    scenario = conditions_with(a_scenario(), rates=rates_at(1.0, "server.after_effect"))

    assert gaps_of(scenario).vulnerable_s_min == 0.007


def test_without_a_response_latency_the_window_after_the_effect_is_refused_too() -> None:
    """Here lies the silent zero: the code between effect and receipt is as dangerous as ever, and V would be 0."""
    scenario = with_downstream_hop(a_scenario(), request_s=0.0, response_s=0.0)
    first = scenario.stages[0]
    assert first.downstream is not None
    timeless = replace(scenario, stages=(replace(first, downstream=replace(first.downstream, work=Wait.of(0.0))),))

    assert gaps_of(timeless).vulnerable_s_max == 0.0
    with pytest.raises(ScenarioError, match="no time passes there"):
        gaps_of(conditions_with(timeless, rates=rates_at(1e-3, "server.after_effect")))


def test_the_mean_over_trajectories_is_that_of_their_luck() -> None:
    """V is 7 ms where neither of two attempts is lost, each with 1/2: 1.75 ms on average.

    Where the first is lost, a crash during the second, which is the last, makes no duplicate.
    """
    scenario = conditions_with(a_scenario(), rates=rates_at(0.5, "gateway_to_server.request_lost"))
    layers = (a_layer(LayerName.AGENT, attempts=2), *scenario.layers[1:])
    scenario = replace(scenario, layers=layers)

    found = averaged([gaps_of(scenario, trajectory_index=index) for index in range(60)], confidence=0.99)

    assert 0 < found.vulnerable_s_low < 0.00175 < found.vulnerable_s_high


def test_drawn_latencies_make_the_vulnerable_time_of_a_trajectory() -> None:
    """The response takes 1 or 3 ms, so that V is 7 or 9 ms; both occur, and nothing else."""
    scenario = with_downstream_hop(a_scenario(), request_s=0.005, response_s=0.001)
    law = Discrete(atoms=(Atom(duration_s=0.001, weight=1), Atom(duration_s=0.003, weight=1)))
    response = Wait(s_min=0.001, s_typical=0.001, s_max=0.003, law=law)
    hop = replace(scenario.hops[1], response=response)
    drawn = replace(scenario, hops=(scenario.hops[0], hop))

    found = [gaps_of(drawn, trajectory_index=index) for index in range(12)]

    assert all(gaps.is_drawn and gaps.is_complete for gaps in found)
    assert {gaps.vulnerable_s_min for gaps in found} == {0.007, 0.009}


def test_a_rate_of_crashes_per_second_makes_the_rule_pick_crash_gaps() -> None:
    """Nothing is drawn in this scenario, so both ends are certain: λ V within the second-crash term, about (λ E)²/2."""
    found = probability(a_scenario(), crashes_per_s=1e-5, promises=DUPLICATES)

    assert found.driver is Driver.CRASH_GAPS
    assert found.independent is not None
    assert found.independent.lower == pytest.approx(1e-5 * 0.007, rel=1e-6)
    assert found.independent.lower < found.independent.upper < 1e-5 * 0.007 + 1e-12
    assert "rigorous" in found.method


def test_where_luck_has_a_part_the_driver_averages_over_trajectories_and_says_so() -> None:
    scenario = conditions_with(a_scenario(), rates=rates_at(0.1, "gateway_to_server.request_lost"))

    found = probability(scenario, crashes_per_s=1e-5, promises=DUPLICATES, seed=4)

    assert found.independent is not None
    # Some attempt of three comes, and one more after it: between 0.9 and 1 of the time.
    assert 0 < found.independent.lower < 1e-5 * 0.007 * 0.95 < found.independent.upper
    assert "95 % interval (t, 30 trajectories, picks drawn uniformly)" in found.method


def test_ctrl_c_leaves_what_was_found() -> None:
    def is_over() -> bool:
        raise KeyboardInterrupt

    stopped = gaps_of(a_scenario(), is_over=is_over)

    assert (stopped.vulnerable_s_min, stopped.vulnerable_s_max) == (0.0, stopped.end_s)
    assert not stopped.is_complete


@pytest.mark.parametrize("crashes_per_s", (-1.0, float("inf"), float("nan")))
def test_a_rate_that_is_none_is_refused(crashes_per_s: float) -> None:
    with pytest.raises(ScenarioError, match="crashes_per_s: finite and at least 0"):
        gaps_of(a_scenario(), crashes_per_s=crashes_per_s)


@pytest.mark.parametrize("others", ({"fault_budget": 2}, {"driver": Driver.ENUMERATED}, {"driver": Driver.BEST_FIRST}))
def test_crashes_per_second_are_refused_where_nothing_would_weigh_them(others: dict[str, Any]) -> None:
    """Left out in silence they would give 0 where the server dies in every twentieth call."""
    with pytest.raises(ScenarioError, match=r"crashes_per_s and .* exclude each other"):
        probability(a_scenario(), crashes_per_s=10.0, promises=DUPLICATES, **others)


def test_without_a_rate_of_crashes_per_second_the_driver_refuses() -> None:
    with pytest.raises(ScenarioError, match="crashes_per_s"):
        probability(a_scenario(), driver=Driver.CRASH_GAPS)
