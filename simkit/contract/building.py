"""From the parts of a file to what they describe."""

from typing import TypeVar

from simkit.contract.fields import FieldReader
from simkit.contract.parts import Part, traced

__all__ = ["built"]

T = TypeVar("T")


def built(part: Part, kind: type[T]) -> T:
    """What a part of a file describes.

    Raises
    ------
    InputError
        With every problem that was found.
    """
    source = traced(part)
    reader = FieldReader(source)
    found = reader.value(source.value, kind, ())
    reader.refuse()
    if not isinstance(found, kind):
        message = f"{part.origin.file}: no {kind.__name__} was read, and no problem was found"
        raise TypeError(message)
    return found
