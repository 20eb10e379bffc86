"""A scenario without a meaning is refused, and the message names the fields; an unwise one is let in."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from simkit.chance import Scripted
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario import Agent, Hop, SiteRate
from simkit.terms import ClaimKind, FaultKind, Identity, LayerName, StalePolicy
from simkit.world import run_concrete
from tests.builders import a_layer, a_scenario, conditions_with, engine_policy, rates_at, server_with

__all__: list[str] = []

AGENT = a_layer(LayerName.AGENT)
GATEWAY = a_layer(LayerName.GATEWAY)
CLIENT_SDK = a_layer(LayerName.CLIENT_SDK)
DOWNSTREAM_SDK = a_layer(LayerName.DOWNSTREAM_SDK)


@pytest.mark.parametrize(
    "layers",
    (
        (),
        (GATEWAY, DOWNSTREAM_SDK),
        (GATEWAY, AGENT),
        (AGENT, DOWNSTREAM_SDK, GATEWAY),
        (AGENT, CLIENT_SDK, GATEWAY),
        (AGENT, AGENT, DOWNSTREAM_SDK),
    ),
)
def test_layers_without_the_agent_first_or_out_of_order_are_refused(layers: tuple[object, ...]) -> None:
    with pytest.raises(ScenarioError, match=r"layers: agent first, each once, in the order agent, gateway"):
        a_scenario(layers=layers)


@pytest.mark.parametrize(
    ("build", "fields"),
    (
        (lambda: a_scenario(calls=()), ("calls",)),
        (lambda: a_scenario(agent=Agent(identity=Identity.NONE)), ("agent.identity", "server.claim")),
        (
            lambda: server_with(a_scenario(agent=Agent(identity=Identity.NONE)), claim=ClaimKind.CHECK_THEN_ACT),
            ("agent.identity", "server.claim"),
        ),
        (lambda: server_with(a_scenario(), stale=StalePolicy.READ_BACK), ("server.stale", "server.readback")),
        (
            lambda: Hop(name="hop", request=Wait.of(2.0), response=Wait.of(0.1), latest_landing_s=1.0),
            ("hop.latest_landing_s 1.0", "2.0"),
        ),
        (
            lambda: Hop(name="hop", request=Wait.of(0.1), response=Wait.of(2.0), latest_landing_s=1.0),
            ("hop.latest_landing_s 1.0", "2.0"),
        ),
        (lambda: a_layer(LayerName.GATEWAY, attempts=0), ("gateway.attempts", "0")),
        (lambda: a_layer(LayerName.AGENT, attempts=-1), ("agent.attempts", "-1")),
        (lambda: conditions_with(a_scenario(), rates=rates_at(0.1, "a.b", "c.d", "a.b")), ("rates", "a.b")),
        (lambda: conditions_with(a_scenario(), fault_budget=-1), ("fault_budget", "-1")),
        (lambda: conditions_with(a_scenario(), common_cause_share=1.5), ("common_cause_share", "1.5")),
        (lambda: SiteRate(site="a.b", probability=1.2, source="given"), ("a.b", "1.2")),
        (lambda: SiteRate(site="a.b", probability=float("nan"), source="given"), ("a.b", "nan")),
        (lambda: a_scenario().hop("to_the_moon"), ("hops", "to_the_moon", "gateway_to_server")),
        (lambda: Wait(s_min=2.0, s_typical=1.0, s_max=3.0), ("s_min <= s_typical", "2.0, 1.0, 3.0")),
        (lambda: Wait(s_min=-1.0, s_typical=1.0, s_max=3.0), ("0 <= s_min", "-1.0")),
        (lambda: Wait(s_min=0.0, s_typical=1.0, s_max=float("inf")), ("finite", "inf")),
        (lambda: Wait.of(float("nan")), ("finite", "nan")),
    ),
)
def test_what_has_no_meaning_is_refused_with_the_names_of_its_fields(
    build: Callable[[], object], fields: tuple[str, ...]
) -> None:
    with pytest.raises(ScenarioError) as refusal:
        build()

    assert [field for field in fields if field not in str(refusal.value)] == []


def test_a_server_without_a_way_downstream_is_refused_when_it_is_put_together() -> None:
    scenario = a_scenario(layers=(AGENT,))

    with pytest.raises(ScenarioError, match="downstream_sdk"):
        run_concrete(scenario, Scripted())


def test_a_gateway_without_its_hop_is_refused_when_it_is_put_together() -> None:
    scenario = a_scenario(layers=(AGENT, GATEWAY, DOWNSTREAM_SDK))

    with pytest.raises(ScenarioError, match="hops: no hop 'agent_to_gateway'"):
        run_concrete(scenario, Scripted())


@pytest.mark.parametrize(
    ("site", "expected"),
    (
        ("gateway_to_server.request_lost", FaultKind.REQUEST_LOST),
        ("agent_to_gateway.response_lost", FaultKind.RESPONSE_LOST),
        ("gateway_to_server.request_late", FaultKind.LATE),
        ("server_to_downstream.response_late", FaultKind.LATE),
        ("server.after_effect", FaultKind.CRASH),
        ("server.before_reservation", FaultKind.CRASH),
        ("readback.cannot_tell", FaultKind.READBACK_CANNOT_TELL),
        ("downstream.error", FaultKind.DOWNSTREAM_ERROR),
    ),
)
def test_the_name_of_a_site_tells_the_kind_of_its_fault(site: str, expected: FaultKind) -> None:
    assert SiteRate(site=site, probability=None, source="nobody knows").kind is expected


def test_a_rate_that_nobody_knows_is_let_in_and_remembered() -> None:
    known, unknown = rates_at(0.1, "a.b"), rates_at(None, "c.d")

    assert not conditions_with(a_scenario(), rates=known).conditions.has_unknown_rate
    assert conditions_with(a_scenario(), rates=(*known, *unknown)).conditions.has_unknown_rate


def test_under_one_attempt_every_layer_sends_once_and_nothing_else_changes() -> None:
    scenario = engine_policy(2)

    single = scenario.with_one_attempt()

    assert [layer.attempts for layer in single.layers] == [1, 1]
    assert replace(single, layers=scenario.layers) == scenario


def test_equal_scenarios_have_one_digest_and_a_changed_number_has_another() -> None:
    assert engine_policy(3).digest() == engine_policy(3).digest()
    assert engine_policy(3).digest() != engine_policy(3, probability=1.1e-3).digest()
