"""The door, for the incident gallery: listed, told, run as a table."""

import pytest

from tests.command_line import run

__all__: list[str] = []


def test_the_incidents_are_listed_with_title_mechanism_and_source() -> None:
    result = run("catalog", "incidents")

    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert len(lines) == 40
    assert "RS-067  Posts multiply in the gap between the post and its receipt  [S4: " in result.stdout
    assert all("#" in line.split()[-1] for line in lines)


def test_an_incident_is_told_as_a_timeline_in_both_forms_with_its_verdicts() -> None:
    result = run("incident", "RS-067")

    faulty, right = result.stdout.split("The right form")
    assert result.exit_code == 0
    assert "mastodon/mastodon#21840 (2022, production)" in faulty
    assert faulty.count("EFFECT in record") == 11
    assert "effects: 11; told: OK; harm: duplicate effect" in faulty
    assert "verdict: DISABLE (the case's: disable)" in faulty
    assert right.count("EFFECT in record") == 1
    assert "verdict: ALLOW (the case's: allow)" in right


def test_where_our_verdict_is_another_one_the_incident_says_why() -> None:
    result = run("incident", "RS-069")

    assert "verdict: ALLOW (the case's: hold)" in result.stdout
    assert "why it differs: the server itself holds the stale reservation" in result.stdout


def test_an_unknown_incident_is_refused_with_the_nearest_ids() -> None:
    result = run("incident", "RS-0067")

    assert result.exit_code == 2
    assert "there is no such incident in the gallery" in result.stderr
    assert "RS-067" in result.stderr


def test_the_gallery_runs_as_a_table_of_two_rows_for_each_case(monkeypatch: pytest.MonkeyPatch) -> None:
    import simkit.catalog

    monkeypatch.setattr(simkit.catalog, "incident_names", lambda: ("RS-061", "RS-069"))

    result = run("catalog", "incidents", "--run")

    head, _, *rows = result.stdout.splitlines()
    assert head.split() == ["case", "form", "effects", "verdict", "outcome", "note"]
    assert [row.split()[:5] for row in rows[:2]] == [
        ["RS-061", "faulty", "2", "/", "2"],
        ["RS-061", "right", "1", "/", "1"],
    ]
    assert "duplicate effect" in rows[0]
    assert "hold / hold" in rows[0]
    assert "ANOTHER ANSWER: the server itself holds" in rows[3]
