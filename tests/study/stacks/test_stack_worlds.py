"""Stacks as worlds: each write path, the time budget across layers, and guesses turned the other way."""

import math
from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import KeySent, WriteOrder
from simkit.distributions import Wait
from simkit.errors import InputError
from simkit.study.stacks import (
    Stack,
    WritePath,
    last_arrival_s,
    layer_budgets,
    protection,
    stack_scenario,
    system_entry,
    turned_guesses,
)
from simkit.terms import Identity, LayerName, OnExpired, StalePolicy
from tests.builders import a_layer, a_retention, a_scenario

__all__: list[str] = []


def test_each_write_path_lets_the_system_see_what_its_name_says() -> None:
    worlds = {path: stack_scenario(Stack(downstream="increase", path=path)) for path in WritePath}

    no_key, passed_on, recorded = worlds.values()
    assert (no_key.agent.identity, no_key.stages[0].key) == (Identity.NONE, None)
    assert (passed_on.stages[0].key, passed_on.server.order) == (KeySent.OPERATION_ID, WriteOrder.EFFECT_ONLY)
    assert (recorded.stages[0].key, recorded.server.order) == (KeySent.OPERATION_ID, WriteOrder.RESERVE_FIRST)
    assert recorded.server.readback is not None


def test_where_a_system_cannot_be_asked_a_stale_reservation_is_held() -> None:
    world = stack_scenario(Stack(downstream="paypal", path=WritePath.RECORDED_FIRST))

    assert world.server.readback is None
    assert world.server.stale is StalePolicy.HOLD
    assert "readback.cannot_tell" not in [rate.site for rate in world.conditions.rates]


def test_a_view_that_may_be_older_than_a_stale_reservation_is_not_asked() -> None:
    """A reservation is stale after 30 s; the search of Jira may be two minutes behind."""
    world = stack_scenario(Stack(downstream="jira", path=WritePath.RECORDED_FIRST))

    assert world.server.readback is None
    assert world.server.stale is StalePolicy.HOLD


def test_arguments_name_the_object_where_the_name_means_something_to_people() -> None:
    """A mail address or a file's path is in the arguments; an ID that the client makes up is a key like any other."""
    targets = {
        name: stack_scenario(Stack(downstream=name, path=WritePath.NO_KEY)).calls[0].target
        for name in ("hubspot-crm", "s3-if-none-match", "google-calendar", "stripe-v1")
    }

    assert [bool(target) for target in targets.values()] == [True, True, False, False]


def test_a_gateway_gets_a_hop_of_its_own() -> None:
    world = stack_scenario(Stack(downstream="jira", path=WritePath.NO_KEY, gateway="envoy-retry-on-5xx"))

    assert [layer.name for layer in world.layers] == [LayerName.AGENT, LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK]
    assert world.hops[0].name == "agent_to_gateway"


@pytest.mark.parametrize(
    ("changes", "message"),
    (
        ({"downstream": "strpe-v1"}, "stripe-v1"),
        ({"sdk": "botocore-standart-v2"}, "botocore-standard-v2"),
        ({"gateway": "botocore-standard-v2"}, "does not stand in the place of gateway"),
    ),
)
def test_a_name_that_there_is_not_and_a_policy_in_a_wrong_place_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    stack = replace(Stack(downstream="stripe-v1", path=WritePath.NO_KEY), **changes)

    with pytest.raises(InputError, match=message):
        stack_scenario(stack)


def test_a_layer_gives_up_first_where_those_below_may_take_longer_than_it_waits() -> None:
    agent = a_layer(LayerName.AGENT, attempts=2, timeout_s=10.0, backoff=Wait.of(1.0))
    sdk = a_layer(LayerName.DOWNSTREAM_SDK, attempts=3, timeout_s=6.0, backoff=Wait.of(2.0))
    world = a_scenario(layers=(agent, sdk))

    outer, inner = layer_budgets(world)

    # The SDK: three times 6 s and twice 2 s between them. The hop above it takes 10 ms each way.
    assert inner.longest_s == pytest.approx(22.0)
    assert outer.below_s == pytest.approx(22.02)
    assert outer.runs_on_s == pytest.approx(12.02)
    assert (outer.gives_up_first, inner.gives_up_first) == (True, False)
    # The agent: two times 10 s and 1 s between; its last try begins after 11 s, the SDK's last 16 s after its first.
    assert outer.longest_s == pytest.approx(21.0)
    assert last_arrival_s(world) == pytest.approx(11.0 + 16.0 + 0.01 + 0.005)


def test_a_layer_that_waits_long_enough_cuts_nothing_off() -> None:
    agent = a_layer(LayerName.AGENT, timeout_s=30.0)
    sdk = a_layer(LayerName.DOWNSTREAM_SDK, attempts=2, timeout_s=6.0)

    outer, _ = layer_budgets(a_scenario(layers=(agent, sdk)))

    assert outer.try_s == pytest.approx(12.02)
    assert outer.runs_on_s == 0


def test_without_a_timeout_and_without_an_end_a_layer_may_take_for_ever() -> None:
    sdk = a_layer(LayerName.DOWNSTREAM_SDK, attempts=None, timeout_s=1.0, backoff=Wait.of(1.0))

    _, inner = layer_budgets(a_scenario(layers=(a_layer(LayerName.AGENT), sdk)))

    assert inner.longest_s == math.inf
    assert layer_budgets(a_scenario(layers=(a_layer(LayerName.AGENT), replace(sdk, budget_s=5.0))))[1].longest_s == 6.0


def test_a_key_that_nobody_sends_protects_nobody() -> None:
    entry = system_entry("stripe-v1")
    record = a_retention(7 * 86_400.0)

    by_path = {path: protection(entry, path, record) for path in WritePath}

    assert [found.by for found in by_path.values()] == ["nothing", "the key", "the server's record and the key"]
    # Stripe keeps a key for a day at least, the record is kept for a week.
    assert [found.window_s for found in by_path.values()] == [0.0, 86_400.0, 7 * 86_400.0]


def test_a_guess_is_turned_alone_and_to_another_value() -> None:
    entry = system_entry("ietf-idempotency-key")
    world = stack_scenario(Stack(downstream=entry.id, path=WritePath.KEY_PASSED_ON))

    turned = {one.field: one for one in turned_guesses(entry, world)}

    assert set(turned) <= set(entry.guessed)
    after = turned["behaviour.key_retention.after"].scenario
    assert after.downstreams[0].key_retention is not None
    assert after.downstreams[0].key_retention.after is OnExpired.REFUSE
    assert replace(after.downstreams[0], key_retention=world.downstreams[0].key_retention) == world.downstreams[0]
