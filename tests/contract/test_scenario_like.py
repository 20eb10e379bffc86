"""`like:` in scenario files: what is taken over, merged by name and taken away, and what is refused where."""

import pytest

from simkit.catalog import scenario_content
from simkit.choices import OnTimeout
from simkit.contract import likeness, parse_scenario, read_scenario, scenario_text
from simkit.errors import InputError, Problem
from simkit.scenario import Scenario
from simkit.terms import ClaimKind, LayerName, OnExhausted

__all__: list[str] = []

HEAD = "schema_version: 1\nname: mine\nlike: plain-write\n"
PLAIN = parse_scenario(scenario_content("plain-write"), file="plain-write")


def like_plain(text: str = "") -> Scenario:
    return parse_scenario((HEAD + text).encode(), file="mine.yaml")


def problems_in(text: str) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as refusal:
        parse_scenario(text.encode(), file="mine.yaml")
    return refusal.value.problems


def test_a_file_that_says_nothing_but_its_name_is_the_other_one_under_that_name() -> None:
    scenario = like_plain()

    assert scenario.name == "mine"
    assert scenario_text(scenario) == scenario_text(PLAIN).replace("name: plain-write", "name: mine", 1)


def test_fields_are_merged_at_any_depth() -> None:
    scenario = like_plain("server:\n  retention:\n    retention: 2 h\n")

    assert scenario.server.retention.retention_s == 7200.0
    assert scenario.server.retention.kind is PLAIN.server.retention.kind
    assert scenario.server.claim is PLAIN.server.claim


def test_a_thing_in_a_list_is_found_by_its_name_and_keeps_what_is_not_said() -> None:
    scenario = like_plain("layers:\n  - name: downstream_sdk\n    attempts: 3\n")

    assert [layer.name for layer in scenario.layers] == [LayerName.AGENT, LayerName.DOWNSTREAM_SDK]
    assert scenario.layers[0] == PLAIN.layers[0]
    assert (scenario.layers[1].attempts, scenario.layers[1].timeout_s) == (3, PLAIN.layers[1].timeout_s)


def test_calls_are_found_by_intent_and_rates_by_site() -> None:
    scenario = like_plain(
        "calls:\n  - intent: wish\n    inputs: other\n"
        "conditions:\n  rates:\n    - site: server.after_effect\n      probability: 0.25\n"
    )

    rates = {rate.site: rate.probability for rate in scenario.conditions.rates}
    assert (scenario.calls[0].inputs, scenario.calls[0].operation) == ("other", "op-1")
    assert rates["server.after_effect"] == 0.25
    assert len(rates) == len(PLAIN.conditions.rates)


GATEWAY = "{name: gateway, attempts: 2, timeout: 9 s, backoff: 0 s, budget: none, on_exhausted: say failed}"
TO_GATEWAY = "{name: agent_to_gateway, request: 1 ms, response: 1 ms, latest_landing: 1 s}"


def test_something_new_is_put_before_the_next_one_that_is_known() -> None:
    scenario = like_plain(
        f"layers:\n  - {GATEWAY}\n  - name: downstream_sdk\nhops:\n  - {TO_GATEWAY}\n  - name: gateway_to_server\n"
    )

    assert [layer.name for layer in scenario.layers] == [LayerName.AGENT, LayerName.GATEWAY, LayerName.DOWNSTREAM_SDK]
    assert [hop.name for hop in scenario.hops] == ["agent_to_gateway", "gateway_to_server", "server_to_downstream"]
    assert scenario.layers[1].on_exhausted is OnExhausted.SAY_FAILED


def test_something_new_with_nothing_known_behind_it_comes_last() -> None:
    scenario = like_plain("calls:\n  - {intent: second, operation: op-2, tenant: acme, inputs: as asked, start: 1 s}\n")

    assert [call.intent for call in scenario.calls] == ["wish", "second"]


def test_something_that_is_said_to_be_absent_is_taken_away() -> None:
    scenario = like_plain("conditions:\n  rates:\n    - {site: server.after_effect, absent: true}\n")

    sites = [rate.site for rate in scenario.conditions.rates]
    assert sites == [rate.site for rate in PLAIN.conditions.rates if rate.site != "server.after_effect"]


def test_a_list_without_names_and_a_single_value_stand_instead() -> None:
    scenario = like_plain("schedule: [server.after_effect@1]\nserver:\n  scope: [tenant]\n  claim: check then act\n")

    assert scenario.schedule == ("server.after_effect@1",)
    assert [str(part) for part in scenario.server.scope] == ["tenant"]
    assert scenario.server.claim is ClaimKind.CHECK_THEN_ACT


@pytest.mark.parametrize(("field", "problem"), (("calls", "at least one"), ("stages", "at least one")))
def test_an_empty_list_stands_instead_of_things_with_names(field: str, problem: str) -> None:
    """Whoever writes that there are none must not get those of the other."""
    (found,) = problems_in(f"{HEAD}{field}: []\n")

    assert (found.file, found.line, found.field) == ("mine.yaml", HEAD.count("\n") + 1, field)
    assert problem in found.message


def test_a_problem_of_the_whole_world_is_reported_where_its_field_stands() -> None:
    rates = "conditions:\n  rates:\n    - {site: nowhere.lost, probability: 0.1, source: assumed}\n"

    (found,) = problems_in(HEAD + rates)

    assert (found.line, found.field) == (HEAD.count("\n") + 2, "conditions.rates")
    assert found.message.startswith("nothing ever passes the site 'nowhere.lost'; sites: ")


def test_one_duration_stands_instead_of_a_range_and_a_range_instead_of_one_duration() -> None:
    scenario = like_plain(
        "layers:\n  - {name: agent, backoff: 3 s}\n"
        "  - {name: downstream_sdk, backoff: {least: 1 s, typical: 2 s, most: 4 s}}\n"
    )

    assert scenario.layers[0].wait_before(1).s_max == 3.0
    assert scenario.layers[1].wait_before(1).s_max == 4.0


def test_things_of_one_name_twice_cannot_be_told_apart_so_the_list_stands_instead() -> None:
    same = "{intent: wish, operation: op-1, tenant: acme, inputs: as asked, start: 0 s}"

    scenario = like_plain(f"calls:\n  - {same}\n  - {same}\n")

    assert len(scenario.calls) == 2


def test_a_scenario_may_be_like_one_that_is_like_a_third() -> None:
    text = "schema_version: 1\nname: mine\nlike: plain-keyed-write\nhops:\n  - name: gateway_to_server\n"

    scenario = parse_scenario(f"{text}    on_timeout: interrupted at its next step\n".encode(), file="mine.yaml")

    assert scenario.server.claim is ClaimKind.NONE  # of plain-keyed-write
    assert scenario.layers == PLAIN.layers  # of plain-write, which that one is like
    assert scenario.hops[0].on_timeout is OnTimeout.INTERRUPTED


def test_a_command_that_takes_any_file_takes_one_that_is_like_another() -> None:
    assert read_scenario(HEAD.encode(), file="mine.yaml") == like_plain()


def test_an_unknown_name_is_refused_where_it_stands_with_the_nearest_ones() -> None:
    (problem,) = problems_in("schema_version: 1\nname: mine\nlike: plain-wriet\n")

    assert (problem.file, problem.line, problem.field, problem.value) == ("mine.yaml", 3, "like", "plain-wriet")
    assert problem.message == "the catalog has no scenario of that name"
    assert "plain-write" in problem.allowed


@pytest.mark.parametrize("name", ("12", "[plain-write]", "none", "''"))
def test_a_name_that_is_none_is_refused(name: str) -> None:
    (problem,) = problems_in(f"schema_version: 1\nname: mine\nlike: {name}\n")

    assert (problem.line, problem.field) == (3, "like")


def test_a_loop_is_refused_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"here": b"schema_version: 1\nlike: there\n", "there": b"schema_version: 1\nlike: here\n"}
    monkeypatch.setattr(likeness, "scenario_names", lambda: tuple(files))
    monkeypatch.setattr(likeness, "scenario_content", files.__getitem__)

    (problem,) = problems_in("schema_version: 1\nname: mine\nlike: here\n")

    assert problem.message == "this leads back to itself: here -> there -> here"
    assert (problem.file, problem.line, problem.value) == ("there.yaml", 2, "here")


def test_a_problem_of_the_other_file_is_reported_as_one_of_that_file(monkeypatch: pytest.MonkeyPatch) -> None:
    text = scenario_content("plain-write-without-faults").decode().replace("lease: none", "lease: long")
    monkeypatch.setattr(likeness, "scenario_names", lambda: ("plain-write",))
    monkeypatch.setattr(likeness, "scenario_content", lambda _: text.encode())
    line = text.splitlines().index("  lease: long") + 1

    theirs = problems_in(HEAD)
    both = problems_in(f"{HEAD}server:\n  claim: maybe\n")

    assert [(one.file, one.line, one.field, one.value) for one in theirs] == [
        ("plain-write.yaml", line, "server.lease", "long")
    ]
    assert [one.file for one in both] == ["mine.yaml", "plain-write.yaml"]  # one's own first
    assert (both[0].line, both[0].field) == (5, "server.claim")


def test_a_problem_in_a_merged_list_has_the_place_that_the_person_wrote() -> None:
    (problem,) = problems_in(f"{HEAD}layers:\n  - name: downstream_sdk\n    attempts: many\n")

    assert (problem.file, problem.line, problem.field, problem.value) == ("mine.yaml", 6, "layers.0.attempts", "many")


def test_something_new_that_is_not_whole_lacks_its_fields_at_its_line() -> None:
    problems = problems_in(f"{HEAD}layers:\n  - name: gatway\n")

    assert {problem.line for problem in problems} == {5}
    assert ("layers.0.timeout", "the field is missing") in {(one.field, one.message) for one in problems}


def test_taking_away_what_is_not_there_is_refused_with_the_nearest_names() -> None:
    (problem,) = problems_in(f"{HEAD}layers:\n  - {{name: downstrem_sdk, absent: true}}\n")

    assert (problem.line, problem.field, problem.value) == (5, "layers.0", "downstrem_sdk")
    assert problem.message == "this is to be taken away, and is not there"
    assert problem.allowed == "downstream_sdk"


def test_only_true_takes_away_and_only_where_there_is_another_file() -> None:
    (not_true,) = problems_in(f"{HEAD}layers:\n  - {{name: downstream_sdk, absent: 1}}\n")
    alone = problems_in(
        scenario_content("plain-write-without-faults")
        .decode()
        .replace("name: agent\n", "name: agent\n    absent: true\n")
    )

    assert (not_true.field, not_true.message) == ("layers.0.absent", "there is no such field")
    assert [(one.field, one.message) for one in alone] == [("layers.0.absent", "there is no such field")]


def test_fields_that_exclude_each_other_after_the_merge_are_refused_in_the_file_that_joined_them() -> None:
    (problem,) = problems_in(f"{HEAD}server:\n  claim: none\n")

    assert (problem.file, problem.line, problem.field) == ("mine.yaml", 4, "server")
    assert "exclude each other" in problem.message


def test_the_name_is_ones_own() -> None:
    (problem,) = problems_in("schema_version: 1\nlike: plain-write\n")

    assert (problem.file, problem.field, problem.message) == ("mine.yaml", "name", "the field is missing")


def test_the_version_is_ones_own() -> None:
    (problem,) = problems_in("name: mine\nlike: plain-write\n")

    assert (problem.field, problem.message) == ("schema_version", "this is no scenario of version 1")
