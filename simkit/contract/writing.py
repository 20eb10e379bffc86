"""Frozen dataclasses as the plain values of a file: what `simkit.contract.fields` reads, written back."""

import dataclasses
from enum import Enum
from typing import Any

from simkit.contract.durations import duration_text
from simkit.contract.fields import LAW_KINDS, LAW_WORD, NONE_WORD, WAIT_FIELDS, is_duration, name_in_file
from simkit.distributions import Law, Wait

__all__ = ["plain_document"]


def plain_document(value: Any) -> Any:
    """A frozen value as the plain ones by which a file says it; defaults are left out."""
    if isinstance(value, Wait):
        if value.s_min == value.s_max and value.law is None:
            return duration_text(value.s_min)
        bounds = {word: duration_text(getattr(value, name)) for word, name in WAIT_FIELDS.items()}
        return bounds if value.law is None else bounds | {LAW_WORD: _law_document(value.law)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name_in_file(field.name): _field_document(field.name, getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple):
        return [plain_document(item) for item in value]
    if isinstance(value, Enum):
        return str(value)
    return NONE_WORD if value is None else value


def _law_document(law: Law) -> Any:
    kind = next(word for word, kind in LAW_KINDS.items() if isinstance(law, kind))
    return {"kind": kind} | plain_document(law)


def _field_document(name: str, value: Any) -> Any:
    if is_duration(name) and isinstance(value, int | float):
        return duration_text(float(value))
    return plain_document(value)
