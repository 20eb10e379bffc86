"""Each flip stands where the fields of the scenario put it, worked out by hand, to the microsecond.

A call takes 10 ms to the server and 5 ms to the system of record, which works 1 ms and answers within 1 ms; the
server answers within 10 ms. So an effect is made 16 ms after its attempt, and its answer is there after 27 ms.
"""

from dataclasses import replace
from functools import cache

import pytest

from simkit.choices import Acknowledgement, Deduplication, Holder
from simkit.distributions import Wait
from simkit.scenario import Agent, Hop, Queue, Scenario
from simkit.study.margin_results import Margin
from simkit.study.structure.claims import structural_verdict
from simkit.study.structure.margins import margins, number_margins
from simkit.study.structure.numbers import numbers_of
from simkit.terms import ClaimKind, Identity, LayerName, OnUncertainReadback, StalePolicy, Verdict
from tests.builders import (
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []

KEY_RETENTION = "stages.ticket.downstream.key_retention.retention_s"

SENT_AGAIN_AFTER_6_S = conditions_with(
    a_scenario(
        layers=(
            a_layer(LayerName.AGENT, attempts=2, backoff=Wait.of(5.0)),
            a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0),
        )
    ),
    rates=rates_at(None, "gateway_to_server.response_lost"),
    retry_horizon_s=20.0,
)
"""The agent waits 1 s for the answer, and 5 s more before its second attempt, the last."""

KEYED = downstream_with(
    server_with(SENT_AGAIN_AFTER_6_S, claim=ClaimKind.NONE), key_retention=a_retention(retention_s=10.0)
)
"""Nothing but the key of the system of record, kept exactly 10 s, makes the second attempt harmless."""

RECORDED = server_with(SENT_AGAIN_AFTER_6_S, lease_s=None, retention=a_retention(retention_s=10.0))
"""Nothing but the server's record, kept exactly 10 s, does."""

QUEUED = replace(
    downstream_with(KEYED, deduplication=Deduplication.HEURISTIC, asked_by=()),
    agent=Agent(identity=Identity.NONE, handover_completes=True),
    layers=(a_layer(LayerName.AGENT, attempts=2), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)),
    stages=(replace(downstream_with(KEYED, deduplication=Deduplication.HEURISTIC, asked_by=()).stages[0], key=None),),
    hops=(
        replace(
            KEYED.hops[0],
            queue=Queue(
                delay=Wait(s_min=0.0, s_typical=1.0, s_max=2.0),
                held_by=Holder.BROKER,
                visibility_timeout_s=100.0,
                delivery_count_max=1,
                acknowledges=Acknowledgement.ON_RECEIPT,
            ),
        ),
        KEYED.hops[1],
    ),
)
"""A queue that holds a call for up to 2 s, in front of a system that knows equal content for 10 s."""

PAUSED = conditions_with(
    server_with(a_scenario(), lease_s=5.0),
    rates=rates_at(None, "server.paused_after_reservation"),
    pause_s_max=3.0,
    retry_horizon_s=20.0,
)
"""A worker pauses up to 3 s with a reservation whose lease is 5 s, and that is run again when it is stale."""

READ_BACK = conditions_with(
    server_with(
        a_scenario(),
        stale=StalePolicy.READ_BACK,
        readback=a_readback(lag_s_max=0.5, on_uncertain=OnUncertainReadback.TREAT_AS_ABSENT),
    ),
    rates=rates_at(None, "server.after_effect"),
    retry_horizon_s=20.0,
)
"""The server dies after the effect; the second attempt asks at once whether it was made, and may see it 0.5 s late."""


@cache
def margins_of(scenario: Scenario) -> tuple[Margin, ...]:
    """All margins of a scenario with up to one fault; worked out once."""
    verdict = structural_verdict(scenario, 1)
    assert verdict is not None
    return number_margins(scenario, verdict, numbers_of(scenario), fault_budget=1)


def flip(scenario: Scenario, number: str, direction: str) -> Margin:
    """The margin of one number in one direction."""
    found = margins_of(scenario)
    return next(margin for margin in found if (margin.number, margin.direction) == (number, direction))


@pytest.mark.parametrize(
    ("scenario", "number", "direction", "flips_at_s", "before", "beyond"),
    (
        # The second attempt is sent at 1 + 5 s. Both effects come 16 ms after their attempts, and a key is forgotten
        # at its expiry: so it must be kept longer than the 6 s between them.
        (KEYED, KEY_RETENTION, "less", 6.0, Verdict.ALLOW, Verdict.HOLD),
        # The same 10 s from the other side: timeout + 5 s, and 1 s + backoff, must stay below them.
        (KEYED, "layers.agent.timeout_s", "more", 5.0, Verdict.ALLOW, Verdict.HOLD),
        (KEYED, "layers.agent.backoff", "more", 9.0, Verdict.ALLOW, Verdict.HOLD),
        # An answer that comes 27 ms after the attempt is too late for a deadline at 27 ms, which beats it: then
        # nobody hears of an effect even where nothing fails.
        (KEYED, "layers.agent.timeout_s", "less", 0.027, Verdict.ALLOW, Verdict.DISABLE),
        # A record counts from the reservation, 10 ms after the attempt, and the second attempt arrives after 10 ms.
        (RECORDED, "server.retention.retention_s", "less", 6.0, Verdict.ALLOW, Verdict.HOLD),
        # The first call leaves the queue at once; the second, sent after 1 s, as late as it can: 1 s + delay = 10 s.
        (QUEUED, "hops.gateway_to_server.queue.delay.s_max", "more", 9.0, Verdict.ALLOW, Verdict.HOLD),
        (QUEUED, KEY_RETENTION, "less", 3.0, Verdict.ALLOW, Verdict.HOLD),
        # Attempt 2, sent after 1 s, arrives 1 s after the reservation and hears `pending` 10 ms later; attempt 3
        # follows at once and arrives 10 ms after that: the last that can meet a lease, 1.02 s after it began.
        (PAUSED, "server.lease_s", "less", 1.02, Verdict.ALLOW, Verdict.HOLD),
        # The effect is made after 16 ms, its answer back after 17 ms, when the server dies; the agent hears so after
        # 27 ms, and its second attempt arrives after 37 ms and asks for 1 ms: 22 ms after the effect.
        (READ_BACK, "server.readback.lag_s_max", "less", 0.022, Verdict.HOLD, Verdict.ALLOW),
        # The backoff adds to these 22 ms, and so does the time that a question takes: together 0.5 s.
        (READ_BACK, "layers.agent.backoff", "more", 0.478, Verdict.HOLD, Verdict.ALLOW),
        (READ_BACK, "server.readback.latency", "more", 0.479, Verdict.HOLD, Verdict.ALLOW),
    ),
)
def test_the_verdict_flips_where_the_fields_put_it(
    scenario: Scenario, number: str, direction: str, flips_at_s: float, before: Verdict, beyond: Verdict
) -> None:
    margin = flip(scenario, number, direction)

    assert margin.flips_at_s == flips_at_s
    assert (margin.verdict_before, margin.verdict_beyond) == (before, beyond)
    assert margin.is_verified
    assert margin.is_exhaustive
    # One microsecond short of the flip the verdict stays.
    short_s = flips_at_s + (1e-6 if direction == "less" else -1e-6)
    assert margin.kept_to_s == pytest.approx(short_s, abs=1e-9)


def test_a_guarantee_that_becomes_the_larger_of_two_is_met_where_it_does() -> None:
    """The server guarantees 3 us and the system of record 2 us; only the larger guarantee is promised."""
    one = Wait.of(1e-6)
    usual = Wait(s_min=1e-6, s_typical=1e-6, s_max=2e-6)
    scenario = server_with(
        conditions_with(
            a_scenario(
                layers=(
                    a_layer(LayerName.AGENT, attempts=2, timeout_s=9e-6, backoff=Wait.of(2e-6)),
                    a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=30e-6),
                ),
                hops=(
                    Hop(name="gateway_to_server", request=usual, response=one, latest_landing_s=3e-6),
                    Hop(name="server_to_downstream", request=one, response=one, latest_landing_s=2e-6),
                ),
            ),
            rates=rates_at(None, "gateway_to_server.response_lost"),
            retry_horizon_s=20e-6,
        ),
        claim=ClaimKind.CHECK_THEN_ACT,
        retention=a_retention(retention_s=3e-6),
        stale=StalePolicy.HOLD,
        readback=a_readback(latency=one),
    )
    scenario = downstream_with(scenario, work=one, key_retention=a_retention(retention_s=2e-6))

    margin = flip(scenario, KEY_RETENTION, "more")

    # Another wish under the same ID comes 2 (3 + 2) + 1 + 1 = 12 us after the first: protected from 13 us on. But the
    # first effect is made after 3 us, and the key forgotten 13 us later, just as the second effect is made after
    # 12 + 2 + 1 + 1 = 16 us at the latest. (From 14 us on it is remembered then, and a conflict.)
    assert margin.flips_at_s == 13e-6
    assert (margin.verdict_before, margin.verdict_beyond) == (Verdict.HOLD, Verdict.DISABLE)
    assert margin.is_exhaustive


def test_a_number_that_nothing_is_compared_with_has_no_flip_in_all_of_its_range() -> None:
    margin = flip(KEYED, KEY_RETENTION, "more")

    # Up to 10 times the value, which is more than the retry horizon.
    assert margin.flips_at_s is None
    assert margin.kept_to_s == 100.0
    assert margin.is_exhaustive


def test_a_value_that_the_scenario_refuses_ends_the_range() -> None:
    margin = flip(KEYED, "hops.gateway_to_server.latest_landing_s", "less")

    # It may not be shorter than the slowest usual latency, 10 ms, which it is.
    assert margin.kept_to_s == 0.01
    assert margin.flips_at_s is None


def test_what_the_time_leaves_is_not_sought_and_not_called_exhaustive() -> None:
    left = iter(range(40))

    found = margins(KEYED, fault_budget=1, is_over=lambda: next(left, None) is None).numbers

    open_ends = [margin for margin in found if not margin.is_exhaustive]
    assert open_ends
    assert not any(margin.is_verified for margin in open_ends)


def test_without_time_for_the_verdict_there_are_no_margins() -> None:
    found = margins(KEYED, fault_budget=1, is_over=lambda: True)

    assert not found.numbers
    assert not found.lifts
    assert found.smallest is None
