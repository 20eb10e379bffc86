"""What the calls of one layer share, acted out: tokens by failure and by call, and how many repeats are under way."""

import pytest

from simkit.scenario import RetryLayer, TokenBucket
from simkit.terms import ErrorClass
from simkit.world.messages import Answer
from tests.world.layer_bench import BUSY, DONE, DOWN, EVERY_ERROR, TAKEN, Bench, an_sdk

__all__: list[str] = []


def throttled(bucket: TokenBucket, attempts: int = 3) -> RetryLayer:
    """An SDK that repeats after every error while the bucket lets it."""
    return an_sdk(attempts=attempts, retries_on=EVERY_ERROR, token_bucket=bucket)


def request_counts(policy: RetryLayer, answers: tuple[Answer, ...], call_count: int) -> list[int]:
    """Requests of so many calls, one after the other."""
    bench = Bench(policy, answers=answers)
    counts = []
    for _ in range(call_count):
        before = bench.request_count
        bench.call()
        counts.append(bench.request_count - before)
    return counts


@pytest.mark.parametrize(("answer", "counts"), ((DOWN, [2, 1, 1]), (BUSY, [3, 3, 2])))
def test_a_repeat_after_an_overload_may_cost_less(answer: Answer, counts: list[int]) -> None:
    # 10 tokens: one repeat at 6; or five at 2.
    bucket = TokenBucket(token_count_max=10, cost_count=6, cost_count_overloaded=2, refund_count=0)

    assert request_counts(throttled(bucket), (answer,), 3) == counts


@pytest.mark.parametrize(("returns_cost", "counts"), ((True, [2, 2, 2, 2]), (False, [2, 1, 1, 2])))
def test_a_success_of_a_repeat_may_give_back_what_it_cost(
    returns_cost: bool,  # noqa: FBT001
    counts: list[int],
) -> None:
    # Where it doesn't, 14 tokens pay one repeat, and the successes of two calls give one token each.
    bucket = TokenBucket(token_count_max=14, cost_count=14, refund_count=7, returns_cost=returns_cost)
    answers = (DOWN, DONE) * 4 if returns_cost else (DOWN, DONE, DOWN, DONE, DOWN, DONE)

    assert request_counts(throttled(bucket), answers, 4) == counts


def test_a_success_after_two_repeats_gives_back_the_cost_of_the_last_alone() -> None:
    """As botocore does: 14 for a transient failure, 5 after throttling."""
    bucket = TokenBucket(token_count_max=19, cost_count=14, cost_count_overloaded=5, refund_count=0, returns_cost=True)

    # The first call costs 14 and 5 and gets 5 back: enough for one repeat after throttling, not after a failure.
    assert request_counts(throttled(bucket), (DOWN, BUSY, DONE, DOWN), 2) == [3, 1]
    assert request_counts(throttled(bucket), (DOWN, BUSY, DONE, BUSY, DONE), 2) == [3, 2]


def test_failures_are_charged_whether_or_not_they_are_repeated() -> None:
    """As gRPC does: 4 tokens, repeats above 2."""
    bucket = TokenBucket(token_count_max=4, cost_count=1, refund_count=0.5, charges_failures=True, above_count=2)
    policy = throttled(bucket, attempts=5)

    # The first failure leaves 3, which is enough, the second 2; then 1, and 0. Six successes make 3, and one
    # more failure 2: again not enough; after another success and a failure it is 1.5.
    assert request_counts(policy, (DOWN, DOWN, DOWN, DOWN, *[DONE] * 6, DOWN, DONE, DOWN), 12) == [2, *[1] * 11]


def test_only_failures_of_a_kind_that_is_tried_again_are_charged() -> None:
    bucket = TokenBucket(token_count_max=4, cost_count=1, refund_count=0, charges_failures=True, above_count=2)
    policy = an_sdk(attempts=2, retries_on=(ErrorClass.UNAVAILABLE,), token_bucket=bucket)

    # Ten conflicts are results to this layer; the failure after them leaves 3.
    assert request_counts(policy, (*[TAKEN] * 10, DOWN, DONE), 11) == [*[1] * 10, 2]


def test_each_call_may_bring_tokens() -> None:
    """As Finagle does: ten calls pay for one repeat."""
    bucket = TokenBucket(token_count_max=1, cost_count=1, refund_count=0, deposit_count=0.1)

    counts = request_counts(throttled(bucket, attempts=2), (DOWN,), 22)

    # The first call finds a full bucket. Then the tenth one after it finds it full again.
    assert [index for index, count in enumerate(counts) if count == 2] == [0, 10, 20]


def test_only_so_many_repeats_of_all_calls_are_under_way_at_once() -> None:
    """As Envoy's `max_retries` does: a repeat counts from its decision to its answer."""
    policy = an_sdk(attempts=2, retries_on=EVERY_ERROR, concurrent_retry_count_max=2)
    bench = Bench(policy, answers=(DOWN,), work_s=1.0)

    bench.call(count=5)
    at_once = bench.request_count
    for _ in range(3):
        bench.call()

    # Five calls fail at one instant, and two of them are repeated; later ones find the room free again.
    assert at_once == 5 + 2
    assert bench.request_count == at_once + 3 * 2


def test_a_repeat_that_is_never_sent_makes_room_again() -> None:
    """Its answer takes 2 s and the wait another 2, more than the budget of 3; an answer at once leaves time for it."""
    policy = an_sdk(attempts=2, retries_on=EVERY_ERROR, concurrent_retry_count_max=1, budget_s=3.0)
    bench = Bench(policy, answers=(DOWN,), work_s=2.0)
    bench.call()
    before = bench.request_count

    bench.party.work_s = 0.0
    bench.call()

    assert (before, bench.request_count) == (1, 1 + 2)


def test_no_room_at_all_is_no_repeat_at_all() -> None:
    bench = Bench(an_sdk(retries_on=EVERY_ERROR, concurrent_retry_count_max=0), answers=(DOWN,))

    bench.call()

    assert bench.request_count == 1
