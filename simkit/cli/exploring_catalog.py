"""The command that explores every system of record of the catalog behind every write path, and stores the table."""

import os
import sys
import time
from pathlib import Path

import click

from simkit.cli.door import EXIT_INTERRUPTED, refusing_bad_input, working

__all__ = ["explore_catalog"]

FOR_EVER_S = float("inf")
FAULT_BUDGET = 2


@click.command("explore")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Table to write (CSV), with its digest beside it.",
)
@click.option("--system", "names", multiple=True, help="ID of a system of record; several times for several. Else all.")
@click.option("--processes", "process_count", type=click.IntRange(min=1), help="Else one for each core.")
@click.option("--faults", "fault_budget", type=click.IntRange(min=0), default=FAULT_BUDGET, show_default=True)
def explore_catalog(*, out: Path, names: tuple[str, ...], process_count: int | None, fault_budget: int) -> None:
    """Explore each system of record behind each write path of a tool, and store what was found as a table."""
    from simkit.catalog import system_names, write_table
    from simkit.study.stacks import explored_rows, system_entry, table_content

    began_at_s = time.monotonic()
    with refusing_bad_input():
        for name in names or system_names():
            system_entry(name)
        with working(FOR_EVER_S) as (tell, limit):
            rows = explored_rows(
                names or system_names(),
                process_count=process_count or os.cpu_count() or 1,
                fault_budget=fault_budget,
                is_over=limit,
                tell=tell,
            )
        if rows is None:
            click.echo("stopped by Ctrl-C: nothing was written", err=True)
            sys.exit(EXIT_INTERRUPTED)
        write_table(out, table_content(rows))
    click.echo(f"{len(rows)} rows in {time.monotonic() - began_at_s:.0f} s, written: {out}")
