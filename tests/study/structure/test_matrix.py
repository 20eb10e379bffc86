"""Which fault breaks which promise: alone in some order, as a part of a smallest schedule, or never reached."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from simkit.checks import verdicts
from simkit.contract import named_scenario
from simkit.scenario import Scenario
from simkit.study import MatrixRow, SiteCell, ViolationMatrix, crash_windows, explore, violation_matrix
from simkit.study.results import PromiseResult, Schedule
from simkit.study.structure.matrix import NOT_REACHED
from simkit.study.tree import leaves
from simkit.terms import FaultKind, Promise, PromiseVerdict, StalePolicy
from simkit.world import planned, run_intervals
from tests.builders import a_readback, conditions_with, engine_policy, rates_at, server_with

__all__: list[str] = []

TWICE = Promise.AT_MOST_ONE_EFFECT
KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED


def matrix_of(
    scenario: Scenario, fault_budget: int = 2, is_over: Callable[[], bool] = lambda: False
) -> ViolationMatrix:
    explored = explore(scenario, fault_budget=fault_budget, policy="as requested").exploration
    return violation_matrix(scenario, explored, is_over)


def cell_of(matrix: ViolationMatrix, site: str, promise: Promise = TWICE) -> SiteCell:
    row = next(row for row in matrix.rows if row.site == site)
    return next(cell for cell in row.cells if cell.promise is promise)


def stale_policy(stale: StalePolicy) -> Scenario:
    """The first of the three policies, with another way to treat a reservation without a receipt."""
    readback = a_readback() if stale is StalePolicy.READ_BACK else None
    return server_with(engine_policy(1), stale=stale, readback=readback)


@pytest.mark.parametrize(
    ("window", "stale", "verdict"),
    (
        # The window table, by hand: only a crash between effect and receipt leaves an effect that nobody recorded.
        ("before_reservation", StalePolicy.RUN_AGAIN, KEPT),
        ("after_reservation", StalePolicy.RUN_AGAIN, KEPT),
        ("after_effect", StalePolicy.RUN_AGAIN, BROKEN),
        ("after_receipt", StalePolicy.RUN_AGAIN, KEPT),
        ("after_effect", StalePolicy.READ_BACK, KEPT),
        ("after_effect", StalePolicy.HOLD, KEPT),
    ),
)
def test_a_crash_in_a_window_alone_breaks_what_the_window_table_says(
    window: str, stale: StalePolicy, verdict: PromiseVerdict
) -> None:
    cell = cell_of(matrix_of(stale_policy(stale)), f"server.{window}")

    assert cell.verdict is verdict
    assert cell.broken_by == ((f"server.{window}@1",) if verdict is BROKEN else ())


def test_a_fault_that_breaks_nothing_alone_takes_part_in_a_smallest_schedule() -> None:
    """Policy 2 needs the crash and then a question that fails: nobody asks unless the server crashed first."""
    matrix = matrix_of(engine_policy(2))

    crash, question = (cell_of(matrix, site) for site in ("server.after_effect", "readback.cannot_tell"))

    assert (crash.verdict, crash.smallest_fault_count) == (KEPT, 2)
    assert (question.verdict, question.word, question.smallest_fault_count) == (None, NOT_REACHED, 2)
    assert crash.smallest == question.smallest
    assert cell_of(matrix, "server.after_receipt").smallest == ()


def test_what_breaks_without_a_fault_stands_in_the_first_row() -> None:
    """Nobody answers within a millisecond, and a reservation that is stale at once is run again by the next try."""
    scenario = server_with(engine_policy(1), stale=StalePolicy.RUN_AGAIN)
    impatient = replace(scenario, layers=(replace(scenario.layers[0], timeout_s=0.001), *scenario.layers[1:]))

    first = matrix_of(impatient, 0).rows[0]

    assert (first.site, first.kind, first.run_count > 0) == ("", None, True)
    assert [cell.promise for cell in first.cells if cell.verdict is BROKEN] == [
        result.promise
        for result in explore(impatient, fault_budget=0, policy="x", counts=frozenset()).exploration.promises
        if result.fewest_faults == 0
    ]


def test_crash_windows_stand_first_in_the_order_of_the_steps_and_the_others_by_kind() -> None:
    rows = matrix_of(engine_policy(2)).rows[1:]

    kinds = [row.kind for row in rows]
    assert [row.site for row in rows if row.kind is FaultKind.CRASH] == [
        row.site for row in crash_windows(engine_policy(2))
    ]
    assert kinds == sorted(kinds, key=lambda kind: (kind is not FaultKind.CRASH, kinds.index(kind)))
    assert len({row.site for row in rows}) == len(engine_policy(2).conditions.rates)


def test_the_matrix_says_of_each_window_what_the_window_rows_say() -> None:
    """Two ways to the same runs: all sites at once, and the crashes alone."""
    matrix = matrix_of(engine_policy(1))

    for window in crash_windows(engine_policy(1)):
        row = next(row for row in matrix.rows if row.site == window.site)
        assert tuple(cell.promise for cell in row.cells if cell.verdict is BROKEN) == window.broken


def test_a_promise_that_was_tried_elsewhere_or_does_not_apply_has_no_column() -> None:
    explored = explore(engine_policy(1), fault_budget=1, policy="x").exploration
    apart: list[PromiseResult] = [
        replace(result, scope="tried apart") if result.promise is TWICE else result for result in explored.promises
    ]

    matrix = violation_matrix(engine_policy(1), replace(explored, promises=tuple(apart)))

    assert TWICE not in matrix.promises
    assert all(len(row.cells) == len(matrix.promises) == len(explored.promises) - 1 for row in matrix.rows)


@pytest.mark.parametrize("run_count", (0, 1, 3))
def test_a_matrix_that_was_cut_leaves_open_whatever_it_did_not_see_broken(run_count: int) -> None:
    asked = count(1)

    matrix = matrix_of(engine_policy(1), 1, lambda: next(asked) > run_count)

    assert not matrix.is_complete
    assert {cell.verdict for row in matrix.rows for cell in row.cells} <= {UNDECIDED, BROKEN}


def test_a_smallest_schedule_is_broken_in_a_matrix_for_which_there_was_no_time() -> None:
    """The exploration took all of it, and found the crash after the effect, or what breaks without a fault."""
    scenario = engine_policy(1)
    matrix = matrix_of(scenario, 1, lambda: True)
    impatient = replace(scenario, layers=(replace(scenario.layers[0], timeout_s=0.001), *scenario.layers[1:]))

    cell = cell_of(matrix, "server.after_effect")
    assert (cell.verdict, cell.broken_by) == (BROKEN, ("server.after_effect@1",))
    assert cell_of(matrix, "server.after_receipt").verdict is UNDECIDED
    assert cell_of(matrix, "").verdict is UNDECIDED
    assert [cell.verdict for cell in matrix_of(impatient, 0, lambda: True).rows[0].cells] == [
        BROKEN if cell.verdict is BROKEN else UNDECIDED for cell in matrix_of(impatient, 0).rows[0].cells
    ]


def test_what_was_seen_broken_before_the_end_stays_broken() -> None:
    """There is a number of runs that finds the crash after the effect, and is not all of them."""
    for run_count in range(1, 9):
        asked = count(1)
        matrix = matrix_of(engine_policy(1), 1, lambda asked=asked, most=run_count: next(asked) > most)  # type: ignore[misc]
        if not matrix.is_complete and cell_of(matrix, "server.after_effect").verdict is BROKEN:
            return

    raise AssertionError


def test_a_cell_is_broken_where_one_order_breaks_and_another_keeps() -> None:
    """A late request may land before the second attempt gets there, or after: counted run by run here."""
    scenario = named_scenario("crash-before-receipt-unprotected")
    site = "server_to_downstream.request_late"
    plan = planned(scenario)
    found = [
        verdicts(leaf.run.journal, (TWICE,))[TWICE]
        for leaf in leaves(lambda chance: run_intervals(plan, chance), fault_budget=1)
        if leaf.faults and leaf.faults[0].startswith(site)
    ]

    cell = cell_of(matrix_of(scenario, 1), site)

    assert set(found) == {KEPT, BROKEN}
    assert cell.verdict is BROKEN


def test_windows_without_time_for_all_of_them_have_no_rows() -> None:
    asked = count(1)

    assert crash_windows(engine_policy(1), lambda: next(asked) > 2) == ()


def test_a_site_of_rate_zero_is_never_reached() -> None:
    scenario = conditions_with(engine_policy(1), rates=rates_at(0.0, "server.after_effect"))

    assert cell_of(matrix_of(scenario), "server.after_effect").verdict is None


def test_the_frames_have_a_row_for_each_site_and_a_column_for_each_promise() -> None:
    matrix = matrix_of(engine_policy(2))
    crash = ("crash", "server.after_effect")

    words, parts = matrix.to_frame(), matrix.part_frame()

    assert words.shape == parts.shape == (len(matrix.rows), len(matrix.promises))
    assert words.loc[crash, str(TWICE)] == "kept"
    assert parts.loc[crash, str(TWICE)] == 2
    assert parts.isna().sum().sum() == parts.size - 2  # the crash and the question, in one promise


def a_matrix(site: str, faults: tuple[str, ...], schedule_id: str) -> ViolationMatrix:
    smallest = (Schedule(schedule_id=schedule_id, faults=faults, story=()),)
    cell = SiteCell(promise=TWICE, verdict=BROKEN, broken_by=faults, smallest=smallest)
    rows = (MatrixRow(site=site, kind=FaultKind.CRASH, run_count=1, cells=(cell,)),)
    return ViolationMatrix(promises=(TWICE,), rows=rows, is_complete=True)


def test_markup_in_a_name_stays_text_in_the_table() -> None:
    matrix = a_matrix("<b>server</b>.after_effect", ('"><script>@1',), "<i>")

    html = matrix._repr_html_()

    assert not any(markup in html for markup in ("<b>", "<script>", "<i>", '""'))
    assert "&lt;b&gt;server&lt;/b&gt;" in html


def test_the_table_shows_the_promises_of_which_something_is_to_be_said_and_names_the_others() -> None:
    html = matrix_of(engine_policy(2))._repr_html_()

    assert html.count("<th ") == 1 + 1 + len(engine_policy(2).conditions.rates) + 1  # one promise; the rows; no fault
    assert "✓ kept, part of 2" in html
    assert "– not reached, part of 2" in html
    assert "Kept in every row: the effect happens, " in html
