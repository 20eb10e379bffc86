"""Durations as people write them: a number and a unit, kept as written and as seconds.

A bare number is refused, because a reader of a review cannot see whether `90` means seconds or
milliseconds.

====  ============
unit  seconds
====  ============
ms    1/1000
s     1
min   60
h     3600
d     86400
====  ============
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from simkit.contract.choices import ForEver, NoLimit

__all__ = ["DURATION_ALLOWED", "DURATION_PATTERN", "UNIT_S", "Duration", "duration_text", "parse_duration", "seconds"]

UNIT_S: Final = MappingProxyType(
    {"ms": Decimal("0.001"), "s": Decimal(1), "min": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}
)
"""Seconds in one unit."""

DURATION_ALLOWED: Final = "a number and a unit (ms, s, min, h, d), such as 50 ms, 90 s, 15 min, 24 h, 7 d"

DURATION_PATTERN: Final = r"[0-9]{1,9}(\.[0-9]{1,6})? ?(ms|s|min|h|d)"
_SHAPE: Final = re.compile(r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,6})?) ?(?P<unit>ms|s|min|h|d)")
_NUMBER: Final = re.compile(r"[-+]?[0-9]*\.?[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """A length of time.

    Parameters
    ----------
    text
        As written in the file, such as ``15 min``.
    length_s
        The same in seconds, at least 0.

    Examples
    --------
    >>> parse_duration("15 min").length_s
    900.0
    """

    text: str
    length_s: float

    def __str__(self) -> str:
        return self.text

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _validated,
            serialization=core_schema.plain_serializer_function_ser_schema(str),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {
            "type": "string",
            "pattern": f"^{DURATION_PATTERN}$",
            "examples": ["50 ms", "90 s", "15 min", "24 h", "7 d"],
        }


def parse_duration(text: str) -> Duration:
    """Read a duration such as ``90 s``.

    Parameters
    ----------
    text
        A number and a unit of `UNIT_S`, with at most one space between them.

    Returns
    -------
    Duration
        With `text` as given and the nearest float of the exact number of seconds.

    Raises
    ------
    ValueError
        If the text is no duration; the message says why.
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise ValueError(_why_not(text))
    return Duration(text=text, length_s=float(Decimal(match["number"]) * UNIT_S[match["unit"]]))


def duration_text(length_s: float) -> str:
    """A length of time as files say it; `parse_duration` reads the same one from it.

    Examples
    --------
    >>> duration_text(7200.0), duration_text(0.05), duration_text(90.0)
    ('2 h', '50 ms', '90 s')
    """
    exact = Decimal(repr(float(length_s)))
    for unit in ("d", "h", "min"):
        if exact and exact % UNIT_S[unit] == 0:
            return f"{int(exact / UNIT_S[unit])} {unit}"
    if exact and exact < 1:
        return f"{(exact * 1000).normalize():f} ms"
    return f"{exact.normalize():f} s"


def seconds(answer: object) -> float | None:
    """Seconds of an answer that may be a duration.

    Parameters
    ----------
    answer
        A duration, ``for ever``, ``none`` (no limit), `UNKNOWN` or `NotApplicable`.

    Returns
    -------
    float or None
        Infinity for ``for ever`` and ``none``; None where the answer is unknown or not applicable, which
        the answer itself tells apart.
    """
    if isinstance(answer, Duration):
        return answer.length_s
    return math.inf if isinstance(answer, ForEver | NoLimit) else None


def _why_not(text: str) -> str:
    if text.startswith("-"):
        return "a duration cannot be negative"
    if _NUMBER.fullmatch(text):
        return "a duration needs a unit"
    return "this is not a duration"


def _validated(value: object) -> Duration:
    if isinstance(value, Duration):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, str) and not is_number:
        raise PydanticCustomError("plain", "a duration is expected", {"allowed": DURATION_ALLOWED})
    try:
        return parse_duration(str(value))
    except ValueError as problem:
        raise PydanticCustomError("plain", "{why}", {"why": str(problem), "allowed": DURATION_ALLOWED}) from None
