"""Named scenarios: the tests of the failure window and the rows of a worked example, with and without protection.

Each is a scenario file in the folder `scenarios`; its leading comment says what happens and where it
comes from. A scenario holds no expectations: those stand in the tests.
"""

from simkit.catalog.folders import content_in, names_in, refuse_unknown

__all__ = ["scenario_about", "scenario_content", "scenario_names"]


def scenario_names() -> tuple[str, ...]:
    """All names, in alphabetical order."""
    return names_in("scenarios")


def scenario_content(name: str) -> bytes:
    """The scenario file of that name.

    Raises
    ------
    InputError
        If there is none; the message has the nearest names.
    """
    refuse_unknown(name, scenario_names(), "scenario of that name in the catalog")
    return content_in("scenarios", name)


def scenario_about(name: str) -> str:
    """What happens in a scenario, in a sentence: the first line of its file."""
    return scenario_content(name).decode("utf-8").splitlines()[0].removeprefix("# ")
