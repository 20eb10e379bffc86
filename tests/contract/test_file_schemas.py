"""The JSON Schemas of entries and scenarios: what the catalog holds is valid, and schema and reader refuse alike."""

import copy
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.catalog import (
    policy_content,
    policy_names,
    scenario_content,
    scenario_names,
    system_content,
    system_names,
)
from simkit.contract import parse_composed, policy_schema, read_entry, scenario_schema, system_schema
from simkit.contract.reading import read_tree
from simkit.errors import InputError

__all__: list[str] = []

SYSTEM = jsonschema.Draft202012Validator(system_schema())
POLICY = jsonschema.Draft202012Validator(policy_schema())
SCENARIO = jsonschema.Draft202012Validator(scenario_schema())


def document(content: bytes) -> Any:
    return read_tree(content, "file.yaml").value


STRIPE = document(system_content("stripe-v1"))
BOTOCORE = document(policy_content("botocore-standard-v2"))


def is_read(changed: Any) -> bool:
    try:
        read_entry(json.dumps(changed, indent=1).encode(), file="mine.yaml")
    except InputError:
        return False
    return True


@pytest.mark.parametrize("validator", (SYSTEM, POLICY, SCENARIO))
def test_each_is_a_schema_of_draft_2020_12(validator: jsonschema.Draft202012Validator) -> None:
    jsonschema.Draft202012Validator.check_schema(validator.schema)


@pytest.mark.parametrize("name", system_names())
def test_every_system_of_the_catalog_is_valid(name: str) -> None:
    SYSTEM.validate(document(system_content(name)))


@pytest.mark.parametrize("name", policy_names())
def test_every_policy_of_the_catalog_is_valid(name: str) -> None:
    POLICY.validate(document(policy_content(name)))


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_of_the_catalog_is_valid(name: str) -> None:
    SCENARIO.validate(document(scenario_content(name)))


@pytest.mark.parametrize(
    "text",
    (
        "stack: {sdk: {like: botocore-standard-v2, attempts: 5}, downstream: stripe-v1}\n",
        "layers: [{name: downstream_sdk, like: botocore-standard-v2, retries_on: [429]}]\n",
        "stages: [{name: record, downstream: stripe-v1}]\n",
    ),
)
def test_a_scenario_that_names_entries_is_valid(text: str) -> None:
    content = f"schema_version: 1\nname: mine\nlike: plain-write\n{text}".encode()

    parse_composed(content, file="mine.yaml")
    SCENARIO.validate(document(content))


@pytest.mark.parametrize(
    ("path", "value"),
    (
        ("behaviour.effect", "creates"),
        ("behaviour.key_retention.retention", 24),
        ("behaviour.key_retention.retention", "24 hours"),
        ("behaviour.accepts_first", "yes"),
        ("readback_offer.lag", {"least": "1 s"}),
        ("checked_at", 20261130),
        ("cautions", "one"),
        ("grade", "good"),
        ("invented", "field"),
        ("schema_version", 2),
    ),
)
def test_what_the_reader_refuses_of_a_system_the_schema_refuses_too(path: str, value: object) -> None:
    changed = copy.deepcopy(STRIPE)
    *around, last = path.split(".")
    part = changed
    for name in around:
        part = part[name]
    part[last] = value

    assert not is_read(changed)
    assert not SYSTEM.is_valid(changed)


@pytest.mark.parametrize("name", sorted(set(BOTOCORE) - {"behaviour", "package", "retried", "takes_place_of"}))
def test_a_missing_field_of_a_policy_is_refused_by_both(name: str) -> None:
    changed = {key: value for key, value in BOTOCORE.items() if key != name}

    assert not is_read(changed)
    assert not POLICY.is_valid(changed)


def places(value: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place] * bool(place) + [found for key, one in inner for found in places(one, (*place, key))]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    place=st.sampled_from(places(BOTOCORE)),
    value=st.sampled_from(
        ["none", "unknown", "5 s", "429", 429, 0, -1, 2.5, True, [], {}, ["timeout"], {"first": "1 s"}]
    ),
)
def test_whatever_the_reader_takes_the_schema_takes(place: tuple[str | int, ...], value: object) -> None:
    changed = copy.deepcopy(BOTOCORE)
    part: Any = changed
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value

    assert POLICY.is_valid(changed) or not is_read(changed)


def test_a_field_is_described_by_the_docstring_of_its_class() -> None:
    described = system_schema()["properties"]["summary"]["description"]

    assert described == "What to know of it, in a sentence."
