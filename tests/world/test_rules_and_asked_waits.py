"""Rules with conditions of their own, and what a layer or the agent makes of a wait that an answer asks for."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import AskedWait, BeyondLongest
from simkit.distributions import Uniform, Wait
from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.records import Attempt, Report
from simkit.scenario import RetryAfter, RetryLayer, RetryRule, Scenario
from simkit.study.tree import leaves
from simkit.terms import ErrorClass, LayerName, OnExhausted, State
from simkit.world import run_concrete, run_intervals
from simkit.world.messages import Answer
from tests.builders import (
    LONGER_OF_BOTH,
    FaultsAt,
    a_call,
    a_layer,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
)
from tests.world.layer_bench import BUSY, DONE, DOWN, EVERY_ERROR, TAKEN, Bench, an_sdk

__all__: list[str] = []

BUSY_WITHOUT_A_WAIT = BUSY._replace(retry_after_s=0.0)
ON_429, ON_409 = (ErrorClass.OVERLOADED,), (ErrorClass.CONFLICT,)
OVERLOADED = "downstream.overloaded"


@pytest.mark.parametrize(
    ("rule", "method", "answer", "request_count"),
    (
        (RetryRule(failures=ON_409), "POST", TAKEN, 3),
        (RetryRule(failures=ON_409), "POST", DOWN, 1),  # not named by the rule, nor by the layer
        (RetryRule(failures=ON_409, methods=("GET",)), "POST", TAKEN, 1),
        (RetryRule(failures=ON_409, methods=("GET",)), "GET", TAKEN, 3),
        (RetryRule(failures=ON_429, only_with_retry_after=True), "POST", BUSY, 3),
        (RetryRule(failures=ON_429, only_with_retry_after=True), "POST", BUSY_WITHOUT_A_WAIT, 1),
    ),
)
def test_a_rule_adds_failures_under_its_own_conditions(
    rule: RetryRule, method: str, answer: Answer, request_count: int
) -> None:
    bench = Bench(an_sdk(retries_on=(), rules=(rule,)), answers=(answer,))

    bench.call(method=method)

    assert bench.request_count == request_count


def test_a_rule_holds_for_methods_that_the_layer_itself_does_not_repeat() -> None:
    """As urllib3's users write it: GET after anything, every method where the answer says when to come back."""
    rule = RetryRule(failures=ON_429, only_with_retry_after=True)
    policy = an_sdk(retries_on=EVERY_ERROR, methods=("GET",), rules=(rule,))
    asked, other = Bench(policy, answers=(BUSY,)), Bench(policy, answers=(DOWN,))

    asked.call(method="POST")
    other.call(method="POST")

    assert (asked.request_count, other.request_count) == (3, 1)


@pytest.mark.parametrize(
    ("answer", "detail"),
    (
        (TAKEN, "client_sdk gave up and said unknown"),  # tried again by the rule, and given up
        (DOWN, DOWN.detail),  # no failure to this layer: a result like any other
    ),
)
def test_what_a_rule_tries_again_is_given_up_and_anything_else_goes_up_unchanged(answer: Answer, detail: str) -> None:
    bench = Bench(an_sdk(retries_on=(), rules=(RetryRule(failures=ON_409),)), answers=(answer,))

    (heard,) = bench.call()

    assert heard.detail == detail


ASKED_7_S = (
    # The layer would wait 2 s; the answer asks for 7.
    (RetryAfter(waits=AskedWait.LONGER), 2.0, [0.0, 7.0, 14.0]),
    (RetryAfter(waits=AskedWait.LONGER), 9.0, [0.0, 9.0, 18.0]),
    (RetryAfter(waits=AskedWait.INSTEAD), 9.0, [0.0, 7.0, 14.0]),
    (RetryAfter(waits=AskedWait.INSTEAD, longest_s=7.0), 2.0, [0.0, 7.0, 14.0]),
    (RetryAfter(waits=AskedWait.INSTEAD, longest_s=5.0), 2.0, [0.0, 5.0, 10.0]),
    (RetryAfter(waits=AskedWait.INSTEAD, longest_s=5.0, beyond=BeyondLongest.BACKOFF), 2.0, [0.0, 2.0, 4.0]),
    (RetryAfter(waits=AskedWait.INSTEAD, longest_s=5.0, beyond=BeyondLongest.STOP), 2.0, [0.0]),
    (RetryAfter(waits=AskedWait.LONGER, longest_s=7.0, beyond=BeyondLongest.STOP), 2.0, [0.0, 7.0, 14.0]),
    (None, 2.0, [0.0, 2.0, 4.0]),
)


@pytest.mark.parametrize(("retry_after", "backoff_s", "arrivals_s"), ASKED_7_S)
def test_a_layer_makes_of_an_asked_wait_what_its_policy_says(
    retry_after: RetryAfter | None, backoff_s: float, arrivals_s: list[float]
) -> None:
    policy = an_sdk(retries_on=EVERY_ERROR, retry_after=retry_after, backoff=Wait.of(backoff_s))
    bench = Bench(policy, answers=(BUSY,))

    bench.call()

    assert bench.party.arrivals_s == arrivals_s


def test_a_layer_that_stops_at_a_long_wait_goes_on_after_other_failures() -> None:
    stops = RetryAfter(waits=AskedWait.INSTEAD, longest_s=5.0, beyond=BeyondLongest.STOP)
    bench = Bench(an_sdk(retries_on=EVERY_ERROR, retry_after=stops), answers=(DOWN, BUSY, DONE))

    (answer,) = bench.call()

    assert bench.request_count == 2
    # The first attempt was possibly sent, so the refusal of the second is not passed up as if nothing had been.
    assert answer.detail == "client_sdk gave up and said unknown"


@pytest.mark.parametrize(
    ("retry_after", "backoff", "bounds_s"),
    (
        # 7 s times U(0.5, 1), then the same and up to 2 s more.
        (RetryAfter(waits=AskedWait.INSTEAD, scale_min=0.5), Wait.of(0.0), (3.5, 5.25, 7.0)),
        (RetryAfter(waits=AskedWait.INSTEAD, added_s_max=2.0), Wait.of(0.0), (7.0, 8.0, 9.0)),
        (RetryAfter(waits=AskedWait.LONGER, added_s_max=2.0), Wait.of(8.5), (8.5, 8.5, 9.0)),
        (RetryAfter(waits=AskedWait.LONGER), Wait(s_min=1.0, s_typical=4.0, s_max=11.0), (7.0, 7.0, 11.0)),
    ),
)
def test_an_asked_wait_has_the_jitter_of_its_policy(
    retry_after: RetryAfter, backoff: Wait, bounds_s: tuple[float, float, float]
) -> None:
    wait = an_sdk(retry_after=retry_after).wait_asked(backoff, 7.0)

    assert (wait.s_min, wait.s_typical, wait.s_max) == bounds_s


def test_an_asked_wait_has_one_kind_of_jitter() -> None:
    with pytest.raises(ScenarioError, match="one kind of jitter"):
        RetryAfter(waits=AskedWait.INSTEAD, scale_min=0.5, added_s_max=1.0)


def test_the_longer_of_a_drawn_backoff_and_a_constant_asked_wait_keeps_the_law_of_the_backoff() -> None:
    law = Uniform(shortest_s=0.0, longest_s=10.0)
    backoff = Wait(s_min=0.0, s_typical=5.0, s_max=10.0, law=law)

    wait = an_sdk(retry_after=LONGER_OF_BOTH).wait_asked(backoff, 7.0)

    # 7 of 10 backoffs are shorter than 7 s, and become 7 s; the rest is uniform up to 10 s.
    assert [(cell.s_min, cell.s_max) for cell in wait.cells(())] == [(7.0, 7.0), (7.0, 10.0)]
    assert [cell.probability for cell in wait.cells(())] == pytest.approx([0.7, 0.3])


def overloaded(agent: RetryLayer, sdk: RetryLayer, method: str = "POST") -> Scenario:
    """The system of record may be overloaded, and asks for 7 s then."""
    scenario = a_scenario(layers=(agent, sdk), calls=(a_call(method=method),))
    scenario = downstream_with(scenario, retry_after_s=7.0)
    return conditions_with(scenario, rates=rates_at(0.1, OVERLOADED))


def journal_of(scenario: Scenario) -> Journal:
    """What happens on a clock where the first two requests are refused."""
    return run_concrete(scenario, FaultsAt(f"{OVERLOADED}@1/1", f"{OVERLOADED}@2/1")).journal


ONE_TRY = a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0, on_exhausted=OnExhausted.SAY_LAST)


def an_agent(**changes: object) -> RetryLayer:
    """An agent with three attempts, 2 s between them, that waits for each answer."""
    return a_layer(LayerName.AGENT, **{"attempts": 3, "timeout_s": None, "backoff": Wait.of(2.0), **changes})


@pytest.mark.parametrize(
    ("agent", "method", "attempt_count"),
    (
        (an_agent(), "POST", 3),
        (an_agent(rules=(RetryRule(failures=ON_429),), retries_on=()), "POST", 3),
        (an_agent(rules=(RetryRule(failures=ON_409),), retries_on=()), "POST", 1),
        (an_agent(rules=(RetryRule(failures=ON_429, methods=("GET",)),), retries_on=()), "POST", 1),
        (an_agent(rules=(RetryRule(failures=ON_429, methods=("GET",)),), retries_on=()), "GET", 3),
        (an_agent(rules=(RetryRule(failures=ON_429),), methods=("GET",)), "POST", 3),
        (an_agent(rules=(RetryRule(failures=ON_409),), methods=("GET",)), "POST", 1),
    ),
)
def test_an_agent_tries_again_what_its_rules_name(agent: RetryLayer, method: str, attempt_count: int) -> None:
    journal = journal_of(overloaded(agent, ONE_TRY, method=method))

    assert sum(attempt.layer is LayerName.AGENT for attempt in journal.of(Attempt)) == attempt_count


@pytest.mark.parametrize(("retry_after", "backoff_s", "arrivals_s"), ASKED_7_S)
def test_an_agent_makes_of_an_asked_wait_what_its_policy_says(
    retry_after: RetryAfter | None, backoff_s: float, arrivals_s: list[float]
) -> None:
    agent = an_agent(retry_after=retry_after, backoff=Wait.of(backoff_s))

    journal = journal_of(overloaded(agent, ONE_TRY))

    sent_at_s = [attempt.at_s for attempt in journal.of(Attempt) if attempt.layer is LayerName.AGENT]
    # Two hops of 10 ms and two of 5 and 1 ms lie between an attempt and its answer.
    assert sent_at_s == pytest.approx([at_s + index * 0.026 for index, at_s in enumerate(arrivals_s)])


def test_an_agent_that_stops_at_a_long_wait_says_that_nothing_was_done() -> None:
    stops = RetryAfter(waits=AskedWait.INSTEAD, longest_s=5.0, beyond=BeyondLongest.STOP)

    journal = journal_of(overloaded(an_agent(retry_after=stops), ONE_TRY))

    assert [report.state for report in journal.of(Report)] == [State.REFUSED]


@pytest.mark.parametrize(
    ("beyond", "counts"),
    (
        # One 429 of the only try ends the call, or is tried once more, which succeeds with the faults used up.
        (BeyondLongest.STOP, {1}),
        (BeyondLongest.CAP, {1, 2}),
        (BeyondLongest.BACKOFF, {1, 2}),
    ),
)
@pytest.mark.parametrize("layer", (LayerName.AGENT, LayerName.DOWNSTREAM_SDK))
def test_every_order_stops_where_the_policy_stops(layer: LayerName, beyond: BeyondLongest, counts: set[int]) -> None:
    asked = RetryAfter(waits=AskedWait.INSTEAD, longest_s=5.0, beyond=beyond)
    changed: dict[str, Any] = {"retries_on": ON_429, "retry_after": asked, "attempts": 3}
    agent = an_agent(**changed) if layer is LayerName.AGENT else an_agent(attempts=1)
    sdk = replace(ONE_TRY, **changed) if layer is LayerName.DOWNSTREAM_SDK else ONE_TRY
    scenario = overloaded(agent, sdk)

    found = {
        sum(attempt.layer is layer for attempt in leaf.run.journal.of(Attempt))
        for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1)
    }

    assert found == counts
