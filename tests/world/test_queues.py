"""A durable queue on a hop: accepted at once, handed out when due, and again while nobody acknowledges."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from simkit.chance import Chance
from simkit.choices import Acknowledgement, Holder
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, Effect, End, Reply
from simkit.scenario import Hop, Queue, Scenario
from simkit.study import explore
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName, OnUncertainReadback, Promise, StalePolicy, State
from simkit.world import run_concrete, run_intervals, solve_witness
from simkit.world.assembly import play
from simkit.world.plan import planned
from simkit.world.timeline import ConcreteTimeline
from simkit.world.trials import Decisions, Trials
from tests.builders import (
    FaultsAt,
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)
from tests.world.race_scenarios import varying
from tests.world.test_reduction import both_ways

__all__: list[str] = []

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
AT_MOST_ONE = Promise.AT_MOST_ONE_EFFECT


def a_queue(**changes: Any) -> Queue:
    """A queue without a delay that waits 10 s for the acknowledgement and hands out five times at most."""
    queue = Queue(
        delay=Wait.of(0.0),
        held_by=Holder.BROKER,
        visibility_timeout_s=10.0,
        delivery_count_max=5,
        acknowledges=Acknowledgement.AFTER_WORK,
    )
    return replace(queue, **changes)


def behind(scenario: Scenario, hop_name: str, queue: Queue) -> Scenario:
    """The same world with a queue on one hop."""
    hops = tuple(replace(hop, queue=queue) if hop.name == hop_name else hop for hop in scenario.hops)
    return replace(scenario, hops=hops)


def queued(**queue_changes: Any) -> Scenario:
    """One call through a queue to a server without a record."""
    agent = a_layer(LayerName.AGENT)
    scenario = a_scenario(layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=20.0)))
    scenario = behind(scenario, "gateway_to_server", a_queue(**queue_changes))
    return server_with(scenario, claim=ClaimKind.NONE)


def played(scenario: Scenario, *faults: str) -> Journal:
    """What happens with these faults, all of which are met; nothing may hang in the end."""
    chance = FaultsAt(*faults)
    sites = {fault.partition("@")[0] for fault in faults}
    journal = run_concrete(conditions_with(scenario, rates=rates_at(0.01, *sites)), chance).journal
    assert chance.left == set()
    assert [end.is_quiescent for end in journal.of(End)] == [True]
    return journal


def landings_s(journal: Journal) -> list[float]:
    """When the effects were made."""
    return [round(effect.at_s, 6) for effect in journal.of(Effect)]


def paths(journal: Journal) -> list[str]:
    """Of what the server sent to the system of record."""
    return [attempt.path for attempt in journal.of(Attempt) if attempt.layer is LayerName.DOWNSTREAM_SDK]


def test_the_caller_hears_accepted_at_once_and_the_effect_comes_when_the_call_is_due() -> None:
    journal = played(queued(delay=Wait.of(100.0)))

    heard = [(round(reply.at_s, 6), reply.state) for reply in journal.of(Reply) if reply.layer is LayerName.AGENT]
    # 0.01 s to the queue and back; then 100 s, and 0.005 + 0.001 s from the server on.
    assert heard == [(0.02, State.ACCEPTED)]
    assert landings_s(journal) == [100.016]


@pytest.mark.parametrize(
    ("delay_s", "visibility_timeout_s"),
    (
        (6 * HOUR_S, HOUR_S),
        (6 * HOUR_S - 1, HOUR_S),
        (6 * HOUR_S + 1, HOUR_S),
        (HOUR_S, HOUR_S),
        (HOUR_S, 12 * HOUR_S),
        (0.0, HOUR_S),
    ),
)
def test_a_delay_that_a_worker_holds_runs_once_for_each_period_and_once_more(
    delay_s: float, visibility_timeout_s: float
) -> None:
    held = queued(
        delay=Wait.of(delay_s),
        held_by=Holder.WORKER,
        visibility_timeout_s=visibility_timeout_s,
        delivery_count_max=100,
    )

    journal = played(held)

    # celery/kombu issue 337: floor(ETA / visibility timeout) + 1 executions, all of them when it is due, since
    # each worker that holds it waits for the same instant.
    assert landings_s(journal) == [round(delay_s + 0.016, 6)] * int(delay_s // visibility_timeout_s + 1)


def test_each_delivery_has_its_own_path() -> None:
    held = queued(delay=Wait.of(25.0), held_by=Holder.WORKER)

    assert paths(played(held)) == ["1/1", "1~2/1", "1~3/1"]


def test_a_delay_that_the_broker_keeps_runs_once_however_long_it_is() -> None:
    assert len(landings_s(played(queued(delay=Wait.of(30 * DAY_S))))) == 1


def test_a_call_is_handed_out_as_often_as_is_allowed_and_no_oftener() -> None:
    held = queued(delay=Wait.of(1000.0), held_by=Holder.WORKER, delivery_count_max=3)

    assert len(landings_s(played(held))) == 3


@pytest.mark.parametrize(
    ("work_s", "landed_at_s"),
    (
        # Handed out at 0.01 s; 0.005 s down, the work, 0.001 s up. The clock of 10 s runs from the handing out.
        (9.993, [10.008]),
        # Answered at the very instant at which the period ends: a deadline beats a reply.
        (9.994, [10.009, 20.009]),
        (15.0, [15.015, 25.015]),
    ),
)
def test_work_that_outlasts_the_visibility_timeout_is_begun_again(work_s: float, landed_at_s: list[float]) -> None:
    scenario = downstream_with(queued(), work=Wait.of(work_s))

    assert landings_s(played(scenario)) == landed_at_s


def test_what_no_worker_acknowledges_because_it_died_is_done_by_the_next() -> None:
    # Handed out again 10 s after the first time, which was at 0.01 s.
    assert landings_s(played(queued(), "server.before_effect@1")) == [10.016]


def test_a_call_that_is_acknowledged_on_receipt_is_lost_with_the_worker() -> None:
    scenario = queued(acknowledges=Acknowledgement.ON_RECEIPT)

    assert landings_s(played(scenario)) == [0.016]
    assert landings_s(played(scenario, "server.before_effect@1")) == []


def test_a_call_that_is_acknowledged_on_receipt_is_never_handed_out_again() -> None:
    scenario = queued(acknowledges=Acknowledgement.ON_RECEIPT, held_by=Holder.WORKER, delay=Wait.of(1000.0))

    assert len(landings_s(played(downstream_with(scenario, work=Wait.of(15.0))))) == 1


@pytest.mark.parametrize(
    ("change", "effect_count"),
    (
        (lambda scenario: scenario, 2),
        # The reservation of the dead worker is stale at once: reading back finds its effect, running again repeats it.
        (lambda scenario: server_with(scenario, claim=ClaimKind.UNIQUE, stale=StalePolicy.RUN_AGAIN), 2),
        (
            lambda scenario: server_with(
                scenario,
                claim=ClaimKind.UNIQUE,
                stale=StalePolicy.READ_BACK,
                readback=a_readback(on_uncertain=OnUncertainReadback.HOLD),
            ),
            1,
        ),
    ),
)
def test_a_worker_that_dies_behind_the_effect_leaves_it_to_the_server_to_recognise_the_redelivery(
    change: Callable[[Scenario], Scenario], effect_count: int
) -> None:
    assert len(landings_s(played(change(queued()), "server.after_effect@1"))) == effect_count


def test_an_answer_that_is_unknown_acknowledges_nothing() -> None:
    # The server hears nothing for 20 s and says that it does not know; the call was handed out again long before.
    scenario = queued(visibility_timeout_s=30.0)

    journal = played(scenario, "server_to_downstream.response_lost@1/1")

    assert landings_s(journal) == [0.016, 30.016]


def test_a_call_that_fails_each_time_is_given_up_and_nothing_hangs() -> None:
    scenario = queued(delivery_count_max=2)

    assert landings_s(played(scenario, "server.before_effect@1", "server.before_effect@1~2")) == []


def queued_before_a_gateway(queue: Queue) -> Scenario:
    """One call through a queue to a gateway that sends once."""
    scenario = queued()
    plain = tuple(replace(hop, queue=None) for hop in scenario.hops)
    way = Wait.of(0.01)
    first = Hop(name="agent_to_gateway", request=way, response=way, latest_landing_s=0.01, queue=queue)
    layers = (scenario.layers[0], a_layer(LayerName.GATEWAY), scenario.layers[-1])
    return replace(scenario, hops=(first, *plain), layers=layers)


def test_an_answer_that_is_refused_acknowledges_nothing() -> None:
    # The gateway sent nothing and says so; 10 s after it was handed out the call is handed out again.
    journal = played(queued_before_a_gateway(a_queue()), "gateway_to_server.connection_refused@1/1")

    assert landings_s(journal) == [10.026]


def test_a_queue_may_stand_before_the_gateway_or_before_the_system_of_record() -> None:
    scenario = queued()
    plain = tuple(replace(hop, queue=None) for hop in scenario.hops)
    delayed = a_queue(delay=Wait.of(5.0))
    before_the_system = behind(replace(scenario, hops=plain), "server_to_downstream", delayed)
    before_the_gateway = queued_before_a_gateway(delayed)

    # 0.01 + 0.005 s down, 5 s in the queue, 0.001 s of work; a gateway is one way of 0.01 s more.
    assert landings_s(played(before_the_system)) == [5.016]
    assert landings_s(played(before_the_gateway)) == [5.026]


class CountingTimeline(ConcreteTimeline):
    """A clock that counts what it processes."""

    def __init__(self, chance: Chance) -> None:
        super().__init__(chance)
        self.step_count = 0

    def step(self) -> None:
        """Process one step."""
        self.step_count += 1
        super().step()


def step_count(scenario: Scenario) -> int:
    """How many steps a run takes."""
    chance = FaultsAt()
    timeline = CountingTimeline(chance)
    play(planned(scenario), timeline, Journal(), Trials(chance, Decisions(), is_on=False), has_episodes=False)
    return timeline.step_count


@pytest.mark.parametrize("holder", Holder)
def test_a_delay_of_thirty_days_takes_as_many_steps_as_one_of_thirty_seconds(holder: Holder) -> None:
    short, long = (
        step_count(queued(delay=Wait.of(delay_s), held_by=holder, visibility_timeout_s=31 * DAY_S))
        for delay_s in (30.0, 30 * DAY_S)
    )

    assert short == long > 0


def varying_queue(claim: ClaimKind, **queue_changes: Any) -> Scenario:
    """One call through a queue over links whose latency varies, to work of up to half a second."""
    scenario = behind(varying(1), "gateway_to_server", a_queue(delivery_count_max=2, **queue_changes))
    return server_with(scenario, claim=claim)


@pytest.mark.parametrize(
    ("claim", "visibility_timeout_s", "fewest_faults"),
    (
        # Work and its two ways take 0.052 to 0.9 s.
        (ClaimKind.NONE, 0.5, 0),
        (ClaimKind.NONE, 1.0, None),
        (ClaimKind.CHECK_THEN_ACT, 0.5, 0),
        (ClaimKind.UNIQUE, 0.5, None),
    ),
)
def test_a_visibility_timeout_shorter_than_the_work_duplicates_unless_the_reservation_is_unique(
    claim: ClaimKind, visibility_timeout_s: float, fewest_faults: int | None
) -> None:
    scenario = varying_queue(claim, visibility_timeout_s=visibility_timeout_s)

    explored = explore(scenario, fault_budget=0, policy="as requested", runs_twice=True).exploration

    found = explored.of(AT_MOST_ONE)
    assert found.fewest_faults == fewest_faults
    assert found.is_proved is (fewest_faults is None)


def test_a_redelivery_after_a_crash_behind_the_effect_duplicates_with_one_fault() -> None:
    scenario = varying_queue(ClaimKind.NONE)
    scenario = conditions_with(scenario, rates=rates_at(0.01, "server.after_effect"))

    counts = frozenset({AT_MOST_ONE})
    explored = explore(scenario, fault_budget=1, policy="as requested", counts=counts, runs_twice=True).exploration

    assert explored.of(AT_MOST_ONE).fewest_faults == 1


def a_delay_about_the_visibility_timeout() -> Scenario:
    """A worker holds the call for half to one and a half periods."""
    delay = Wait(s_min=5.0, s_typical=8.0, s_max=15.0)
    return varying_queue(ClaimKind.NONE, delay=delay, held_by=Holder.WORKER)


def test_on_intervals_a_held_delay_may_end_before_or_after_the_visibility_timeout() -> None:
    scenario = a_delay_about_the_visibility_timeout()

    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0)

    assert {len(leaf.run.journal.of(Effect)) for leaf in runs} == {1, 2}


def test_on_intervals_the_copies_that_workers_hold_begin_together() -> None:
    # Both begin when the call is due, or the second while the first is at work, 0.9 s later at most. So the
    # second one finds the key of the first, even if it is forgotten after 2 s.
    scenario = downstream_with(a_delay_about_the_visibility_timeout(), key_retention=a_retention(2.0))

    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0)

    assert {len(leaf.run.journal.of(Effect)) for leaf in runs} == {1}


def test_on_intervals_a_call_is_acknowledged_when_the_answer_arrives_not_when_it_is_sent() -> None:
    scenario = queued_before_a_gateway(a_queue(visibility_timeout_s=0.3, delivery_count_max=2))
    slow_back: dict[str, Any] = {"response": Wait.of(0.5), "latest_landing_s": 0.5}
    hops = tuple(replace(hop, **slow_back) if hop.name == "gateway_to_server" else hop for hop in scenario.hops)
    scenario = replace(scenario, hops=hops)

    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0)

    # Answered 0.02 s after it was handed out, heard another 0.5 s later; the period of 0.3 s ends in between.
    assert {len(leaf.run.journal.of(Effect)) for leaf in runs} == {2}


def before_a_gateway(visibility_timeout_s: float) -> Scenario:
    """A queue before a gateway of two attempts; the first answer from the server may be lost."""
    scenario = varying(1)
    queue = a_queue(visibility_timeout_s=visibility_timeout_s, delivery_count_max=2)
    first = replace(scenario.hops[0], name="agent_to_gateway", queue=queue)
    gateway = a_layer(LayerName.GATEWAY, attempts=2, timeout_s=2.0)
    scenario = replace(
        scenario, hops=(first, *scenario.hops), layers=(scenario.layers[0], gateway, scenario.layers[-1])
    )
    scenario = server_with(scenario, claim=ClaimKind.CHECK_THEN_ACT)
    return conditions_with(scenario, rates=rates_at(0.01, "gateway_to_server.response_lost"))


SCENARIOS = (
    (varying_queue(ClaimKind.CHECK_THEN_ACT, visibility_timeout_s=0.5), 0),
    (a_delay_about_the_visibility_timeout(), 0),
    (before_a_gateway(visibility_timeout_s=2.5), 1),
)


@pytest.mark.parametrize(("scenario", "fault_budget"), SCENARIOS)
def test_local_steps_lose_nothing_behind_a_queue(scenario: Scenario, fault_budget: int) -> None:
    reduced, unreduced = both_ways(scenario, fault_budget)

    assert reduced == unreduced
    assert len(reduced) > 1


@pytest.mark.parametrize(("scenario", "fault_budget"), SCENARIOS)
def test_every_run_through_a_queue_has_a_witness(scenario: Scenario, fault_budget: int) -> None:
    for leaf in leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget):
        witness = solve_witness(scenario, leaf.trace)

        assert len(witness.journal.of(Effect)) == len(leaf.run.journal.of(Effect))
