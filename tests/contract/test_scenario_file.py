"""Scenario files: what is written is read back the same, and what is wrong is said in one line each, all at once."""

import json
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from simkit.catalog import scenario_content
from simkit.contract import load_review, parse_scenario, scenario_of, scenario_text
from simkit.distributions import Wait
from simkit.errors import InputError, Problem
from simkit.scenario import (
    TO_DOWNSTREAM,
    TO_GATEWAY,
    TO_SERVER,
    Agent,
    Downstream,
    Hop,
    Readback,
    Retention,
    Scenario,
    Stage,
)
from simkit.terms import (
    ClaimKind,
    Identity,
    LayerName,
    OnExhausted,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    RetentionKind,
    StalePolicy,
)
from tests.builders import a_call, a_layer, a_scenario, conditions_with, rates_at, server_with
from tests.contract.ticket_review import TEMPLATES, line_of

__all__: list[str] = []

FILES = tuple(sorted((files("simkit") / "catalog" / "scenarios").iterdir(), key=lambda path: path.name))
TEXT = scenario_text(parse_scenario(scenario_content("two-at-once-unprotected"), file="")) + "schedule: [a]\n"
DURATIONS = "a number and a unit (ms, s, min, h, d), such as 50 ms, 90 s, 15 min, 24 h, 7 d"


def read(text: str) -> Scenario:
    return parse_scenario(text.encode(), file="scenario.yaml")


def problems_in(content: bytes) -> tuple[Problem, ...]:
    """Everything that is wrong with the content, nothing if it is a scenario."""
    try:
        parse_scenario(content, file="scenario.yaml")
    except InputError as error:
        return error.problems
    return ()


def text_with(*changes: tuple[str, str]) -> str:
    """The scenario with the first of each replaced; that it is there is part of the test."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_named_scenario_bears_the_name_of_its_file_and_is_read_back_as_it_was_written(path: Any) -> None:
    scenario = parse_scenario(path.read_bytes(), file=path.name)

    assert f"{scenario.name}.yaml" == path.name
    assert read(scenario_text(scenario)) == scenario


@pytest.mark.parametrize("name", ("create_ticket", "github_create_issue"))
def test_the_world_of_a_review_can_be_written_and_read_back(name: str) -> None:
    review = load_review(TEMPLATES / "examples" / f"{name}.yaml")
    scenario = scenario_of(review, review.effects[0]).scenario

    assert read(scenario_text(scenario)) == scenario
    assert scenario_text(read(scenario_text(scenario))) == scenario_text(scenario)


def test_what_is_written_has_durations_with_units_and_a_word_for_what_does_not_apply() -> None:
    layers = (a_layer(LayerName.AGENT, timeout_s=None, backoff=Wait(s_min=0.2, s_typical=1.0, s_max=90.0)),)
    scenario = server_with(a_scenario(layers=(*layers, a_layer(LayerName.DOWNSTREAM_SDK))), lease_s=900.0)

    written = YAML(typ="safe", pure=True).load(scenario_text(scenario))

    assert written["schema_version"] == 1
    assert written["layers"][0]["timeout"] == "none"
    assert written["layers"][0]["backoff"] == {"least": "200 ms", "typical": "1 s", "most": "90 s"}
    assert written["server"]["lease"] == "15 min"
    assert written["server"]["readback"] == "none"
    assert written["conditions"]["episode"] == "5 min"


durations_s = st.integers(0, 10**14).map(lambda microseconds: microseconds / 10**6)
words = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=("C", "Z")), max_size=30)
probabilities = st.floats(0, 1)


@st.composite
def waits(draw: st.DrawFn) -> Wait:
    s_min, s_typical, s_max = sorted(draw(st.tuples(durations_s, durations_s, durations_s)))
    return Wait(s_min=s_min, s_typical=s_typical, s_max=s_max)


retentions = st.builds(
    Retention, retention_s=durations_s, kind=st.sampled_from(RetentionKind), after=st.sampled_from(OnExpired)
)
readbacks = st.builds(
    Readback,
    attempts=st.integers(1, 9),
    lag_s_max=durations_s,
    latency=waits(),
    on_uncertain=st.sampled_from(OnUncertainReadback),
)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """The plain world with every field drawn."""
    layer_names = draw(st.sets(st.sampled_from(LayerName))) | {LayerName.AGENT, LayerName.DOWNSTREAM_SDK}
    layers = tuple(
        a_layer(
            name,
            attempts=draw(st.integers(1, 99)),
            timeout_s=draw(st.none() | durations_s),
            backoff=draw(waits()),
            budget_s=draw(st.none() | durations_s),
            on_exhausted=draw(st.sampled_from(OnExhausted)),
        )
        for name in LayerName
        if name in layer_names
    )
    hops = tuple(
        Hop(name=name, request=request, response=response, latest_landing_s=max(request.s_max, response.s_max))
        for name in (TO_GATEWAY, TO_SERVER, TO_DOWNSTREAM)
        if name != TO_GATEWAY or LayerName.GATEWAY in layer_names
        for request, response in [draw(st.tuples(waits(), waits()))]
    )
    calls = tuple(
        a_call(intent=intent, operation=operation, tenant=tenant, inputs=inputs, start_s=draw(durations_s))
        for intent, operation, tenant, inputs in draw(
            st.lists(st.tuples(words, words, words, words), min_size=1, max_size=2, unique_by=lambda call: call[0])
        )
    )
    identity = draw(st.sampled_from(Identity))
    scenario = a_scenario(
        name=draw(words),
        calls=calls,
        agent=Agent(identity=Identity.PER_INTENT),
        layers=layers,
        hops=hops,
        stages=(
            Stage(
                name=draw(words),
                downstream=Downstream(
                    name=draw(words),
                    key_retention=draw(st.none() | retentions),
                    on_mismatch=draw(st.sampled_from(OnMismatch)),
                    work=draw(waits()),
                ),
            ),
        ),
        schedule=tuple(draw(st.lists(words, max_size=2))),
    )
    scenario = server_with(
        scenario,
        claim=ClaimKind.NONE if identity is Identity.NONE else draw(st.sampled_from(ClaimKind)),
        lease_s=draw(durations_s),
        on_pending=draw(st.sampled_from(OnPending)),
        stale=draw(st.sampled_from(StalePolicy)),
        on_mismatch=draw(st.sampled_from(OnMismatch)),
        retention=draw(retentions),
        readback=draw(readbacks),
    )
    sites = draw(st.sets(st.sampled_from(scenario.sites())))
    rates = tuple(rates_at(draw(st.none() | probabilities), site)[0] for site in sorted(sites))
    return conditions_with(
        scenario,
        rates=rates,
        fault_budget=draw(st.integers(0, 9)),
        retry_horizon_s=draw(durations_s),
        risk_limit_probability=draw(probabilities),
        common_cause_share=draw(probabilities),
        episode_s=draw(durations_s),
        owner=draw(words),
        deadline_s=draw(durations_s),
        pause_s_max=1.0,
    )


@settings(deadline=None, max_examples=60)
@given(scenarios())
def test_any_scenario_with_times_in_whole_microseconds_is_read_back_as_it_was_written(scenario: Scenario) -> None:
    """Every text too, whatever it looks like in YAML."""
    again = read(scenario_text(scenario))

    assert again == scenario
    assert again.digest() == scenario.digest()


@pytest.mark.parametrize("text", ("none", "true", "12", "1e3", "- a", "a: b", "#", "'", '"', "~", "null", "2026-01-01"))
def test_a_text_that_looks_like_something_else_is_still_that_text(text: str) -> None:
    scenario = a_scenario(name=text, calls=(a_call(tenant=text, inputs=text),), schedule=(text,))

    assert read(scenario_text(scenario)) == scenario


@pytest.mark.parametrize(
    ("old", "new", "field", "value", "message", "allowed"),
    (
        ("lease: 15 min", "lease: 15", "server.lease", "15", "a duration needs a unit", DURATIONS),
        ("lease: 15 min", "lease: -15 min", "server.lease", "-15 min", "a duration cannot be negative", DURATIONS),
        ("timeout: 8 s", "timeout: never", "layers.0.timeout", "never", "this is not a duration", DURATIONS),
        ("start: 0 s", "start: [0 s]", "calls.0.start", "a list of 1", "this is not a duration", DURATIONS),
        ("backoff: 0 s", "backoff: soon", "layers.1.backoff", "soon", "this is not a duration", DURATIONS),
        (
            "claim: check then act", "claim: uniqe", "server.claim", "uniqe",
            "this is none of the choices", "none, check then act, unique reservation",
        ),
        (
            "identity: per intent", "identity: [per intent]", "agent.identity", "a list of 1",
            "this is none of the choices", ", ".join(Identity),
        ),
        ("attempts: 1", "attempts: one", "layers.0.attempts", "one", "a whole number is expected", "a whole number"),
        ("attempts: 1", "attempts: true", "layers.0.attempts", "true", "a whole number is expected", "a whole number"),
        (
            "fault_budget: 1", "fault_budget: 1.5", "conditions.fault_budget", "1.5",
            "a whole number is expected", "a whole number",
        ),
        (
            "risk_limit_probability: 0.0001", "risk_limit_probability: small", "conditions.risk_limit_probability",
            "small", "a number is expected", "a number",
        ),
        ("tenant: acme", "tenant: 12", "calls.0.tenant", "12", "text is expected", "text"),
        ("tenant: acme", "tenant:", "calls.0.tenant", "nothing", "text is expected", "text"),
        (
            "rates: []", "rates: {}", "conditions.rates", "a mapping with 0 fields",
            "a list is expected", "a list such as [a, b]",
        ),
        (
            "schedule: [a]", "schedule: {a: 1}", "schedule", "a mapping with 1 field",
            "a list is expected", "a list such as [a, b]",
        ),
        ("schedule: [a]", "schedule: [1]", "schedule.0", "1", "text is expected", "text"),
    ),
)  # fmt: skip
def test_a_wrong_value_gives_one_line_with_place_value_and_what_is_allowed(
    old: str, new: str, field: str, value: str, message: str, allowed: str
) -> None:
    (problem,) = problems_in(text_with((old, new)).encode())

    assert (problem.file, problem.line) == ("scenario.yaml", line_of(old, TEXT))
    assert (problem.field, problem.value, problem.message, problem.allowed) == (field, value, message, allowed)
    assert str(problem).isprintable()


@pytest.mark.parametrize(
    ("wait", "message"),
    (
        ("{least: 2 s, typical: 1 s, most: 3 s}", "0 <= s_min <= s_typical <= s_max"),
        ("{least: 1 s, most: 3 s}", "this is no wait"),
        ("{least: 1 s, typical: 2 s, most: 3 s, worst: 4 s}", "this is no wait"),
    ),
)
def test_a_wait_out_of_order_or_with_other_fields_is_refused_where_it_stands(wait: str, message: str) -> None:
    (problem,) = problems_in(text_with(("backoff: 0 s", f"backoff: {wait}")).encode())

    assert (problem.field, problem.line) == ("layers.1.backoff", line_of("backoff: 0 s", TEXT))
    assert message in problem.message
    assert "least" in problem.allowed
    assert "most" in problem.allowed


def test_a_misspelt_field_is_named_beside_the_one_that_is_missing() -> None:
    missing, misspelt = problems_in(text_with(("lease: 15 min", "leese: 15 min")).encode())

    assert (missing.field, missing.message, missing.line) == (
        "server.lease",
        "the field is missing",
        line_of("server:\n", TEXT),
    )
    assert (misspelt.field, misspelt.value, misspelt.line) == (
        "server.leese",
        "15 min",
        line_of("lease: 15 min", TEXT),
    )
    assert misspelt.message == "there is no such field"
    assert misspelt.allowed.startswith("claim, order, lease, on_pending, stale, on_mismatch, retention, readback, ")


@pytest.mark.parametrize(
    ("old", "new", "section", "message"),
    (
        ("attempts: 1", "attempts: 0", "layers.0", "agent.attempts is 1 or more, got 0"),
        ("identity: per intent", "identity: none", "agent.identity", "agent.identity 'none' and server.claim"),
        ("latest_landing: 1 min", "latest_landing: 1 ms", "hops.0", "gateway_to_server.latest_landing_s 0.001"),
        ("risk_limit_probability: 0.0001", "risk_limit_probability: 7", "conditions", "lies in 0..1, got 7"),
        (
            "rates: []", "rates: [{site: server.after_efect, probability: 0.1, source: given}]", "conditions.rates",
            "nothing ever passes the site 'server.after_efect'",
        ),
        (
            "rates: []", "rates: [{site: server.after_effect, probability: 1.5, source: given}]", "conditions.rates.0",
            "lies in 0..1, got 1.5",
        ),
        ("name: downstream_sdk", "name: agent", "layers", "agent first, each once"),
    ),
)  # fmt: skip
def test_fields_that_have_no_meaning_together_are_refused_at_their_section(
    old: str, new: str, section: str, message: str
) -> None:
    (problem,) = problems_in(text_with((old, new)).encode())

    assert problem.field == section
    assert message in problem.message
    assert 1 <= problem.line <= line_of(old, TEXT)


def test_all_problems_come_at_once_and_in_file_order() -> None:
    changes = (
        ("fault_budget: 1", "fault_budget: two"),
        ("attempts: 1", "attempts: many"),
        ("claim: check then act", "claim: maybe"),
        ("tenant: acme", "tenant: 12"),
        ("schedule: [a]", "schedule: [a]\nmood: good"),
    )

    problems = problems_in(text_with(*changes).encode())

    assert [problem.field for problem in problems] == [
        "calls.0.tenant",
        "layers.0.attempts",
        "server.claim",
        "conditions.fault_budget",
        "mood",
    ]
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


def test_a_file_with_nothing_but_its_version_is_told_what_is_missing() -> None:
    with pytest.raises(InputError) as raised:
        parse_scenario(b"schema_version: 1\n", file="mine.yaml")

    missing = {problem.field for problem in raised.value.problems}
    assert {problem.message for problem in raised.value.problems} == {"the field is missing"}
    assert missing == {"name", "calls", "agent", "layers", "hops", "server", "stages", "conditions"}


@pytest.mark.parametrize("version", ("schema_version: 2", 'schema_version: "1"', ""))
def test_a_file_of_another_version_or_of_none_is_no_scenario(version: str) -> None:
    (problem,) = problems_in(text_with(("schema_version: 1", version)).encode())

    assert problem.message == "this is no scenario of version 1"
    assert problem.allowed == "1"


@pytest.mark.parametrize("content", (b"", b"5", b"- a", b"\xff", b"a: [", b"a: *x", b"a: 1\na: 2", b"--- a\n--- b"))
def test_what_is_no_mapping_or_no_yaml_is_refused(content: bytes) -> None:
    problems = problems_in(content)

    assert problems
    assert all(problem.file == "scenario.yaml" and problem.line >= 1 for problem in problems)


def test_a_file_name_with_a_line_break_stays_on_one_line() -> None:
    with pytest.raises(InputError) as refusal:
        parse_scenario(b"5", file="a\nb.yaml")

    assert all("\n" not in str(problem) for problem in refusal.value.problems)


def insist_on_a_scenario_or_problems(content: bytes) -> None:
    problems = problems_in(content)

    assert all(str(problem).startswith("scenario.yaml:") for problem in problems)
    assert all(str(problem).isprintable() for problem in problems)
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


BYTES = TEXT.encode()


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_noise_gives_problems_and_never_a_traceback(content: bytes) -> None:
    insist_on_a_scenario_or_problems(content)


@settings(deadline=None)
@given(st.integers(0, len(BYTES)), st.integers(0, 60), st.binary(max_size=12))
def test_a_scenario_with_bytes_exchanged_never_gives_a_traceback(start: int, length: int, other: bytes) -> None:
    insist_on_a_scenario_or_problems(BYTES[:start] + other + BYTES[start + length :])


def places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, item in inner for found in places(item, (*place, key)))]


DOCUMENT = YAML(typ="safe", pure=True).load(TEXT)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(("none", "1 s")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(st.sampled_from(places(DOCUMENT)[1:]), VALUES)
def test_a_scenario_with_any_value_anywhere_never_gives_a_traceback(
    place: tuple[str | int, ...], other: object
) -> None:
    changed = json.loads(json.dumps(DOCUMENT))
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = other

    insist_on_a_scenario_or_problems(json.dumps(changed, indent=1).encode())
