"""A review's result as a machine reads it: one JSON object, and the schema that it keeps to."""

from typing import Any, cast

from pydantic import TypeAdapter

from simkit.review.reviewing import ReviewResult

__all__ = ["result_document", "result_schema"]

_SCHEMA_URI = "https://json-schema.org/draft/2020-12/schema"


def result_document(result: ReviewResult) -> dict[str, Any]:
    """The whole result as plain values: verdict, permission table, gaps, bounds, schedules, statistics."""
    return cast("dict[str, Any]", TypeAdapter(ReviewResult).dump_python(result, mode="json"))


def result_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what `simkit review --json` prints."""
    schema = TypeAdapter(ReviewResult).json_schema(mode="serialization")
    files = {"type": "array", "items": {"type": "string"}, "title": "Files", "description": "What was written."}
    schema["properties"]["files"] = files
    schema["title"] = "Result of a retry review"
    return {"$schema": _SCHEMA_URI} | schema
