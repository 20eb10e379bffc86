"""The JSON Schema teaches editors what the reader takes."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.contract import parse_review, review_schema
from simkit.errors import InputError
from tests.contract.ticket_review import TEMPLATES, document

FILES = ("full.yaml", "minimal.yaml", "examples/create_ticket.yaml", "examples/github_create_issue.yaml")
SCHEMA = review_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_one_of_draft_2020_12() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("name", FILES)
def test_every_template_and_example_is_valid(name: str) -> None:
    VALIDATOR.validate(document(TEMPLATES / name))


@pytest.mark.parametrize("name", FILES)
def test_every_template_names_the_schema_that_lies_beside_it(name: str) -> None:
    path = TEMPLATES / name
    first = path.read_text(encoding="utf-8").splitlines()[0]

    assert first.startswith("# yaml-language-server: $schema=")
    assert (path.parent / first.partition("=")[2]).resolve() == TEMPLATES / "review.schema.json"


def test_the_schema_that_lies_beside_the_templates_is_this_one() -> None:
    stored = json.loads((TEMPLATES / "review.schema.json").read_text(encoding="utf-8"))

    assert stored == SCHEMA


def own_parts() -> list[dict[str, Any]]:
    """What a review is made of that names no entry of the catalog."""
    taken = ("FromCatalog", "policy_")
    return [
        SCHEMA,
        *(
            part
            for name, part in SCHEMA["$defs"].items()
            if "properties" in part and not name.endswith(taken[0]) and not name.startswith(taken[1])
        ),
    ]


def properties() -> list[tuple[str, dict[str, Any]]]:
    return [(name, field) for part in own_parts() for name, field in part["properties"].items()]


def test_every_field_is_required_and_explained() -> None:
    parts = own_parts()

    assert all(set(part["required"]) == set(part["properties"]) for part in parts)
    assert all(part["additionalProperties"] is False for part in parts)
    unexplained = [
        name
        for name, field in properties()
        if not (field.get("description") or SCHEMA["$defs"][field["$ref"].rpartition("/")[2]].get("description"))
    ]
    assert unexplained == []


@pytest.mark.parametrize(
    ("section", "field", "answer"),
    (
        ("record", "lease", 15),
        ("record", "lease", "-15 min"),
        ("record", "claim", "uniqe"),
        ("record", "leese", "15 min"),
        ("record", "stale", {"not_applicable": "because", "and": 1}),
        ("tool", "version", 2.1),
        ("tool", "name", "x" * 121),
        ("conditions", "fault_budget", 5),
        ("conditions", "risk_limit", 2),
        ("conditions", "fault_kinds", ["late", "late"]),
    ),
)
def test_what_the_reader_refuses_the_schema_refuses_too(section: str, field: str, answer: object) -> None:
    changed = document(TEMPLATES / "examples" / "create_ticket.yaml")
    changed[section][field] = answer

    with pytest.raises(InputError):
        parse_review(json.dumps(changed, indent=1).encode(), file="review.yaml")
    assert not VALIDATOR.is_valid(changed)


ANSWERS: st.SearchStrategy[object] = st.sampled_from(
    ["unknown", "none", "for ever", "on", "yes", "90 s", "90", "1.5 h", 1, 0, 0.5, -1, True, None, [], {}, ["late"]]
) | st.builds(lambda text: {"not_applicable": text}, st.sampled_from(["because", "because it is so", "", " "]))


@settings(deadline=None)
@given(st.data())
def test_what_the_reader_takes_the_schema_takes_too(data: st.DataObject) -> None:
    changed = document(TEMPLATES / "examples" / "create_ticket.yaml")
    part: Any = changed
    while True:
        key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
        if not isinstance(part[key], dict | list) or not part[key] or data.draw(st.booleans()):
            break
        part = part[key]
    part[key] = data.draw(ANSWERS)

    try:
        parse_review(json.dumps(changed, indent=1).encode(), file="review.yaml")
    except InputError:
        return
    VALIDATOR.validate(changed)


@pytest.mark.parametrize(
    ("place", "answer"),
    (
        ("layers.downstream_sdk", {"like": "botocore-standard-v2", "attempts": 4, "retries_on": ["timeout"]}),
        ("layers.gateway", {"like": "envoy-retry-on-5xx", "timeout": "5 s"}),
    ),
)
def test_a_layer_that_names_an_entry_is_taken_by_both(place: str, answer: Any) -> None:
    changed: Any = document(TEMPLATES / "examples/create_ticket.yaml")
    part, _, name = place.partition(".")
    changed[part][name] = answer

    parse_review(json.dumps(changed, indent=1).encode(), file="review.yaml")
    VALIDATOR.validate(changed)
