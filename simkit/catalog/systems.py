"""The systems of record that come with the workbench: each a file in the folder `systems`, named by its ID."""

from simkit.catalog.folders import content_in, names_in, refuse_unknown

__all__ = ["system_content", "system_names"]


def system_names() -> tuple[str, ...]:
    """All IDs, in alphabetical order."""
    return names_in("systems")


def system_content(name: str) -> bytes:
    """The file of that ID.

    Raises
    ------
    InputError
        If there is none; the message has the nearest IDs, and where all of them are listed.
    """
    refuse_unknown(
        name, system_names(), "system of record of that ID in the catalog (all of them: simkit catalog list)"
    )
    return content_in("systems", name)
