"""One scenario as one story: the run that its schedule of faults gives, and what it keeps and breaks."""

from dataclasses import dataclass

from simkit.chance import Scheduled
from simkit.checks import Finding, check_all
from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.study.story import story
from simkit.world import run_concrete

__all__ = ["Story", "run_story"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened in one run."""

    journal: Journal
    findings: tuple[Finding, ...]
    effect_count: int
    lines: tuple[str, ...]


def run_story(scenario: Scenario) -> Story:
    """Run a scenario on a clock, every wait at its typical duration, with the faults of its schedule.

    Raises
    ------
    ScenarioError
        If the run never passes a site of the schedule.
    """
    chance = Scheduled(scenario.schedule)
    journal = run_concrete(scenario, chance).journal
    if chance.waiting:
        message = f"schedule: the run never passes {', '.join(sorted(chance.waiting))}"
        raise ScenarioError(message)
    return Story(
        journal=journal, findings=check_all(journal), effect_count=len(journal.of(Effect)), lines=story(journal)
    )
