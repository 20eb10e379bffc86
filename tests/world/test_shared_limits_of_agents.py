"""What the errands of one agent share: its throttle pays, charges and counts as that of a layer below does."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import AskedWait
from simkit.journal import Journal
from simkit.records import Attempt
from simkit.scenario import RetryAfter, Scenario, TokenBucket
from simkit.terms import ClaimKind, ErrorClass, LayerName, OnExhausted
from simkit.world import run_concrete
from tests.builders import (
    FaultsAt,
    a_call,
    a_layer,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []

OVERLOADED, UNAVAILABLE, CONFLICT = "downstream.overloaded", "downstream.unavailable", "downstream.conflict"


def errands(*starts_s: float, **agent: Any) -> Scenario:
    """Calls of one agent, which hears as its own failure whatever the system of record answers."""
    layers = (
        a_layer(LayerName.AGENT, **{"attempts": 2, "timeout_s": None, **agent}),
        a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=None, on_exhausted=OnExhausted.SAY_LAST),
    )
    calls = tuple(
        a_call(intent=f"i{number}", operation=f"op{number}", start_s=start_s)
        for number, start_s in enumerate(starts_s, start=1)
    )
    scenario = server_with(a_scenario(layers=layers, calls=calls), claim=ClaimKind.NONE, passes_errors_on=True)
    return conditions_with(scenario, rates=rates_at(0.1, OVERLOADED, UNAVAILABLE, CONFLICT))


def attempt_counts(journal: Journal) -> list[int]:
    """Attempts of the agent for each intent, in the order in which they begin."""
    intents = [attempt.intent for attempt in journal.of(Attempt) if attempt.layer is LayerName.AGENT]
    return [intents.count(intent) for intent in dict.fromkeys(intents)]


def run(scenario: Scenario, *sites: str) -> list[int]:
    """Attempts for each call where these sites fail."""
    return attempt_counts(run_concrete(scenario, FaultsAt(*sites)).journal)


@pytest.mark.parametrize(("returns_cost", "counts"), ((True, [2, 2]), (False, [2, 1])))
def test_a_success_of_a_repeat_gives_back_its_cost(returns_cost: bool, counts: list[int]) -> None:  # noqa: FBT001
    bucket = TokenBucket(token_count_max=2, cost_count=2, refund_count=1, returns_cost=returns_cost)

    found = run(errands(0.0, 10.0, token_bucket=bucket), f"{UNAVAILABLE}@1:1/1", f"{UNAVAILABLE}@2:1/1")

    assert found == counts


@pytest.mark.parametrize(
    ("retries_on", "counts"),
    (
        # 5 tokens, repeats above 2: three failures leave 2. Whatever is open is a failure.
        (None, [2, 1]),
        # To an agent that lists what it tries again, a failure that is not listed is none, and costs nothing.
        ((ErrorClass.UNAVAILABLE,), [2, 2]),
    ),
)
def test_an_agents_failures_are_charged_as_far_as_it_tries_them_again(
    retries_on: tuple[ErrorClass, ...] | None, counts: list[int]
) -> None:
    bucket = TokenBucket(token_count_max=5, cost_count=1, refund_count=0, charges_failures=True, above_count=2)
    scenario = errands(0.0, 10.0, token_bucket=bucket, **({} if retries_on is None else {"retries_on": retries_on}))
    first = f"{UNAVAILABLE}@1:1/1", f"{OVERLOADED}@1:2/1"
    alone = run(replace(scenario, calls=scenario.calls[:1]), f"{UNAVAILABLE}@1/1", f"{OVERLOADED}@2/1")

    found = run(scenario, *first, f"{UNAVAILABLE}@2:1/1")

    assert alone == [2]
    assert found == counts


def test_only_so_many_repeats_of_an_agent_are_under_way_at_once_and_each_that_ends_makes_room() -> None:
    scenario = errands(0.0, 0.0, 10.0, 20.0, concurrent_retry_count_max=1)

    found = run(scenario, *(f"{UNAVAILABLE}@{call}:1/1" for call in range(1, 5)))

    # Two calls fail at one instant, and one of them is repeated; both later calls find the room free again.
    assert sorted(found[:2]) == [1, 2]
    assert found[2:] == [2, 2]


def test_a_repeat_that_the_budget_forbids_makes_room_again() -> None:
    """The first answer asks for 7 s, of which the budget has 5; the second one, a 409, asks for nothing."""
    scenario = errands(
        0.0,
        10.0,
        retries_on=tuple(ErrorClass),
        retry_after=RetryAfter(waits=AskedWait.INSTEAD),
        concurrent_retry_count_max=1,
        budget_s=5.0,
    )

    found = run(downstream_with(scenario, retry_after_s=7.0), f"{UNAVAILABLE}@1:1/1", f"{CONFLICT}@2:1/1")

    assert found == [1, 2]
