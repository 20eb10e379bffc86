"""A reconciler that waits until everything has landed: what may still be sent, and by whom, after the agent's report.

The call is lost on its first way. The agent gives up after 1 s and leaves it to the owner; the reconciler looks after
5 s and a landing of about 60 s, and settles what it does not see. Whoever is silent for longer than that and then
sends again makes an effect after the settlement, if the reconciler does not reckon with it.
"""

from dataclasses import replace

import pytest

from simkit.chance import Scripted
from simkit.choices import OnNotSeen, WriteOrder
from simkit.distributions import Wait
from simkit.records import Effect, Report, Settlement
from simkit.scenario import Hop, PlannedCall, Reconciler, Reissue, RetryLayer, Scenario
from simkit.study.structure.exploration import explore
from simkit.terms import ClaimKind, ErrorClass, LayerName, Outcome, Promise
from simkit.world import run_concrete
from simkit.world.last_sent import LastSent
from simkit.world.messages import ToolCall, Waiter
from simkit.world.timeline import ConcreteTimeline
from tests.builders import (
    LONGER_OF_BOTH,
    FaultsAt,
    a_call,
    a_layer,
    a_readback,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []

LONG = Wait.of(1000.0)
TO_SERVER_LOST, TO_SYSTEM_LOST = "gateway_to_server.request_lost", "server_to_downstream.request_lost"


def watched(*layers: RetryLayer, site: str = TO_SERVER_LOST) -> Scenario:
    """An agent that tries once, and a reconciler that settles as absent what it does not see after the landing."""
    plain = a_scenario()
    to_server, to_system = plain.hops
    hops: tuple[Hop, ...] = (replace(to_server, latest_landing_s=60.0), to_system)
    if layers[0].name is LayerName.GATEWAY:
        hops = (replace(to_system, name="agent_to_gateway"), *hops)
    scenario = replace(
        plain,
        layers=(a_layer(LayerName.AGENT), *layers),
        hops=hops,
        server=replace(server_with(plain, claim=ClaimKind.NONE).server, readback=a_readback()),
        reconciler=Reconciler(delay=Wait.of(5.0), on_not_seen=OnNotSeen.SETTLE_AS_ABSENT, waits_for_landing=True),
    )
    return conditions_with(scenario, rates=rates_at(0.01, site), retry_horizon_s=1e5)


def sdk(**changes: object) -> RetryLayer:
    return a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=5.0, **changes)


def a_gateway(**changes: object) -> RetryLayer:
    return a_layer(LayerName.GATEWAY, attempts=3, **changes)


def a_patient_sdk() -> Scenario:
    """It is told to wait for 1000 s, and does; the refusal for overload is the first fault, and leaves nothing."""
    layer = sdk(attempts=2, retry_after=LONGER_OF_BOTH, retries_on=(ErrorClass.OVERLOADED,))
    return downstream_with(watched(layer, site="downstream.overloaded"), retry_after_s=1000.0)


def an_outbox() -> Scenario:
    """The relay dies before it sends, and begins its next round 1000 s later."""
    scenario = server_with(watched(sdk(backoff=LONG)), claim=ClaimKind.UNIQUE, lease_s=None, order=WriteOrder.OUTBOX)
    return conditions_with(scenario, rates=rates_at(0.01, "relay.before_effect"))


@pytest.mark.parametrize(
    "scenario",
    (
        watched(a_gateway(backoff=LONG), sdk()),
        watched(a_gateway(timeout_s=1000.0), sdk()),
        watched(sdk(attempts=2, backoff=LONG), site=TO_SYSTEM_LOST),
        a_patient_sdk(),
        an_outbox(),
    ),
)
def test_a_layer_that_goes_on_after_a_long_silence_is_waited_for(scenario: Scenario) -> None:
    found = explore(scenario, fault_budget=1, policy="x", runs_twice=True).exploration

    assert found.of(Promise.NOTHING_AFTER_SETTLEMENT).is_proved
    assert found.of(Promise.EFFECT_HAPPENS).is_proved


def test_a_pause_in_each_of_two_windows_is_waited_for() -> None:
    """Two pauses of 600 s each, one after the other, before anything is sent to the system of record."""
    scenario = server_with(watched(sdk()), claim=ClaimKind.UNIQUE, lease_s=None)
    sites = ("server.paused_before_reservation", "server.paused_after_reservation")
    scenario = conditions_with(scenario, rates=rates_at(0.01, *sites), pause_s_max=600.0)

    found = explore(scenario, fault_budget=2, policy="x", runs_twice=True).exploration

    assert found.of(Promise.NOTHING_AFTER_SETTLEMENT).is_proved


def a_sweep() -> Scenario:
    sweep = Reissue(name="sweep", after=LONG, reported=(Outcome.UNKNOWN,), carries_id=True, is_blocked_by_hold=False)
    return replace(watched(sdk()), reissues=(sweep,))


def two_calls() -> Scenario:
    """The same wish is called for again, under its ID, long after the first call."""
    calls: tuple[PlannedCall, ...] = (a_call(), a_call(start_s=1000.0))
    scenario = replace(watched(sdk()), calls=calls)
    return server_with(scenario, claim=ClaimKind.UNIQUE, lease_s=None)


@pytest.mark.parametrize("scenario", (a_sweep(), two_calls()))
def test_what_nobody_could_know_of_is_not_waited_for_in_any_order(scenario: Scenario) -> None:
    """A path that sends 1000 s later is no part of the landing, so it breaks the settlement: on a clock as explored.

    The exploration must not make that sending ahead of its time, where the reconciler would see it coming.
    """
    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER_LOST}@{journal_path(scenario)}")).journal
    found = explore(scenario, fault_budget=1, policy="x", runs_twice=True).exploration

    (settled,), (made,) = journal.of(Settlement), journal.of(Effect)
    assert settled.at_s < made.at_s
    assert journal.of(Report)[0].outcome is Outcome.UNKNOWN
    assert found.of(Promise.NOTHING_AFTER_SETTLEMENT).fewest_faults == 1


def journal_path(scenario: Scenario) -> str:
    """Path of the first attempt; where there are several calls, the number of the call stands before it."""
    return "1:1" if len(scenario.calls) > 1 else "1"


class Anybody:
    """A sender whose steps touch nothing but their own call."""

    sends_locally = True

    def send(self, call: ToolCall, timeout_s: float | None) -> Waiter:
        raise AssertionError(f"nothing is sent here: {call}, {timeout_s}")


def test_a_sending_that_somebody_waits_for_is_no_local_step() -> None:
    timeline, sender = ConcreteTimeline(Scripted()), Anybody()

    assert not LastSent(timeline, is_asked=True).over(sender).sends_locally
    assert LastSent(timeline, is_asked=False).over(sender) is sender
