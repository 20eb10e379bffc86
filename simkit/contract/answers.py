"""The kinds of answer that a field takes beside its value, and the texts that people write.

Every field of a review file is required, so that nothing is left out in silence. Where somebody may
honestly not know, or where a question has no meaning, those are answers of their own:

=========================================  =============================
written                                    becomes
=========================================  =============================
``lease: 15 min``                          the value itself
``lease: unknown``                         `UNKNOWN`
``lease: {not_applicable: because ...}``   `NotApplicable`
=========================================  =============================

`Answer[T]` takes all three, `OrUnknown[T]` the first two.
"""

from enum import Enum
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, StrictStr, Tag

from simkit.contract.choices import ForEver, NoLimit
from simkit.contract.durations import Duration

__all__ = [
    "UNKNOWN",
    "Answer",
    "DurationOrForEver",
    "DurationOrNoLimit",
    "FieldName",
    "Name",
    "NotApplicable",
    "OrUnknown",
    "Part",
    "Probability",
    "Prose",
    "Sentence",
    "Unknown",
]

T = TypeVar("T")

GIVEN_OF_THREE: Final = "<or unknown, or {not_applicable: because ...}>"
GIVEN_OR_UNKNOWN: Final = "<or unknown>"
GIVEN_OR_FOR_EVER: Final = "<or 'for ever'>"
GIVEN_OR_NO_LIMIT: Final = "<or none>"
"""Tags of the first alternative. pydantic puts them into the place of an error, so that the message can say
what else is allowed there; the angle brackets keep them apart from names of fields."""


class Part(BaseModel):
    """A part of a file that people write: no field may be missing, none may be invented, none changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Unknown(Enum):
    """Nobody knows yet. It is a gap: it is printed, and it keeps automatic write retries off."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


def _single_spaced(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


def _reason(value: object) -> object:
    text = _single_spaced(value)
    return text.removeprefix("because ") if isinstance(text, str) else text


Name = Annotated[StrictStr, BeforeValidator(_single_spaced), Field(min_length=1, max_length=120)]
"""A name: of a tool, a system, a team, a version."""

FieldName = Annotated[StrictStr, BeforeValidator(_single_spaced), Field(min_length=1, max_length=60)]
"""The name of one input of the tool."""

Sentence = Annotated[StrictStr, BeforeValidator(_single_spaced), Field(min_length=1, max_length=160)]
"""One sentence that has to fit on the page."""

Prose = Annotated[StrictStr, BeforeValidator(_single_spaced), Field(min_length=1, max_length=340)]
"""A few sentences."""

Probability = Annotated[float, Field(strict=True, ge=0.0, le=1.0, allow_inf_nan=False)]
"""A probability between 0 and 1."""


class NotApplicable(Part):
    """The question has no meaning for this tool, and why."""

    because: Annotated[StrictStr, BeforeValidator(_reason), Field(min_length=1, max_length=160)] = Field(
        alias="not_applicable",
        description="Why the question has no meaning here, in one sentence: 'because nothing is stored'.",
        examples=["because the tool has no approval step"],
    )

    def __str__(self) -> str:
        return f"not applicable, because {self.because}"


def _is_unknown(value: object) -> bool:
    return value == "unknown" or isinstance(value, Unknown)


def _is_not_applicable(value: object) -> bool:
    if isinstance(value, dict):
        return "not_applicable" in value
    return isinstance(value, NotApplicable)


def _kind_of_three(value: object) -> str:
    if _is_unknown(value):
        return "<unknown>"
    return "<not applicable>" if _is_not_applicable(value) else GIVEN_OF_THREE


def _kind_or_unknown(value: object) -> str:
    return "<unknown>" if _is_unknown(value) else GIVEN_OR_UNKNOWN


def _kind_or_for_ever(value: object) -> str:
    return "<for ever>" if isinstance(value, ForEver) or value == ForEver.FOR_EVER else GIVEN_OR_FOR_EVER


def _kind_or_no_limit(value: object) -> str:
    return "<none>" if isinstance(value, NoLimit) or value == NoLimit.NONE else GIVEN_OR_NO_LIMIT


Answer = Annotated[
    Annotated[T, Tag(GIVEN_OF_THREE)]
    | Annotated[Unknown, Tag("<unknown>")]
    | Annotated[NotApplicable, Tag("<not applicable>")],
    Discriminator(_kind_of_three),
]
"""A value, `UNKNOWN`, or `NotApplicable`."""

OrUnknown = Annotated[
    Annotated[T, Tag(GIVEN_OR_UNKNOWN)] | Annotated[Unknown, Tag("<unknown>")],
    Discriminator(_kind_or_unknown),
]
"""A value, or `UNKNOWN`."""

DurationOrForEver = Annotated[
    Annotated[Duration, Tag(GIVEN_OR_FOR_EVER)] | Annotated[ForEver, Tag("<for ever>")],
    Discriminator(_kind_or_for_ever),
]
"""A duration, or ``for ever``."""

DurationOrNoLimit = Annotated[
    Annotated[Duration, Tag(GIVEN_OR_NO_LIMIT)] | Annotated[NoLimit, Tag("<none>")],
    Discriminator(_kind_or_no_limit),
]
"""A duration, or ``none``."""
