"""The permission table as a whole: what is harmless alone is withdrawn where it breaks together, outermost first."""

from collections.abc import Callable
from itertools import count

import pytest

from simkit.scenario import Scenario
from simkit.study import explore
from simkit.study.results import Cell
from simkit.terms import Action, Knowledge, LayerName
from simkit.world import Run
from tests.builders import a_readback, engine_policy, server_with
from tests.study.structure.table_worlds import Row, all_runs, cells_of, is_broken, slow_repeats, table_of

__all__: list[str] = []

Cells = dict[tuple[Row, Action], Cell]

AGENT_OPEN: Row = (LayerName.AGENT, "ticket", Knowledge.POSSIBLY_SENT, True)
AGENT_FOUND: Row = (LayerName.AGENT, "ticket", Knowledge.FOUND, True)
GATEWAY_OPEN: Row = (LayerName.GATEWAY, "ticket", Knowledge.POSSIBLY_SENT, True)
SENDING = (Action.SAME_ID, Action.NEW_OPERATION, Action.STATUS_FIRST, Action.POLL)


@pytest.fixture(scope="module")
def hurried() -> Cells:
    """The record forgets after 30 s.

    Lost, repeated by the gateway at 11 s and lost again, polled at 22 s, sent again at 32 s: too late, and
    two effects. With the poll alone it is sent again at 21 s, with the gateway's repeat alone at 22 s.
    """
    return table_of(slow_repeats(retention_s=30.0), fault_budget=2)


def test_of_two_harmless_actions_that_break_together_the_outermost_layers_is_withdrawn(hurried: Cells) -> None:
    polls, repeats = hurried[AGENT_OPEN, Action.POLL], hurried[GATEWAY_OPEN, Action.SAME_ID]

    assert (polls.is_permitted, polls.is_withdrawn) == (False, True)
    assert (repeats.is_permitted, repeats.is_withdrawn) == (True, False)


def test_a_withdrawn_action_says_together_with_what_it_breaks(hurried: Cells) -> None:
    reason = hurried[AGENT_OPEN, Action.POLL].reason

    assert reason.startswith("alone harmless, but together with 'same ID' of the gateway (possibly sent) it breaks")
    assert "response lost, gateway to server (attempt 1/1)" in reason


def test_what_is_declared_stays_permitted_when_something_else_is_withdrawn(hurried: Cells) -> None:
    """The agent declares to repeat; that is proved with whatever else every layer declares."""
    declared = [cell for cell in hurried.values() if cell.is_declared]

    assert hurried[AGENT_OPEN, Action.SAME_ID].is_declared
    assert all(cell.is_permitted for cell in declared)


def test_a_repeat_after_the_result_is_withdrawn_where_two_repeats_of_the_gateway_make_it_too_late(
    hurried: Cells,
) -> None:
    """Lost at 0 s, found by the gateway's repeat at 11 s, sent again at 21 s, lost, repeated at 32 s."""
    assert hurried[AGENT_FOUND, Action.SAME_ID].is_withdrawn


def test_nothing_is_withdrawn_where_the_record_outlasts_every_repeat() -> None:
    """The latest of all comes at 43 s: both repeats of the gateway, and a poll between them."""
    cells = table_of(slow_repeats(retention_s=50.0), fault_budget=2)

    assert not any(cell.is_withdrawn for cell in cells.values())
    assert cells[AGENT_OPEN, Action.POLL].is_permitted


def test_a_new_operation_is_refused_by_its_own_run_and_not_withdrawn(hurried: Cells) -> None:
    cell = hurried[AGENT_OPEN, Action.NEW_OPERATION]

    assert (cell.is_permitted, cell.is_withdrawn) == (False, False)
    assert cell.reason.startswith("breaks an effect promise with")


def departed(run: Run) -> list[tuple[Row, Action]]:
    """The cells of everything that was done and not declared."""
    return [
        ((key.layer, key.stage, key.known, key.is_id_persisted), key.action)
        for decision in run.decisions.taken
        if decision.is_departure
        for key in decision.cells
    ]


def departure_count(run: Run) -> int:
    """How many of the decisions departed; one that follows a question belongs to it."""
    return sum(decision.is_departure and not decision.is_follow_up for decision in run.decisions.taken)


@pytest.mark.parametrize(
    ("scenario", "fault_budget"),
    (
        (slow_repeats(retention_s=30.0), 2),
        (slow_repeats(retention_s=35.0), 2),
        (server_with(engine_policy(2), readback=a_readback()), 1),
    ),
    ids=("two layers too slow", "only with two repeats", "one layer"),
)
def test_no_run_within_the_table_breaks_anything_and_whatever_is_not_in_it_breaks_something(
    scenario: Scenario, fault_budget: int
) -> None:
    """All runs, with nothing left out and no order of trying, are the oracle."""
    cells = table_of(scenario, fault_budget=fault_budget)
    runs = [
        (departed(run), departure_count(run), is_broken(run)) for run in all_runs(scenario, fault_budget=fault_budget)
    ]

    within = [breaks for done, _, breaks in runs if all(cells[place].is_permitted for place in done)]
    for place, cell in cells.items():
        alone = any(breaks for done, count, breaks in runs if count <= 1 and done[-1:] == [place])
        at_all = any(breaks for done, _, breaks in runs if place in done)
        if place[1] in SENDING and not cell.is_declared:
            assert (cell.is_permitted is False and not cell.is_withdrawn) == alone, (place, cell)
            assert at_all or not cell.is_withdrawn, (place, cell)
    assert len(within) > 1
    assert not any(within)


def over_after(question_count: int) -> Callable[[], bool]:
    """A time limit that is over once it was asked so often."""
    left = iter(range(question_count))
    return lambda: next(left, None) is None


def test_what_a_time_limit_leaves_of_the_whole_table_is_not_explored() -> None:
    """The limit comes before the last run of all, when every action was tried alone long ago."""
    scenario, asked = slow_repeats(retention_s=50.0), count()
    explore(scenario, fault_budget=2, policy="as requested", has_trials=True, is_over=lambda: next(asked) < 0)
    question_count = next(asked) - 1

    found = explore(
        scenario, fault_budget=2, policy="as requested", has_trials=True, is_over=over_after(question_count)
    )

    sending = [cell for cell in found.cells if cell.action in SENDING]
    assert found.exploration.is_complete
    assert not found.are_cells_complete
    assert sending
    assert not any(cell.is_permitted for cell in sending)
    assert cells_of(found.cells)[AGENT_OPEN, Action.HOLD].is_permitted
