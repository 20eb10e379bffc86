"""What is accepted and done in the background: durable in an outbox, gone with the process in its memory."""

from dataclasses import replace

import pytest

from simkit.choices import ApprovalCheck, StoreKind, WriteOrder
from simkit.distributions import Wait
from simkit.records import Effect, StateChange
from simkit.scenario import Approval, Scenario, Store
from simkit.terms import Outcome, Promise, State
from tests.builders import a_call
from tests.world.server_worlds import broken, effect_counts, fewest_faults, outcomes, played, retried_after_the_lease

__all__: list[str] = []


def accepted_at_once(kind: StoreKind) -> Scenario:
    """Two wishes, half a second apart; the server answers `accepted`, which counts as done, and works on."""
    sites = ("server.before_reservation", "server_to_downstream.request_lost")
    scenario = retried_after_the_lease(*sites, order=WriteOrder.OUTBOX, store=Store(kind=kind))
    agent = replace(scenario.agent, handover_completes=True)
    return replace(scenario, agent=agent, calls=(a_call(), a_call(intent="i2", operation="op2", start_s=0.5)))


@pytest.mark.parametrize(
    ("kind", "effect_count"),
    (
        # The second call kills the process in which the first one's work waits for an answer until 1 s.
        (StoreKind.PROCESS_MEMORY, 1),
        (StoreKind.SHARED, 2),
    ),
)
def test_work_in_the_background_is_tried_again_only_where_it_outlives_the_process(
    kind: StoreKind, effect_count: int
) -> None:
    scenario = accepted_at_once(kind)

    journal = played(scenario, "server_to_downstream.request_lost@1:1/relay-1/1", "server.before_reservation@2:1")

    assert len(journal.of(Effect)) == effect_count
    assert outcomes(journal) == [Outcome.OK, Outcome.OK]  # both were accepted, which counts as done
    assert (Promise.COMPLETED_MEANS_DONE in broken(journal)) is (effect_count == 1)


def test_an_approval_that_nobody_checks_is_found_expired_in_the_orders_in_which_it_is() -> None:
    """The request takes between 0.01 s and 2 s, and the approval a second: some orders begin in time, some do not."""
    slow = Wait(s_min=0.01, s_typical=0.1, s_max=2.0)
    scenario = retried_after_the_lease(approval_check=ApprovalCheck.NEVER)
    hops = (replace(scenario.hops[0], request=slow, latest_landing_s=2.0), scenario.hops[1])
    approval = Approval(name="a", intent="i1", inputs="x", audience="", expires_s=1.0, is_single_use=True)
    scenario = replace(scenario, hops=hops, calls=(a_call(approval="a"),), approvals=(approval,))

    on_the_clock = played(scenario)

    assert broken(on_the_clock) == frozenset()  # 0.1 s, its usual duration
    assert fewest_faults(scenario, Promise.APPROVAL_RESPECTED) == 0
    assert effect_counts(scenario) == {1}


@pytest.mark.parametrize(
    ("expires_s", "faults", "effect_count", "is_decided"),
    (
        # It lapses before anything was sent: decided, and nothing can follow.
        (0.005, (), 0, True),
        # The first round made the effect and heard nothing; that the next may not begin says nothing of the first.
        (0.5, ("server_to_downstream.response_lost@1/relay-1/1",), 1, False),
    ),
)
def test_a_lapsed_approval_decides_only_what_was_never_sent(
    *, expires_s: float, faults: tuple[str, ...], effect_count: int, is_decided: bool
) -> None:
    scenario = retried_after_the_lease(
        "server_to_downstream.response_lost", order=WriteOrder.OUTBOX, approval_check=ApprovalCheck.AT_EACH_START
    )
    approval = Approval(name="a", intent="i1", inputs="x", audience="", expires_s=expires_s, is_single_use=True)
    scenario = replace(scenario, calls=(a_call(approval="a"),), approvals=(approval,))

    journal = played(scenario, *faults)

    assert len(journal.of(Effect)) == effect_count
    assert (State.REJECTED in {change.state for change in journal.of(StateChange)}) is is_decided
