"""The command that shows one finding of an exploration, so that anybody can follow it."""

import sys
from pathlib import Path

import click

from simkit.cli.door import EXIT_BAD_INPUT, leave_if_interrupted, print_json, refusing_bad_input, working

__all__ = ["replay"]


@click.command()
@click.argument("source")
@click.argument("schedule_id", metavar="ID")
@click.option("--faults", "fault_budget", type=click.IntRange(min=0), help="Up to how many; else as the scenario says.")
@click.option("--diagram", type=click.Path(path_type=Path), help="Also write the run as a sequence diagram (SVG).")
@click.option(
    "--seconds", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Time limit of the search."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def replay(
    *, source: str, schedule_id: str, fault_budget: int | None, diagram: Path | None, seconds: float, as_json: bool
) -> None:
    """Show the smallest schedule that `explore` lists under ID: what happens, in order, and where a promise breaks."""
    from simkit.contract import scenario_at
    from simkit.plots import sequence_svg, sequence_text
    from simkit.review import document_of, replay_head, replay_lines, replay_result, unknown_schedule_lines
    from simkit.study import replay as search

    with refusing_bad_input(), working(seconds) as (tell, limit):
        acted = scenario_at(source).scenario
        budget = acted.conditions.fault_budget if fault_budget is None else fault_budget
        wanted = schedule_id.strip().lower()
        searched = search(acted, wanted, fault_budget=budget, is_over=limit, tell=tell)
        found = searched.found
        if found is not None and diagram is not None:
            title = f"{acted.name}, {wanted}: broken: {found.result.promise}"
            diagram.write_text(sequence_svg(found.journal, title=title), encoding="utf-8")
    if found is None:
        click.echo("\n".join(unknown_schedule_lines(searched, schedule_id, fault_budget=budget)), err=True)
        leave_if_interrupted(limit)
        sys.exit(EXIT_BAD_INPUT)
    if as_json:
        print_json(document_of(replay_result(acted.name, found)))
        return
    click.echo("\n".join(replay_head(found)))
    click.echo("\n" + sequence_text(found.journal))
    click.echo("\n".join(replay_lines(found)))
