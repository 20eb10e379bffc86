"""The tables with which a test run closes: what real libraries and the policies of their entries did."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

__all__ = ["WAITS", "WRITES", "lines_of_waits", "lines_of_writes", "waits_row", "writes_row"]

WRITES = "attempts of real libraries | of the policies of their catalog entries"
WAITS = "waits of real libraries and of the policies of their catalog entries, against the entry's formula"
"""Names of the properties under which a test hands over a row; rows travel between processes, so they are text."""

FAULT_WORDS = (
    "refuse",
    "close",
    "timeout",
    "408",
    "409",
    "429",
    "429+RA",
    "500",
    "502",
    "503",
    "503+RA",
    "504",
)
"""In the order of the columns."""

WAIT_HEADINGS = (
    "policy",
    "fault",
    "retry",
    "formula",
    "writes",
    "real, least to most",
    "p",
    "simulated, least to most",
    "p",
)


def writes_row(comparison: Any) -> tuple[str, ...]:
    """One cell of the table of attempts, with where it belongs; a difference is marked."""
    entry = comparison.entry
    mark = "" if not comparison.differences else " !"
    cell = f"{comparison.real_count}|{comparison.simulated_count}{mark}"
    policy, versions = f"{entry.id} {comparison.method}", f"{entry.package} {comparison.installed_version}"
    return policy, versions, comparison.fault.word, cell


def waits_row(comparison: Any) -> Iterator[tuple[str, ...]]:
    """One row for each retry."""
    for real, simulated in zip(comparison.waits, comparison.simulated_waits, strict=False):
        yield (
            f"{comparison.entry.id} {comparison.method}",
            comparison.fault.word,
            str(real.retry_number),
            _span((real.law.s_min, real.law.s_max)),
            str(len(real.waits_s)),
            _span(real.waits_s),
            f"{real.probability:.2g}",
            _span(simulated.waits_s),
            f"{simulated.probability:.2g}",
        )


def lines_of_writes(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """One line for each policy, one column for each fault: real|simulated, `!` where anything differs."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for policy, versions, fault, cell in rows:
        cells.setdefault((policy, versions), {})[fault] = cell
    table = [
        (policy, versions, *(found.get(fault, "-") for fault in FAULT_WORDS))
        for (policy, versions), found in sorted(cells.items())
    ]
    yield from _in_columns([("policy", "library", *FAULT_WORDS), *table])


def lines_of_waits(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """One line for each policy, fault and retry."""
    yield from _in_columns([WAIT_HEADINGS, *sorted({tuple(row) for row in rows})])


def _in_columns(table: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _span(values_s: Sequence[float]) -> str:
    least_s, most_s = min(values_s), max(values_s)
    return f"{least_s:.4g} s" if least_s == most_s else f"{least_s:.4g} to {most_s:.4g} s"
