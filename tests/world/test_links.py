"""What a hop can do to a call: refuse it, replace its answer, deliver it twice, end the work of a caller that went."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.chance import Chance
from simkit.choices import OnTimeout
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Receipt, Reply
from simkit.scenario import Hop, Scenario
from simkit.study import explore
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, ErrorClass, LayerName, Promise, State
from simkit.world import Run, run_concrete, run_intervals, solve_witness
from simkit.world.faults import Faults
from simkit.world.link import Link
from simkit.world.messages import Answer, ReplyPath, Steps, ToolCall
from simkit.world.places import EVERYTHING
from simkit.world.timeline import ConcreteTimeline, Timeline
from tests.builders import (
    FaultsAt,
    a_layer,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.orders import run_in_order
from tests.world.race_scenarios import varying
from tests.world.test_reduction import both_ways

__all__: list[str] = []

AT_MOST_ONE = Promise.AT_MOST_ONE_EFFECT
TO_SERVER = "gateway_to_server"


def with_faults(scenario: Scenario, *sites: str) -> Scenario:
    """The same world in which these sites take part."""
    return conditions_with(scenario, rates=rates_at(0.01, *sites))


def on_hop(scenario: Scenario, name: str, **changes: Any) -> Scenario:
    """The same world with one hop changed."""
    hops = tuple(replace(hop, **changes) if hop.name == name else hop for hop in scenario.hops)
    return replace(scenario, hops=hops)


def sent_once(**agent_changes: object) -> Scenario:
    """The plain world with an agent that sends once and waits long; a message may land 30 s late."""
    agent = a_layer(LayerName.AGENT, **{"timeout_s": 60.0, **agent_changes})
    scenario = a_scenario(layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)))
    return on_hop(scenario, TO_SERVER, latest_landing_s=30.0)


def below_an_agent(agent_timeout_s: float, on_timeout: OnTimeout, **gateway_changes: object) -> Scenario:
    """A gateway of three attempts of 1 s each below an agent of one; the server keeps no record."""
    gateway = a_layer(LayerName.GATEWAY, **{"attempts": 3, **gateway_changes})
    scenario = server_with(sent_once(timeout_s=agent_timeout_s), claim=ClaimKind.NONE)
    layers = (scenario.layers[0], gateway, scenario.layers[-1])
    first = Hop(
        name="agent_to_gateway",
        request=Wait.of(0.01),
        response=Wait.of(0.01),
        latest_landing_s=30.0,
        on_timeout=on_timeout,
    )
    return replace(scenario, layers=layers, hops=(first, *scenario.hops))


def heard(journal: Journal, layer: LayerName = LayerName.AGENT) -> list[tuple[float, State, str]]:
    """What a layer heard, and when."""
    return [(round(reply.at_s, 6), reply.state, reply.detail) for reply in journal.of(Reply) if reply.layer is layer]


def paths(journal: Journal, layer: LayerName) -> list[str]:
    """Of the attempts that a layer sent."""
    return [attempt.path for attempt in journal.of(Attempt) if attempt.layer is layer]


def landings_s(journal: Journal) -> list[float]:
    """When the effects were made."""
    return [round(effect.at_s, 6) for effect in journal.of(Effect)]


def test_a_refused_connection_sends_nothing_and_says_so_after_the_way_of_an_answer() -> None:
    scenario = with_faults(sent_once(), f"{TO_SERVER}.connection_refused")

    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER}.connection_refused@1")).journal

    assert landings_s(journal) == []
    assert heard(journal) == [(0.01, State.REFUSED, "connection refused")]


def test_a_refused_attempt_leaves_the_next_one_free_to_make_the_effect() -> None:
    scenario = with_faults(sent_once(attempts=2), f"{TO_SERVER}.connection_refused")

    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER}.connection_refused@1")).journal

    # 0.01 s for the refusal, then 0.01 + 0.005 s down and 0.001 s of work.
    assert landings_s(journal) == [0.026]
    assert [state for _, state, _ in heard(journal)] == [State.REFUSED, State.COMPLETED]


def test_a_replaced_answer_hides_work_that_was_done() -> None:
    scenario = with_faults(sent_once(), f"{TO_SERVER}.response_replaced")

    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER}.response_replaced@1")).journal

    assert landings_s(journal) == [0.016]
    # The way down and up: 0.01 + 0.005 + 0.001 of work + 0.001 + 0.01 s.
    assert heard(journal) == [(0.027, State.UNKNOWN, "503 in place of the answer")]


@pytest.mark.parametrize(("retries_on", "effect_count"), (((), 1), ((ErrorClass.UNAVAILABLE,), 2)))
def test_a_gateway_that_repeats_on_a_503_repeats_what_was_done(
    retries_on: tuple[ErrorClass, ...], effect_count: int
) -> None:
    scenario = below_an_agent(60.0, OnTimeout.RUNS_ON, retries_on=retries_on)
    scenario = with_faults(scenario, f"{TO_SERVER}.response_replaced")

    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER}.response_replaced@1/1")).journal

    assert len(landings_s(journal)) == effect_count


def test_a_copy_lands_at_the_latest_landing_on_a_clock_and_its_answer_is_not_heard() -> None:
    scenario = with_faults(server_with(sent_once(), claim=ClaimKind.NONE), f"{TO_SERVER}.request_duplicated")

    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER}.request_duplicated@1")).journal

    # The copy has 0.005 s and 0.001 s of work before it from the latest landing on.
    assert landings_s(journal) == [0.016, 30.006]
    assert paths(journal, LayerName.DOWNSTREAM_SDK) == ["1/1", "1+copy/1"]
    assert heard(journal) == [(0.027, State.COMPLETED, "receipt")]


def test_the_caller_takes_the_answer_to_a_copy_where_it_is_the_first() -> None:
    scenario = with_faults(sent_once(), f"{TO_SERVER}.request_duplicated", f"{TO_SERVER}.response_lost")
    faults = FaultsAt(f"{TO_SERVER}.request_duplicated@1", f"{TO_SERVER}.response_lost@1")

    journal = run_concrete(scenario, faults).journal

    # The copy meets the record of the first and is answered at once: 30 s until it lands, 0.01 s back.
    assert heard(journal) == [(30.01, State.COMPLETED, "recorded result")]
    assert landings_s(journal) == [0.016]


def test_a_lost_or_refused_request_has_no_copy() -> None:
    endings = ("connection_refused", "request_lost", "request_duplicated")
    scenario = with_faults(sent_once(), *(f"{TO_SERVER}.{ending}" for ending in endings))

    for ending in endings[:2]:
        faults = FaultsAt(f"{TO_SERVER}.{ending}@1", f"{TO_SERVER}.request_duplicated@1")
        journal = run_concrete(scenario, faults).journal

        assert landings_s(journal) == []
        assert faults.left == {f"{TO_SERVER}.request_duplicated@1"}


def doubled(claim: ClaimKind, **server_changes: object) -> Scenario:
    """One attempt over links whose latency varies, which may be delivered twice to the server."""
    scenario = server_with(varying(1), claim=claim, **server_changes)
    return with_faults(scenario, f"{TO_SERVER}.request_duplicated")


@pytest.mark.parametrize(
    ("claim", "fewest_faults"),
    # Without a record each copy makes its effect; a check races with itself; a reservation lets one through.
    ((ClaimKind.NONE, 1), (ClaimKind.CHECK_THEN_ACT, 1), (ClaimKind.UNIQUE, None)),
)
def test_a_duplicate_delivery_makes_two_effects_unless_the_reservation_is_unique(
    claim: ClaimKind, fewest_faults: int | None
) -> None:
    explored = explore(doubled(claim), fault_budget=1, policy="as requested", runs_twice=True).exploration

    found = explored.of(AT_MOST_ONE)
    assert found.fewest_faults == fewest_faults
    assert found.is_proved is (fewest_faults is None)


def test_check_then_act_is_safe_where_the_copy_lands_after_the_receipt_of_the_first() -> None:
    scenario = doubled(ClaimKind.CHECK_THEN_ACT)

    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1)

    assert {len(leaf.run.journal.of(Effect)) for leaf in runs if leaf.fault_count} == {1, 2}


@pytest.mark.parametrize(("retention_s", "is_proved"), ((29.9, False), (30.0, True)))
def test_a_copy_lands_no_later_than_the_latest_landing_after_sending(retention_s: float, *, is_proved: bool) -> None:
    # The first copy is recorded 0.001 s after sending at the earliest, so the last one finds a record that
    # is at most 29.999 s old: one that is kept for 30 s is enough, one kept for 29.9 s is not.
    scenario = doubled(ClaimKind.UNIQUE, retention=a_retention(retention_s))

    explored = explore(scenario, fault_budget=1, policy="as requested").exploration

    assert explored.of(AT_MOST_ONE).is_proved is is_proved


def test_a_copy_of_a_late_request_lands_after_it_and_within_the_same_bound() -> None:
    scenario = with_faults(
        server_with(varying(1), claim=ClaimKind.NONE), f"{TO_SERVER}.request_duplicated", f"{TO_SERVER}.request_late"
    )
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=2)
    doubled_runs = [leaf for leaf in runs if leaf.fault_count == 2]

    for leaf in doubled_runs:
        durations_s = solve_witness(scenario, leaf.trace).durations_s
        first_s, copy_s = (durations_s[f"{TO_SERVER}.request@{path}"] for path in ("1", "1+copy"))

        # A copy is waited for from the landing of the first on.
        assert 0.2 <= first_s <= first_s + copy_s <= 30.0
    assert doubled_runs


class Worker:
    """A party with two durable steps, an effect at once and a receipt after `work`, if it is still wanted then."""

    takes_calls_locally = False
    place = EVERYTHING

    def __init__(self, work: Wait, timeline: Timeline, journal: Journal) -> None:
        self._work = work
        self._timeline = timeline
        self._journal = journal

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Make the effect, wait, write the receipt, answer."""
        now_s = self._timeline.now_s
        self._journal.append(Effect(at_s=now_s, stage="s", intent="i", operation_id=call.path, inputs="x"))
        yield self._timeline.wait(self._work, f"work@{call.path}")
        if reply.is_wanted:
            now_s = self._timeline.now_s
            self._journal.append(Receipt(at_s=now_s, party="worker", stage="s", operation_id=call.path))
            reply.answer(Answer(state=State.COMPLETED, detail="receipt"))


def one_call(timeline: Timeline, on_timeout: OnTimeout, work: Wait, *sites: str) -> Journal:
    """Send one call to a worker, wait for 1 s, and run to the end.

    The link is as local as it can be: its caller touches nothing else.
    """
    journal = Journal()
    conditions = with_faults(sent_once(), *sites).conditions
    faults = Faults(conditions, timeline.chance, timeline, journal, has_episodes=False)
    way = Wait.of(0.01)
    hop = Hop(name=TO_SERVER, request=way, response=way, latest_landing_s=5.0, on_timeout=on_timeout)
    link = Link(hop, Worker(work, timeline, journal), timeline, faults, is_local=True)
    link.send(ToolCall(intent="i", tenant="t", operation_id="op", inputs="x", path="1"), 1.0)
    timeline.run()
    return journal


def receipts(journal: Journal) -> list[str]:
    """The copies whose work came to its receipt."""
    return [receipt.operation_id for receipt in journal.of(Receipt)]


@pytest.mark.parametrize(
    ("on_timeout", "work_s", "written"),
    (
        (OnTimeout.RUNS_ON, 2.0, ["1"]),
        (OnTimeout.INTERRUPTED, 2.0, []),
        (OnTimeout.INTERRUPTED, 0.5, ["1"]),
        # The caller gives up at 1 s, the work is done at 0.01 + 0.99 s: a deadline comes first.
        (OnTimeout.INTERRUPTED, 0.99, []),
    ),
)
def test_a_caller_that_gives_up_ends_the_work_at_its_next_step_only_where_the_hop_interrupts(
    on_timeout: OnTimeout, work_s: float, written: list[str]
) -> None:
    journal = one_call(ConcreteTimeline(FaultsAt()), on_timeout, Wait.of(work_s))

    assert len(journal.of(Effect)) == 1
    assert receipts(journal) == written


def test_a_request_that_lands_after_its_caller_has_gone_is_not_interrupted() -> None:
    site = f"{TO_SERVER}.request_late"
    timeline = ConcreteTimeline(FaultsAt(f"{site}@1"))

    journal = one_call(timeline, OnTimeout.INTERRUPTED, Wait.of(0.1), site)

    assert receipts(journal) == ["1"]


def test_an_answer_to_one_copy_does_not_interrupt_the_other() -> None:
    site = f"{TO_SERVER}.request_duplicated"

    # The first is answered at 0.52 s. The copy lands at 5 s, past the 1 s for which the caller would have waited.
    journal = one_call(ConcreteTimeline(FaultsAt(f"{site}@1")), OnTimeout.INTERRUPTED, Wait.of(0.5), site)

    assert receipts(journal) == ["1", "1+copy"]


@pytest.mark.parametrize(("on_timeout", "receipt_counts"), ((OnTimeout.RUNS_ON, {1}), (OnTimeout.INTERRUPTED, {0, 1})))
def test_on_intervals_an_interruption_may_fall_between_effect_and_receipt(
    on_timeout: OnTimeout, receipt_counts: set[int]
) -> None:
    work = Wait(s_min=0.5, s_typical=0.6, s_max=2.0)

    def play(chance: Chance) -> Run:
        return run_in_order(chance, lambda timeline: one_call(timeline, on_timeout, work))

    found = [leaf.run.journal for leaf in leaves(play, fault_budget=0, runs_twice=True)]

    assert {len(receipts(journal)) for journal in found} == receipt_counts
    assert {len(journal.of(Effect)) for journal in found} == {1}


def with_a_late_answer_below(on_timeout: OnTimeout) -> Scenario:
    """Two attempts of 5 s, 60 s apart; the system of record's answer may be 30 s late, and is waited for.

    A reservation is stale after 50 s: by then whatever was begun has come to its end.
    """
    scenario = varying(2, backoff=Wait.of(60.0))
    layers = (scenario.layers[0], a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=40.0))
    scenario = on_hop(replace(scenario, layers=layers), TO_SERVER, on_timeout=on_timeout)
    return with_faults(server_with(scenario, lease_s=50.0), "server_to_downstream.response_late")


@pytest.mark.parametrize(
    ("on_timeout", "receipt_counts", "fewest_faults"),
    # Run on, the work writes its receipt at last, and the second attempt gets it. Interrupted, it leaves a
    # stale reservation with an effect behind it, which the second attempt takes over and runs again.
    ((OnTimeout.RUNS_ON, {1}, None), (OnTimeout.INTERRUPTED, {0}, 1)),
)
def test_an_interruption_between_effect_and_receipt_duplicates_with_no_crash_at_all(
    on_timeout: OnTimeout, receipt_counts: set[int], fewest_faults: int | None
) -> None:
    scenario = with_a_late_answer_below(on_timeout)
    once = replace(scenario, layers=(replace(scenario.layers[0], attempts=1), scenario.layers[1]))

    runs = leaves(lambda chance: run_intervals(once, chance), fault_budget=1, runs_twice=True)
    late = [leaf.run.journal for leaf in runs if leaf.fault_count]
    explored = explore(scenario, fault_budget=1, policy="as requested", runs_twice=True).exploration

    assert {len(journal.of(Effect)) for journal in late} == {1}
    # The answer may come late and still in time: 0.2 s at the least.
    assert {len(journal.of(Receipt)) for journal in late} == receipt_counts | {1}
    assert explored.of(AT_MOST_ONE).fewest_faults == fewest_faults
    assert explored.of(AT_MOST_ONE).is_proved is (fewest_faults is None)


@pytest.mark.parametrize(
    ("agent_timeout_s", "on_timeout", "attempts"),
    (
        # The answer to 1/1 is lost, so the gateway's next attempt is due at 0.01 + 1 s.
        (0.5, OnTimeout.RUNS_ON, ["1/1", "1/2"]),
        (0.5, OnTimeout.INTERRUPTED, ["1/1"]),
        (5.0, OnTimeout.INTERRUPTED, ["1/1", "1/2"]),
    ),
)
def test_an_interrupted_gateway_sends_no_more_attempts(
    agent_timeout_s: float, on_timeout: OnTimeout, attempts: list[str]
) -> None:
    scenario = with_faults(below_an_agent(agent_timeout_s, on_timeout), f"{TO_SERVER}.response_lost")

    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER}.response_lost@1/1")).journal

    assert paths(journal, LayerName.GATEWAY) == attempts
    assert len(landings_s(journal)) == len(attempts)


@pytest.mark.parametrize(("backoff_s", "attempt_count"), ((0.2, 2), (0.5, 1)))
def test_a_gateway_that_is_interrupted_in_its_backoff_sends_no_more(backoff_s: float, attempt_count: int) -> None:
    # 0.01 s down, 0.2 s until the gateway gives up on the first; the agent gives up at 0.5 s.
    scenario = below_an_agent(0.5, OnTimeout.INTERRUPTED, timeout_s=0.2, backoff=Wait.of(backoff_s))
    scenario = with_faults(scenario, f"{TO_SERVER}.response_lost")

    journal = run_concrete(scenario, FaultsAt(f"{TO_SERVER}.response_lost@1/1")).journal

    assert len(paths(journal, LayerName.GATEWAY)) == attempt_count


def stacked(on_timeout: OnTimeout, *, below: OnTimeout = OnTimeout.RUNS_ON, has_sdk: bool = False) -> Scenario:
    """A gateway over links whose latency varies, below an agent whose patience ends near the gateway's retry."""
    scenario = varying(1, timeout_s=1.5)
    sdk = (a_layer(LayerName.CLIENT_SDK, attempts=2, timeout_s=0.8),) if has_sdk else ()
    gateway = a_layer(LayerName.GATEWAY, attempts=1 if has_sdk else 2)
    first = replace(scenario.hops[0], name="agent_to_gateway", on_timeout=on_timeout)
    second, last = scenario.hops
    scenario = replace(
        scenario,
        layers=(scenario.layers[0], gateway, *sdk, scenario.layers[-1]),
        hops=(first, replace(second, on_timeout=below), last),
    )
    scenario = server_with(scenario, claim=ClaimKind.NONE)
    return with_faults(scenario, f"{TO_SERVER}.response_lost")


def doubled_above_a_gateway(on_timeout: OnTimeout) -> Scenario:
    """A patient agent, a gateway that sends once, and a request to it that may be delivered twice."""
    scenario = stacked(on_timeout)
    layers = (replace(scenario.layers[0], timeout_s=40.0), a_layer(LayerName.GATEWAY, timeout_s=5.0))
    scenario = server_with(replace(scenario, layers=(*layers, scenario.layers[-1])), claim=ClaimKind.CHECK_THEN_ACT)
    return with_faults(scenario, "agent_to_gateway.request_duplicated")


@pytest.mark.parametrize(
    "scenario",
    (
        doubled(ClaimKind.CHECK_THEN_ACT),
        with_faults(doubled(ClaimKind.UNIQUE), f"{TO_SERVER}.connection_refused", f"{TO_SERVER}.response_replaced"),
        stacked(OnTimeout.RUNS_ON),
        stacked(OnTimeout.INTERRUPTED),
        stacked(OnTimeout.RUNS_ON, below=OnTimeout.INTERRUPTED),
        stacked(OnTimeout.INTERRUPTED, has_sdk=True),
        doubled_above_a_gateway(OnTimeout.RUNS_ON),
        doubled_above_a_gateway(OnTimeout.INTERRUPTED),
    ),
)
def test_local_steps_lose_nothing_of_what_a_hop_can_do(scenario: Scenario) -> None:
    reduced, unreduced = both_ways(scenario, 1)

    assert reduced == unreduced
    assert len(reduced) > 1


def doubled_above_a_gateway_that_has_answers_in_time() -> Scenario:
    """The answer to the copy may be at the gateway before the agent has that to the first, and may not."""
    some = Wait(s_min=0.005, s_typical=0.01, s_max=0.05)
    scenario = server_with(stacked(OnTimeout.RUNS_ON), claim=ClaimKind.UNIQUE, lease_s=None)
    hops = tuple(replace(hop, request=some, response=some, latest_landing_s=1.0) for hop in scenario.hops)
    layers = (
        a_layer(LayerName.AGENT, timeout_s=0.5),
        a_layer(LayerName.GATEWAY, timeout_s=0.3, attempts=2),
        a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=0.4),
    )
    scenario = downstream_with(replace(scenario, hops=hops, layers=layers), work=some)
    return with_faults(scenario, "agent_to_gateway.request_duplicated")


@pytest.mark.parametrize(
    "scenario",
    (
        stacked(OnTimeout.INTERRUPTED),
        doubled(ClaimKind.CHECK_THEN_ACT),
        doubled_above_a_gateway_that_has_answers_in_time(),
    ),
)
def test_every_run_with_a_fault_of_a_hop_has_a_witness(scenario: Scenario) -> None:
    for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1):
        witness = solve_witness(scenario, leaf.trace)

        assert len(witness.journal.of(Effect)) == len(leaf.run.journal.of(Effect))
