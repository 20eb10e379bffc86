"""Which driver is taken: a decision table, and what a result says about it."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.distributions import Atom, Backoff, Discrete, Wait
from simkit.errors import ScenarioError
from simkit.scenario import Scenario
from simkit.study.probability import Estimate, probability, rule, task_of, weighing
from simkit.study.probability.drivers import DRIVERS
from simkit.study.probability.estimates import Weigh
from simkit.study.probability.rule import Situation, choice_for
from simkit.study.probability.situation import expected_fault_count, has_continuous_latencies, has_spread_waits
from simkit.study.results import Bounds
from simkit.terms import Driver, LayerName, Promise
from tests.builders import a_layer, a_scenario, conditions_with, downstream_with, engine_policy, rates_at, server_with

__all__: list[str] = []

DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})

PLAIN = Situation(
    expected_fault_count=0.01,
    fewest_faults=2,
    leaf_count=0,
    has_continuous_latencies=False,
    is_regenerative=False,
    is_workload=False,
)


def in_flight(number: int, probability: float) -> Scenario:
    """One of the three policies with a limit of workers, of which one still waits when the next attempt is sent."""
    return server_with(engine_policy(number, probability), worker_count=8)


@pytest.mark.parametrize(
    ("changes", "driver", "reason"),
    (
        ({}, Driver.BEST_FIRST, "0.01 faults are expected in a run"),
        ({"fewest_faults": None}, Driver.BEST_FIRST, "0.01 faults are expected in a run"),
        ({"expected_fault_count": 0.1, "fewest_faults": 4}, Driver.BEST_FIRST, "0.1 faults are expected"),
        ({"expected_fault_count": 3.0}, Driver.TILTED, "3 faults are expected in a run"),
        ({"fewest_faults": 5}, Driver.TILTED, "it takes 5 faults"),
        ({"leaf_count": 100_000}, Driver.TILTED, "100,000 schedules were not enough"),
        ({"fewest_faults": None, "expected_fault_count": 3.0}, Driver.BEST_FIRST, "nobody knows how many it takes"),
        ({"is_regenerative": True, "expected_fault_count": 3.0}, Driver.MERGED_CHAIN, "nothing is in flight"),
        ({"has_continuous_latencies": True, "is_regenerative": True}, Driver.LATENCY_CELLS, "latencies have laws"),
        (
            {"is_workload": True, "has_continuous_latencies": True},
            Driver.CRASH_GAPS,
            "the server dies at a rate per second",
        ),
    ),
)
def test_the_rule(changes: dict[str, Any], driver: Driver, reason: str) -> None:
    choice = choice_for(replace(PLAIN, **changes))

    assert choice.driver is driver
    assert reason in choice.reason


def test_the_faults_to_expect_are_counted_over_the_run_without_a_fault() -> None:
    """Policy 3 passes seven of its eight sites, each with 1e-3: nobody looks up what was never left open."""
    found = expected_fault_count(task_of(engine_policy(3), DUPLICATES))

    assert found == pytest.approx(7e-3)


def test_a_rare_duplicate_is_weighed_best_first_and_the_result_says_why() -> None:
    found = probability(in_flight(1, 1e-3), promises=DUPLICATES)

    assert found.driver is Driver.BEST_FIRST
    assert found.reason == "0.007 faults are expected in a run: the likeliest first"
    assert found.method.startswith("best first ")
    assert found.is_complete


def test_a_given_number_of_faults_is_enumerated() -> None:
    found = probability(engine_policy(1), fault_budget=1, promises=DUPLICATES)

    assert found.driver is Driver.ENUMERATED
    assert found.reason == "a number of faults is given"


def test_the_rule_can_be_told_otherwise() -> None:
    found = probability(engine_policy(1), driver=Driver.BEST_FIRST, fault_budget=1, promises=DUPLICATES)

    assert found.driver is Driver.BEST_FIRST
    assert found.reason == "asked for"


def test_what_turns_out_to_be_too_much_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty schedules stand for 100,000, and a number that nobody else would give for the sample."""
    for module in (rule, weighing):
        monkeypatch.setattr(module, "LEAF_COUNT_MAX", 30)
    sampled = Estimate(lower=0.11, upper=0.12, kind="made up", how="", run_count=1, is_complete=True)
    drivers: dict[Driver, Weigh] = {**DRIVERS, Driver.TILTED: lambda _: sampled}
    monkeypatch.setattr(weighing, "DRIVERS", drivers)
    known = [("readback.cannot_tell@2/server-1", "server.after_effect@1")]

    found = probability(in_flight(2, 1e-3), promises=DUPLICATES, known_schedules=known)

    assert found.driver is Driver.TILTED
    assert found.reason == "30 schedules were not enough: too many to enumerate"
    assert found.independent == Bounds(lower=0.11, upper=0.12)


def test_both_numbers_keep_the_limit_of_schedules_where_nothing_can_be_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows how many faults it takes, so bounds are all there is: after five runs, for either number."""
    monkeypatch.setattr(weighing, "LEAF_COUNT_MAX", 5)

    found = probability(in_flight(2, 1e-3), promises=DUPLICATES)

    assert found.driver is Driver.BEST_FIRST
    assert found.method == "best first 5 schedules, rigorous bounds for the model, stopped before its end"
    assert found.leaf_count == 5
    assert found.common_cause is not None
    assert found.common_cause.upper > 1e-4  # as wide as five runs leave it; to the end it would be 1e-6


def test_constant_latencies_are_called_exact_and_others_typical() -> None:
    constant = engine_policy(1)
    spread = downstream_with(constant, work=Wait(s_min=0.0, s_typical=0.001, s_max=0.1))

    methods = [probability(scenario, fault_budget=1).method for scenario in (constant, spread)]

    assert (has_spread_waits(constant), has_spread_waits(spread)) == (False, True)
    assert methods == [
        "enumerated up to 1 fault, exact for the model",
        "enumerated up to 1 fault, exact for the model with typical latencies",
    ]


def test_a_law_of_a_few_durations_is_enumerated_and_exact() -> None:
    """In half of all calls the system of record takes 2 s, for which nobody waits: two effects then, one otherwise."""
    law = Discrete(atoms=(Atom(duration_s=0.001, weight=1), Atom(duration_s=2.0, weight=1)))
    scenario = downstream_with(engine_policy(1), work=Wait(s_min=0.001, s_typical=0.001, s_max=2.0, law=law))

    found = probability(conditions_with(scenario, rates=()), driver=Driver.ENUMERATED, promises=DUPLICATES)

    assert found.independent == Bounds(lower=0.5, upper=0.5)
    assert found.method == "enumerated all faults, exact for the model"


def test_what_was_stopped_says_so() -> None:
    found = probability(engine_policy(2), run_count_max=3, promises=DUPLICATES)

    assert not found.is_complete
    assert found.method.endswith("stopped before its end")


@pytest.mark.parametrize("driver", (Driver.ENUMERATED, Driver.BEST_FIRST))
def test_no_number_hides_a_schedule_that_typical_latencies_never_meet(driver: Driver) -> None:
    known = [("gateway_to_server.request_lost@1", "gateway_to_server.request_lost@2")]

    found = probability(engine_policy(1), driver=driver, promises=DUPLICATES, known_schedules=known)

    assert (found.independent, found.common_cause) == (None, None)
    assert found.method.startswith("breaks; probability not resolved")


@pytest.mark.parametrize("driver", (Driver.ENUMERATED, Driver.BEST_FIRST))
def test_a_schedule_of_which_only_a_part_occurs_is_not_met_although_that_part_breaks(driver: Driver) -> None:
    """The first crash alone makes a second effect; there is no ninth attempt."""
    known = [("server.after_effect@1", "server.after_effect@9")]

    found = probability(engine_policy(1), driver=driver, promises=DUPLICATES, known_schedules=known)

    assert found.independent is None
    assert found.method.startswith("breaks; probability not resolved")


def test_a_known_schedule_that_occurs_counts_even_if_its_run_was_too_unlikely_to_be_made() -> None:
    """The crash after the effect is 1e-9 here, far below what a tenth of the upper end leaves unseen."""
    sites = ("gateway_to_server.response_lost", "server.after_effect")
    rates = (*rates_at(0.2, sites[0]), *rates_at(1e-9, sites[1]))
    scenario = conditions_with(engine_policy(1), rates=rates, risk_limit_probability=1.0)

    found = probability(
        scenario, driver=Driver.BEST_FIRST, run_count_max=2, promises=DUPLICATES, known_schedules=[(f"{sites[1]}@1",)]
    )

    assert found.independent is not None


@pytest.mark.parametrize(("rate", "expected"), ((0.0, 0.0), (1.0, 1.0)))
@pytest.mark.parametrize("driver", (Driver.ENUMERATED, Driver.BEST_FIRST))
def test_a_rate_of_zero_never_happens_and_a_rate_of_one_always(driver: Driver, rate: float, expected: float) -> None:
    """With one site: each worker dies after each effect, three times, or never."""
    scenario = conditions_with(engine_policy(1), rates=rates_at(rate, "server.after_effect"))

    found = probability(scenario, driver=driver, promises=DUPLICATES)

    assert found.independent is not None
    assert (found.independent.lower, found.independent.upper) == (expected, expected)


def test_what_was_stopped_is_not_called_exact() -> None:
    found = probability(engine_policy(1), driver=Driver.ENUMERATED, is_over=lambda: True)

    assert not found.is_complete
    assert "exact" not in found.method


@pytest.mark.parametrize(
    ("asked", "problem"),
    (
        ({"fault_budget": -1}, "fault_budget: a whole number of at least 0"),
        ({"width_fraction": 5.0}, "0 to 1; got 5.0"),
    ),
)
def test_a_limit_without_a_meaning_is_refused(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(ScenarioError, match=problem):
        probability(engine_policy(1), **asked)


@pytest.mark.parametrize(
    ("attempts", "backoff", "is_drawn"),
    (
        (2, Backoff(first_s=1.0, scale_min=0.0), True),
        (2, Backoff(first_s=1.0, immediate_count=1, added_s_max=1.0), True),
        (1, Backoff(first_s=1.0, scale_min=0.0), False),
        (2, Backoff(first_s=1.0, factor=2.0), False),
    ),
)
def test_jitter_of_a_formula_is_a_law_where_the_layer_repeats(
    attempts: int, backoff: Backoff, *, is_drawn: bool
) -> None:
    layers = (a_layer(LayerName.AGENT, attempts=attempts, backoff=backoff), a_layer(LayerName.DOWNSTREAM_SDK))

    assert has_continuous_latencies(a_scenario(layers=layers)) is is_drawn
