"""The door, for scenarios: run, explored and printed, by name, from a scenario file, from a review file."""

import json
from pathlib import Path

import jsonschema
import pytest

from simkit.contract import parse_scenario
from tests.command_line import run, schema

__all__: list[str] = []

CREATE_TICKET = Path(__file__).parent.parent / "review_templates" / "examples" / "create_ticket.yaml"
TAKING_A_SOURCE = ("run", "explore", "scenario")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A scenario file like one of the catalog."""
    file = tmp_path / "mine.yaml"
    file.write_text("schema_version: 1\nname: mine\nlike: response-dropped-unprotected\n")
    return file


def lines_of(*arguments: str | Path) -> list[str]:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout.splitlines()


def test_what_check_run_and_explore_print_as_json_keeps_to_their_schemas(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("schema_version: 1\n")

    for kind, arguments in (
        ("check", ("check", CREATE_TICKET, broken, "--json")),
        ("run", ("run", "response-dropped-unprotected", "--json")),
        ("run", ("run", CREATE_TICKET, "--json")),
        ("explore", ("explore", "response-dropped-unprotected", "--json")),
        ("explore", ("explore", "publish-schedule", "--table", "--json")),
        ("explore", ("explore", CREATE_TICKET, "--faults", "0", "--json")),
        ("explore", ("explore", "plain-unkeyed-write", "--faults", "0", "--margins", "--json")),
    ):
        jsonschema.validate(json.loads(run(*arguments).stdout), schema(kind))


def test_an_exploration_without_its_runs_breaks_the_schema() -> None:
    found = json.loads(run("explore", "plain-write-without-faults", "--json").stdout)
    del found["exploration"]["run_count"]

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema("explore"))


def test_explore_says_where_the_verdict_flips() -> None:
    lines = lines_of("explore", "plain-unkeyed-write", "--faults", "0", "--margins")

    # A call takes at most 0.5 s on each of two hops, each way, and 1 s of work: 3 s, and 2 s from the server down. A
    # deadline beats an answer of the same instant, so that with these timeouts nobody hears of an effect.
    assert "  agent: timeout: 8 s; at 3 s disable" in lines
    assert "  downstream sdk: timeout: 6 s; at 2 s disable" in lines


def test_run_shows_the_diagram_the_effects_and_what_is_broken(tmp_path: Path) -> None:
    picture = tmp_path / "run.svg"

    result = run("run", "response-dropped-unprotected", "--diagram", picture)

    assert result.exit_code == 0
    assert "EFFECT 2 in ticket AGAIN: a duplicate" in result.stdout
    assert "effects: 2" in result.stdout
    assert "broken     at most one effect (ticket)" in result.stdout
    assert picture.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(("form", "effect_count"), (("faulty", 11), ("right", 1)))
def test_run_takes_each_form_of_an_incident_by_its_name(form: str, effect_count: int) -> None:
    # Eleven posts came out where one was wanted, says the report.
    assert f"effects: {effect_count}" in lines_of("run", f"RS-067-{form}")


@pytest.mark.parametrize("command", TAKING_A_SOURCE)
def test_an_incident_without_its_form_is_refused_with_both_names(command: str) -> None:
    result = run(command, "RS-067")

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "RS-067: an incident is two scenarios; name one: RS-067-faulty, RS-067-right\n"


@pytest.mark.parametrize("command", TAKING_A_SOURCE)
def test_an_unknown_name_is_refused_with_the_few_nearest_and_where_all_are_listed(command: str) -> None:
    result = run(command, "respons-dropped")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "nearest names: response-dropped-protected, response-dropped-unprotected" in result.stderr
    assert result.stderr.endswith("; all names: simkit catalog scenarios\n")
    assert len(result.stderr) < 250


def test_the_catalog_lists_every_name_with_what_happens_there() -> None:
    lines = lines_of("catalog", "scenarios")

    about = dict(line.split(maxsplit=1) for line in lines)
    assert "plain-write-without-faults" in about
    assert about["RS-067-faulty"] == "Posts multiply in the gap between the post and its receipt"
    assert about["RS-067-right"] == "Posts multiply in the gap between the post and its receipt: with the fix"
    assert sum(name.startswith("RS-") for name in about) == 80  # forty incidents in two forms


def test_explore_says_of_each_promise_what_becomes_of_it() -> None:
    # No ID, no record, no key: whoever calls again after a lost answer makes a second ticket.
    head, *lines = lines_of("explore", "response-dropped-unprotected", "--faults", "1")

    assert head.startswith("response-dropped-unprotected: schedules of up to 1 fault in every possible order, ")
    assert "proved          the effect happens: up to 1 fault" in lines
    assert any(
        line.startswith("broken          at most one effect: by 1 fault; every schedule of fewer keeps it ")
        for line in lines
    )
    assert "does not apply  approval is respected: nothing of the kind here" in lines
    assert lines[-2].startswith("left out, kinds of fault: readback cannot tell, ")


def test_explore_tells_of_each_stage_what_each_layer_may_do_where_that_is_asked() -> None:
    """A second publication is one too many as soon as the first is found."""
    lines = lines_of("explore", "publish-schedule", "--table")

    found = [line for line in lines if line.startswith("  agent, publication") and " found " in line]
    assert [line.count("no (") for line in found] == [1]
    assert any(line.startswith("  agent, notification") for line in lines)
    assert not any("may do next" in line for line in lines_of("explore", "publish-schedule"))


def test_explore_goes_as_far_as_it_is_told() -> None:
    broken = "broken          at most one effect: "

    without_faults = lines_of("explore", "response-dropped-unprotected", "--faults", "0")

    assert "proved          at most one effect: up to 0 faults" in without_faults
    assert not any(line.startswith(broken) for line in without_faults)


def test_an_exploration_without_time_proves_nothing_and_says_so() -> None:
    lines = lines_of("explore", "plain-write", "--seconds", "0")

    assert "stopped before all of them were seen: what is not broken is not proved" in lines
    assert "not proved      at most one effect: not seen to the end" in lines
    assert not any(line.startswith("proved") for line in lines)


def test_run_and_explore_take_files_as_well(mine: Path) -> None:
    assert "effects: 2" in lines_of("run", mine)  # the schedule is taken over too
    assert "effects: 1" in lines_of("run", CREATE_TICKET)  # a review has no schedule, and nothing goes wrong
    assert lines_of("explore", mine, "--faults", "0")[0].startswith("mine: schedules of up to 0 faults")
    assert lines_of("explore", CREATE_TICKET, "--faults", "0")[2].startswith("note: the last attempt may come as late")


def test_the_scenario_of_a_review_is_printed_as_a_file_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "ticket.yaml"
    file.write_text(run("scenario", CREATE_TICKET).stdout)

    assert "effects: 1" in lines_of("run", file)


def test_what_a_scenario_took_over_is_written_out(mine: Path) -> None:
    printed = run("scenario", mine).stdout

    assert "like:" not in printed
    assert "identity: none" in printed  # said by the one that it is like
    assert "fault_budget: 1" in printed  # said by the one that that one is like


def test_the_printed_scenario_of_a_name_is_that_scenario() -> None:
    printed = run("scenario", "RS-067-faulty").stdout

    again = parse_scenario(printed.encode(), file="again.yaml")
    assert again.name == "RS-067, faulty form"
    assert again.layers[0].attempts == 12
