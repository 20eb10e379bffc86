"""Named scenarios: the tests of the failure window and the rows of a worked example, with and without protection.

Each is a scenario file in the folder `scenarios`; its leading comment says what happens and where it
comes from. A scenario holds no expectations: those stand in the tests.
"""

from importlib.resources import files

from simkit.catalog.nearest import nearest_names
from simkit.errors import InputError, Problem

__all__ = ["scenario_about", "scenario_content", "scenario_names"]

_FOLDER = files("simkit.catalog") / "scenarios"


def scenario_names() -> tuple[str, ...]:
    """All names, in alphabetical order."""
    return tuple(
        sorted(entry.name.removesuffix(".yaml") for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml"))
    )


def scenario_content(name: str) -> bytes:
    """The scenario file of that name.

    Raises
    ------
    InputError
        If there is none; the message has the nearest names.
    """
    names = scenario_names()
    if name not in names:
        message = f"there is no scenario file of that name; nearest names: {nearest_names(name, names)}"
        raise InputError((Problem(file=name, line=0, field="", value="", message=message, allowed=""),))
    return (_FOLDER / f"{name}.yaml").read_bytes()


def scenario_about(name: str) -> str:
    """What happens in a scenario, in a sentence: the first line of its file."""
    return scenario_content(name).decode("utf-8").splitlines()[0].removeprefix("# ")
