"""The commands that look entries of the catalog up: list them, by a search or all, and show one."""

import sys

import click

from simkit.cli.door import EXIT_BAD_INPUT, print_json, refusing_bad_input

__all__ = ["list_entries", "show"]

BOTH = ("systems", "policies")

_kind = click.option("--kind", type=click.Choice(BOTH), help="Only systems of record, or only retry policies.")


@click.command("list")
@click.argument("search", nargs=-1)
@_kind
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def list_entries(*, search: tuple[str, ...], kind: str | None, as_json: bool) -> None:
    """List the systems of record and the retry policies in which every word of SEARCH stands."""
    from simkit.catalog import matches, nearest_names
    from simkit.cli.entry_text import listed_line
    from simkit.contract import entries
    from simkit.review import catalog_list, document_of

    with refusing_bad_input():
        known = tuple(entries())
    of_kind = [one for one in known if _is_of(one, kind)]
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
@_kind
@click.option("--json", "as_json", is_flag=True, help="Print the entry as one JSON object.")
def show(*, name: str, kind: str | None, as_json: bool) -> None:
    """Show one entry, of the catalog by its ID or your own by its file: what is documented, acted out, and guessed.

    Where a system of record and a retry policy have the same ID, both are shown.
    """
    from simkit.catalog import SystemEntry
    from simkit.cli.policy_text import policy_lines
    from simkit.cli.system_text import system_lines
    from simkit.contract import entries_at
    from simkit.review import catalog_entry, document_of

    with refusing_bad_input():
        named = entries_at(name)
    found = [one for one in named if _is_of(one, kind)]
    if not found or (as_json and len(found) > 1):
        kinds = " and ".join(BOTH[not isinstance(one, SystemEntry)] for one in named)
        click.echo(f"{name} is one of the {kinds}; say one of these with --kind", err=True)
        sys.exit(EXIT_BAD_INPUT)
    if as_json:
        print_json(document_of(catalog_entry(found[0])))
        return
    texts = (system_lines(one) if isinstance(one, SystemEntry) else policy_lines(one) for one in found)
    click.echo("\n\n".join("\n".join(lines) for lines in texts))


def _is_of(entry: object, kind: str | None) -> bool:
    from simkit.catalog import PolicyEntry

    return kind is None or isinstance(entry, PolicyEntry) is (kind == "policies")
