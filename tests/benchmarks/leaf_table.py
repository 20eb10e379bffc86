"""Prints what new rates cost: `python -m tests.benchmarks.leaf_table`. Nothing here is a test.

A real table, every schedule of policy 3, has mostly equal rows. So has what five attempts through 30 sites in a row
make of it, up to 4 faults, of which 100,000 schedules are taken. In the last one all rows differ, and all
are broken: the worst that a table of this size can be.
"""

from statistics import median
from time import perf_counter

import numpy as np
import numpy.typing as npt
import pandas as pd

from simkit.study.probability.table import RatePolynomial, elasticities, leaf_table
from simkit.terms import Promise
from tests.builders import engine_policy

__all__ = ["main"]

Counts = npt.NDArray[np.int64]

DUPLICATES = (Promise.AT_MOST_ONE_EFFECT,)
ROW_COUNT, SITE_COUNT, ROUND_COUNT = 100_000, 30, 200


def attempts_in_a_row() -> pd.DataFrame:
    """A fault at any of the sites ends an attempt, and another begins; the last passes all of them."""
    rng = np.random.default_rng(1)
    failed_at = rng.permutation(SITE_COUNT**4)[:ROW_COUNT]
    ends = np.column_stack([failed_at // SITE_COUNT**number % SITE_COUNT for number in range(4)])
    sites = np.arange(SITE_COUNT)
    failed = (ends[:, :, None] == sites).sum(axis=1)
    return table_of(failed, 1 + (ends[:, :, None] >= sites).sum(axis=1), is_complete=False)


def all_different() -> pd.DataFrame:
    """Some passings of each site, few of them with a fault."""
    rng = np.random.default_rng(1)
    failed = rng.binomial(3, 0.1, (ROW_COUNT, SITE_COUNT))
    return table_of(failed, failed + rng.integers(0, 4, (ROW_COUNT, SITE_COUNT)), is_complete=True)


def table_of(failed: Counts, passed: Counts, *, is_complete: bool) -> pd.DataFrame:
    """A table in which every row is broken."""
    columns: dict[str, object] = {"path": "", "picks": "", "onset_count": 0, "single_count": 0, "weight": 1.0}
    sites = [f"party.step_{number}" for number in range(SITE_COUNT)]
    for number, site in enumerate(sites):
        columns |= {f"{site}.failed": failed[:, number], f"{site}.passed": passed[:, number]}
    table = pd.DataFrame(columns | {str(DUPLICATES[0]): "broken"}, index=range(ROW_COUNT))
    table.attrs = {"rates": dict.fromkeys(sites, 1e-3), "common_cause_share": 0.1, "is_complete": is_complete}
    return table


def report(name: str, table: pd.DataFrame) -> None:
    """Time one evaluation at new rates each, and print the median."""
    started_s = perf_counter()
    polynomial = RatePolynomial(table, DUPLICATES)
    prepared_s = perf_counter() - started_s
    spans_s = []
    for number in range(ROUND_COUNT):
        rates = dict.fromkeys(polynomial.sites, 1e-3 + 1e-6 * number)
        started_s = perf_counter()
        polynomial.bounds_at(rates)
        spans_s.append(perf_counter() - started_s)
    print(  # noqa: T201 (a benchmark prints)
        f"{name}: {len(table):,} leaves x {len(polynomial.sites)} sites, {polynomial.monomial_count:,} after merging "
        f"({prepared_s:.2f} s once): new rates in {1e3 * median(spans_s):.3f} ms (median of {ROUND_COUNT})"
    )


def main() -> None:
    """Print all of it."""
    started_s = perf_counter()
    table = leaf_table(engine_policy(3), fault_budget=None)
    print(f"every schedule of policy 3: {len(table):,} leaves in {perf_counter() - started_s:.2f} s")  # noqa: T201
    report("policy 3", table)
    print(elasticities(table, promises=DUPLICATES).to_string(index=False))  # noqa: T201
    report("attempts in a row", attempts_in_a_row())
    report("all different", all_different())


if __name__ == "__main__":
    main()
