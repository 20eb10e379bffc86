"""The commands of the catalog: list the scenarios and the incidents, run all incidents, tell one."""

import textwrap

import click

from simkit.cli.catalog_entries import list_entries, show
from simkit.cli.door import progress, refusing_bad_input

__all__ = ["catalog", "incident", "incidents", "scenarios"]

WIDTH = 100
AFTER_INSTANT = 16


@click.group()
def catalog() -> None:
    """What comes with simkit: systems of record, retry policies, scenarios, and incidents from the field."""


@catalog.command()
def scenarios() -> None:
    """List everything that `run`, `explore` and `scenario` take by its name."""
    from simkit.contract import about_named_scenarios

    about = about_named_scenarios()
    width = max(map(len, about))
    for name, what in about.items():
        click.echo(f"{name:{width}}  {what}")


@catalog.command()
@click.option("--run", "is_run", is_flag=True, help="Run each in its faulty and its right form, and compare.")
def incidents(*, is_run: bool) -> None:
    """List the incidents of the gallery, or run them all."""
    from simkit.catalog import incident_content, incident_names
    from simkit.cli.gallery_text import HEADINGS, listed, rows
    from simkit.contract import parse_incident
    from simkit.study import study_incident

    with refusing_bad_input():
        read = [parse_incident(incident_content(name), file=f"{name}.yaml") for name in incident_names()]
        if not is_run:
            click.echo("\n".join(listed(read)))
            return
        click.echo(HEADINGS)
        with progress() as bar:
            for number, one in enumerate(read, start=1):
                bar.tell(f"{one.id}, {number} of {len(read)}")
                click.echo("\n".join(rows(study_incident(one))))


catalog.add_command(list_entries)
catalog.add_command(show)


@click.command()
@click.argument("name")
def incident(*, name: str) -> None:
    """Run one incident of the gallery, for instance RS-067, and tell what happens in both forms."""
    from simkit.catalog import incident_content
    from simkit.cli.gallery_text import told
    from simkit.contract import parse_incident
    from simkit.study import study_incident

    with refusing_bad_input(), progress() as bar:
        read = parse_incident(incident_content(name), file=f"{name}.yaml")
        bar.tell(read.id)
        result = study_incident(read)
    for line in told(result):
        click.echo(_wrapped(line))


def _wrapped(line: str) -> str:
    """The line in several where it is long; what follows an instant stays beside it."""
    if len(line) <= WIDTH:
        return line
    indent = " " * AFTER_INSTANT if line.startswith("   ") else "  "
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
