"""How far an interruption reaches: through which layers, past which answers, in which orders."""

from dataclasses import replace

import pytest

from simkit.choices import OnTimeout
from simkit.distributions import Wait
from simkit.records import Attempt, Receipt, Reply
from simkit.scenario import Scenario
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName
from simkit.world import run_concrete, run_intervals
from tests.builders import FaultsAt, a_layer, downstream_with, server_with
from tests.world.test_links import TO_SERVER, below_an_agent, on_hop, with_faults

__all__: list[str] = []

TO_GATEWAY = "agent_to_gateway"
INTERRUPTED, RUNS_ON = OnTimeout.INTERRUPTED, OnTimeout.RUNS_ON


def slow_below(
    agent_timeout_s: float, above: OnTimeout, below: OnTimeout, *, attempts: int = 3, has_sdk: bool = False
) -> Scenario:
    """Work of 5 s, for which the gateway would wait 20 s; a receipt is written when it is done."""
    scenario = below_an_agent(agent_timeout_s, above, attempts=attempts, timeout_s=20.0)
    if has_sdk:
        first, gateway, last = scenario.layers
        scenario = replace(scenario, layers=(first, gateway, a_layer(LayerName.CLIENT_SDK, timeout_s=20.0), last))
    scenario = on_hop(scenario, TO_SERVER, on_timeout=below)
    return downstream_with(server_with(scenario, claim=ClaimKind.CHECK_THEN_ACT), work=Wait.of(5.0))


# A gateway that sends once waits for the last answer that it can get, which interests nobody any more.
@pytest.mark.parametrize("attempts", (1, 3))
@pytest.mark.parametrize("has_sdk", (False, True))
@pytest.mark.parametrize(
    ("above", "below", "receipt_count"),
    (
        (RUNS_ON, RUNS_ON, 1),
        # The agent goes after 1 s. The gateway runs on and waits, so nobody interrupts the server.
        (RUNS_ON, INTERRUPTED, 1),
        # The gateway ends, and with it nothing else.
        (INTERRUPTED, RUNS_ON, 1),
        (INTERRUPTED, INTERRUPTED, 0),
    ),
)
def test_an_interruption_reaches_the_server_where_every_hop_above_it_interrupts(
    above: OnTimeout, below: OnTimeout, receipt_count: int, attempts: int, *, has_sdk: bool
) -> None:
    scenario = slow_below(1.0, above, below, attempts=attempts, has_sdk=has_sdk)

    journal = run_concrete(scenario, FaultsAt()).journal

    assert len(journal.of(Receipt)) == receipt_count


def test_an_answer_to_one_copy_leaves_the_work_of_the_other_alone_however_deep_it_is() -> None:
    site = f"{TO_GATEWAY}.request_duplicated"
    scenario = on_hop(slow_below(60.0, INTERRUPTED, INTERRUPTED), TO_GATEWAY, latest_landing_s=2.0)

    journal = run_concrete(with_faults(scenario, site), FaultsAt(f"{site}@1")).journal

    # The copy lands at 2 s, before the first has its receipt, and is at work when the first is answered at 5 s.
    assert len(journal.of(Receipt)) == 2


def test_on_intervals_a_late_call_lands_before_its_caller_has_gone_and_is_interrupted_or_after() -> None:
    scenario = with_faults(slow_below(1.0, INTERRUPTED, INTERRUPTED), f"{TO_GATEWAY}.request_late")

    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1, runs_twice=True)
    late = [leaf.run.journal for leaf in runs if leaf.fault_count]

    heard = {reply.detail for journal in late for reply in journal.of(Reply) if reply.layer is LayerName.GATEWAY}
    assert {len(journal.of(Receipt)) for journal in late} == {0, 1}
    assert heard == {"interrupted from above", "receipt"}


def test_on_intervals_a_gateway_never_sends_after_a_backoff_that_ends_after_its_caller_has_gone() -> None:
    # The gateway gives up on the first attempt at 0.21 s and waits until 0.71 s; the agent goes at 0.5 s.
    scenario = below_an_agent(0.5, INTERRUPTED, timeout_s=0.2, backoff=Wait.of(0.5))
    scenario = with_faults(scenario, f"{TO_SERVER}.response_lost")

    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1, runs_twice=True)

    for leaf in runs:
        sent = [attempt for attempt in leaf.run.journal.of(Attempt) if attempt.layer is LayerName.GATEWAY]
        assert [attempt.path for attempt in sent] == ["1/1"]
