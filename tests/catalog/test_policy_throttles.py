"""What holds back the retries of all calls of a layer, by entries of the catalog, does so as the real code did."""

from dataclasses import replace

import pytest

from simkit.catalog import policy_content
from simkit.contract.catalog_file import parse_policy
from simkit.scenario import RetryLayer, RetryPolicy
from simkit.terms import ErrorClass, LayerName
from tests.world.layer_bench import DOWN, Bench

__all__: list[str] = []

BURST_COUNT = 50
"""Clients that call at once, of which each gets 503 whatever it does."""


def layer_of(name: str) -> RetryLayer:
    """The policy of an entry, as a gateway: above it nobody repeats, and nobody stops waiting."""
    policy = parse_policy(policy_content(name), file=name).behaviour
    assert policy is not None
    fields = {field: getattr(policy, field) for field in RetryPolicy.__slots__}
    return replace(RetryLayer(name=LayerName.GATEWAY, **fields), timeout_s=None)


def test_after_one_failed_call_the_throttle_of_grpc_lets_no_retry_through() -> None:
    bench = Bench(layer_of("grpc-retry-policy"), answers=(DOWN,))
    counts = []

    for _ in range(8):
        before = bench.request_count
        bench.call()
        counts.append(bench.request_count - before)

    # Four failures leave 6 of 10 tokens; the next one leaves 5, and with half of them or less nothing is retried.
    assert counts == [4, 1, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("count_max", "request_count"),
    (
        (3, 59),  # three calls get their three retries each; the others find no place, and are passed up
        (1000, 200),  # a place for everybody: 50 calls of four attempts
    ),
)
def test_envoy_makes_so_many_retries_of_a_burst_as_have_a_place(count_max: int, request_count: int) -> None:
    layer = replace(layer_of("envoy-retry-on-5xx"), attempts=4, concurrent_retry_count_max=count_max)
    bench = Bench(layer, answers=(DOWN,), work_s=0.02)

    bench.call(BURST_COUNT)

    assert bench.request_count == request_count


def test_the_limit_of_envoy_stands_in_its_entry() -> None:
    assert layer_of("envoy-retry-on-5xx").concurrent_retry_count_max == 3


@pytest.mark.parametrize(
    ("name", "call_count", "retry_count"),
    (
        # 14 tokens for a retry: 35 retries take 490 of 500, the 36th finds 10. With two retries a call, the
        # eighteenth call gets one.
        ("botocore-standard-v2", 40, 35),
        ("botocore-standard-v1", 60, 100),  # 5 tokens for a retry: a hundred, two for each of fifty calls
        ("finagle-retry-budget", 1, 100),  # the reserve, as one call brings no more than a fifth of a retry
    ),
)
def test_an_outage_gets_no_more_retries_than_there_is_budget_for(name: str, call_count: int, retry_count: int) -> None:
    bench = Bench(replace(layer_of(name), retries_on=(ErrorClass.UNAVAILABLE,)), answers=(DOWN,))

    for _ in range(call_count):
        bench.call()

    assert bench.request_count == call_count + retry_count
