"""The incident gallery: what went wrong in the field, each as a file with its source.

Each is an incident file in the folder `incidents`: what was reported, and two worlds, the right form and the
faulty one. It holds no expectations of what the simulation finds: those stand in the tests.
"""

from simkit.catalog.folders import content_in, names_in, refuse_unknown

__all__ = ["incident_content", "incident_names", "incident_title"]


def incident_names() -> tuple[str, ...]:
    """All IDs, in order."""
    return names_in("incidents")


def incident_content(name: str) -> bytes:
    """The incident file of that ID.

    Raises
    ------
    InputError
        If there is none; the message has the nearest IDs, and where all of them are listed.
    """
    refuse_unknown(name, incident_names(), "such incident in the gallery (all of them: simkit catalog incidents)")
    return content_in("incidents", name)


def incident_title(name: str) -> str:
    """What went wrong, in a line: the title of its file."""
    lines = incident_content(name).decode("utf-8").splitlines()
    return next(line for line in lines if line.startswith("title: ")).removeprefix("title: ")
