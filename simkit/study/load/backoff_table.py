"""The well-known plot as a table: writes and time of five ways to wait, against the number of clients.

15 million writes take minutes, so the table is made once, by `simkit load backoff-and-jitter --table FILE`, and comes
with simkit beside its digest. A row depends on the seed and on its own clients and algorithm alone.
"""

import csv
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, fields
from io import BytesIO, StringIO
from multiprocessing import get_context
from pathlib import Path

import pandas as pd

from simkit.catalog import read_table, table_path, write_table
from simkit.contract import named_load
from simkit.errors import InputError, Problem
from simkit.study.load.trials import load_trials

__all__ = [
    "ALGORITHMS",
    "CLIENT_COUNTS",
    "TABLE_NAME",
    "BackoffRow",
    "backoff_frame",
    "backoff_row",
    "write_backoff_table",
]

TABLE_NAME = "backoff-and-jitter"
ALGORITHMS = (
    "backoff-none",
    "backoff-exponential",
    "backoff-equal-jitter",
    "backoff-full-jitter",
    "backoff-decorrelated-jitter",
)
CLIENT_COUNTS = tuple(range(10, 200, 10))
TRIAL_COUNT = 100
SEED = 2015
DECIMALS = 6
"""Of seconds; further ones may differ with the mathematical library of the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackoffRow:
    """One point of each of the two plots: means over the trials, with 95 % intervals.

    Parameters
    ----------
    algorithm
        Name of the scenario.
    write_count_mean, write_count_low, write_count_high
        Writes that all clients sent together.
    last_s, last_s_low, last_s_high
        When the last client was done, in seconds.
    """

    algorithm: str
    client_count: int
    trial_count: int
    seed: int
    write_count_mean: float
    write_count_low: float
    write_count_high: float
    last_s: float
    last_s_low: float
    last_s_high: float


def backoff_row(algorithm: str, client_count: int, *, trial_count: int = TRIAL_COUNT, seed: int = SEED) -> BackoffRow:
    """Run one algorithm with so many clients, and sum the trials up."""
    scenario = named_load(algorithm).with_client_count(client_count)
    trials = load_trials(scenario, trial_count=trial_count, seed=seed)
    writes, last = trials.of("request_count"), trials.of("finished_s_max")
    return BackoffRow(
        algorithm=algorithm,
        client_count=client_count,
        trial_count=trial_count,
        seed=seed,
        write_count_mean=round(writes.mean, DECIMALS),
        write_count_low=round(writes.low, DECIMALS),
        write_count_high=round(writes.high, DECIMALS),
        last_s=round(last.mean, DECIMALS),
        last_s_low=round(last.low, DECIMALS),
        last_s_high=round(last.high, DECIMALS),
    )


def backoff_frame() -> pd.DataFrame:
    """The table that comes with simkit, with the columns of `BackoffRow`.

    Raises
    ------
    InputError
        If it is not the one that its digest was taken of.
    """
    return pd.read_csv(BytesIO(read_table(table_path(TABLE_NAME))))


def write_backoff_table(
    path: Path,
    *,
    process_count: int,
    algorithms: Iterable[str] = ALGORITHMS,
    client_counts: Iterable[int] = CLIENT_COUNTS,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> int:
    """Make the table, or what is missing of it, and write it with its digest beside it.

    The file is written after each row, so what was stopped goes on from there when it is called again.

    Parameters
    ----------
    is_over
        Asked after each row; once it says so, no further one is waited for.

    Returns
    -------
    int
        How many rows are still missing.
    """
    wanted = [(algorithm, count) for algorithm in algorithms for count in client_counts]
    rows = {(row.algorithm, row.client_count): row for row in _rows_in(path)}
    # The slowest first, so that no process is left alone with one of them at the end.
    missing = sorted((one for one in wanted if one not in rows), key=lambda one: -one[1])
    for row in _made(missing, process_count):
        rows[row.algorithm, row.client_count] = row
        done = [rows[one] for one in wanted if one in rows]
        _write(path, done)
        tell(f"{row.algorithm}, {row.client_count} clients: {len(done)} of {len(wanted)} rows")
        if is_over():
            break
    return sum(one not in rows for one in wanted)


def _made(points: list[tuple[str, int]], process_count: int) -> Iterator[BackoffRow]:
    if process_count == 1:
        yield from (backoff_row(*point) for point in points)
        return
    ignoring = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever waits for the rows
    context = get_context("spawn")
    with ProcessPoolExecutor(process_count, context, initializer=signal.signal, initargs=ignoring) as pool:
        coming = [pool.submit(backoff_row, *point) for point in points]
        try:
            for one in as_completed(coming):
                yield one.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _rows_in(path: Path) -> list[BackoffRow]:
    if not path.exists():
        return []
    frame = pd.read_csv(BytesIO(read_table(path)))
    names = [field.name for field in fields(BackoffRow)]
    if list(frame.columns) != names:
        message, allowed = "this file is no table of backoff and jitter to go on with", "another file name"
        raise InputError((Problem(file=str(path), line=1, field="", value="", message=message, allowed=allowed),))
    rows = [BackoffRow(**{str(name): value for name, value in one.items()}) for one in frame.to_dict("records")]
    return [row for row in rows if (row.trial_count, row.seed) == (TRIAL_COUNT, SEED)]


def _write(path: Path, rows: list[BackoffRow]) -> None:
    written = StringIO()
    names = [field.name for field in fields(BackoffRow)]
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(names)
    lines.writerows([getattr(row, name) for name in names] for row in rows)
    write_table(path, written.getvalue().encode())
