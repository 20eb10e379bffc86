"""Files of the catalog, by the folder and by the name."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Final

from simkit.catalog.nearest import nearest_names
from simkit.errors import InputError, Problem

__all__ = ["content_in", "names_in", "refuse_unknown"]

_ROOT: Final = files("simkit.catalog")
_ENDING: Final = ".yaml"


def names_in(folder: str) -> tuple[str, ...]:
    """Names of all files of a folder of the catalog, in alphabetical order."""
    entries = (_ROOT / folder).iterdir()
    return tuple(sorted(entry.name.removesuffix(_ENDING) for entry in entries if entry.name.endswith(_ENDING)))


def content_in(folder: str, name: str) -> bytes:
    """The file of that name, which the folder has."""
    return (_ROOT / folder / f"{name}{_ENDING}").read_bytes()


def refuse_unknown(name: str, names: Iterable[str], what: str) -> None:
    """Refuse a name that is none of these; the message has the nearest ones, and `what` says what there is none of.

    Raises
    ------
    InputError
        If it is none.
    """
    names = tuple(names)
    if name not in names:
        message = f"there is no {what}; nearest names: {nearest_names(name, names)}"
        raise InputError((Problem(file=name, line=0, field="", value="", message=message, allowed=""),))
