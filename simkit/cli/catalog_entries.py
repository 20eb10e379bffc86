"""The commands that look entries of the catalog up: list them, by a search or all, and show one."""

import sys

import click

from simkit.cli.door import EXIT_BAD_INPUT, print_json, refusing_bad_input

__all__ = ["list_entries", "show"]

BOTH = ("systems", "policies")


@click.command("list")
@click.argument("search", nargs=-1)
@click.option("--kind", type=click.Choice(BOTH), help="Only systems of record, or only retry policies.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def list_entries(*, search: tuple[str, ...], kind: str | None, as_json: bool) -> None:
    """List the systems of record and the retry policies in which every word of SEARCH stands."""
    from simkit.catalog import PolicyEntry, matches, nearest_names
    from simkit.cli.entry_text import listed_line
    from simkit.contract import entries
    from simkit.review import catalog_list, document_of

    with refusing_bad_input():
        known = tuple(entries())
    of_kind = [one for one in known if kind is None or isinstance(one, PolicyEntry) is (kind == "policies")]
    found = [one for one in of_kind if matches(one, search)]
    if not found:
        near = nearest_names(" ".join(search), (one.id for one in of_kind))
        click.echo(f"no entry has all of: {', '.join(search)}; nearest IDs: {near}", err=True)
        sys.exit(EXIT_BAD_INPUT)
    if as_json:
        print_json(document_of(catalog_list(found)))
        return
    width = max(len(one.id) for one in found)
    for one in found:
        click.echo(listed_line(one, id_width=width))


@click.command()
@click.argument("name", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the entry as one JSON object.")
def show(*, name: str, as_json: bool) -> None:
    """Show one entry, of the catalog by its ID or your own by its file: what is documented, acted out, and guessed."""
    from simkit.catalog import SystemEntry
    from simkit.cli.policy_text import policy_lines
    from simkit.cli.system_text import system_lines
    from simkit.contract import entry_at
    from simkit.review import catalog_entry, document_of

    with refusing_bad_input():
        entry = entry_at(name)
    if as_json:
        print_json(document_of(catalog_entry(entry)))
        return
    lines = system_lines(entry) if isinstance(entry, SystemEntry) else policy_lines(entry)
    click.echo("\n".join(lines))
