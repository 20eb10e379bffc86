"""Every axis of a retry layer on a clock: what is repeated, after which wait, what holds it back, what goes up."""

from dataclasses import replace
from itertools import product

import pytest

from simkit.distributions import Wait
from simkit.policy import Admission
from simkit.records import Attempt
from simkit.scenario import CircuitBreaker, RetryLayer, RetryShare, TokenBucket
from simkit.study import run_story
from simkit.terms import ErrorClass, LayerName, OnExhausted, State
from simkit.world.link import InProcess
from simkit.world.messages import CLOSED, REFUSED, TIMED_OUT, Answer, Waiter
from simkit.world.pacing import Pacing
from simkit.world.places import EVERYTHING
from simkit.world.timeline import ConcreteTimeline
from tests.builders import LONGER_OF_BOTH, FaultsAt, a_layer, a_scenario, conditions_with, rates_at
from tests.world.layer_bench import BUSY, DONE, DOWN, EVERY_ERROR, GATEWAY, SDK, TAKEN, Bench, Party, an_sdk

__all__: list[str] = []


@pytest.mark.parametrize(
    ("answer", "retries_on", "request_count"),
    (
        (DOWN, (ErrorClass.UNAVAILABLE,), 3),
        (DOWN, (ErrorClass.SERVER_ERROR, ErrorClass.OVERLOADED), 1),
        (BUSY, (ErrorClass.OVERLOADED,), 3),
        (BUSY, (), 1),
        (CLOSED, (ErrorClass.CONNECTION_CLOSED,), 3),
        (None, (ErrorClass.TIMEOUT,), 3),
        (None, (ErrorClass.CONNECTION_CLOSED,), 1),
        (DONE, EVERY_ERROR, 1),
        (Answer(state=State.UNKNOWN, detail="held"), EVERY_ERROR, 1),  # decided, so no failure of the way
    ),
)
def test_only_listed_failures_are_repeated(
    answer: Answer | None, retries_on: tuple[ErrorClass, ...], request_count: int
) -> None:
    bench = Bench(an_sdk(retries_on=retries_on), answers=(answer,))

    bench.call()

    assert bench.request_count == request_count


@pytest.mark.parametrize(("method", "request_count"), (("GET", 3), ("PUT", 3), ("POST", 1)))
def test_a_layer_that_looks_at_the_method_repeats_only_calls_of_those(method: str, request_count: int) -> None:
    bench = Bench(an_sdk(retries_on=EVERY_ERROR, methods=("GET", "PUT")), answers=(DOWN,))

    bench.call(method=method)

    assert bench.request_count == request_count


@pytest.mark.parametrize(
    ("honours", "backoff_s", "arrivals_s"),
    (
        (False, 2.0, [0.0, 2.0, 4.0]),
        (True, 2.0, [0.0, 7.0, 14.0]),
        (True, 9.0, [0.0, 9.0, 18.0]),  # the longer of the two
    ),
)
def test_a_wait_is_the_backoff_or_what_the_answer_asks_for(
    honours: bool,  # noqa: FBT001
    backoff_s: float,
    arrivals_s: list[float],
) -> None:
    policy = an_sdk(retries_on=EVERY_ERROR, retry_after=LONGER_OF_BOTH if honours else None, backoff=Wait.of(backoff_s))
    bench = Bench(policy, answers=(BUSY,))

    bench.call()

    assert bench.party.arrivals_s == arrivals_s


def test_a_long_retry_after_uses_up_the_time_budget() -> None:
    # Tries at 0 and 7 s; the next would start at 14 s, and none starts at 10 s or later.
    bench = Bench(an_sdk(retries_on=EVERY_ERROR, retry_after=LONGER_OF_BOTH, budget_s=10.0), answers=(BUSY,))

    bench.call()

    assert bench.party.arrivals_s == [0.0, 7.0]


@pytest.mark.parametrize(
    ("answers", "on_exhausted", "expected"),
    (
        ((DOWN,), OnExhausted.SAY_UNKNOWN, (State.UNKNOWN, "client_sdk gave up and said unknown", ErrorClass.UNKNOWN)),
        ((DOWN,), OnExhausted.SAY_FAILED, (State.UNKNOWN, "client_sdk gave up and said failed", ErrorClass.UNKNOWN)),
        ((DOWN,), OnExhausted.SAY_LAST, (State.UNKNOWN, "503", ErrorClass.UNAVAILABLE)),
        # Every attempt was refused, so nothing was sent, and saying so is true.
        ((REFUSED, BUSY, REFUSED), OnExhausted.SAY_UNKNOWN, (State.REFUSED, REFUSED.detail, REFUSED.error)),
        # One was possibly sent: a refusal of the last does not undo that, unless the layer says what it heard last.
        ((DOWN, DOWN, BUSY), OnExhausted.SAY_FAILED, (State.UNKNOWN, "client_sdk gave up and said failed", "unknown")),
        ((DOWN, DOWN, BUSY), OnExhausted.SAY_LAST, (State.REFUSED, "429", ErrorClass.OVERLOADED)),
        ((BUSY, DOWN, TAKEN), OnExhausted.SAY_UNKNOWN, (State.CONFLICT, "409", ErrorClass.CONFLICT)),
        ((DOWN, DONE), OnExhausted.SAY_FAILED, (State.COMPLETED, "done", None)),
    ),
)
def test_what_goes_up_in_the_end(
    answers: tuple[Answer, ...], on_exhausted: OnExhausted, expected: tuple[State, str, ErrorClass | None]
) -> None:
    retried = tuple(error for error in ErrorClass if error is not ErrorClass.CONFLICT)
    bench = Bench(an_sdk(retries_on=retried, on_exhausted=on_exhausted), answers=answers)

    (answer,) = bench.call()

    assert (answer.state, answer.detail, answer.error) == expected


def test_a_failure_that_is_not_listed_goes_up_unchanged() -> None:
    bench = Bench(an_sdk(retries_on=()), answers=(BUSY,))

    assert bench.call() == [BUSY]


@pytest.mark.parametrize(
    ("on_exhausted", "expected"),
    ((OnExhausted.SAY_UNKNOWN, State.UNKNOWN), (OnExhausted.SAY_LAST, State.REFUSED)),
)
def test_an_unlisted_refusal_after_a_timeout_is_no_proof_that_nothing_was_sent(
    on_exhausted: OnExhausted, expected: State
) -> None:
    bench = Bench(an_sdk(retries_on=(ErrorClass.TIMEOUT,), on_exhausted=on_exhausted), answers=(None, BUSY))

    (answer,) = bench.call()

    assert bench.request_count == 2
    assert answer.state is expected


def test_layers_multiply_as_in_the_report() -> None:
    """HKUDS/nanobot#2760: an application with 4 attempts above an SDK with 3 sent a persistent 429 twelve times."""
    application = a_layer(GATEWAY, attempts=4, timeout_s=None, retries_on=(ErrorClass.OVERLOADED,))
    bench = Bench(application, an_sdk(retries_on=(ErrorClass.OVERLOADED,)), answers=(BUSY,))

    bench.call()

    assert bench.request_count == 12


def test_one_layer_that_owns_the_retries_sends_as_often_as_was_meant() -> None:
    application = a_layer(GATEWAY, attempts=4, timeout_s=None, retries_on=(ErrorClass.OVERLOADED,))
    bench = Bench(application, an_sdk(attempts=1, retries_on=(ErrorClass.OVERLOADED,)), answers=(BUSY,))

    bench.call()

    assert bench.request_count == 4


def test_the_layers_of_a_whole_world_multiply_too() -> None:
    lost = "gateway_to_server.request_lost"
    agent = a_layer(LayerName.AGENT, attempts=4, timeout_s=None)
    scenario = a_scenario(layers=(agent, a_layer(SDK, attempts=3), a_layer(LayerName.DOWNSTREAM_SDK)))
    scenario = conditions_with(scenario, rates=rates_at(0.1, lost))
    schedule = tuple(f"{lost}@{outer}/{inner}" for outer, inner in product(range(1, 5), range(1, 4)))

    attempts = run_story(replace(scenario, schedule=schedule)).journal.of(Attempt)

    assert [attempt.path for attempt in attempts if attempt.layer is SDK] == [
        f"{outer}/{inner}" for outer, inner in product(range(1, 5), range(1, 4))
    ]


def test_a_bucket_is_emptied_by_all_calls_together_and_filled_by_successes() -> None:
    bucket = TokenBucket(token_count_max=10, cost_count=5, refund_count=2)
    answers = (*[DOWN] * 4, DONE, DONE, DOWN, DOWN, DOWN, DONE, DOWN)
    bench = Bench(an_sdk(retries_on=EVERY_ERROR, token_bucket=bucket), answers=answers)

    counts = []
    for _ in range(6):
        before = bench.request_count
        bench.call()
        counts.append(bench.request_count - before)

    # 10 tokens: the first call repeats twice (0 left), the second not at all; two successes give 4, which is
    # not enough for the fifth call; nor are they for the sixth.
    assert counts == [3, 1, 1, 1, 1, 1]


def test_three_successes_pay_for_one_more_repeat() -> None:
    bucket = TokenBucket(token_count_max=5, cost_count=5, refund_count=2)
    bench = Bench(
        an_sdk(retries_on=EVERY_ERROR, token_bucket=bucket), answers=(DOWN, DOWN, DONE, DONE, DONE, DOWN, DONE)
    )

    bench.call()  # one repeat, and the bucket is empty
    for _ in range(3):
        bench.call()
    (answer,) = bench.call()

    assert answer == DONE
    assert bench.request_count == 2 + 3 + 2


def test_a_bucket_of_500_lets_a_hundred_repeats_through_while_nothing_succeeds() -> None:
    """The published numbers of botocore's standard mode: 500 tokens, 5 for a retry."""
    bucket = TokenBucket(token_count_max=500, cost_count=5, refund_count=1)
    bench = Bench(an_sdk(retries_on=EVERY_ERROR, token_bucket=bucket), answers=(DOWN,))

    bench.call(count=80)

    assert bench.request_count == 80 + 100


@pytest.mark.parametrize(
    ("fraction", "count_min", "repeat_count"),
    (
        (0.2, 3, 4),  # Envoy's: a fifth of 20 calls
        (0.1, 3, 3),  # two would be a tenth, three are free
        (1.0, 0, 20),  # each call has two repeats to give, all together have 20
    ),
)
def test_repeats_are_a_share_of_the_calls(fraction: float, count_min: int, repeat_count: int) -> None:
    share = RetryShare(fraction=fraction, count_min=count_min)
    bench = Bench(an_sdk(retries_on=EVERY_ERROR, retry_share=share), answers=(DOWN,))

    bench.call(count=20)

    assert bench.request_count == 20 + repeat_count


def a_breaker(failure_count: int, **changes: object) -> RetryLayer:
    """An SDK that sends once and stops sending for 10 s after so many failures."""
    breaker = CircuitBreaker(failure_count=failure_count, open_s=10.0)
    return an_sdk(attempts=1, circuit_breaker=breaker, **changes)


def test_an_open_breaker_refuses_and_sends_nothing() -> None:
    bench = Bench(a_breaker(2), answers=(DOWN,))

    bench.call()
    bench.call()
    (answer,) = bench.call()

    assert bench.request_count == 2
    assert len(bench.journal.of(Attempt)) == 2
    assert (answer.state, answer.error) == (State.REFUSED, ErrorClass.UNAVAILABLE)


@pytest.mark.parametrize(("open_s", "request_count"), ((9.999999, 1), (10.0, 2)))
def test_a_breaker_is_open_until_its_time_is_over(open_s: float, request_count: int) -> None:
    bench = Bench(a_breaker(1), answers=(DOWN,))

    bench.call()
    bench.pass_time(open_s)
    bench.call()

    assert bench.request_count == request_count


@pytest.mark.parametrize(
    ("tried", "request_count"),
    (
        (DOWN, 1 + 1),  # open again
        (DONE, 1 + 1 + 3),  # closed: the three that follow are sent
        (TAKEN, 1 + 1 + 3),  # a conflict is an answer of a party that is well
    ),
)
def test_after_the_open_time_one_try_decides(tried: Answer, request_count: int) -> None:
    bench = Bench(a_breaker(1), answers=(DOWN, tried, DONE), work_s=0.5)

    bench.call()
    bench.pass_time(10.0)
    refused = bench.call(count=3)[1:]  # the first of them is the try, and is out while the others come
    bench.call(count=3)

    assert [answer.state for answer in refused] == [State.REFUSED, State.REFUSED]
    assert bench.request_count == request_count


def test_a_breaker_that_a_failed_try_opened_again_is_open_for_the_whole_time() -> None:
    bench = Bench(a_breaker(1), answers=(DOWN,))

    bench.call()
    bench.pass_time(10.0)
    bench.call()  # the try, at 10 s
    bench.pass_time(9.0)
    bench.call()  # at 19 s
    bench.pass_time(1.0)
    bench.call()  # at 20 s

    assert bench.party.arrivals_s == [0.0, 10.0, 20.0]


def test_repeats_of_one_call_meet_its_own_breaker() -> None:
    # Two failures open it at 2 s. A refusal is a 503, which is listed: the third try, at 4 s, is refused too.
    breaker = CircuitBreaker(failure_count=2, open_s=10.0)
    bench = Bench(an_sdk(attempts=5, retries_on=EVERY_ERROR, circuit_breaker=breaker), answers=(DOWN,))

    (answer,) = bench.call()

    assert bench.party.arrivals_s == [0.0, 2.0]
    assert answer.state is State.UNKNOWN  # what was sent before the breaker opened may have had its effect


def test_a_breaker_hears_an_answer_that_nobody_waits_for_any_more() -> None:
    impatient = a_layer(GATEWAY, timeout_s=0.5, on_exhausted=OnExhausted.SAY_LAST)
    bench = Bench(impatient, a_breaker(1, timeout_s=1.0), answers=(None,))

    first = bench.call()
    bench.pass_time(1.0)
    (second,) = bench.call()

    assert first == [TIMED_OUT]
    assert second.state is State.REFUSED
    assert bench.request_count == 1


def test_a_new_process_begins_with_a_closed_breaker_and_a_full_bucket() -> None:
    bucket = TokenBucket(token_count_max=1, cost_count=1, refund_count=0)
    policy = a_breaker(2, retries_on=EVERY_ERROR, token_bucket=bucket)
    bench = Bench(replace(policy, attempts=2), answers=(DOWN,))

    # Two attempts each use up token and breaker; the second call of a process is refused.
    for process in ("0.0", "0.0", "0.1", "1.0"):
        steps = bench.layers[0].send_and_wait(bench.a_call(process), lambda: True, process)
        bench.timeline.run(until=bench.timeline.process(steps))

    assert bench.request_count == 3 * 2


def test_a_process_that_restarts_forgets_its_throttle_and_what_it_still_hears_from_before() -> None:
    timeline = ConcreteTimeline(FaultsAt())
    pacing = Pacing(a_breaker(2), InProcess(Party(timeline, (DOWN,), 0.0), timeline), timeline)

    before = pacing.throttle
    before.hear(DOWN, before.admit("1", 1), is_failure=True, after=None)
    pacing.forget()
    before.hear(DOWN, before.admit("2", 1), is_failure=True, after=None)

    assert before.admit("3", 1) is Admission.REFUSED
    assert pacing.throttle.admit("3", 1) is Admission.GRANTED


class Departing:
    """The way back to a caller whose departure interrupts the work below, once so many requests were made."""

    takes_time = True
    interrupts = True
    place = EVERYTHING

    def __init__(self, bench: Bench, request_count: int) -> None:
        self._bench = bench
        self._request_count = request_count

    @property
    def is_wanted(self) -> bool:
        """Whether the work may go on."""
        return self._bench.request_count < self._request_count

    def answer(self, answer: Answer) -> None:
        """Nobody listens."""

    def close(self) -> None:
        """Nobody listens."""

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        """The caller of this test goes between two attempts."""


def test_a_layer_that_is_interrupted_repeats_no_more() -> None:
    bench = Bench(an_sdk(attempts=5, retries_on=EVERY_ERROR), answers=(DOWN,))

    bench.timeline.process(bench.layers[0].serve(bench.a_call("1"), Departing(bench, 2)))
    bench.timeline.run()

    assert bench.request_count == 2


def test_a_throttled_layer_is_no_local_party_and_neither_is_what_calls_it_in_its_process() -> None:
    above_plain = Bench(a_layer(GATEWAY), an_sdk(), answers=(DONE,)).layers
    above_throttled = Bench(a_layer(GATEWAY), a_breaker(1), answers=(DONE,)).layers

    assert [layer.takes_calls_locally for layer in above_plain] == [True, True]
    assert [layer.takes_calls_locally for layer in above_throttled] == [False, False]
