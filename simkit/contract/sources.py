"""What somebody may name as the source of a scenario: a file of their own, or anything that has a name.

=======================================  ==================================================================
source                                   scenario
=======================================  ==================================================================
a scenario file                          the one that it describes
a review file                            the one that it amounts to, for its first effect
`publish-schedule` and others            that one of the catalog
`RS-067-faulty`, `RS-067-right`          that form of the incident; an incident alone is two scenarios
=======================================  ==================================================================

A file that exists is taken before a name.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from simkit.catalog import (
    incident_content,
    incident_names,
    incident_title,
    nearest_names,
    scenario_about,
    scenario_content,
    scenario_names,
)
from simkit.contract.incident_file import parse_incident
from simkit.contract.loading import parse_review, read_content
from simkit.contract.reading import read_tree
from simkit.contract.scenario_file import Composed, parse_composed, parse_scenario
from simkit.contract.showing import one_line
from simkit.contract.taken import Taken
from simkit.contract.translation import scenario_of
from simkit.errors import InputError, Problem, ScenarioError
from simkit.scenario import Scenario

__all__ = ["Sourced", "about_named_scenarios", "named_scenario", "read_scenario", "scenario_at"]

WHERE_LISTED: Final = "simkit catalog scenarios"
FAULTY: Final = "-faulty"
RIGHT: Final = "-right"
HORIZON_NOTE: Final = "the last attempt may come as late as the retry horizon, whoever makes it: no budget bounds it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """A scenario, and what is to be known of how it came from its source, in sentences.

    Parameters
    ----------
    taken
        The entries of the catalog that it was composed of; they are among the notes too.
    """

    scenario: Scenario
    notes: tuple[str, ...] = ()
    taken: tuple[Taken, ...] = ()


def scenario_at(source: str) -> Sourced:
    """The scenario of a file, or of a name where there is no such file.

    Raises
    ------
    InputError
        With everything that is wrong with the file, or with the names that are most like the one given.
    """
    if Path(source).exists():
        return _of_content(read_content(source), source)
    if source in scenario_names():
        return _of_composed(parse_composed(scenario_content(source), file=f"{source}.yaml"))
    return Sourced(scenario=named_scenario(source))


def named_scenario(name: str) -> Scenario:
    """The scenario of that name: of the catalog, or one form of an incident.

    Raises
    ------
    InputError
        If there is none; the message has the nearest names, and where all of them are listed.
    """
    if name in scenario_names():
        return parse_scenario(scenario_content(name), file=f"{name}.yaml")
    for ending in (FAULTY, RIGHT):
        case = name.removesuffix(ending)
        if case != name and case in incident_names():
            incident = parse_incident(incident_content(case), file=f"{case}.yaml")
            return incident.faulty if ending == FAULTY else incident.right
    if name in incident_names():
        raise _refused(name, f"an incident is two scenarios; name one: {name}{FAULTY}, {name}{RIGHT}")
    near = nearest_names(name, about_named_scenarios())
    raise _refused(
        name, f"there is no such file, and no scenario of that name; nearest names: {near}; all names: {WHERE_LISTED}"
    )


def about_named_scenarios() -> dict[str, str]:
    """Every name that `named_scenario` takes, with what happens there in a line."""
    about = {name: scenario_about(name) for name in scenario_names()}
    for case in incident_names():
        about[case + FAULTY] = incident_title(case)
        about[case + RIGHT] = f"{incident_title(case)}: with the fix"
    return about


def read_scenario(content: bytes, *, file: str) -> Scenario:
    """The scenario of a scenario file, or the one that a review file amounts to for its first effect.

    Raises
    ------
    InputError
        If the content is neither, or its answers amount to no world.
    """
    return _of_content(content, file).scenario


def _of_content(content: bytes, file: str) -> Sourced:
    tree = read_tree(content, one_line(file))
    if not (isinstance(tree.value, dict) and "tool" in tree.value):
        return _of_composed(parse_composed(content, file=file))
    review = parse_review(content, file=file)
    first = review.effects[0]
    try:
        translation = scenario_of(review, first)
    except ScenarioError as error:
        raise _refused(file, str(error)) from error
    others = [str(effect.name) for effect in review.effects[1:]]
    return Sourced(
        scenario=translation.scenario,
        notes=(
            *((f"this is effect {first.name}, the first; without {', '.join(others)}",) if others else ()),
            HORIZON_NOTE,
            *translation.notes,
            *(f"not acted out: {what}" for what in translation.unjudged),
            *(f"from the catalog: {taken.in_words}" for taken in review.from_catalog.taken),
        ),
        taken=review.from_catalog.taken,
    )


def _of_composed(found: Composed) -> Sourced:
    notes = tuple(f"from the catalog: {taken.in_words}" for taken in found.taken)
    return Sourced(scenario=found.scenario, notes=notes, taken=found.taken)


def _refused(file: str, message: str) -> InputError:
    return InputError((Problem(file=one_line(file), line=0, field="", value="", message=message, allowed=""),))
