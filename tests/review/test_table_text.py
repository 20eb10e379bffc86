"""The permission table on a terminal: one line for each row, aligned, with the reasons beneath."""

from simkit.review.table_text import table_lines
from simkit.study.results import Cell, PermissionTable
from simkit.terms import Action, Knowledge
from tests.review.page_studies import cell

__all__: list[str] = []


def lines_of(*cells: Cell, is_complete: bool = True) -> list[str]:
    return list(table_lines(PermissionTable(cells=cells, is_complete=is_complete, run_count=1)))


def test_rows_stand_beneath_their_headings_and_reasons_beneath_the_rows() -> None:
    lines = lines_of(
        cell(Knowledge.POSSIBLY_SENT, Action.SAME_ID, answer=True, declared=True, stage="publish"),
        cell(Knowledge.POSSIBLY_SENT, Action.NEW_OPERATION, answer=False, reason="it is out twice", stage="publish"),
        cell(Knowledge.FOUND, Action.SAME_ID, answer=True, stage="notify"),
    )

    assert lines[:5] == [
        "what each layer may do next:",
        "  Layer           It knows       same ID  new operation",
        "  agent, publish  possibly sent  ▸ yes    no (1)",
        "  agent, notify   found          yes      hold",
        "  (1) it is out twice",
    ]


def test_a_table_that_was_stopped_proves_no_cell_and_says_so() -> None:
    lines = lines_of(
        cell(Knowledge.FOUND, Action.HOLD, answer=True),
        cell(Knowledge.FOUND, Action.SAME_ID, answer=None),
        is_complete=False,
    )

    assert lines[-1] == "  The exploration was stopped before its end: no cell is proved."


def test_where_no_row_was_reached_the_owner_decides() -> None:
    assert lines_of() == ["what each layer may do next:", "  No row was explored: hold for the owner."]
