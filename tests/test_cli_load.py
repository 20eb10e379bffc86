"""The door, for worlds under load: run with intervals, as JSON, from a file, and refused where something is wrong."""

import json
from pathlib import Path

import pytest

from simkit.catalog import load_names
from tests.command_line import run

__all__: list[str] = []


def test_every_world_under_load_of_the_catalog_is_listed_with_what_it_is_about() -> None:
    lines = run("load", "--list").stdout.splitlines()

    assert [line.split()[0] for line in lines] == list(load_names())
    assert all(line.endswith(".") for line in lines)


def test_a_world_of_the_catalog_tells_its_figures_with_intervals_its_source_and_its_seed() -> None:
    result = run("load", "retries-none", "--trials", "3", "--clients", "10", "--seed", "5")

    assert result.exit_code == 0
    first, second, *figures = result.stdout.splitlines()
    assert first.startswith("retries-none (source: M. Brooker")
    assert second == "3 independent runs, 95% intervals (Student's t), seed 5"
    amplification = next(line for line in figures if "requests at the service for each" in line)
    # Without retries each call is one request, in every run; how many there are differs.
    assert amplification.split()[-4:] == ["1", "in", "every", "run"]
    assert " to " in figures[0]


def test_one_run_claims_no_interval() -> None:
    result = run("load", "layers-three-of-four", "--trials", "1")

    assert "one run, no interval" in result.stdout
    # Four attempts of each of three layers.
    assert "64" in next(line for line in result.stdout.splitlines() if "requests at the service" in line).split()


def test_json_has_the_mean_the_interval_and_each_run() -> None:
    found = json.loads(run("load", "retries-none", "--trials", "3", "--clients", "10", "--json").stdout)

    assert (found["scenario"], found["trial_count"], found["confidence"]) == ("retries-none", 3, 0.95)
    success = found["figures"]["success_fraction"]
    assert len(success["runs"]) == 3
    assert success["mean"] == pytest.approx(sum(success["runs"]) / 3)
    assert success["low"] < success["mean"] < success["high"]


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    first, again, other = (
        run("load", "retries-none", "--trials", "2", "--clients", "5", "--seed", seed, "--json").stdout
        for seed in ("1", "1", "2")
    )

    assert first == again
    assert json.loads(first)["figures"] != json.loads(other)["figures"]


def test_a_file_runs_as_a_world_of_the_catalog_does(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("schema_version: 1\nlike: layers-three-of-four\nname: mine\n", encoding="utf-8")

    result = run("load", file, "--trials", "1")

    assert result.exit_code == 0
    assert result.stdout.startswith("mine (source: ")


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    result = run("load", "retries-non")

    assert result.exit_code == 2
    assert "retries-none" in result.stderr


def test_a_wrong_file_is_refused_by_file_line_and_field(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("schema_version: 1\nlike: retries-none\nname: mine\nservice: {work: 3}\n", encoding="utf-8")

    result = run("load", file)

    assert result.exit_code == 2
    assert "mine.yaml:4: service.work" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    (
        ((), "--list"),
        (("backoff-and-jitter",), "--table"),
        (("retries-none", "--table", "x.csv"), "backoff-and-jitter alone"),
        (("retries-none", "--trials", "0"), "--trials"),
    ),
)
def test_what_makes_no_sense_together_is_refused_with_what_does(arguments: tuple[str, ...], told: str) -> None:
    result = run("load", *arguments)

    assert result.exit_code == 2
    assert told in result.stderr
