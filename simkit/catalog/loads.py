"""Named worlds under load: published models, each a file in the folder `loads`, named by what it shows."""

from simkit.catalog.folders import content_in, names_in, refuse_unknown

__all__ = ["load_about", "load_content", "load_names"]


def load_names() -> tuple[str, ...]:
    """All names, in alphabetical order."""
    return names_in("loads")


def load_content(name: str) -> bytes:
    """The file of that name.

    Raises
    ------
    InputError
        If there is none; the message has the nearest names, and where all of them are listed.
    """
    refuse_unknown(name, load_names(), "world under load of that name (all of them: simkit load --list)")
    return content_in("loads", name)


def load_about(name: str) -> str:
    """What happens in it, in a sentence: the first line of its file."""
    return load_content(name).decode("utf-8").splitlines()[0].removeprefix("# ")
