"""What the JSON Schema of a review takes besides where a layer or an effect names an entry of the catalog."""

from typing import Any, Final

from simkit.contract.composition import LIKE
from simkit.contract.dataclass_schema import Schemas, merged_properties, reference
from simkit.scenario import RetryPolicy

__all__ = ["with_entries_named"]

NAMED: Final = "FromCatalog"
PREFIX: Final = "policy_"
KINDS: Final = ("Layer", "Effect")


def with_entries_named(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a review in which layers and effects may be like entries, and then leave answers out."""
    definitions = dict(schema["$defs"])
    policies = Schemas(prefix=PREFIX)
    policy = policies.fields_of(RetryPolicy)
    layer = _named(merged_properties(definitions["Layer"], policy), [LIKE])
    effect = _named(merged_properties(definitions["Effect"]), ["name", LIKE])
    for part in ("downstream_key", "readback"):
        effect["properties"][part] = {
            "anyOf": [{"type": "object"}, {"const": "unknown"}],
            "description": "What the entry cannot know, and what is to stand instead of what it says.",
        }
    with_named: dict[str, Any] = _either({**schema, "$defs": definitions})
    with_named["$defs"] |= {f"Layer{NAMED}": layer, f"Effect{NAMED}": effect} | policies.definitions
    return with_named


def _named(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    like = {"type": "string", "description": "ID of an entry of the catalog, or the path of a file that holds one."}
    return {
        "type": "object",
        "description": "As an entry of the catalog says; what is written beside its ID stands instead.",
        "properties": {LIKE: like} | properties,
        "required": required,
        "additionalProperties": False,
    }


def _either(value: Any) -> Any:
    """The schema in which each reference to a layer or an effect also takes the form that names an entry."""
    for kind in KINDS:
        if value == reference(kind):
            return {"anyOf": [reference(kind), reference(f"{kind}{NAMED}")]}
    if isinstance(value, dict):
        return {key: _either(inner) for key, inner in value.items()}
    return [_either(inner) for inner in value] if isinstance(value, list) else value
