"""Which fault breaks which promise, in lines for a terminal.

Only what is not kept is said of a fault; those of which nothing else is to be said share a line.
"""

from collections.abc import Iterator

from simkit.review.wording import count_words
from simkit.study import MatrixRow, SiteCell, ViolationMatrix
from simkit.terms import Promise, PromiseVerdict

__all__ = ["matrix_lines"]

ID_COUNT_MAX = 3


def matrix_lines(matrix: ViolationMatrix) -> Iterator[str]:
    """What one fault does where nothing else goes wrong, then who takes part in larger smallest schedules."""
    without, *rows = matrix.rows
    anyway = _of(without, PromiseVerdict.BROKEN)
    if not rows:
        return
    yield "one fault and nothing else, in every possible order:"
    if not matrix.is_complete:
        yield "  stopped before all of them were seen: nothing here is proved"
    if anyway:
        yield f"  broken without any: {_names(anyway)}"
    quiet: dict[str, list[str]] = {}
    for row in rows:
        kinds = (PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED) if matrix.is_complete else (PromiseVerdict.BROKEN,)
        said = [what for kind in kinds if (what := _said(row, kind, anyway))]
        if said:
            yield f"  {row.said}: {'; '.join(said)}"
        else:
            quiet.setdefault(_kept_words(row, matrix, has_more=bool(anyway)), []).append(row.said)
    for what, sites in quiet.items():
        yield f"  {what}: {'; '.join(sites)}"
    larger = list(_larger(rows))
    if larger:
        yield "in a smallest schedule of several faults:"
        yield from larger


def _of(row: MatrixRow, verdict: PromiseVerdict) -> tuple[SiteCell, ...]:
    return tuple(cell for cell in row.cells if cell.verdict is verdict)


def _said(row: MatrixRow, verdict: PromiseVerdict, anyway: tuple[SiteCell, ...]) -> str:
    known: set[Promise] = {cell.promise for cell in anyway}
    cells = [cell for cell in _of(row, verdict) if cell.promise not in known]
    return f"{'breaks' if verdict is PromiseVerdict.BROKEN else 'undecided'} {_names(cells)}" if cells else ""


def _kept_words(row: MatrixRow, matrix: ViolationMatrix, *, has_more: bool) -> str:
    if row.run_count == 0 and matrix.is_complete:
        return "never met by a run of one fault"
    if not matrix.is_complete:
        return "nothing broken so far"
    return "breaks nothing more" if has_more else "breaks nothing alone"


def _names(cells: list[SiteCell] | tuple[SiteCell, ...]) -> str:
    return ", ".join(f"{cell.promise}{_ids(cell, 1)}" for cell in cells)


def _ids(cell: SiteCell, fault_count: int) -> str:
    """The IDs of the smallest schedules that consist of so many faults, this one among them."""
    ids = [schedule.schedule_id for schedule in cell.smallest if len(schedule.faults) == fault_count]
    more = f" and {len(ids) - ID_COUNT_MAX:,} more" if len(ids) > ID_COUNT_MAX else ""
    return f" ({', '.join(ids[:ID_COUNT_MAX])}{more})" if ids else ""


def _larger(rows: list[MatrixRow]) -> Iterator[str]:
    for row in rows:
        parts = [
            f"{cell.promise} by {count_words(count, 'fault', 'faults')}{_ids(cell, count)}"
            for cell in row.cells
            if (count := cell.smallest_fault_count or 0) > 1
        ]
        if parts:
            yield f"  {row.said}: {', '.join(parts)}"
