"""How probabilities are said on the page.

Ends of intervals are rounded outwards, so that the page never claims more than the study found.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from types import MappingProxyType

from simkit.study.results import Bounds

__all__ = ["bounds_words", "exact_words", "lower_words", "upper_words"]

_SUPERSCRIPTS = MappingProxyType(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def exact_words(probability: float) -> str:
    """A probability with all the digits that somebody wrote."""
    return _decimal_words(Decimal(repr(probability)))


def lower_words(probability: float) -> str:
    """A lower end, rounded down to two digits."""
    return _rounded(probability, ROUND_FLOOR)


def upper_words(probability: float) -> str:
    """An upper end, rounded up to two digits."""
    return _rounded(probability, ROUND_CEILING)


def bounds_words(bounds: Bounds) -> str:
    """Both ends of a probability.

    Examples
    --------
    >>> bounds_words(Bounds(lower=0.0011, upper=0.003301))
    '0.0011 to 0.0034'
    """
    if bounds.lower == bounds.upper:
        return _rounded(bounds.upper, ROUND_HALF_EVEN)
    return f"{lower_words(bounds.lower)} to {upper_words(bounds.upper)}"


def _rounded(probability: float, rounding: str) -> str:
    return _decimal_words(Context(prec=2, rounding=rounding).create_decimal(Decimal(repr(probability))))


def _decimal_words(value: Decimal) -> str:
    if value == 0:
        return "0"
    if value >= Decimal("0.0001"):
        return f"{value.normalize():f}"
    exponent = value.adjusted()
    mantissa = value.scaleb(-exponent).normalize()
    return f"{mantissa:f}\u00a0×\u00a010{str(exponent).translate(_SUPERSCRIPTS)}"
