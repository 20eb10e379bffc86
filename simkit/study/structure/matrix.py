"""Which fault breaks which promise: alone, and as a part of a smallest schedule.

====================  ==========================================================================================
a cell says           when
====================  ==========================================================================================
kept                  in every order in which this fault alone happens
broken                in some order; with one fault that does it, and its schedule's ID where none is enough
undecided             some run was cut, or not made
not reached           no run of at most one fault ever passes the site
part of m faults      it takes part in a smallest schedule, of m faults, whatever it does alone
====================  ==========================================================================================
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape
from types import MappingProxyType
from typing import Any

from simkit.scenario import Scenario
from simkit.study.results import Exploration, PromiseResult, Schedule
from simkit.study.site_words import site_in_words
from simkit.study.structure.single_faults import SingleFaults, SiteRuns, single_faults
from simkit.terms import FaultKind, Promise, PromiseVerdict

__all__ = ["MatrixRow", "SiteCell", "ViolationMatrix", "violation_matrix"]

NOT_REACHED = "not reached"
_SIGNS = MappingProxyType({"kept": "✓", "broken": "✕", "undecided": "?", NOT_REACHED: "–"})
_COLOURS = MappingProxyType({"kept": "#00664b", "broken": "#a83c00", "undecided": "#8a5a00", NOT_REACHED: "#555"})
WITHOUT = "nothing goes wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCell:
    """What a fault at one site does to one promise.

    Parameters
    ----------
    verdict
        Where nothing else goes wrong, the worst over all orders; None where no run meets the site.
    broken_by
        The fault that breaks it alone, with its attempt path; empty where none does.
    smallest
        The smallest schedules, by any number of faults, in which this site takes part; their stories are left out.
    """

    promise: Promise
    verdict: PromiseVerdict | None
    broken_by: tuple[str, ...]
    smallest: tuple[Schedule, ...]

    @property
    def smallest_fault_count(self) -> int | None:
        """Faults of a smallest schedule in which it takes part; None where it takes part in none."""
        return len(self.smallest[0].faults) if self.smallest else None

    @property
    def word(self) -> str:
        """The verdict, or that it was not reached."""
        return NOT_REACHED if self.verdict is None else str(self.verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One site; `kind` is None for the runs in which nothing goes wrong."""

    site: str
    kind: FaultKind | None
    run_count: int
    cells: tuple[SiteCell, ...]

    @property
    def said(self) -> str:
        """The site as people say it."""
        return site_in_words(self.site) if self.site else WITHOUT


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ViolationMatrix:
    """Sites by promises: first the runs without a fault, then the crash windows, then the other kinds of fault.

    Parameters
    ----------
    promises
        The columns: those that the scenario itself can break.
    is_complete
        Whether every run of at most one fault was made.
    """

    promises: tuple[Promise, ...]
    rows: tuple[MatrixRow, ...]
    is_complete: bool

    def to_frame(self) -> Any:
        """A pandas frame of words, kinds and sites by promises: what the fault does where nothing else goes wrong."""
        return self._frame(lambda cell: cell.word)

    def part_frame(self) -> Any:
        """The same frame with the faults of a smallest schedule in which the site takes part, missing without one."""
        return self._frame(lambda cell: cell.smallest_fault_count).astype("Int64")

    def _frame(self, said: Callable[[SiteCell], str | int | None]) -> Any:
        import pandas as pd

        keys = [("" if row.kind is None else str(row.kind), row.site) for row in self.rows]
        return pd.DataFrame(
            [[said(cell) for cell in row.cells] for row in self.rows],
            index=pd.MultiIndex.from_tuples(keys, names=["kind", "site"]),
            columns=[str(promise) for promise in self.promises],
        )

    def told_apart(self) -> tuple[Promise, ...]:
        """The promises of which some row says anything but kept."""
        said = {
            cell.promise
            for row in self.rows
            for cell in row.cells
            if cell.verdict not in (PromiseVerdict.KEPT, None) or cell.smallest
        }
        return tuple(promise for promise in self.promises if promise in said)

    def __repr__(self) -> str:
        state = "" if self.is_complete else ", not seen to the end"
        return f"ViolationMatrix({len(self.rows)} rows by {len(self.promises)} promises{state})"

    def _repr_html_(self) -> str:
        return "".join(_html(self))


def violation_matrix(
    scenario: Scenario, exploration: Exploration, is_over: Callable[[], bool] = lambda: False
) -> ViolationMatrix:
    """The matrix of a scenario, from one exploration to one fault and the smallest schedules that are known.

    Parameters
    ----------
    exploration
        As requested. What it tried in a scenario beside this one, or found not to apply, has no column.
    is_over
        Asked before each run; True ends it, and what was not seen is undecided.
    """
    results = tuple(result for result in exploration.promises if not result.scope)
    found = single_faults(scenario, is_over)
    rows = [_row("", None, found, results)]
    rates = sorted(scenario.conditions.rates, key=lambda rate: _rank(rate.kind))
    rows += [_row(rate.site, rate.kind, found, results) for rate in rates]
    return ViolationMatrix(
        promises=tuple(result.promise for result in results), rows=tuple(rows), is_complete=found.is_complete
    )


def _rank(kind: FaultKind) -> int:
    """Crashes first, then the kinds in the order of their list."""
    return -1 if kind is FaultKind.CRASH else list(FaultKind).index(kind)


def _row(site: str, kind: FaultKind | None, found: SingleFaults, results: tuple[PromiseResult, ...]) -> MatrixRow:
    runs = found.at.get(site) if site else found.without
    return MatrixRow(
        site=site,
        kind=kind,
        run_count=0 if runs is None else runs.run_count,
        cells=tuple(_cell(site, runs, found, result) for result in results),
    )


def _cell(site: str, runs: SiteRuns | None, found: SingleFaults, result: PromiseResult) -> SiteCell:
    smallest = tuple(replace(schedule, story=()) for schedule in result.schedules if site and _is_part(site, schedule))
    verdict = found.verdict(runs, result.promise)
    broken_by = () if runs is None else runs.broken_by.get(result.promise, ())
    if verdict is PromiseVerdict.UNDECIDED:
        # There may have been no time for these runs, and yet enough for a smallest schedule.
        alone = [schedule.faults for schedule in smallest if len(schedule.faults) == 1]
        is_known = alone if site else result.fewest_faults == 0
        verdict = PromiseVerdict.BROKEN if is_known else verdict
        broken_by = min(alone, default=broken_by)
    return SiteCell(promise=result.promise, verdict=verdict, broken_by=broken_by, smallest=smallest)


def _is_part(site: str, schedule: Schedule) -> bool:
    return any(fault.partition("@")[0] == site for fault in schedule.faults)


def _html(matrix: ViolationMatrix) -> Iterator[str]:
    """A table with a column for each promise of which not every row says the same good thing."""
    shown = matrix.told_apart()
    yield '<table style="border-collapse:collapse"><thead><tr><th style="text-align:left">one fault, nothing else</th>'
    yield from (f'<th style="text-align:left">{escape(str(promise))}</th>' for promise in shown)
    yield "</tr></thead><tbody>"
    for row in matrix.rows:
        yield f'<tr><th style="text-align:left;font-weight:normal">{escape(row.said)}</th>'
        yield from (_html_cell(cell) for cell in row.cells if cell.promise in shown)
        yield "</tr>"
    yield "</tbody></table>"
    kept = ", ".join(str(promise) for promise in matrix.promises if promise not in shown)
    state = "Kept in every row" if matrix.is_complete else "Not seen to the end; not broken so far"
    yield f"<p>{state}: {escape(kept or 'none')}.</p>"


def _html_cell(cell: SiteCell) -> str:
    part = f", part of {cell.smallest_fault_count}" if (cell.smallest_fault_count or 0) > 1 else ""
    ids = " ".join(schedule.schedule_id for schedule in cell.smallest)
    said = escape(f"{_SIGNS[cell.word]} {cell.word}{part}")
    title = escape(" ".join((*cell.broken_by, ids)).strip(), quote=True)
    return f'<td style="color:{_COLOURS[cell.word]}" title="{title}">{said}</td>'
