"""The command for worlds under load: run one several times, and say what its means are known to within."""

from pathlib import Path

import click

from simkit.cli.door import leave_if_interrupted, print_json, refusing_bad_input, working

__all__ = ["load"]

SEED = 20_261_130
FOR_EVER_S = 1e9


@click.command()
@click.argument("source", required=False)
@click.option("--list", "is_list", is_flag=True, help="List the worlds under load of the catalog.")
@click.option("--trials", type=click.IntRange(min=1), default=10, show_default=True, help="Independent runs.")
@click.option("--clients", type=click.IntRange(min=1), help="So many clients; else as the scenario says.")
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Same seed, same runs.")
@click.option(
    "--table",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the table of backoff-and-jitter to this file, or what is missing of it there.",
)
@click.option("--processes", type=click.IntRange(min=1), default=2, show_default=True, help="For the table.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def load(
    *,
    source: str | None,
    is_list: bool,
    trials: int,
    clients: int | None,
    seed: int,
    table: Path | None,
    processes: int,
    as_json: bool,
) -> None:
    """Run a world under load; SOURCE is a name of the catalog, a file, or backoff-and-jitter for its table."""
    if is_list:
        _list()
    elif source is None:
        raise click.UsageError("name a world under load, or see all of them with --list")
    elif source == "backoff-and-jitter":
        _make_table(table, processes)
    elif table is not None:
        raise click.UsageError("--table goes with backoff-and-jitter alone")
    else:
        _run(source, trials, clients, seed, as_json=as_json)


def _list() -> None:
    from simkit.catalog import load_about, load_names

    width = max(map(len, load_names()))
    for name in load_names():
        click.echo(f"{name:{width}}  {load_about(name)}")


def _run(source: str, trial_count: int, client_count: int | None, seed: int, *, as_json: bool) -> None:
    from simkit.contract import load_at
    from simkit.study.load import load_document, load_lines, load_trials

    with refusing_bad_input(), working(FOR_EVER_S) as (tell, limit):
        scenario = load_at(source)
        if client_count is not None:
            scenario = scenario.with_client_count(client_count)
        tell(f"{scenario.name}, {trial_count} runs")
        found = load_trials(scenario, trial_count=trial_count, seed=seed, is_over=limit)
    if as_json:
        print_json(load_document(scenario, found))
    else:
        click.echo("\n".join(load_lines(scenario, found)))
    leave_if_interrupted(limit)


def _make_table(path: Path | None, process_count: int) -> None:
    from simkit.study.load import write_backoff_table

    if path is None:
        raise click.UsageError("backoff-and-jitter is a table of 15 million writes: say where to write it with --table")
    with refusing_bad_input(), working(FOR_EVER_S) as (tell, limit):
        missing_count = write_backoff_table(path, process_count=process_count, is_over=limit, tell=tell)
    click.echo(f"written: {path}, {path.with_suffix('.sha256')}")
    if missing_count:
        click.echo(f"{missing_count} rows are missing; the same command goes on with them", err=True)
    leave_if_interrupted(limit)
