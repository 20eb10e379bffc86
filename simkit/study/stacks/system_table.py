"""The table of systems: every system of record of the catalog behind every write path, one row each.

Rows are explored in processes of their own, and come in the order of the catalog whichever is done first.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult
from types import MappingProxyType
from typing import Any, Final

from simkit.catalog import read_table, system_names, table_path
from simkit.study.stacks.stack import Stack, WritePath, stack_scenario
from simkit.study.stacks.system_rows import JUDGED_IN_ROWS, SDK, SystemRow, system_row

__all__ = [
    "COLUMNS",
    "SYSTEMS_TABLE",
    "explored_rows",
    "stale_systems",
    "systems_frame",
    "table_cells",
    "table_content",
]

SYSTEMS_TABLE: Final = "systems"
"""Name of the stored table."""

LOOK_S: Final = 0.2

_JOINED: Final = "; "

COLUMNS: Final = MappingProxyType(
    {
        "system": "ID of the system of record in the catalog",
        "name": "what people call it",
        "category": "what kind of system it is",
        "write_path": "what the tool does: no key, key passed on, recorded first",
        "verdict": "allow, hold or disable, by structure alone, for all schedules of up to 2 faults",
        "is_report_unsafe": "whether somebody may be told something untrue",
        "protected_by": "what keeps a repeat from making a second effect; nothing where it does not",
        "window_s": "how long that is guaranteed, in seconds; inf: as long as what was made; 0: not at all",
        "last_arrival_s": "when the last request of one operation may arrive, in seconds from the first attempt",
        "beyond_window": "the verdict where the agent repeats only after the window",
        "sdk_once": "the verdict where the SDK below the tool sends once only",
        "recognises_by": "how the system of record recognises a repeat",
        "broken": "the effect promise that breaks with fewest faults",
        "broken_by": "those faults",
        "schedule_id": "ID of that schedule",
        "grade": "how well what is known of the system is supported",
        "guessed": "fields of the entry that no source states",
        "depends_on": "guesses by which the verdict is another one, with that verdict",
        "not_turned": "guesses that were not tried another way",
        "run_count": "runs as requested, in every order of steps that was told apart",
        "scenario_digest": "SHA-256 of the scenario, by which a table that is older than the catalog is noticed",
    }
)
"""What each column holds; besides, each promise has one of its own name."""


def explored_rows(
    names: Iterable[str],
    *,
    process_count: int,
    fault_budget: int,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[SystemRow, ...] | None:
    """A row for each of these systems and each write path; None where it was ended before the last.

    Parameters
    ----------
    process_count
        How many processes explore beside each other; 1 explores in this one.
    is_over, tell
        Asked often; told how far it has come.
    """
    wanted = [(name, path) for name in names for path in WritePath]
    if process_count == 1:
        return _one_by_one(wanted, fault_budget, is_over, tell)
    # Leaving the block ends what is still at work: nothing is waited for after Ctrl-C or an error.
    with get_context("spawn").Pool(process_count, initializer=_leave_ctrl_c_alone) as pool:
        results = [pool.apply_async(system_row, row, {"fault_budget": fault_budget}) for row in wanted]
        return _gathered(results, is_over, tell)


def table_cells(row: SystemRow) -> dict[str, str]:
    """A row as text, by column."""
    cells = {name: _cell(getattr(row, name)) for name in COLUMNS}
    return cells | {str(promise): said for promise, said in row.promises}


def table_content(rows: Iterable[SystemRow]) -> bytes:
    """The rows as a CSV file."""
    import pandas as pd

    columns = [*COLUMNS, *(str(promise) for promise in JUDGED_IN_ROWS)]
    frame = pd.DataFrame([table_cells(row) for row in rows], columns=columns)
    return frame.to_csv(index=False, lineterminator="\n").encode()


def systems_frame() -> Any:
    """The stored table as a pandas frame; its columns are those of `COLUMNS`, and one for each promise.

    Raises
    ------
    InputError
        If its digest is another one than the one beside it.
    """
    from io import BytesIO

    import pandas as pd

    content = read_table(table_path(SYSTEMS_TABLE))
    return pd.read_csv(BytesIO(content), keep_default_na=False, dtype={"schedule_id": str, "window_s": float})


def stale_systems(frame: Any, *, sdk: str = SDK) -> Iterator[str]:
    """The rows of a table that are not about the catalog as it is now: changed, missing, or of no entry any more."""
    stored = {(row.system, row.write_path): row.scenario_digest for row in frame.itertuples()}
    for name in system_names():
        for path in WritePath:
            now = stack_scenario(Stack(downstream=name, path=path, sdk=sdk)).digest()
            if stored.pop((name, str(path)), None) != now:
                yield f"{name}, {path}"
    yield from (f"{name}, {path}" for name, path in stored)


def _one_by_one(
    wanted: list[tuple[str, WritePath]], fault_budget: int, is_over: Callable[[], bool], tell: Callable[[str], None]
) -> tuple[SystemRow, ...] | None:
    rows = []
    for number, (name, path) in enumerate(wanted, start=1):
        tell(f"{name}, {path}: {number} of {len(wanted)} rows")
        rows.append(system_row(name, path, fault_budget=fault_budget))
        if is_over():
            return None
    return tuple(rows)


def _gathered(
    results: list[AsyncResult[SystemRow]], is_over: Callable[[], bool], tell: Callable[[str], None]
) -> tuple[SystemRow, ...] | None:
    """Wait until all are done; None where it was ended before. What went wrong in one is raised."""
    waiting = results
    while waiting:
        waiting[0].wait(LOOK_S)
        for one in waiting:
            if one.ready():
                one.get()
        waiting = [one for one in waiting if not one.ready()]
        tell(f"{len(results) - len(waiting)} of {len(results)} rows")
        if is_over():
            return None
    return tuple(one.get() for one in results)


def _leave_ctrl_c_alone() -> None:
    """Leave it to the process that started this one to end the work."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "inf" if math.isinf(value) else f"{value:.0f}"
    if isinstance(value, tuple):
        return _JOINED.join(value)
    return str(value)
