"""The door: parse, call one function, say what came of it, exit with a code.

=========  ==================================================================================
exit code  when
=========  ==================================================================================
0          done, whatever the verdict; or the time limit was reached, and the output says so
2          bad input: one line each on standard error, nothing written
130        stopped by Ctrl-C: what was found so far is printed and proves nothing, nothing written
1          stopped by another Ctrl-C before that could be printed
=========  ==================================================================================
"""

import sys
from pathlib import Path
from typing import Literal

import click

from simkit import __version__
from simkit.cli.door import EXIT_BAD_INPUT, leave_if_interrupted, print_json, refusing_bad_input, working
from simkit.cli.exploring_catalog import explore_catalog
from simkit.cli.gallery import catalog, incident
from simkit.cli.load import load
from simkit.cli.replaying import replay
from simkit.cli.stack import stack
from simkit.errors import InputError

Paper = Literal["a4", "letter"]

__all__ = ["check", "explore", "main", "review", "run", "scenario", "schema"]

SEED = 20_261_130
INTENT_COUNT = 2_000
REASON_COUNT = 3
FILES = ("review", "scenario", "system", "policy")
PRINTED = ("result", "check", "run", "explore", "replay", "list", "show")

_seconds = click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    help="Time limit; what it leaves is not proved, as after Ctrl-C.",
)

_margins = click.option(
    "--margins",
    "has_margins",
    is_flag=True,
    help="Also by how much each time may move before the verdict flips; takes longest.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="simkit")
def main() -> None:
    """Review a write-enabled MCP tool: may anybody call again when the outcome is unknown?"""


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "directory",
    type=click.Path(path_type=Path),
    default=Path(),
    help="Folder for the three files; made if missing.",
)
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=SEED, show_default=True, help="Same seed, same sample.")
@_seconds
@_margins
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as one JSON object.")
def review(
    *, file: Path, directory: Path, paper: Paper, seed: int, seconds: float, has_margins: bool, as_json: bool
) -> None:
    """Study the tool that FILE declares, and write its one-page review as HTML, PDF and PNG."""
    from simkit.contract import read_content
    from simkit.review import document_of, review_content, write_page

    written: tuple[Path, ...] = ()
    with refusing_bad_input():
        with working(seconds) as (tell, limit):
            content = read_content(file)
            declared, result = review_content(
                content,
                file=str(file),
                seed=seed,
                intent_count=INTENT_COUNT,
                has_margins=has_margins,
                is_over=limit,
                tell=tell,
            )
        if not limit.was_interrupted:
            written = write_page(declared, result, directory=directory, stem=file.stem, paper=paper)
    if as_json:
        print_json(document_of(result) | {"files": [str(path) for path in written]})
        leave_if_interrupted(limit)
        return
    click.echo(f"{result.tool}: {result.verdict.upper()} ({result.wording})")
    if result.is_report_unsafe:
        click.echo("  report-unsafe: somebody may be told something untrue")
    for reason in result.reasons[:REASON_COUNT]:
        click.echo(f"  - {reason}")
    if len(result.reasons) > REASON_COUNT:
        click.echo(f"  and {len(result.reasons) - REASON_COUNT} more, on the page and with --json")
    click.echo("written: " + (", ".join(str(path) for path in written) or "nothing"))
    leave_if_interrupted(limit)


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def check(*, files: tuple[Path, ...], as_json: bool) -> None:
    """Validate reviews, scenarios and entries of the catalog, and say what is wrong; nothing is simulated."""
    from simkit.contract import FileKind, check_content, read_content
    from simkit.review import CheckedFile, CheckResult, document_of

    found = []
    for file in files:
        problems: tuple[str, ...] = ()
        gaps: tuple[str, ...] = ()
        kind = FileKind.REVIEW
        try:
            checked = check_content(read_content(file), file=str(file))
            kind, gaps = checked.kind, checked.gaps
        except InputError as error:
            problems = tuple(str(problem) for problem in error.problems)
        found.append(CheckedFile(file=str(file), kind=kind, is_valid=not problems, problems=problems, gaps=gaps))
    if as_json:
        print_json(document_of(CheckResult(schema_version=1, files=tuple(found))))
    for one in found if not as_json else ():
        for problem in one.problems:
            click.echo(problem, err=True)
        if one.is_valid:
            is_review = one.kind == FileKind.REVIEW
            opened = f", {len(one.gaps)} open, so retries stay off:" if one.gaps else ""
            click.echo(f"{one.file}: valid{opened}" if is_review else f"{one.file}: a valid {one.kind}")
            for gap in one.gaps:
                click.echo(f"  {gap}")
    if not all(one.is_valid for one in found):
        sys.exit(EXIT_BAD_INPUT)


@main.command()
@click.argument("source")
def scenario(source: str) -> None:
    """Print the scenario of a name, a scenario file or a review file as a scenario file that is like no other."""
    from simkit.contract import scenario_at, scenario_text

    with refusing_bad_input():
        found = scenario_at(source)
    for note in found.notes:
        click.echo(f"# {note}")
    click.echo(scenario_text(found.scenario), nl=False)


@main.command()
@click.argument("source")
@click.option("--faults", "fault_budget", type=click.IntRange(min=0), help="Up to how many; else as the scenario says.")
@click.option("--table", "has_table", is_flag=True, help="Also try what each layer may do next, stage by stage.")
@_seconds
@_margins
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def explore(
    *,
    source: str,
    fault_budget: int | None,
    has_table: bool,
    seconds: float,
    has_margins: bool,
    as_json: bool,
) -> None:
    """Try every schedule of faults, and say what becomes of each promise; SOURCE is as of `run`."""
    from simkit.contract import scenario_at
    from simkit.review import document_of, exploration_lines, explore_result
    from simkit.study import margins, permission_table, proofs, violation_matrix

    with refusing_bad_input(), working(seconds) as (tell, limit):
        found = scenario_at(source)
        budget = found.scenario.conditions.fault_budget if fault_budget is None else fault_budget
        proved = proofs(found.scenario, fault_budget=budget, is_over=limit, tell=tell)
        tell("what one fault does")
        matrix = violation_matrix(found.scenario, proved, limit)
        table = None
        if has_table:
            tell("what each layer may do next")
            table = permission_table(found.scenario, fault_budget=budget, is_over=limit)
        near = margins(found.scenario, fault_budget=budget, is_over=limit, tell=tell) if has_margins else None
    result = explore_result(found.scenario, found.notes, proved, matrix, table, near)
    if as_json:
        print_json(document_of(result))
    else:
        click.echo("\n".join(exploration_lines(result)))
    leave_if_interrupted(limit)


@main.command()
@click.argument("source")
@click.option("--diagram", type=click.Path(path_type=Path), help="Also write the run as a sequence diagram (SVG).")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def run(*, source: str, diagram: Path | None, as_json: bool) -> None:
    """Run one scenario and show what happens; SOURCE is a name, a scenario file or a review file."""
    from simkit.contract import scenario_at
    from simkit.plots import sequence_svg, sequence_text
    from simkit.review import document_of, run_result
    from simkit.study import run_story

    with refusing_bad_input():
        found = scenario_at(source)
        acted = found.scenario
        told = run_story(acted)
        if diagram is not None:
            diagram.write_text(sequence_svg(told.journal, title=acted.name), encoding="utf-8")
    if as_json:
        print_json(document_of(run_result(acted.name, told, notes=found.notes)))
        return
    for taken in found.taken:
        click.echo(f"from the catalog: {taken.in_words}")
    click.echo(sequence_text(told.journal))
    click.echo(f"effects: {told.effect_count}")
    for finding in told.findings:
        evidence = f": {'; '.join(finding.evidence)}" if finding.evidence else ""
        click.echo(f"{finding.verdict:9}  {finding.promise} ({finding.intent}){evidence}")


@main.command()
@click.argument("kind", type=click.Choice([*FILES, *PRINTED]))
def schema(kind: str) -> None:
    """Print the JSON Schema of a file that people write, or of what a command prints with --json (result: of review).

    review, scenario, system and policy are files; the last two hold entries of the catalog.
    """
    from simkit.contract import policy_schema, review_schema, scenario_schema, system_schema
    from simkit.review import document_schema

    if kind in PRINTED:
        print_json(document_schema(kind))
        return
    of_files = dict(zip(FILES, (review_schema, scenario_schema, system_schema, policy_schema), strict=True))
    print_json(of_files[kind]())


main.add_command(catalog)
catalog.add_command(explore_catalog)
main.add_command(incident)
main.add_command(load)
main.add_command(replay)
main.add_command(stack)
