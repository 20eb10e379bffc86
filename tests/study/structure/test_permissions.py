"""The permission table of a tool whose repeats are safe, and of one whose repeats are not."""

import pytest

from simkit.scenario import Scenario
from simkit.study import explore
from simkit.study.results import Cell
from simkit.terms import Action, Knowledge, LayerName
from tests.builders import a_readback, engine_policy, server_with

__all__: list[str] = []


def table(scenario: Scenario) -> dict[tuple[Knowledge, Action], Cell]:
    """The agent's cells by row and action."""
    found = explore(scenario, fault_budget=1, policy="as requested", has_trials=True)
    return {(cell.known, cell.action): cell for cell in found.cells if cell.layer is LayerName.AGENT}


@pytest.fixture(scope="module")
def protected() -> dict[tuple[Knowledge, Action], Cell]:
    return table(server_with(engine_policy(2), readback=a_readback()))


@pytest.fixture(scope="module")
def unprotected() -> dict[tuple[Knowledge, Action], Cell]:
    return table(engine_policy(1))


def test_the_same_id_is_permitted_where_the_server_recognises_it(
    protected: dict[tuple[Knowledge, Action], Cell],
) -> None:
    cell = protected[Knowledge.POSSIBLY_SENT, Action.SAME_ID]

    assert (cell.is_permitted, cell.is_declared, cell.reason) == (True, True, "")


def test_a_new_operation_is_refused_while_the_first_may_have_been_sent(
    protected: dict[tuple[Knowledge, Action], Cell],
) -> None:
    """One lost answer, or a crash after the effect, and then a second operation with its own effect."""
    cell = protected[Knowledge.POSSIBLY_SENT, Action.NEW_OPERATION]

    assert (cell.is_permitted, cell.is_declared) == (False, False)
    assert "server crashes after the effect" in cell.reason or "response lost" in cell.reason


def test_a_new_operation_after_found_is_refused_without_any_fault(
    protected: dict[tuple[Knowledge, Action], Cell],
) -> None:
    cell = protected[Knowledge.FOUND, Action.NEW_OPERATION]

    assert cell.is_permitted is False
    assert "(attempt" not in cell.reason


def test_asking_first_is_permitted(protected: dict[tuple[Knowledge, Action], Cell]) -> None:
    assert protected[Knowledge.POSSIBLY_SENT, Action.STATUS_FIRST].is_permitted is True


def test_the_same_id_is_refused_where_a_stale_reservation_runs_again(
    unprotected: dict[tuple[Knowledge, Action], Cell],
) -> None:
    cell = unprotected[Knowledge.POSSIBLY_SENT, Action.SAME_ID]

    assert (cell.is_permitted, cell.is_declared) == (False, True)
    assert "server crashes after the effect (attempt 1)" in cell.reason


@pytest.mark.parametrize("action", (Action.HOLD, Action.STOP))
def test_holding_and_stopping_are_always_permitted(
    protected: dict[tuple[Knowledge, Action], Cell],
    unprotected: dict[tuple[Knowledge, Action], Cell],
    action: Action,
) -> None:
    cells = [cell for rows in (protected, unprotected) for cell in rows.values() if cell.action is action]

    assert cells
    assert all(cell.is_permitted is True and cell.reason == "" for cell in cells)


@pytest.mark.parametrize(
    ("known", "action"),
    (
        (Knowledge.POSSIBLY_SENT, Action.RESUME_STAGE),  # there is one stage: nothing to resume beside the whole
        (Knowledge.FOUND, Action.POLL),  # nothing is left to wait for
    ),
)
def test_what_no_run_ever_tried_is_not_explored(
    protected: dict[tuple[Knowledge, Action], Cell], known: Knowledge, action: Action
) -> None:
    assert protected[known, action].is_permitted is None


def test_a_row_that_was_never_reached_is_not_in_the_table(protected: dict[tuple[Knowledge, Action], Cell]) -> None:
    """Nothing is rejected here, no ID is used twice, and a lease of 0 s leaves nothing pending.

    A timeout of 1 s is longer than anything takes to land, so what is not seen after it is absent.
    """
    reached = {known for known, _ in protected}

    assert reached == {
        Knowledge.POSSIBLY_SENT,
        Knowledge.FOUND,
        Knowledge.NOT_SEEN,
        Knowledge.CONFIRMED_ABSENT,
    }


def test_every_row_has_a_cell_for_every_action(protected: dict[tuple[Knowledge, Action], Cell]) -> None:
    rows = {known for known, _ in protected}

    assert set(protected) == {(known, action) for known in rows for action in Action}


def test_nothing_is_permitted_by_an_exploration_without_trials() -> None:
    found = explore(engine_policy(2), fault_budget=1, policy="as requested")

    assert (found.cells, found.are_cells_complete) == ((), False)
