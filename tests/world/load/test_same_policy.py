"""A policy of the catalog means the same in both worlds: under load it sends what its real code did."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import KeyMinted
from simkit.distributions import Discrete, Wait
from simkit.scenario import (
    Arrivals,
    CircuitBreaker,
    Link,
    LoadFault,
    LoadLayer,
    LoadScenario,
    LoadService,
    RetryLayer,
    RetryPolicy,
    TokenBucket,
)
from simkit.terms import ErrorClass, LayerName, OnExhausted
from simkit.world.load import Operations, run_load
from tests.catalog.policy_worlds import ASKED_S, READ_FIRST
from tests.catalog.test_policy_counts import SHORT_S, Row, layer_of, rows

__all__: list[str] = []

LONG_S = 1e5
REFUSED = LoadFault(failure=ErrorClass.CONNECTION_REFUSED, probability=1.0)
CLOSED = LoadFault(failure=ErrorClass.CONNECTION_CLOSED, probability=1.0, after_work=True)


def failing(fault: str) -> tuple[Link, LoadService]:
    """The way and the service on which every attempt fails in that way, as the table calls it."""
    service = LoadService(work=Discrete.of(0.0), retry_after_s=ASKED_S if fault.endswith("+") else 0.0)
    if fault == "refuse":
        return Link(faults=(REFUSED,)), service
    if fault in READ_FIRST:
        failure = ErrorClass.TIMEOUT if fault == "hang" else ErrorClass.CONNECTION_CLOSED
        return Link(faults=(replace(CLOSED, failure=failure),)), service
    status = LoadFault(failure=ErrorClass(fault.removesuffix("+")), probability=1.0)
    return Link(), replace(service, faults=(status,))


def listing(layer: RetryLayer) -> RetryLayer:
    """An agent that lists no failures repeats whatever is open; under load that is a list."""
    if layer.name is not LayerName.AGENT or layer.lists_its_failures:
        return layer
    return replace(layer, retries_on=tuple(error for error in ErrorClass if error is not ErrorClass.CONFLICT))


def run_of(*policies: RetryPolicy, way: Link, service: LoadService, method: str = "POST") -> Operations:
    """One operation through these layers, the last of which fails as the way or the service does."""
    links = [Link()] * (len(policies) - 1) + [way]
    layers = tuple(
        LoadLayer.of(policy, name=f"layer {index}", link=link)
        for index, (policy, link) in enumerate(zip(policies, links, strict=True))
    )
    world = LoadScenario(
        name="same",
        source="own",
        arrivals=Arrivals(client_count=1),
        layers=layers,
        service=service,
        cut_at_s=LONG_S,
        method=method,
    )
    return run_load(world, seed=7).operations


def counted(row: Row, fault: str) -> int:
    """Writes of a line's policy, counted as the table's own test does."""
    layer = listing(layer_of(row))
    if fault == "hang":
        layer = replace(layer, timeout_s=SHORT_S)
    way, service = failing(fault)
    operations = run_of(layer, way=way, service=service, method=row.method)
    counts = operations.effect_counts if fault in READ_FIRST else operations.attempt_counts[:, 0]
    return int(counts[0])


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.policy} {row.variant} {row.method}")
def test_under_load_a_policy_sends_as_many_writes_as_its_real_code_did(row: Row) -> None:
    simulated = {fault: counted(row, fault) for fault in row.counts}

    assert simulated == dict(row.counts)


def a_policy(attempts: int | None = 2, **parts: Any) -> RetryPolicy:
    """A quarter of a second between its attempts, whose multiples are floats without an error."""
    rest = {"timeout_s": None, "budget_s": None, "on_exhausted": OnExhausted.SAY_LAST, "backoff": Wait.of(0.25)}
    return RetryPolicy(attempts=attempts, **{**rest, **parts})


def attempts_of(*policies: RetryPolicy, fault: str = "close") -> list[int]:
    """Attempts of each layer for one operation that fails each time."""
    way, service = failing(fault)
    return list(run_of(*policies, way=way, service=service).attempt_counts[0])


def test_no_attempt_begins_when_the_budget_is_used_up_to_the_instant() -> None:
    # At 0 s and at 0.25 s; at 0.5 s nothing more.
    assert attempts_of(a_policy(None, budget_s=0.5)) == [2]


def test_the_last_failure_of_a_call_is_charged_as_well() -> None:
    bucket = TokenBucket(token_count_max=5, cost_count=1, refund_count=1, charges_failures=True, above_count=2)

    # Two failures of the first call leave 3 tokens, and the first one of the second call leaves 2.
    assert attempts_of(a_policy(), a_policy(token_bucket=bucket)) == [2, 3]


def test_a_repeat_that_the_breaker_holds_back_is_under_way_no_more() -> None:
    breaker = CircuitBreaker(failure_count=1, open_s=0.5)

    policy = a_policy(3, circuit_breaker=breaker, concurrent_retry_count_max=1, retries_on=(ErrorClass.UNAVAILABLE,))

    # Sent at 0 s, held back at 0.25 s, and the one try after the open time at 0.5 s.
    assert attempts_of(policy, fault="503") == [2]


def test_a_key_that_is_minted_above_the_innermost_layer_is_not_looked_at() -> None:
    way = Link(faults=(CLOSED,))
    service = LoadService(work=Discrete.of(0.0), key_retention_s=60.0)
    minting = a_policy(mints_key=KeyMinted.PER_CALL)

    above, below = (
        int(run_of(*policies, way=way, service=service).effect_counts[0])
        for policies in ((minting, a_policy()), (a_policy(), minting))
    )

    # Each of four attempts makes the effect; by a key of the innermost layer's, each of its two calls does.
    assert (above, below) == (4, 2)
