"""The retry policies that come with the workbench: each a file in the folder `policies`, named by its ID."""

from simkit.catalog.folders import content_in, names_in, refuse_unknown

__all__ = ["policy_content", "policy_names"]


def policy_names() -> tuple[str, ...]:
    """All IDs, in alphabetical order."""
    return names_in("policies")


def policy_content(name: str) -> bytes:
    """The file of that ID.

    Raises
    ------
    InputError
        If there is none; the message has the nearest IDs, and where all of them are listed.
    """
    refuse_unknown(name, policy_names(), "retry policy of that ID in the catalog (all of them: simkit catalog list)")
    return content_in("policies", name)
