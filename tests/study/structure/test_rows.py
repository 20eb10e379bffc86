"""The rows of the permission table: what a layer knows of each stage, with the ID persisted or lost."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.catalog import scenario_content
from simkit.choices import ApprovalCheck, Drift, OnNotSeen, OnRestart
from simkit.contract import parse_scenario
from simkit.distributions import Wait
from simkit.scenario import Agent, Approval, Reconciler, Scenario
from simkit.study.results import Cell
from simkit.terms import Action, Identity, Knowledge, LayerName, OnExpired, OnPending, StalePolicy
from tests.builders import a_call, a_layer, a_readback, a_retention, a_scenario, conditions_with, rates_at, server_with
from tests.study.structure.table_worlds import Row, table_of

__all__: list[str] = []

LOST, NEVER_SENT = "gateway_to_server.response_lost", "gateway_to_server.request_lost"
CRASH = "server.after_reservation"
AGENT = Agent(identity=Identity.PER_INTENT)


def world(*sites: str, server: dict[str, Any] | None = None, **changes: Any) -> Scenario:
    """An agent with three attempts, 10 s apart, and a server that keeps IDs apart; something fails at these sites."""
    agent = a_layer(LayerName.AGENT, attempts=3, backoff=Wait.of(10.0))
    plain = a_scenario(layers=(agent, a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)), **changes)
    return conditions_with(server_with(plain, **(server or {})), rates=rates_at(0.01, *sites))


def known_by_the_agent(scenario: Scenario, *, fault_budget: int = 1) -> set[Knowledge]:
    cells = table_of(scenario, fault_budget=fault_budget)
    return {known for (layer, _, known, _), _ in cells if layer is LayerName.AGENT}


@pytest.mark.parametrize(
    ("scenario", "known"),
    (
        (world("gateway_to_server.connection_refused"), Knowledge.NOTHING_SENT),
        (world(LOST), Knowledge.POSSIBLY_SENT),
        # The handler died, and its reservation holds for longer than anybody repeats.
        (world(CRASH, server={"lease_s": 1000.0}), Knowledge.PENDING),
        (world(), Knowledge.FOUND),
        (world(CRASH, server={"stale": StalePolicy.READ_BACK, "readback": a_readback()}), Knowledge.NOT_SEEN),
        # It never arrived, and 1 s of waiting is longer than anything here takes to land.
        (world(NEVER_SENT, server={"readback": a_readback()}), Knowledge.CONFIRMED_ABSENT),
        # The second attempt says something else under the same ID.
        (world(LOST, agent=replace(AGENT, drift=Drift.INPUTS)), Knowledge.CONFLICT_OTHER_INPUTS),
        (
            world(CRASH, server={"lease_s": 1000.0, "on_pending": OnPending.CONFLICT}),
            Knowledge.CONFLICT_POSSIBLY_MINE,
        ),
        (world("downstream.error"), Knowledge.REJECTED),
        # The handler died, and whoever finds its reservation leaves it to the owner.
        (world(CRASH, server={"stale": StalePolicy.HOLD}), Knowledge.STORED_FAILURE),
        (
            world(LOST, server={"retention": a_retention(5.0, after=OnExpired.REFUSE)}),
            Knowledge.EXPIRED,
        ),
        # Approved for 5 ms, and a call takes 10 ms to the server.
        (
            world(
                calls=(a_call(approval="a"),),
                approvals=(
                    Approval(name="a", intent="i1", inputs="x", audience="", expires_s=0.005, is_single_use=False),
                ),
                server={"approval_check": ApprovalCheck.AT_EACH_START},
            ),
            Knowledge.APPROVAL_LAPSED,
        ),
    ),
    ids=lambda value: str(value) if isinstance(value, Knowledge) else "",
)
def test_every_row_is_reached_by_a_world_that_leads_to_it(scenario: Scenario, known: Knowledge) -> None:
    assert known in known_by_the_agent(scenario)


def test_not_seen_is_not_absent_while_something_may_still_land() -> None:
    """A message may be under way for 60 s, and the agent waits for 1 s and asks again after 10 s."""
    scenario = world(NEVER_SENT, server={"readback": a_readback()})
    late = tuple(replace(hop, latest_landing_s=60.0) for hop in scenario.hops)

    known = known_by_the_agent(replace(scenario, hops=late))

    assert Knowledge.NOT_SEEN in known
    assert Knowledge.CONFIRMED_ABSENT not in known


def test_what_was_sent_last_has_to_land_too_before_not_seen_is_absent() -> None:
    """Both requests are lost. At 12 s the first has landed, if ever, after 11.9 s; the second left at 11 s."""
    scenario = world(NEVER_SENT, server={"readback": a_readback()})
    to_server, to_system = scenario.hops
    scenario = replace(scenario, hops=(replace(to_server, latest_landing_s=11.9), to_system))

    known = known_by_the_agent(scenario, fault_budget=2)

    assert Knowledge.NOT_SEEN in known
    assert Knowledge.CONFIRMED_ABSENT not in known


def test_what_a_layer_below_may_still_send_has_to_land_too() -> None:
    """The client SDK sends at 0, 8.5 and 17 s; two are lost, and the agent, gone after 1 s, asks at 11 s."""
    plain = world(NEVER_SENT, server={"readback": a_readback()})
    sdk = a_layer(LayerName.CLIENT_SDK, attempts=3, backoff=Wait.of(8.0), timeout_s=0.5)
    scenario = replace(plain, layers=(plain.layers[0], sdk, plain.layers[1]))

    known = known_by_the_agent(scenario, fault_budget=2)

    assert Knowledge.NOT_SEEN in known
    assert Knowledge.CONFIRMED_ABSENT not in known


def test_beside_a_reconciler_that_may_send_nobody_calls_it_absent() -> None:
    reconciler = Reconciler(delay=Wait.of(5.0), on_not_seen=OnNotSeen.ESCALATE, waits_for_landing=False)
    scenario = world(NEVER_SENT, server={"readback": a_readback()})

    known = known_by_the_agent(replace(scenario, reconciler=reconciler))

    assert Knowledge.NOT_SEEN in known
    assert Knowledge.CONFIRMED_ABSENT not in known


def test_not_seen_becomes_absent_by_waiting_for_the_landing() -> None:
    """As before, but the agent waits for 300 s before it asks: then all has landed, and a new operation is safe."""
    scenario = world(CRASH, server={"readback": a_readback(), "stale": StalePolicy.HOLD, "lease_s": 1000.0})
    late = tuple(replace(hop, latest_landing_s=60.0) for hop in scenario.hops)
    patient = replace(scenario.layers[0], backoff=Wait.of(300.0))
    scenario = replace(scenario, hops=late, layers=(patient, scenario.layers[1]))
    scenario = conditions_with(scenario, retry_horizon_s=10_000.0)

    cells = table_of(scenario, fault_budget=1)

    absent: Row = (LayerName.AGENT, "ticket", Knowledge.CONFIRMED_ABSENT, True)
    assert cells[absent, Action.NEW_OPERATION].is_permitted is True
    seen: Row = (LayerName.AGENT, "ticket", Knowledge.PENDING, True)
    assert cells[seen, Action.POLL].is_permitted is True


def restarting(*, is_id_persisted: bool) -> Scenario:
    """An agent that resumes an open step after a restart, 5 s later; it makes one attempt in each life."""
    agent = replace(AGENT, is_id_persisted=is_id_persisted, on_restart=OnRestart.RESUME, restart=Wait.of(5.0))
    return conditions_with(
        a_scenario(agent=agent, layers=(a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))),
        rates=rates_at(0.01, "agent.after_sending"),
    )


def test_who_lost_the_id_can_only_make_a_new_operation_and_may_not() -> None:
    """What was sent before the restart arrives as well."""
    cells = table_of(restarting(is_id_persisted=False), fault_budget=1)

    lost: Row = (LayerName.AGENT, "ticket", Knowledge.POSSIBLY_SENT, False)
    makes_new = cells[lost, Action.NEW_OPERATION]
    assert (makes_new.is_declared, makes_new.is_permitted) == (True, False)
    assert cells[lost, Action.SAME_ID].is_permitted is None


def test_what_bore_a_lost_id_is_never_confirmed_absent() -> None:
    """Whether the first life sent anything is forgotten with its ID; only the second life's is asked for, and lost."""
    scenario = server_with(restarting(is_id_persisted=False), readback=a_readback())
    agent = replace(scenario.layers[0], attempts=2, backoff=Wait.of(10.0))
    scenario = replace(scenario, layers=(agent, *scenario.layers[1:]))
    scenario = conditions_with(scenario, rates=rates_at(0.01, "agent.before_sending", NEVER_SENT))

    cells = table_of(scenario, fault_budget=2)

    rows = {(known, is_id_persisted) for (_, _, known, is_id_persisted), _ in cells}
    assert (Knowledge.CONFIRMED_ABSENT, True) in rows
    assert (Knowledge.NOT_SEEN, False) in rows
    assert (Knowledge.CONFIRMED_ABSENT, False) not in rows


def test_who_persisted_the_id_sends_it_again_after_a_restart() -> None:
    """The record recognises it; a new operation would be a second one."""
    cells = table_of(restarting(is_id_persisted=True), fault_budget=1)

    kept: Row = (LayerName.AGENT, "ticket", Knowledge.POSSIBLY_SENT, True)
    assert (cells[kept, Action.SAME_ID].is_declared, cells[kept, Action.SAME_ID].is_permitted) == (True, True)
    assert cells[kept, Action.NEW_OPERATION].is_permitted is False
    assert all(is_id_persisted for (_, _, _, is_id_persisted), _ in cells)


def stage_cells(name: str) -> dict[tuple[str, Knowledge, Action], Cell]:
    """The agent's cells of a scenario of the catalog, by stage."""
    cells = table_of(parse_scenario(scenario_content(name), file=name), fault_budget=1)
    return {(row[1], row[2], action): cell for (row, action), cell in cells.items() if row[0] is LayerName.AGENT}


@pytest.fixture(scope="module")
def publishing() -> dict[tuple[str, Knowledge, Action], Cell]:
    return stage_cells("publish-schedule")


@pytest.mark.parametrize(
    ("stage", "known", "action", "is_permitted"),
    (
        # It is out, or may be: another operation publishes it again, whatever is known of the coaches.
        ("publication", Knowledge.FOUND, Action.NEW_OPERATION, False),
        ("publication", Knowledge.POSSIBLY_SENT, Action.NEW_OPERATION, False),
        ("notification", Knowledge.POSSIBLY_SENT, Action.NEW_OPERATION, False),
        # Half an hour later nothing is seen of it, and nothing is under way: then nothing was published.
        ("publication", Knowledge.CONFIRMED_ABSENT, Action.NEW_OPERATION, True),
        # But of the coaches alone this says nothing: the publication may be out, and would be made again.
        ("notification", Knowledge.CONFIRMED_ABSENT, Action.NEW_OPERATION, False),
        # The publication has its receipt and the notification was not begun: under the same ID it alone is made.
        ("notification", Knowledge.NOTHING_SENT, Action.RESUME_STAGE, True),
        ("notification", Knowledge.NOTHING_SENT, Action.NEW_OPERATION, False),
        ("notification", Knowledge.POSSIBLY_SENT, Action.RESUME_STAGE, True),
        ("publication", Knowledge.POSSIBLY_SENT, Action.SAME_ID, True),
        # What is found needs no resuming.
        ("publication", Knowledge.FOUND, Action.RESUME_STAGE, None),
    ),
)
def test_each_stage_of_the_worked_example_has_rows_of_its_own(
    publishing: dict[tuple[str, Knowledge, Action], Cell],
    stage: str,
    known: Knowledge,
    action: Action,
    is_permitted: bool | None,  # noqa: FBT001
) -> None:
    assert publishing[stage, known, action].is_permitted is is_permitted


def test_where_the_server_runs_every_stage_again_no_stage_can_be_resumed() -> None:
    """After a crash behind the first receipt the same ID publishes it a second time."""
    cells = stage_cells("publish-everything-again")

    resumed = {cell.is_permitted for (_, _, action), cell in cells.items() if action is Action.RESUME_STAGE}
    assert resumed == {None}
    assert cells["publication", Knowledge.POSSIBLY_SENT, Action.SAME_ID].is_permitted is False


@pytest.fixture(scope="module")
def below() -> dict[tuple[Row, Action], Cell]:
    """The table of an agent above a client SDK that repeats nothing but failures of the transport."""
    plain = world(CRASH, "downstream.error", server={"lease_s": 1000.0})
    sdk = a_layer(LayerName.CLIENT_SDK, attempts=2)
    return table_of(replace(plain, layers=(plain.layers[0], sdk, plain.layers[1])), fault_budget=1)


def test_a_layer_below_the_agent_tries_to_repeat_a_failure_that_it_declares_to_pass_up(
    below: dict[tuple[Row, Action], Cell],
) -> None:
    """The handler died, so the repeat finds its reservation again, and makes nothing."""
    row: Row = (LayerName.CLIENT_SDK, "ticket", Knowledge.PENDING, True)

    assert (below[row, Action.STOP].is_declared, below[row, Action.SAME_ID].is_declared) == (True, False)
    assert below[row, Action.SAME_ID].is_permitted is True


def test_a_layer_below_the_agent_passes_up_what_was_decided(below: dict[tuple[Row, Action], Cell]) -> None:
    """A rejection is a result like any other to whoever goes by the failures of the way."""
    known = {(layer, known) for (layer, _, known, _), _ in below}

    assert (LayerName.AGENT, Knowledge.REJECTED) in known
    assert not {(LayerName.CLIENT_SDK, Knowledge.REJECTED), (LayerName.CLIENT_SDK, Knowledge.FOUND)} & known
