"""The command that weighs both risks of a stack: duplicates and overload."""

from pathlib import Path

import click

from simkit.cli.door import progress, refusing_bad_input

__all__ = ["stack"]

PATHS = ("no key", "key passed on", "recorded first")
SHOWN_RATES = (0.01, 0.1, 0.5, 1.0)
PICTURE_KINDS = (".svg", ".png")


@click.command()
@click.option("--agent", help="ID of a retry policy; as for the others, `simkit catalog list` has them.")
@click.option("--gateway", help="ID; without it there is none.")
@click.option("--client-sdk", help="ID; without it there is none.")
@click.option("--sdk", help="ID; without it the tool sends once.")
@click.option("--downstream", required=True, help="ID of a system of record.")
@click.option("--path", type=click.Choice(PATHS), default="no key", show_default=True, help="What the tool does.")
@click.option("--picture", type=click.Path(path_type=Path, dir_okay=False), help="Also draw it (.svg or .png).")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the runs around an outage.")
def stack(
    *,
    agent: str | None,
    gateway: str | None,
    client_sdk: str | None,
    sdk: str | None,
    downstream: str,
    path: str,
    picture: Path | None,
    seed: int,
) -> None:
    """Say what a stack multiplies, what it does twice, who gives up first, and what an outage becomes."""
    from simkit.study.stacks import Stack, WritePath, budgets_frame, composed_stack, layered

    if picture is not None and picture.suffix.lower() not in PICTURE_KINDS:
        raise click.BadParameter(f"a picture ends in {' or '.join(PICTURE_KINDS)}", param_hint="--picture")
    with refusing_bad_input(), progress() as bar:
        bar.tell("every list of failures, and two outages")
        named = Stack(
            agent=agent, gateway=gateway, client_sdk=client_sdk, sdk=sdk, downstream=downstream, path=WritePath(path)
        )
        taken = composed_stack(named).taken
        result = layered(named, seed=seed)
        if picture is not None:
            from simkit.plots import write_layered

            write_layered(result, picture)
    click.echo("From the catalog:")
    for one in taken:
        click.echo(f"  {one.in_words}")
    counts = result.counts[result.counts["failure_probability"].isin(SHOWN_RATES)]
    click.echo("\nOf one operation, by the failure of its requests (exact for the model, waits typical)")
    click.echo(counts.to_string(index=False, float_format="{:.4g}".format, na_rep="unknown"))
    click.echo("\nTime, in seconds (below_s: how long those below may take for one try)")
    click.echo(budgets_frame(result.budgets).to_string(index=False, float_format="{:.4g}".format))
    first = result.gives_up_first
    if first is not None:
        click.echo(f"{first.layer} gives up first: the work below may run on for {first.runs_on_s:.4g} s")
    click.echo("\nAround an outage of a minute (one sampled run each)")
    for ending, course in result.outages.items():
        click.echo(
            f"{ending}: {course.amplification:.2f} requests per operation, up to {course.busiest_per_s:.3g} per s "
            f"where {course.capacity_per_s:.3g} can be served; done twice or more: {course.duplicated_count:,} of "
            f"{course.operation_count:,} operations"
        )
