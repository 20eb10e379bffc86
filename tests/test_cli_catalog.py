"""The door, for the entries of the catalog: listed, searched, shown with what is guessed, refused with near ones."""

import json
from pathlib import Path

import jsonschema
import pytest

from simkit.catalog import policy_names, system_content, system_names
from simkit.cli.formula_text import formula_words
from simkit.distributions import Backoff
from tests.command_line import run, schema

__all__: list[str] = []


def test_every_entry_has_a_line_with_its_id_and_its_grade() -> None:
    result = run("catalog", "list")

    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*system_names(), *policy_names()]
    (stripe,) = (line for line in lines if line.startswith("stripe-v1 "))
    assert "Stripe API v1: response cache, at least 1 d [official documents or the vendor's code; guesses" in stripe


def test_one_kind_alone_is_listed_as_json_that_keeps_to_its_schema() -> None:
    result = run("catalog", "list", "--kind", "systems", "--json")

    found = json.loads(result.stdout)
    jsonschema.validate(found, schema("list"))
    assert [one["id"] for one in found["entries"]] == list(system_names())
    assert {one["kind"] for one in found["entries"]} == {"system"}


@pytest.mark.parametrize("search", (("PAYMENTS", "search"), ("stripe-v1", "Idempotency-Key")))
def test_a_search_finds_the_entries_in_which_every_word_stands_in_whatever_case(search: tuple[str, ...]) -> None:
    result = run("catalog", "list", *search, "--kind", "systems")

    assert "stripe-v1" in [line.split()[0] for line in result.stdout.splitlines()]
    assert "slack" not in [line.split()[0] for line in result.stdout.splitlines()]


def test_a_search_that_finds_nothing_names_the_nearest_ids() -> None:
    result = run("catalog", "list", "strype-v1")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "no entry has all of: strype-v1; nearest IDs: stripe-v1" in result.stderr


def test_a_system_is_shown_with_its_guesses_marked_where_they_stand() -> None:
    result = run("catalog", "show", "stripe-v1")

    text = " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert "at least 1 d from the first attempt, then run as new (guessed: counted_from)" in text
    assert "an effect shows after 1 s to 1 h (guessed: lag)" in text
    for heading in ("Cautions", "Nobody knows", "Guessed", "Not simulated", "Sources", "Grade", "Checked"):
        assert f"\n{heading}" in result.stdout


def test_a_policy_is_shown_with_what_is_tried_again_its_waits_and_its_longest_time() -> None:
    result = run("catalog", "show", "botocore-standard-v2")

    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "> min(20 s, 50 ms × 2^(n−1)) × U(0, 1)" in lines
    assert "> before retry 1: 0 s to 50 ms, 2: 0 s to 100 ms" in lines
    # Three tries of 60 s, and after two answers that say throttled at most 1 s and 2 s between them.
    assert "> longest time of a call, tries and waits together: 183 s" in lines
    assert {"408 no no", "409 no no", "429 yes yes", "refused yes yes"} <= set(lines)


@pytest.mark.parametrize("name", (*system_names(), *policy_names()))
def test_every_entry_can_be_shown(name: str) -> None:
    result = run("catalog", "show", name)

    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{name}: ")


@pytest.mark.parametrize("name", ("stripe-v1", "botocore-standard-v2"))
def test_an_entry_as_json_keeps_to_its_schema(name: str) -> None:
    result = run("catalog", "show", name, "--json")

    found = json.loads(result.stdout)
    jsonschema.validate(found, schema("show"))
    assert found["entry"]["id"] == name


def test_an_unknown_id_is_refused_with_the_nearest_ones() -> None:
    result = run("catalog", "show", "botocore-standard")

    assert (result.exit_code, result.stdout) == (2, "")
    assert "the catalog has no entry of that ID; nearest IDs: botocore-standard-v" in result.stderr


def test_an_own_entry_is_shown_by_its_file_and_refused_by_file_line_and_field(tmp_path: Path) -> None:
    own = tmp_path / "billing.yaml"
    own.write_bytes(system_content("stripe-v1").replace(b"id: stripe-v1", b"id: billing"))
    wrong = tmp_path / "wrong.yaml"
    wrong.write_bytes(system_content("stripe-v1").replace(b"category: payments", b"categry: payments"))

    shown, refused = run("catalog", "show", own), run("catalog", "show", wrong)

    assert shown.stdout.startswith("billing: Stripe API v1")
    assert refused.exit_code == 2
    assert f"{wrong}:4: categry" in refused.stderr


@pytest.mark.parametrize(
    ("backoff", "words"),
    (
        (Backoff(first_s=1), "1 s"),
        (Backoff(first_s=1, power=1, cap_s=10), "min(10 s, 1 s × n)"),
        (Backoff(first_s=0.5, factor=2, added_s_max=1), "500 ms × 2^(n−1) + U(0, 1 s)"),
        (Backoff(first_s=1, offset_s=2, scale_min=0.5), "(2 s + 1 s) × U(0.5, 1)"),
        (
            Backoff(first_s=1, previous_factor=3, cap_s=20, immediate_count=1),
            "min(20 s, U(1 s, 3 × the wait before)); the first 1 at once",
        ),
        (Backoff(first_s=1, factor=2, floor_s=1, ceiling_s=60), "1 s × 2^(n−1), at least 1 s, at most 1 min"),
    ),
)
def test_a_formula_is_written_as_people_write_it(backoff: Backoff, words: str) -> None:
    assert formula_words(backoff) == words


MINE = "schema_version: 1\nname: mine\nlike: plain-write\nstack: {sdk: {like: botocore-standard-v2, attempts: 5}}\n"


def test_check_knows_an_entry_and_a_scenario_by_their_fields(tmp_path: Path) -> None:
    entry, scenario = tmp_path / "entry.yaml", tmp_path / "scenario.yaml"
    entry.write_bytes(system_content("stripe-v1"))
    scenario.write_text(MINE)

    result = run("check", entry, scenario)

    assert result.exit_code == 0, result.stderr
    assert f"{entry}: a valid system of record\n  guessed: behaviour.key_retention.counted_from" in result.stdout
    assert f"{scenario}: a valid scenario\n  from the catalog: layers.downstream_sdk: botocore" in result.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    (
        (MINE.replace("standard-v2", "standard-v9"), ":4: stack.sdk.like: the catalog has no retry policy of that ID"),
        (MINE.replace("attempts: 5", "attempt: 5"), ":4: stack.sdk.attempt"),
        ("schema_version: 1\nid: mine\npackage: own\n", ": behaviour: the field is missing"),
    ),
)
def test_check_says_what_is_wrong_by_file_line_and_field(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)

    result = run("check", file)

    assert result.exit_code == 2
    assert str(file) in result.stderr
    assert says in result.stderr


@pytest.mark.parametrize("kind", ("scenario", "system", "policy"))
def test_the_schema_of_each_file_is_printed(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(kind))


def test_a_composed_scenario_says_where_it_is_run_what_it_took(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)

    result = run("run", file)

    assert result.stdout.splitlines()[0] == (
        "from the catalog: layers.downstream_sdk: botocore-standard-v2 (the real code was run; checked 2026-12-01); "
        "overridden: attempts"
    )


def test_a_system_and_a_policy_of_one_id_are_both_shown_and_told_apart() -> None:
    (shared,) = set(system_names()) & set(policy_names())

    both, one, as_json = (
        run("catalog", "show", shared),
        run("catalog", "show", shared, "--kind", "policies", "--json"),
        run("catalog", "show", shared, "--json"),
    )

    assert ", a system of record" in both.stdout
    assert ", a retry policy" in both.stdout
    assert json.loads(one.stdout)["kind"] == "policy"
    assert as_json.exit_code == 2
    assert "say one of these with --kind" in as_json.stderr
