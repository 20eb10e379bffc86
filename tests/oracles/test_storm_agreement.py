"""Storm, from models made of a scenario's fields alone, gets what simkit enumerates: the same fraction."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from simkit.chance import Question
from simkit.contract import named_scenario
from simkit.distributions import Wait
from simkit.scenario import Scenario
from simkit.study import bounds_of, probability
from simkit.terms import Driver, Promise, RetentionKind
from tests.builders import a_retention, conditions_with, downstream_with, engine_policy, server_with
from tests.oracles.agreement import EVENTS, Agreement, happened, solved_twice
from tests.oracles.agreement_table import AGREEMENT
from tests.oracles.prism_model import prism_of
from tests.oracles.storm import solve

__all__: list[str] = []

Record = Callable[[str, object], None]

WHOLE = (
    "crash-before-receipt-protected",
    "crash-before-receipt-unprotected",
    "downstream-timeout-protected",
    "downstream-timeout-unprotected",
    "past-retention-protected",
    "past-retention-unprotected",
    "reservation-without-write-protected",
    "reservation-without-write-unprotected",
    "response-dropped-protected",
    "response-dropped-unprotected",
    "retention-at-once-unprotected",
)
"""Scenarios of the catalog that are enumerated to the end with all of their sites."""

# What gets lost above the server, and the crash after the effect.
LOSSES = (
    "agent_to_gateway.request_lost",
    "agent_to_gateway.response_lost",
    "gateway_to_server.request_lost",
    "gateway_to_server.response_lost",
    "server.after_effect",
)


def handed_over(agreement: Agreement, record_property: Record) -> Agreement:
    """The same; its rows go into the table that closes the run, equal or not."""
    for row in agreement.rows:
        record_property(AGREEMENT, row)
    return agreement


def layered(form: str, *sites: str) -> Scenario:
    """Agent and gateway with two attempts each; an enumeration with all sites has some hundred thousand leaves."""
    scenario = named_scenario(f"layered-retries-{form}")
    rates = tuple(rate for rate in scenario.conditions.rates if rate.site in sites)
    return conditions_with(replace(scenario, name=f"{scenario.name}, losses"), rates=rates)


def asked_too_early() -> Scenario:
    """After 5 s the reservation is stale, after 10 s the agent is back; an effect may stay unseen for 30 s."""
    scenario = server_with(named_scenario("crash-before-receipt-protected"), lease_s=5.0)
    agent, sdk = scenario.layers
    layers = (replace(agent, backoff=Wait.of(10.0)), sdk)
    return replace(scenario, name="crash-before-receipt, asked within the lag", layers=layers)


def perhaps_forgotten() -> Scenario:
    """The key is kept for two hours at least, and the agent comes back after a day."""
    scenario = named_scenario("past-retention-unprotected")
    changed = downstream_with(scenario, key_retention=a_retention(7200.0, RetentionKind.AT_LEAST))
    return replace(changed, name="past-retention, key kept at least 2 h")


@pytest.mark.parametrize("number", (1, 2, 3))
def test_storm_gets_the_same_fractions_for_the_three_policies(
    number: int, tmp_path: Path, record_property: Record
) -> None:
    found = handed_over(solved_twice(engine_policy(number), tmp_path), record_property)

    assert found.is_chain
    assert found.ours == found.theirs
    # The rates are 1e-3, and the smallest schedule of policy n has n faults, of which only one is of each kind.
    least, _ = found.theirs["more than one effect"]
    assert float(least) == pytest.approx(1e-3**number, rel=3e-3)


@pytest.mark.parametrize("name", WHOLE)
def test_storm_gets_the_same_fractions_for_scenarios_of_the_catalog(
    name: str, tmp_path: Path, record_property: Record
) -> None:
    found = handed_over(solved_twice(named_scenario(name), tmp_path), record_property)

    assert found.is_chain
    assert found.ours == found.theirs


@pytest.mark.parametrize("form", ("protected", "unprotected"))
def test_storm_gets_the_same_fractions_for_layered_retries(form: str, tmp_path: Path, record_property: Record) -> None:
    found = handed_over(solved_twice(layered(form, *LOSSES), tmp_path), record_property)

    assert found.is_chain
    assert found.ours == found.theirs


@pytest.mark.parametrize(
    "scenario",
    (
        engine_policy(1),
        named_scenario("downstream-timeout-protected"),
        named_scenario("response-dropped-unprotected"),
    ),
    ids=lambda scenario: scenario.name,
)
def test_storm_gets_the_same_fractions_with_a_share_of_each_rate_in_episodes(
    scenario: Scenario, tmp_path: Path, record_property: Record
) -> None:
    found = solved_twice(scenario, tmp_path, has_episodes=True)
    handed_over(replace(found, scenario=f"{found.scenario}, episodes"), record_property)

    assert found.is_chain
    assert found.ours == found.theirs


@pytest.mark.parametrize("scenario", (asked_too_early(), perhaps_forgotten()), ids=lambda scenario: scenario.name)
def test_storm_gets_the_same_smallest_and_largest_probability_where_there_are_picks(
    scenario: Scenario, tmp_path: Path, record_property: Record
) -> None:
    found = handed_over(solved_twice(scenario, tmp_path), record_property)

    # Simkit's own backward induction, in floats, beside the one in fractions.
    bounds = bounds_of(found.leaves, lambda leaf: happened(leaf.run.journal)[0])
    least, most = found.theirs["more than one effect"]
    assert not found.is_chain
    assert any(asked.kind is Question.PICK for leaf in found.leaves for asked in leaf.trace)
    assert found.ours == found.theirs
    assert least < most
    assert (bounds.lower, bounds.upper) == pytest.approx((float(least), float(most)), rel=1e-12)


@pytest.mark.parametrize("name", ("crash-before-receipt-protected", "response-dropped-unprotected"))
def test_storm_gets_the_same_fractions_where_every_site_has_another_rate(name: str, tmp_path: Path) -> None:
    scenario = named_scenario(name)
    # With equal rates two sites that were mistaken for each other would go unnoticed, and with small ones the rest.
    rates = tuple(
        replace(rate, probability=(3 + 2 * index) / 100) for index, rate in enumerate(scenario.conditions.rates)
    )

    found = solved_twice(conditions_with(scenario, rates=rates), tmp_path)

    assert found.ours == found.theirs


@pytest.mark.parametrize(
    ("scenario", "fault_budget"),
    ((layered("unprotected", *LOSSES), 2), (engine_policy(2), 3)),
    ids=lambda value: getattr(value, "name", ""),
)
@pytest.mark.parametrize("driver", (Driver.ENUMERATED, Driver.BEST_FIRST))
def test_what_storm_gets_lies_within_the_bounds_of_a_driver_that_leaves_something_out(
    driver: Driver, scenario: Scenario, fault_budget: int, tmp_path: Path
) -> None:
    budget = fault_budget if driver is Driver.ENUMERATED else None

    found = probability(scenario, driver=driver, fault_budget=budget, promises=(Promise.AT_MOST_ONE_EFFECT,))

    for bounds, has_episodes in ((found.independent, False), (found.common_cause, True)):
        program = prism_of(scenario, has_episodes=has_episodes)
        ((least, most),) = solve(program, [EVENTS["more than one effect"]], tmp_path).ranges
        assert bounds is not None
        assert bounds.lower < least
        assert most < bounds.upper
        # Asked for is a tenth of the upper end.
        assert bounds.lower >= 0.9 * bounds.upper


def test_storm_gets_what_a_merged_chain_of_more_attempts_than_can_be_enumerated_gets(tmp_path: Path) -> None:
    scenario = engine_policy(1, 0.01)
    agent, *others = scenario.layers
    # Each attempt multiplies the leaves by about seven: six attempts have a hundred thousand.
    scenario = replace(scenario, name="policy 1, six attempts", layers=(replace(agent, attempts=6), *others))

    found = probability(scenario, driver=Driver.MERGED_CHAIN, promises=(Promise.AT_MOST_ONE_EFFECT,))

    ((least, most),) = solve(prism_of(scenario), [EVENTS["more than one effect"]], tmp_path).ranges
    assert least == most
    assert found.independent is not None
    bounds = found.independent.lower, found.independent.upper
    assert bounds == pytest.approx((float(least), float(most)), rel=1e-12)
