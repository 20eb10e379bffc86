"""Paths that send again what was reported: a weekly batch, a sweep, a second agent."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Report
from simkit.scenario import Reissue, Scenario
from simkit.study.structure.exploration import explore
from simkit.terms import LayerName, OnExhausted, Outcome, Promise
from simkit.world import run_concrete
from tests.builders import FaultsAt, a_call, a_layer, a_scenario, conditions_with, rates_at

__all__: list[str] = []

LOST = "gateway_to_server.response_lost"
REJECTED = "downstream.error"
WEEK_S = 604_800.0


def a_batch(**changes: Any) -> Reissue:
    """A weekly batch with a key of its own, which knows of no hold."""
    batch = Reissue(
        name="batch",
        after=Wait.of(WEEK_S),
        reported=(Outcome.FAILED, Outcome.UNKNOWN),
        carries_id=False,
        is_blocked_by_hold=False,
    )
    return replace(batch, **changes)


def paid_out(*reissues: Reissue, on_exhausted: OnExhausted = OnExhausted.SAY_UNKNOWN) -> Scenario:
    """One attempt at a payout whose answer may be lost, or which may be rejected."""
    layers = (
        a_layer(LayerName.AGENT, on_exhausted=on_exhausted),
        a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0),
    )
    scenario = a_scenario(layers=layers, reissues=reissues)
    return conditions_with(scenario, rates=rates_at(0.01, LOST, REJECTED))


def played(scenario: Scenario, *faults: str) -> Journal:
    """The journal of one run on the clock."""
    return run_concrete(scenario, FaultsAt(*faults)).journal


def sent(journal: Journal) -> list[tuple[str, str, float]]:
    """Path, operation ID and instant of every attempt that comes from outside."""
    return [(fact.path, fact.operation_id, fact.at_s) for fact in journal.of(Attempt) if fact.layer is LayerName.AGENT]


@pytest.mark.parametrize(
    ("batch", "on_exhausted", "effect_count"),
    (
        # RS-117: what is unknown comes back as failed, and the weekly batch pays it out again under a new key.
        (a_batch(), OnExhausted.SAY_FAILED, 2),
        (a_batch(), OnExhausted.SAY_UNKNOWN, 2),
        # A hold that blocks every path: the payout waits for the owner.
        (a_batch(is_blocked_by_hold=True), OnExhausted.SAY_UNKNOWN, 1),
        # But nobody holds what is called failed.
        (a_batch(is_blocked_by_hold=True), OnExhausted.SAY_FAILED, 2),
        # Under the first attempt's ID the server recognises it.
        (a_batch(carries_id=True), OnExhausted.SAY_FAILED, 1),
        # This one takes up definite failures alone.
        (a_batch(reported=(Outcome.FAILED,)), OnExhausted.SAY_UNKNOWN, 1),
    ),
)
def test_a_batch_pays_again_what_was_reported_unless_it_is_held_or_recognised(
    batch: Reissue, on_exhausted: OnExhausted, effect_count: int
) -> None:
    journal = played(paid_out(batch, on_exhausted=on_exhausted), f"{LOST}@1")

    assert len(journal.of(Effect)) == effect_count


def test_a_definite_rejection_stays_automatic_though_holds_block() -> None:
    journal = played(paid_out(a_batch(is_blocked_by_hold=True)), f"{REJECTED}@1/1")

    assert len(journal.of(Effect)) == 1
    assert [report.outcome for report in journal.of(Report)] == [Outcome.FAILED, Outcome.OK]


def test_a_path_bears_its_name_and_sends_that_long_after_the_report() -> None:
    journal = played(paid_out(a_batch(name="sweep", after=Wait.of(10.0))), f"{LOST}@1")

    # The agent gives up after its timeout of 1 s.
    assert sent(journal) == [("1", "op1", 0.0), ("sweep:1", "op1/sweep:1", 11.0)]


def test_a_path_that_sends_several_times_stops_as_soon_as_it_hears_something_else() -> None:
    sweep = a_batch(name="sweep", after=Wait.of(10.0), count=3)

    journal = played(paid_out(sweep), f"{LOST}@1", f"{LOST}@sweep:1")

    # Both answers are lost after 1 s each; the second sweep is answered, and there is no third.
    assert [(path, at_s) for path, _, at_s in sent(journal)] == [("1", 0.0), ("sweep:1", 11.0), ("sweep:2", 22.0)]
    assert [report.outcome for report in journal.of(Report)] == [Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.OK]


def test_nothing_is_sent_again_of_what_was_reported_otherwise() -> None:
    assert len(sent(played(paid_out(a_batch())))) == 1


def test_the_paths_of_two_calls_stay_apart() -> None:
    calls = (a_call(), a_call(intent="i2", operation="op2"))
    scenario = replace(paid_out(a_batch(name="sweep")), calls=calls)

    journal = played(scenario, f"{LOST}@1:1", f"{LOST}@2:1")

    assert [path for path, _, _ in sent(journal)] == ["1:1", "2:1", "sweep:1:1", "sweep:2:1"]


@pytest.mark.parametrize(("carries_id", "expected"), ((True, None), (False, 1)))
def test_in_every_order_a_path_that_sends_beside_a_late_original_needs_its_id(
    carries_id: bool,  # noqa: FBT001
    expected: int | None,
) -> None:
    """The original may land up to 30 s after it was sent; a second agent takes over after 5 s."""
    second = a_batch(name="second agent", after=Wait.of(5.0), carries_id=carries_id)
    scenario = paid_out(second)
    hops = tuple(replace(hop, latest_landing_s=30.0) for hop in scenario.hops)
    scenario = replace(scenario, hops=hops, server=replace(scenario.server, lease_s=60.0))
    scenario = conditions_with(scenario, rates=rates_at(0.01, "gateway_to_server.request_late"))

    found = explore(scenario, fault_budget=1, policy="second agent", runs_twice=True).exploration

    at_most_one = next(result for result in found.promises if result.promise is Promise.AT_MOST_ONE_EFFECT)
    assert at_most_one.fewest_faults == expected
