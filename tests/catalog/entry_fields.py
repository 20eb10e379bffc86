"""Fields of an entry, by the dotted path that its file uses."""

import dataclasses
from typing import Any

from simkit.contract.fields import name_in_file

__all__ = ["has"]


def has(value: Any, path: str) -> bool:
    """Whether there is a field of that dotted path, as files call it."""
    for word in path.split("."):
        if not dataclasses.is_dataclass(value):
            return False
        fields = {name_in_file(field.name): field.name for field in dataclasses.fields(value)}
        if word not in fields:
            return False
        value = getattr(value, fields[word])
    return True
