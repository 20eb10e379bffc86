"""Attempts chained from state to state: against every run there is, against a recursion by hand, and refused."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from simkit.choices import OnTimeout, StoredFailure, StoreKind, WriteOrder
from simkit.distributions import Atom, Backoff, Discrete, Wait
from simkit.errors import Divergence, ScenarioError
from simkit.scenario import Scenario, Store, TokenBucket
from simkit.study import probability
from simkit.study.probability import Estimate, task_of
from simkit.study.probability.chain import Chain
from simkit.study.probability.enumerated import weigh_enumerated
from simkit.study.probability.merged_chain import starts_anew, weigh_merged_chain
from simkit.terms import (
    ClaimKind,
    Driver,
    Identity,
    LayerName,
    OnExpired,
    OnUncertainReadback,
    Promise,
    RetentionKind,
    StalePolicy,
)
from simkit.world import durable_state
from simkit.world.pacing import Throttle
from simkit.world.rows import Written
from tests.builders import (
    a_call,
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    engine_policy,
    rates_at,
    server_with,
)

__all__: list[str] = []

DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})
ABOUT_EFFECTS = frozenset(promise for promise in Promise if promise.is_about_effects)
HOP, WINDOW = "gateway_to_server", "server.after_effect"


def with_attempts(scenario: Scenario, count: int | None, **changes: object) -> Scenario:
    """The same world with an agent that tries so often."""
    agent, *others = scenario.layers
    return replace(scenario, layers=(replace(agent, attempts=count, **changes), *others))  # type: ignore[arg-type]


def weighed(scenario: Scenario, promises: frozenset[Promise] = DUPLICATES, **changes: object) -> Estimate:
    """The chain's estimate."""
    return weigh_merged_chain(replace(task_of(scenario, promises), **changes))  # type: ignore[arg-type]


def enumerated(
    scenario: Scenario, promises: frozenset[Promise] = DUPLICATES, *, has_episodes: bool = False
) -> Estimate:
    """The estimate from every run there is."""
    return weigh_enumerated(task_of(scenario, promises, has_episodes=has_episodes))


def duplicate_by_hand(look_up_count: int, attempt_count: int) -> Fraction:
    """Of so many attempts at one operation, each fault with 1/1000; what is durable is one of four things.

    Nothing; reserved without an effect; reserved with one; settled. From the first two an attempt makes the first
    effect; from the third, a reservation that cannot be looked up runs again, into the duplicate.
    """
    fault = Fraction(1, 1000)
    sound = 1 - fault

    @cache
    def after(left: int, durable: str) -> Fraction:
        if left == 0 or durable == "settled":  # a settled one only replays
            return Fraction(0)
        arrives, again = sound**2, after(left - 1, durable)
        if durable == "reserved, one effect":
            blind = fault**look_up_count
            seen = 0  # found: the receipt is written, and nothing is made any more
            second = sound**2  # neither a crash after the reservation nor a request that is lost
            run_again = second + (1 - second) * after(left - 1, durable)
            return (1 - arrives) * again + arrives * (blind * run_again + (1 - blind) * seen)
        made, lost = sound**2, after(left - 1, "reserved")
        one_effect = fault * after(left - 1, "reserved, one effect") + sound * 0
        return (1 - arrives) * again + arrives * ((1 - made) * lost + made * one_effect)

    return after(attempt_count, "nothing")


@pytest.mark.parametrize("number", (1, 2, 3))
def test_three_attempts_are_weighed_as_by_every_run_there_is(number: int) -> None:
    scenario = engine_policy(number)

    found = weighed(scenario)

    everything = enumerated(scenario)
    assert found.lower == found.upper == pytest.approx(everything.lower, rel=1e-15, abs=1e-15)
    assert found.lower == pytest.approx(everything.lower, rel=1e-12)
    assert found.kind == "exact for the model"


@pytest.mark.parametrize("number", (1, 2, 3))
@pytest.mark.parametrize("attempt_count", (6, 20))
def test_any_number_of_attempts_equals_a_recursion_by_hand(number: int, attempt_count: int) -> None:
    found = weighed(with_attempts(engine_policy(number), attempt_count))

    assert found.lower == pytest.approx(float(duplicate_by_hand(number - 1, attempt_count)), rel=1e-12, abs=1e-300)


def test_more_attempts_cost_no_more_runs() -> None:
    """Enumerated one by one, each attempt more makes several times as many runs."""
    six, sixty = (weighed(with_attempts(a_leased(0.0), count)) for count in (6, 60))

    assert six.run_count == sixty.run_count < 100
    assert six.lower < sixty.lower


def a_leased(lease_s: float, **server: object) -> Scenario:
    """A reservation with a lease; after it, it runs again."""
    scenario = conditions_with(a_scenario(), rates=rates_at(0.1, f"{HOP}.request_lost", WINDOW, f"{HOP}.response_lost"))
    return server_with(scenario, lease_s=lease_s, **server)


def a_remembering(kind: RetentionKind, after: OnExpired, **retention: object) -> Scenario:
    """A record that is kept for 2.5 s, while an attempt takes up to one."""
    kept = a_retention(2.5, kind, after=after, **retention)
    return conditions_with(
        server_with(a_scenario(), retention=kept),
        rates=rates_at(0.1, f"{HOP}.request_lost", WINDOW, f"{HOP}.response_lost"),
    )


def with_gateway(scenario: Scenario) -> Scenario:
    """The same world with a gateway and a client SDK in it, each of which gives up before its caller does."""
    agent, sdk = scenario.layers
    gateway = a_layer(LayerName.GATEWAY, attempts=2, timeout_s=0.4)
    client_sdk = a_layer(LayerName.CLIENT_SDK, attempts=1, timeout_s=0.3)
    to_gateway = replace(scenario.hops[0], name="agent_to_gateway")
    return replace(
        with_attempts(scenario, 2),
        layers=(replace(agent, attempts=2), gateway, client_sdk, sdk),
        hops=(to_gateway, *scenario.hops),
    )


VARIANTS = {
    "a lease that ends between attempts": with_attempts(a_leased(1.5), 4),
    "a lease that ends within an attempt": a_leased(1.02),
    "a lease, and attempts of two lengths": with_attempts(a_leased(1.5), 4, backoff=Wait.of(0.3)),
    "a horizon that ends before the attempts do": conditions_with(a_leased(0.0), retry_horizon_s=2.5),
    "a record that is kept exactly so long": a_remembering(RetentionKind.EXACT, OnExpired.RUN_AS_NEW),
    "a tombstone": a_remembering(RetentionKind.EXACT, OnExpired.HOLD),
    "a record that may be kept longer": a_remembering(RetentionKind.AT_LEAST, OnExpired.RUN_AS_NEW),
    "a record of which nothing is said": a_remembering(RetentionKind.NOT_STATED, OnExpired.RUN_AS_NEW),
    "no reservation": server_with(a_leased(0.0), claim=ClaimKind.CHECK_THEN_ACT),
    "no record": server_with(a_leased(0.0), claim=ClaimKind.NONE, order=WriteOrder.EFFECT_ONLY),
    "a key at the system of record": downstream_with(a_leased(0.0), key_retention=a_retention(0.5)),
    "two answers that are errors": conditions_with(
        a_leased(0.0), rates=rates_at(0.1, "downstream.error_after_effect", "downstream.error", WINDOW)
    ),
    "a readback that lags": conditions_with(
        server_with(
            a_leased(0.0),
            stale=StalePolicy.READ_BACK,
            readback=a_readback(lag_s_max=1.5, on_uncertain=OnUncertainReadback.TREAT_AS_ABSENT),
        ),
        rates=rates_at(0.1, WINDOW, "readback.cannot_tell"),
    ),
    "a deadline downstream within a later attempt": with_attempts(
        replace(
            engine_policy(1, 0.1), layers=(engine_policy(1).layers[0], a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=1.5))
        ),
        3,
    ),
    "a bucket of two retries": with_attempts(
        conditions_with(a_scenario(), rates=rates_at(0.3, f"{HOP}.request_lost", WINDOW)),
        5,
        token_bucket=TokenBucket(token_count_max=2, cost_count=1, refund_count=0),
    ),
    "a bucket that charges failures": with_attempts(
        conditions_with(a_scenario(), rates=rates_at(0.3, f"{HOP}.request_lost", WINDOW)),
        5,
        token_bucket=TokenBucket(
            token_count_max=4, cost_count=1, refund_count=0.5, charges_failures=True, above_count=1.5
        ),
    ),
    "a record in the memory of a process": server_with(a_leased(0.0), store=Store(kind=StoreKind.PROCESS_MEMORY)),
    "a gateway and a client SDK that repeat": with_gateway(a_leased(0.0)),
    "an agent whose model makes the ID": replace(
        a_leased(0.0), agent=replace(a_scenario().agent, identity=Identity.BY_MODEL)
    ),
    "work of two lengths": downstream_with(
        a_leased(0.03),
        work=Wait(
            s_min=0.001,
            s_typical=0.001,
            s_max=0.02,
            law=Discrete(atoms=(Atom(duration_s=0.001, weight=3), Atom(duration_s=0.02, weight=1))),
        ),
    ),
    "two processes": server_with(a_leased(0.0), replica_count=2),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_chain_equals_the_enumeration(name: str) -> None:
    """Both ends: where something is forgotten at any time after its guarantee, they differ."""
    scenario = VARIANTS[name]

    found, everything = weighed(scenario, ABOUT_EFFECTS), enumerated(scenario, ABOUT_EFFECTS)

    assert found.lower == pytest.approx(everything.lower, rel=1e-12, abs=1e-15)
    assert found.upper == pytest.approx(everything.upper, rel=1e-12, abs=1e-15)
    assert everything.upper > 0


def test_episodes_that_last_through_attempts_are_part_of_the_state() -> None:
    """An episode of 2.5 s: it hits every attempt for a while, and then no more."""
    sites = (f"{HOP}.request_lost", WINDOW)
    scenario = conditions_with(with_attempts(a_scenario(), 4), rates=rates_at(0.05, *sites), episode_s=2.5)

    found = weighed(scenario, has_episodes=True)

    assert found.lower == pytest.approx(enumerated(scenario, has_episodes=True).lower, rel=1e-12)
    assert found.lower != pytest.approx(weighed(scenario).lower, rel=0.01)


def test_what_may_land_after_the_next_attempt_is_refused_by_name() -> None:
    late = conditions_with(a_scenario(), rates=rates_at(0.1, f"{HOP}.request_late"))
    slow = replace(late.hops[0], latest_landing_s=5.0)

    with pytest.raises(ScenarioError, match=r"gateway_to_server\.request@1 is in flight"):
        weighed(replace(late, hops=(slow, *late.hops[1:])))


@pytest.mark.parametrize(
    "scenario",
    (
        server_with(engine_policy(1), stored_failure=StoredFailure.DELETE_RECORD),
        server_with(engine_policy(1), worker_count=1),
        server_with(engine_policy(1), lease_s=2.0, is_lease_renewed=True),
    ),
    ids=("its failure is recorded", "it holds a worker", "it renews a lease"),
)
def test_a_server_that_waits_for_a_lost_request_is_in_flight_where_that_still_does_something(
    scenario: Scenario,
) -> None:
    with pytest.raises(ScenarioError, match=r"server_to_downstream@1/1\.deadline is in flight"):
        weighed(scenario)


def test_a_gateway_that_waits_for_ever_is_in_flight_though_no_step_is_pending() -> None:
    """The request downstream is lost, and only the agent has a deadline; a later crash would wake the gateway."""
    scenario = with_gateway(conditions_with(a_scenario(), rates=rates_at(0.1, "server_to_downstream.request_lost")))
    agent, *others = scenario.layers
    patient = replace(scenario, layers=(agent, *(replace(layer, timeout_s=None) for layer in others)))

    with pytest.raises(ScenarioError, match="a caller who waits for an answer is in flight"):
        weighed(patient)


def test_what_is_no_chain_of_attempts_is_refused() -> None:
    two_calls = replace(a_scenario(), calls=(a_call(), a_call(intent="i2", operation="op2")))
    restarting = conditions_with(a_scenario(), rates=rates_at(0.1, "agent.after_sending"))

    for scenario, why in (
        (two_calls, "2 calls"),
        (restarting, "counted anew"),
        (with_attempts(a_scenario(), 10**6), "1,000,000"),
    ):
        with pytest.raises(ScenarioError, match=why):
            weighed(scenario)
    with pytest.raises(ScenarioError, match="'unknown is said' is judged by more of the history"):
        weighed(a_scenario(), frozenset({Promise.UNKNOWN_IS_SAID}))


def test_a_chain_longer_than_the_deadline_is_refused_where_the_promise_knows_it() -> None:
    scenario = conditions_with(a_leased(0.0), deadline_s=1.5)

    assert weighed(scenario).lower > 0
    with pytest.raises(ScenarioError, match=r"longer than the deadline of 1\.5 s"):
        weighed(scenario, frozenset({Promise.EFFECT_HAPPENS}))


def test_a_state_that_forgets_something_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the guard this gives a number: that of an agent whose bucket never empties."""
    whole, scenario = durable_state.left_out, VARIANTS["a bucket of two retries"]
    expected = weighed(scenario).lower
    forgotten = (Throttle, "_bucket")
    monkeypatch.setattr(durable_state, "left_out", lambda scenario: {**whole(scenario), forgotten: lambda _: None})

    with pytest.raises(Divergence, match="two ways into one state are followed by different attempts"):
        weighed(scenario)
    monkeypatch.setattr(Chain, "_insist_on_one_attempt_for_all_ways", lambda _: None)
    assert weighed(scenario).lower > 1.1 * expected


def test_an_instant_that_the_state_forgets_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = durable_state.left_out
    forgotten = (Written, "reserved_at")
    monkeypatch.setattr(durable_state, "left_out", lambda scenario: {**whole(scenario), forgotten: lambda _: None})

    with pytest.raises(Divergence, match="an instant that the state before it does not hold"):
        weighed(a_leased(1.5))


def test_a_limit_of_runs_leaves_the_rest_between_the_ends() -> None:
    whole, stopped = weighed(a_leased(0.0)), weighed(a_leased(0.0), run_count_max=15)

    assert stopped.lower <= whole.lower <= stopped.upper
    assert stopped.lower < stopped.upper
    assert not stopped.is_complete
    assert stopped.run_count == 15


@pytest.mark.parametrize("run_count", (10, 30))
def test_ctrl_c_leaves_what_was_found(run_count: int) -> None:
    """While attempts are enumerated, and while they are looked at again."""
    whole, asked = weighed(a_leased(0.0)), 0

    def is_over() -> bool:
        nonlocal asked
        asked += 1
        if asked == run_count:
            raise KeyboardInterrupt
        return False

    stopped = weighed(a_leased(0.0), is_over=is_over)

    assert stopped.lower <= whole.lower <= stopped.upper
    assert not stopped.is_complete


def test_the_rule_picks_the_chain_where_attempts_start_anew_and_nothing_else_where_not() -> None:
    interrupted = replace(a_scenario().hops[0], on_timeout=OnTimeout.INTERRUPTED)
    slow = replace(interrupted, latest_landing_s=5.0)

    found = probability(a_leased(0.0), promises=DUPLICATES)

    assert found.driver is Driver.MERGED_CHAIN
    assert found.independent is not None
    assert found.independent.lower == pytest.approx(enumerated(a_leased(0.0)).lower, rel=1e-12)
    late = conditions_with(
        replace(a_scenario(), hops=(slow, a_scenario().hops[1])), rates=rates_at(0.1, f"{HOP}.request_late")
    )
    assert not starts_anew(task_of(late, DUPLICATES))
    assert not starts_anew(task_of(with_attempts(engine_policy(1), 1), DUPLICATES))
    assert not starts_anew(task_of(with_attempts(engine_policy(1), None), DUPLICATES))


@pytest.mark.parametrize(
    ("changes", "why"),
    (
        ({"attempts": None}, "attempts without an end"),
        ({"backoff": Backoff(first_s=1.0, factor=2.0)}, "follows the number of the attempt"),
        ({"backoff_overloaded": Backoff(first_s=1.0, factor=2.0)}, "follows the number of the attempt"),
    ),
)
def test_what_an_attempt_knows_of_its_number_makes_no_chain(changes: dict[str, Any], why: str) -> None:
    agent, *others = engine_policy(1).layers
    scenario = replace(engine_policy(1), layers=(replace(agent, **changes), *others))

    with pytest.raises(ScenarioError, match=why):
        weighed(scenario)
    assert not starts_anew(task_of(scenario, DUPLICATES))
