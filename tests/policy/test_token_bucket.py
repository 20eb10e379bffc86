"""The bucket against botocore's own code, gRPC's rule worked out by hand, and what others publish."""

from types import SimpleNamespace
from typing import Any

import pytest
from botocore.retries.quota import RetryQuota
from botocore.retries.standard import RetryQuotaChecker
from hypothesis import given
from hypothesis import strategies as st

from simkit.errors import ScenarioError
from simkit.policy import Bucket
from simkit.scenario import TokenBucket
from simkit.terms import ErrorClass

__all__: list[str] = []

BUSY, DOWN = ErrorClass.OVERLOADED, ErrorClass.UNAVAILABLE
COUNTS = st.integers(min_value=0, max_value=20)

BOTOCORE = Bucket(
    token_count_max=500, cost_count=14, cost_count_overloaded=5, refund_count=1, returns_cost=True, token_count=500
)
GRPC = Bucket(token_count_max=10, cost_count=1, refund_count=0.1, charges_failures=True, above_count=5, token_count=10)


def a_bucket(token_count_max: float, cost_count: float, refund_count: float) -> Bucket:
    """A full bucket."""
    return Bucket(
        token_count_max=token_count_max,
        cost_count=cost_count,
        refund_count=refund_count,
        token_count=token_count_max,
    )


def paid_repeats(bucket: Bucket, wanted_count: int) -> tuple[int, Bucket]:
    """How many of so many repeats in a row are paid, and what is left."""
    for count in range(wanted_count):
        if not bucket.can_repeat(DOWN):
            return count, bucket
        bucket = bucket.repeated(DOWN)
    return wanted_count, bucket


@pytest.mark.parametrize(
    ("token_count_max", "cost_count", "repeat_count"),
    (
        (500, 5, 100),  # botocore's standard mode: 500 tokens, 5 for an error
        (500, 10, 50),  # the same, 10 for a timeout
        (500, 14, 35),  # since botocore 1.44: 14 for a transient error; 35 * 14 = 490, and 10 are not enough
        (4, 5, 0),
    ),
)
def test_a_full_bucket_pays_that_many_repeats_in_a_row(
    token_count_max: int, cost_count: int, repeat_count: int
) -> None:
    paid_count, _ = paid_repeats(a_bucket(token_count_max, cost_count, 1), 1000)

    assert paid_count == repeat_count


def test_an_empty_bucket_needs_as_many_successes_as_a_repeat_costs() -> None:
    _, bucket = paid_repeats(a_bucket(500, 5, 1), 100)

    for _ in range(4):
        bucket = bucket.succeeded()
        assert not bucket.can_repeat(DOWN)

    assert bucket.succeeded().can_repeat(DOWN)


@given(token_count_max=COUNTS, cost_count=COUNTS.filter(bool), refund_count=COUNTS, steps=st.lists(st.booleans()))
def test_a_bucket_is_never_overdrawn_and_never_overfull(
    token_count_max: int, cost_count: int, refund_count: int, steps: list[bool]
) -> None:
    """Whatever comes, the repeats cost at most what was there at the start and what successes gave."""
    bucket = a_bucket(token_count_max, cost_count, refund_count)
    paid_count = success_count = 0

    for is_success in steps:
        if is_success:
            bucket, success_count = bucket.succeeded(), success_count + 1
        elif bucket.can_repeat(DOWN):
            bucket, paid_count = bucket.repeated(DOWN), paid_count + 1
        assert 0 <= bucket.token_count <= token_count_max

    assert paid_count * cost_count <= token_count_max + success_count * refund_count


CALLS = st.lists(st.tuples(st.lists(st.sampled_from((BUSY, DOWN)), max_size=4), st.booleans()), max_size=60)
"""Calls one after the other: the failures before the end, and whether it ended well."""


@given(calls=CALLS)
def test_the_bucket_is_that_of_botocore_whatever_happens(calls: list[tuple[list[ErrorClass], bool]]) -> None:
    """Botocore's own checker and quota are fed the same failures and successes, call by call."""
    quota = RetryQuota()
    detector = SimpleNamespace(is_throttling_error_from_context=lambda context: context.failure is BUSY)
    checker = RetryQuotaChecker(quota, throttling_detector=detector)
    bucket = BOTOCORE

    for failures, ends_well in calls:
        request: dict[str, object] = {}
        repeated: ErrorClass | None = None
        for failure in failures:
            context = SimpleNamespace(failure=failure, request_context=request, add_retry_metadata=lambda **_: None)
            is_allowed = checker.acquire_retry_quota(context)
            assert bucket.can_repeat(failure) == is_allowed
            if not is_allowed:
                break
            bucket, repeated = bucket.repeated(failure), failure
        else:
            checker.release_retry_quota(request, SimpleNamespace(status_code=200 if ends_well else 500))
            if ends_well:
                bucket = bucket.succeeded(is_repeat=repeated is not None, failure=repeated)

        assert bucket.token_count == quota.available_capacity


def test_botocore_gives_back_only_what_the_last_repeat_cost() -> None:
    # 500 - 14 - 5; the second repeat, after throttling, succeeds and gives its own 5 back, not the 14.
    bucket = BOTOCORE.repeated(DOWN).repeated(BUSY).succeeded(is_repeat=True, failure=BUSY)

    assert bucket.token_count == 486
    assert bucket.succeeded().token_count == 487


@pytest.mark.parametrize(
    ("answers", "token_count", "may_repeat"),
    (
        # gRPC A6: 10 tokens, 1 for each failure, 0.1 for each success; no repeat at 5 or below.
        ("", 10.0, True),
        ("ffff", 6.0, True),
        ("fffff", 5.0, False),
        ("fffffs", 5.1, True),
        ("fffff" + "s" * 10, 6.0, True),  # ten times a tenth is one
        ("f" * 30, 0.0, False),  # never below nothing
        ("f" * 30 + "s" * 50, 5.0, False),
        ("f" * 30 + "s" * 51, 5.1, True),
        ("s" * 30, 10.0, True),  # never above the most
    ),
)
def test_grpc_charges_failures_and_repeats_above_half_of_its_tokens(
    answers: str,
    token_count: float,
    may_repeat: bool,  # noqa: FBT001
) -> None:
    bucket = GRPC

    for answer in answers:
        bucket = bucket.failed(DOWN) if answer == "f" else bucket.succeeded()

    assert bucket.token_count == token_count
    assert bucket.can_repeat(DOWN) is may_repeat
    assert bucket.repeated(DOWN) == bucket  # the failure was charged, the repeat is not


def test_brookers_bucket_repeats_only_above_one_token_and_pays_one() -> None:
    bucket = Bucket(token_count_max=2, cost_count=1, refund_count=0.1, above_count=1, token_count=2)

    once = bucket.repeated(DOWN)

    assert bucket.can_repeat(DOWN)
    assert (once.token_count, once.can_repeat(DOWN)) == (1, False)
    assert once.succeeded().can_repeat(DOWN)
    assert once.succeeded().repeated(DOWN).token_count == 0.1
    assert once.failed(DOWN) == once


def test_finagles_bucket_is_filled_by_calls() -> None:
    """A repeat for five calls: each brings a fifth of what a repeat costs."""
    bucket = Bucket(token_count_max=1, cost_count=1, refund_count=0, deposit_count=0.2, token_count=0)

    counts = []
    for _ in range(6):
        counts.append(bucket.can_repeat(DOWN))
        bucket = bucket.called()

    assert counts == [False] * 5 + [True]


@pytest.mark.parametrize("field", ("token_count_max", "cost_count", "cost_count_overloaded", "above_count"))
@pytest.mark.parametrize("value", (-1.0, float("inf"), float("nan")))
def test_a_bucket_of_a_scenario_holds_finite_counts(field: str, value: float) -> None:
    counts: dict[str, Any] = {"token_count_max": 1.0, "cost_count": 1.0, "refund_count": 0.0, field: value}

    with pytest.raises(ScenarioError, match=rf"token_bucket\.{field} is finite and at least 0"):
        TokenBucket(**counts)
