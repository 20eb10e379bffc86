"""The matrix in lines: each fault with what it breaks, those of which nothing is to be said together."""

from dataclasses import replace

from simkit.review.matrix_text import matrix_lines
from simkit.study import MatrixRow, SiteCell, ViolationMatrix
from simkit.study.results import Schedule
from simkit.terms import FaultKind, Promise, PromiseVerdict

__all__: list[str] = []

TWICE, HAPPENS = Promise.AT_MOST_ONE_EFFECT, Promise.EFFECT_HAPPENS
KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
LOST, DEAD, ASKED = "gateway_to_server.response_lost", "server.after_effect", "readback.cannot_tell"


def schedules(*ids: str, fault_count: int = 1) -> tuple[Schedule, ...]:
    return tuple(Schedule(schedule_id=name, faults=(f"{DEAD}@1",) * fault_count, story=()) for name in ids)


def a_row(
    site: str,
    twice: PromiseVerdict | None,
    *,
    happens: PromiseVerdict | None = KEPT,
    smallest: tuple[Schedule, ...] = (),
) -> MatrixRow:
    cells = (
        SiteCell(promise=HAPPENS, verdict=happens, broken_by=(), smallest=()),
        SiteCell(promise=TWICE, verdict=twice, broken_by=(), smallest=smallest),
    )
    return MatrixRow(site=site, kind=FaultKind.CRASH, run_count=0 if twice is None else 1, cells=cells)


def lines_of(*rows: MatrixRow, without: PromiseVerdict = KEPT, is_complete: bool = True) -> list[str]:
    first = replace(a_row("", without), kind=None)
    return list(matrix_lines(ViolationMatrix(promises=(HAPPENS, TWICE), rows=(first, *rows), is_complete=is_complete)))


def test_a_fault_that_breaks_something_alone_has_a_line_with_the_schedules() -> None:
    lines = lines_of(a_row(DEAD, BROKEN, smallest=schedules("aaa", "bbb")), a_row(LOST, KEPT))

    assert lines == [
        "one fault and nothing else, in every possible order:",
        "  server crashes after the effect: breaks at most one effect (aaa, bbb)",
        "  breaks nothing alone: response lost, gateway to server",
    ]


def test_many_schedules_of_one_cell_are_counted() -> None:
    (_, line) = lines_of(a_row(DEAD, BROKEN, smallest=schedules("a", "b", "c", "d", "e")))

    assert line.endswith("at most one effect (a, b, c and 2 more)")


def test_what_breaks_anyway_is_said_once() -> None:
    lines = lines_of(a_row(DEAD, BROKEN, happens=BROKEN), a_row(LOST, BROKEN), without=BROKEN)

    assert lines[1:] == [
        "  broken without any: at most one effect",
        "  server crashes after the effect: breaks the effect happens",
        "  breaks nothing more: response lost, gateway to server",
    ]


def test_a_part_of_a_larger_schedule_is_told_from_what_breaks_alone() -> None:
    pair = schedules("ccc", fault_count=2)

    lines = lines_of(a_row(DEAD, KEPT, smallest=pair), a_row(ASKED, None, smallest=pair))

    assert lines[1:] == [
        "  breaks nothing alone: server crashes after the effect",
        "  never met by a run of one fault: readback cannot tell",
        "in a smallest schedule of several faults:",
        "  server crashes after the effect: at most one effect by 2 faults (ccc)",
        "  readback cannot tell: at most one effect by 2 faults (ccc)",
    ]


def test_a_cell_that_cut_runs_left_open_is_said_to_be_undecided() -> None:
    assert lines_of(a_row(DEAD, UNDECIDED))[1:] == ["  server crashes after the effect: undecided at most one effect"]


def test_a_matrix_that_was_cut_proves_nothing() -> None:
    lines = lines_of(a_row(DEAD, BROKEN), a_row(LOST, UNDECIDED, happens=UNDECIDED), is_complete=False)

    assert lines[1:] == [
        "  stopped before all of them were seen: nothing here is proved",
        "  server crashes after the effect: breaks at most one effect",
        "  nothing broken so far: response lost, gateway to server",
    ]


def test_a_scenario_in_which_nothing_can_go_wrong_has_no_such_lines() -> None:
    assert lines_of() == []
