"""Durations that remember which numbers of a scenario they are made of, and how much of each.

An exploration adds, subtracts and compares durations, and nothing else. So every bound in it is a linear form:
a duration at the present values of the numbers, and for each number by how much that duration moves when the
number does. A `Measured` is such a form in seconds. It goes through the world as any float does; where the
world turns it into whole microseconds it becomes one integer, the microseconds in the high bits and a slope for
each number in the low ones, so that a sum of forms is a sum of two integers.
"""

from collections.abc import Callable
from typing import Any, NoReturn, SupportsIndex

from simkit.chance import MICROSECONDS_PER_S

__all__ = ["Measured", "Microseconds", "Scale"]

SLOPE_BITS = 16
"""Of each slope: a run has far fewer than 2^15 waits, and no number counts more than a few times in one wait."""


class Scale:
    """How microseconds and slopes share one integer, for a count of numbers.

    Attributes
    ----------
    watcher
        Is told of each comparison of two forms whose difference depends on a number: with what is lacking, as a
        packed form, for `False` and for `True`. None where nobody watches.
    """

    def __init__(self, number_count: int) -> None:
        self.shift = SLOPE_BITS * number_count
        self._number_count = number_count
        self._half = sum(1 << (SLOPE_BITS * index + SLOPE_BITS - 1) for index in range(number_count))
        self._slopes = (1 << self.shift) - 1
        self.watcher: Callable[[bool, int, int], None] | None = None

    def unit(self, index: int) -> int:
        """Slopes of a number itself, by its index from 0."""
        return 1 << (SLOPE_BITS * index)

    def packed(self, value: int) -> int:
        """A form of so many microseconds that depends on nothing, or that knows on what it does."""
        return value.packed if isinstance(value, Microseconds) else value << self.shift

    def floor(self, value: int) -> int:
        """The least packed form that counts as `value` microseconds."""
        return (value << self.shift) - self._half

    def value(self, packed: int) -> int:
        """Microseconds of a packed form at the present values."""
        return (packed + self._half) >> self.shift

    def slopes(self, packed: int) -> int:
        """Slopes of a packed form, packed; 0 where it depends on nothing."""
        return ((packed + self._half) & self._slopes) - self._half

    def slope(self, packed: int, index: int) -> int:
        """How much a packed form moves with the number of that index."""
        field = (packed + self._half) >> (SLOPE_BITS * index)
        return (field & ((1 << SLOPE_BITS) - 1)) - (1 << (SLOPE_BITS - 1))

    def depends_on(self, packed: int) -> list[int]:
        """Indices of the numbers that a packed form depends on."""
        return [index for index in range(self._number_count) if self.slope(packed, index)]


def _not_linear(*_: object) -> NoReturn:
    message = "a measured duration is added, subtracted, compared and taken a whole number of times, and nothing else"
    raise TypeError(message)


class Microseconds(int):
    """Whole microseconds that remember what they are made of; a zone takes them apart, nobody else reckons with them.

    Attributes
    ----------
    packed
        Its form.
    scale
        By which the form was packed.
    """

    packed: int
    scale: Scale

    @classmethod
    def of(cls, packed: int, scale: Scale) -> "Microseconds":
        """Make it of a packed form."""
        made = cls(scale.value(packed))
        made.packed, made.scale = packed, scale
        return made

    def __truediv__(self, value: float) -> "Measured":
        return Measured.of(super().__truediv__(MICROSECONDS_PER_S), self.scale.slopes(self.packed), self.scale)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _not_linear


class Measured(float):
    """Seconds that remember what they are made of.

    Attributes
    ----------
    slopes
        How much they move with each number, packed.
    scale
        By which the slopes are packed.
    """

    __slots__ = ("scale", "slopes")

    slopes: int
    scale: Scale

    @classmethod
    def of(cls, seconds: float, slopes: int, scale: Scale) -> "Measured":
        """Make it of its value and its slopes."""
        made = cls(seconds)
        made.slopes, made.scale = slopes, scale
        return made

    def __add__(self, value: float) -> "Measured":
        return Measured.of(float(self) + float(value), self.slopes + _slopes(value), self.scale)

    __radd__ = __add__

    def __sub__(self, value: float) -> "Measured":
        return Measured.of(float(self) - float(value), self.slopes - _slopes(value), self.scale)

    def __rsub__(self, value: float) -> "Measured":
        return Measured.of(float(value) - float(self), _slopes(value) - self.slopes, self.scale)

    def __neg__(self) -> "Measured":
        return Measured.of(-float(self), -self.slopes, self.scale)

    def __mul__(self, value: float) -> "Measured":
        if value == MICROSECONDS_PER_S:  # Another unit, and the same form.
            return _InMicroseconds.of(float(self) * value, self.slopes, self.scale)
        if int(value) != value or _slopes(value):
            _not_linear()
        return Measured.of(float(self) * value, self.slopes * int(value), self.scale)

    __rmul__ = __mul__
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __abs__ = _not_linear

    def __lt__(self, value: float) -> bool:
        return self._told(float(self) < float(value), value, 1)

    def __ge__(self, value: float) -> bool:
        return not self < value

    def __gt__(self, value: float) -> bool:
        return not self <= value

    def __le__(self, value: float) -> bool:
        return self._told(float(self) <= float(value), value, 0)

    def __bool__(self) -> bool:
        return self > 0.0

    def _told(self, is_less: bool, value: float, least: int) -> bool:  # noqa: FBT001 (what the comparison found)
        """Tell of a comparison that is true where `value` is at least so many microseconds more than this."""
        scale, slopes = self.scale, _slopes(value) - self.slopes
        if slopes and scale.watcher is not None and float(value) != float("inf"):
            more = round((float(value) - float(self)) * MICROSECONDS_PER_S) - least
            packed = (more << scale.shift) + slopes
            scale.watcher(is_less, -packed - (1 << scale.shift), packed)
        return is_less


class _InMicroseconds(Measured):
    """The same in microseconds, about to be rounded."""

    __slots__ = ()

    def __round__(self, ndigits: SupportsIndex | None = None) -> Any:
        whole = round(float(self))
        return Microseconds.of((whole << self.scale.shift) + self.slopes, self.scale)


def _slopes(value: float) -> int:
    return value.slopes if isinstance(value, Measured) else 0
