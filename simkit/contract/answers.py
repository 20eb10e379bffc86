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

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
)
from pydantic_core import PydanticCustomError

from simkit.contract.choices import ForEver, NoLimit
from simkit.contract.durations import Duration
from simkit.contract.showing import shortened

__all__ = [
    "NOT_APPLICABLE_TAG",
    "TAGS",
    "UNKNOWN",
    "Answer",
    "CountOrNoLimit",
    "DurationOrForEver",
    "DurationOrNoLimit",
    "FieldName",
    "Name",
    "NotApplicable",
    "OrUnknown",
    "Part",
    "Probability",
    "Prose",
    "Reason",
    "Sentence",
    "Several",
    "Unknown",
]

T = TypeVar("T")

UNKNOWN_TAG: Final = "<unknown>"
NOT_APPLICABLE_TAG: Final = "<not applicable>"
WORD_TAG: Final = "<word>"
GIVEN_OF_THREE: Final = "<or unknown, or {not_applicable: because ...}>"
GIVEN_OR_UNKNOWN: Final = "<or unknown>"
GIVEN_OR_FOR_EVER: Final = "<or 'for ever'>"
GIVEN_OR_NO_LIMIT: Final = "<or none>"
"""Tags of the alternatives. pydantic puts them into the location of an error, so that the message can say what else
is allowed there; the angle brackets keep them apart from names of fields."""

TAGS: Final = frozenset(
    {UNKNOWN_TAG, NOT_APPLICABLE_TAG, WORD_TAG, GIVEN_OF_THREE, GIVEN_OR_UNKNOWN, GIVEN_OR_FOR_EVER, GIVEN_OR_NO_LIMIT}
)


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


def _each_once(values: tuple[T, ...]) -> tuple[T, ...]:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        detail = {"why": f"'{shortened(twice)}' is listed twice", "allowed": "each entry once"}
        raise PydanticCustomError("plain", "{why}", detail)
    return values


Several = Annotated[tuple[T, ...], AfterValidator(_each_once), Field(json_schema_extra={"uniqueItems": True})]
"""A list without repetitions."""

Name = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=120), BeforeValidator(_single_spaced)]
"""A name: of a tool, a system, a team, a version."""

FieldName = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=60), BeforeValidator(_single_spaced)]
"""The name of one input of the tool."""

Sentence = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=160), BeforeValidator(_single_spaced)]
"""One sentence that has to fit on the page."""

Prose = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=340), BeforeValidator(_single_spaced)]
"""A few sentences."""

Probability = Annotated[float, Field(strict=True, ge=0.0, le=1.0, allow_inf_nan=False)]
"""A probability between 0 and 1."""


Reason = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=160), BeforeValidator(_reason)]
"""One sentence; a leading "because" is dropped, and said again where the reason is shown."""


class NotApplicable(Part):
    """The question has no meaning for this tool, and why."""

    because: Reason = Field(
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
        return UNKNOWN_TAG
    return NOT_APPLICABLE_TAG if _is_not_applicable(value) else GIVEN_OF_THREE


def _kind_or_unknown(value: object) -> str:
    return UNKNOWN_TAG if _is_unknown(value) else GIVEN_OR_UNKNOWN


def _kind_or_for_ever(value: object) -> str:
    return WORD_TAG if isinstance(value, ForEver) or value == ForEver.FOR_EVER else GIVEN_OR_FOR_EVER


def _kind_or_no_limit(value: object) -> str:
    return WORD_TAG if isinstance(value, NoLimit) or value == NoLimit.NONE else GIVEN_OR_NO_LIMIT


Answer = Annotated[
    Annotated[T, Tag(GIVEN_OF_THREE)]
    | Annotated[Unknown, Tag(UNKNOWN_TAG)]
    | Annotated[NotApplicable, Tag(NOT_APPLICABLE_TAG)],
    Discriminator(_kind_of_three),
]
"""A value, `UNKNOWN`, or `NotApplicable`."""

OrUnknown = Annotated[
    Annotated[T, Tag(GIVEN_OR_UNKNOWN)] | Annotated[Unknown, Tag(UNKNOWN_TAG)],
    Discriminator(_kind_or_unknown),
]
"""A value, or `UNKNOWN`."""

DurationOrForEver = Annotated[
    Annotated[Duration, Tag(GIVEN_OR_FOR_EVER)] | Annotated[ForEver, Tag(WORD_TAG)],
    Discriminator(_kind_or_for_ever),
]
"""A duration, or ``for ever``."""

CountOrNoLimit = Annotated[
    Annotated[Annotated[int, Field(strict=True, ge=1, le=100)], Tag(GIVEN_OR_NO_LIMIT)]
    | Annotated[NoLimit, Tag(WORD_TAG)],
    Discriminator(_kind_or_no_limit),
]
"""A count from 1, or ``none``."""

DurationOrNoLimit = Annotated[
    Annotated[Duration, Tag(GIVEN_OR_NO_LIMIT)] | Annotated[NoLimit, Tag(WORD_TAG)],
    Discriminator(_kind_or_no_limit),
]
"""A duration, or ``none``."""
