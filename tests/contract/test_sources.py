"""What may be named as the source of a scenario: every name leads to one, a file goes before a name."""

import json
from pathlib import Path

import pytest

from simkit.catalog import nearest_names
from simkit.contract import about_named_scenarios, named_scenario, scenario_at
from simkit.errors import InputError
from tests.contract.ticket_review import TEMPLATES, TICKET_TEXT, document

__all__: list[str] = []


def test_every_listed_name_leads_to_a_scenario_of_its_own() -> None:
    about = about_named_scenarios()

    names = {named_scenario(name).name for name in about}

    assert len(names) == len(about)


def test_every_listed_name_says_in_one_line_what_happens() -> None:
    for name, what in about_named_scenarios().items():
        assert len(what) > 20, name
        assert "\n" not in what


def test_both_forms_of_an_incident_differ() -> None:
    faulty, right = named_scenario("RS-067-faulty"), named_scenario("RS-067-right")

    assert faulty.digest() != right.digest()
    assert (faulty.name, right.name) == ("RS-067, faulty form", "RS-067, right form")


@pytest.mark.parametrize("name", ("-faulty", "RS-999-right", "plain-write-right", "RS-067-", "\x00", "a\nb"))
def test_what_is_no_name_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(InputError) as refusal:
        scenario_at(name)

    assert "no scenario of that name; nearest names: " in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_goes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain-write").write_text("schema_version: 1\nname: mine\nlike: plain-write\n")
    monkeypatch.chdir(tmp_path)

    assert scenario_at("plain-write").scenario.name == "mine"


def test_of_a_review_with_two_effects_the_first_is_taken_and_the_other_named(tmp_path: Path) -> None:
    review = document(TEMPLATES / "examples" / "create_ticket.yaml")
    review["effects"] = [review["effects"][0], {**review["effects"][0], "name": "mail"}]
    file = tmp_path / "two.yaml"
    file.write_text(json.dumps(review, indent=1))

    found = scenario_at(str(file))

    assert [stage.name for stage in found.scenario.stages] == ["ticket"]
    assert found.notes[0] == "this is effect ticket, the first; without mail"


def test_of_a_review_with_one_effect_no_choice_is_told(tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(TICKET_TEXT)

    assert not any("effect" in note for note in scenario_at(str(file)).notes)


def test_a_scenario_that_has_a_name_needs_no_notes() -> None:
    assert scenario_at("plain-write").notes == ()


@pytest.mark.parametrize(
    ("name", "nearest"),
    (
        ("rs-067", "RS-067"),  # the case of letters doesn't matter
        ("plain", "plain-write"),
        ("qqq", "RS-067, plain-write, publish-schedule"),  # nothing is alike: all three, as there are no more
    ),
)
def test_the_nearest_names_are_few_and_never_none(name: str, nearest: str) -> None:
    found = nearest_names(name, ("plain-write", "publish-schedule", "RS-067"))

    assert sorted(found.split(", ")) == sorted(nearest.split(", "))
