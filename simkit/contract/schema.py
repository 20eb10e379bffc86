"""JSON Schema of the review file, by which editors complete and explain the fields."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from simkit.contract.dataclass_schema import SCHEMA_URI
from simkit.contract.review import Review
from simkit.contract.review_entry_schema import with_entries_named

__all__ = ["review_schema"]


def review_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a review file.

    It accepts every file that `load_review` accepts. What no schema can say, such as the order of three
    latencies, only `load_review` refuses.
    """
    schema = Review.model_json_schema(by_alias=True, mode="validation", schema_generator=_WithoutTitles)
    whole = {key: _with_any_of(value) for key, value in schema.items() if key != "title"}
    return {
        "$schema": SCHEMA_URI,
        "title": "Review of a write-enabled MCP tool",
        **with_entries_named(whole),
    }


class _WithoutTitles(GenerateJsonSchema):
    """Leaves out titles that only repeat the name of the field."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _with_any_of(value: object) -> object:
    """Turn `oneOf` into `anyOf`: the text `unknown` is also a valid name, and both answers then match."""
    if isinstance(value, dict):
        return {"anyOf" if key == "oneOf" else key: _with_any_of(item) for key, item in value.items()}
    return [_with_any_of(item) for item in value] if isinstance(value, list) else value
