"""The incident gallery: what went wrong in the field, each as a file with its source.

Each is an incident file in the folder `incidents`: what was reported, and two worlds, the right form and the
faulty one. It holds no expectations of what the simulation finds: those stand in the tests.
"""

from importlib.resources import files

from simkit.catalog.nearest import nearest_names
from simkit.errors import InputError, Problem

__all__ = ["incident_content", "incident_names", "incident_title"]

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
        If there is none; the message has the nearest IDs, and where all of them are listed.
    """
    names = incident_names()
    if name not in names:
        message = (
            f"there is no such incident in the gallery; nearest IDs: {nearest_names(name, names)}; "
            "all of them: simkit catalog incidents"
        )
        raise InputError((Problem(file=name, line=0, field="", value="", message=message, allowed=""),))
    return (_FOLDER / f"{name}.yaml").read_bytes()


def incident_title(name: str) -> str:
    """What went wrong, in a line: the title of its file."""
    lines = incident_content(name).decode("utf-8").splitlines()
    return next(line for line in lines if line.startswith("title: ")).removeprefix("title: ")
