"""Keys that a downstream SDK mints: they cover its own repeats, and nothing that anybody above it sends again."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.chance import Sampled
from simkit.choices import Deduplication, KeyMinted, KeySent, WriteOrder
from simkit.records import Effect
from simkit.scenario import TO_DOWNSTREAM, TO_SERVER, Hop, Scenario
from simkit.study import explore
from simkit.study.probability import task_of
from simkit.study.probability.enumerated import weigh_enumerated
from simkit.study.probability.merged_chain import weigh_merged_chain
from simkit.terms import ClaimKind, ErrorClass, LayerName, Promise
from simkit.world import run_concrete
from tests.builders import (
    FaultsAt,
    a_layer,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []

LOST_ABOVE, LOST_BELOW = f"{TO_SERVER}.response_lost", f"{TO_DOWNSTREAM}.response_lost"
TWICE = frozenset({Promise.AT_MOST_ONE_EFFECT})


def stripe_like(minted: KeyMinted | None, *sites: str, key: KeySent | None = None, **sdk: Any) -> Scenario:
    """An SDK with three attempts above a response cache, called by a server that keeps no record and sends no key."""
    layers = (
        a_layer(LayerName.AGENT, attempts=2, timeout_s=5.0),
        a_layer(
            LayerName.DOWNSTREAM_SDK,
            **{
                "attempts": 3,
                "timeout_s": 0.1,
                "retries_on": (ErrorClass.TIMEOUT, ErrorClass.CONNECTION_CLOSED, ErrorClass.CONFLICT),
                "mints_key": minted,
                **sdk,
            },
        ),
    )
    scenario = server_with(a_scenario(layers=layers), claim=ClaimKind.NONE)
    (stage,) = scenario.stages
    scenario = downstream_with(replace(scenario, stages=(replace(stage, key=key),)), key_retention=a_retention(1e6))
    return conditions_with(scenario, rates=rates_at(0.1, *sites))


def fewest_faults(scenario: Scenario, fault_budget: int = 2) -> int | None:
    """How many faults it takes to make two effects of one wish."""
    explored = explore(scenario, fault_budget=fault_budget, policy="as requested", counts=TWICE, runs_twice=True)
    found = explored.exploration.of(Promise.AT_MOST_ONE_EFFECT)
    assert found.is_proved == (found.fewest_faults is None)
    return found.fewest_faults


@pytest.mark.parametrize(
    ("minted", "site", "expected"),
    (
        # The SDK's own repeats bear the key of the call, or one of their own.
        (KeyMinted.PER_CALL, LOST_BELOW, None),
        (KeyMinted.PER_ATTEMPT, LOST_BELOW, 1),
        (None, LOST_BELOW, 1),
        # What the agent sends again is another call of the SDK, whatever it mints.
        (KeyMinted.PER_CALL, LOST_ABOVE, 1),
        (KeyMinted.PER_ATTEMPT, LOST_ABOVE, 1),
        (None, LOST_ABOVE, 1),
    ),
)
def test_a_minted_key_covers_the_repeats_of_one_call_of_the_sdk(
    minted: KeyMinted | None, site: str, expected: int | None
) -> None:
    assert fewest_faults(stripe_like(minted, site)) == expected


def test_a_call_that_bears_a_key_keeps_it() -> None:
    """The server sends the operation ID: that is the same for whatever the agent sends again."""
    scenario = stripe_like(KeyMinted.PER_ATTEMPT, LOST_ABOVE, LOST_BELOW, key=KeySent.OPERATION_ID)

    assert fewest_faults(scenario) is None


def test_a_copy_of_a_request_bears_the_key_of_the_original() -> None:
    scenario = stripe_like(KeyMinted.PER_ATTEMPT, f"{TO_DOWNSTREAM}.request_duplicated", attempts=1)

    assert fewest_faults(scenario) is None
    assert fewest_faults(stripe_like(None, f"{TO_DOWNSTREAM}.request_duplicated", attempts=1)) == 1


@pytest.mark.parametrize(("key", "expected"), ((None, 1), (KeySent.OPERATION_ID, None)))
def test_a_relay_that_sends_again_makes_a_new_call_of_the_sdk(key: KeySent | None, expected: int | None) -> None:
    """It dies after the effect, and sends what it has not marked."""
    scenario = server_with(stripe_like(KeyMinted.PER_CALL, key=key), claim=ClaimKind.UNIQUE, order=WriteOrder.OUTBOX)
    scenario = conditions_with(scenario, rates=rates_at(0.1, "relay.after_effect"))

    assert fewest_faults(scenario, 1) == expected


@pytest.mark.parametrize(("key", "expected"), ((None, 1), (KeySent.OPERATION_ID, None)))
def test_whoever_takes_an_operation_over_makes_a_new_call_of_the_sdk(key: KeySent | None, expected: int | None) -> None:
    """The server dies after the effect, and the next attempt runs the stale reservation again."""
    scenario = stripe_like(KeyMinted.PER_CALL, "server.after_effect", key=key)
    scenario = server_with(scenario, claim=ClaimKind.UNIQUE, order=WriteOrder.RESERVE_FIRST)

    assert fewest_faults(scenario, 1) == expected


def test_a_key_that_a_gateway_mints_reaches_no_system_of_record() -> None:
    scenario = stripe_like(None, LOST_BELOW)
    agent, sdk = scenario.layers
    gateway = a_layer(LayerName.GATEWAY, timeout_s=5.0, mints_key=KeyMinted.PER_CALL)
    hop = scenario.hops[0]
    to_gateway = Hop(
        name="agent_to_gateway", request=hop.request, response=hop.response, latest_landing_s=hop.latest_landing_s
    )
    scenario = replace(scenario, layers=(agent, gateway, sdk), hops=(to_gateway, *scenario.hops))

    journal = run_concrete(scenario, FaultsAt(f"{LOST_BELOW}@1/1/1")).journal

    assert len(journal.of(Effect)) == 2  # the SDK's repeat bears no key


def test_a_system_that_knows_objects_by_name_takes_the_minted_key_for_the_name() -> None:
    scenario = downstream_with(
        stripe_like(KeyMinted.PER_CALL, LOST_BELOW), deduplication=Deduplication.NATURAL_KEY_REJECT
    )

    assert fewest_faults(scenario) is None


@pytest.mark.parametrize("minted", KeyMinted)
def test_the_chain_of_attempts_tells_minted_keys_apart(minted: KeyMinted) -> None:
    """Against the sum over all runs there are, of an agent with four attempts above an SDK with two.

    A request that is lost leaves everything as it was, so that the next attempt starts from the same state, and
    mints another key.
    """
    scenario = stripe_like(minted, f"{TO_SERVER}.request_lost", LOST_ABOVE, LOST_BELOW, attempts=2)
    agent, sdk = scenario.layers
    scenario = replace(scenario, layers=(replace(agent, attempts=4), sdk))

    chained, enumerated = weigh_merged_chain(task_of(scenario, TWICE)), weigh_enumerated(task_of(scenario, TWICE))

    assert enumerated.lower == enumerated.upper > 0.1
    assert (chained.lower, chained.upper) == pytest.approx((enumerated.lower, enumerated.upper), rel=1e-12)


def test_a_sampled_world_duplicates_as_often_as_an_answer_is_lost_above() -> None:
    """Both agents' attempts make an effect where the answer to the first is lost, 1 of 10 times."""
    scenario = stripe_like(KeyMinted.PER_CALL, LOST_ABOVE, LOST_BELOW)

    twice = sum(len(run_concrete(scenario, Sampled(seed, 0)).journal.of(Effect)) > 1 for seed in range(300))

    assert 13 <= twice <= 50  # 30 expected; beyond that lies a binomial probability below 1e-3 on either side
