"""The incident gallery: what went wrong in the field, each as a file with its source.

Each is an incident file in the folder `incidents`: what was reported, and two worlds, the right form and the
faulty one. It holds no expectations of what the simulation finds: those stand in the tests.
"""

import difflib
from importlib.resources import files

from simkit.errors import InputError, Problem

__all__ = ["incident_content", "incident_names"]

_FOLDER = files("simkit.catalog") / "incidents"


def incident_names() -> tuple[str, ...]:
    """All IDs, in order."""
    return tuple(
        sorted(entry.name.removesuffix(".yaml") for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml"))
    )


def incident_content(name: str) -> bytes:
    """The incident file of that ID.

    Raises
    ------
    InputError
        If there is none; the message has the nearest IDs.
    """
    names = incident_names()
    if name not in names:
        allowed = ", ".join(difflib.get_close_matches(name, names, n=3, cutoff=0.3) or names)
        message = "there is no such incident in the gallery"
        raise InputError((Problem(file=name, line=0, field="", value="", message=message, allowed=allowed),))
    return (_FOLDER / f"{name}.yaml").read_bytes()
