"""A smallest schedule by its ID: found by exploring again, run on a clock, with the fact at which its promise broke.

Nothing has to be stored between the exploration that printed an ID and its replay: an ID follows promise and
faults, so exploring again finds it again. Fewer faults are tried first, so that a small schedule is found at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from simkit.checks import Finding, check_all, verdicts
from simkit.journal import Journal
from simkit.records import Approval, End, Fact, Intent, Promised
from simkit.scenario import Scenario
from simkit.study.applicability import beside
from simkit.study.results import Level, PromiseResult, Schedule
from simkit.study.story import timed_lines
from simkit.study.structure import Explored, explore
from simkit.terms import Promise, PromiseVerdict
from simkit.world import solve_witness

__all__ = ["Replayed", "Searched", "breaking_index", "replay"]

ONE_ATTEMPT_SCOPE = "with one attempt of every layer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One run of a smallest schedule, at instants that are possible within the declared latencies.

    Parameters
    ----------
    result
        What is known of its promise; `scope` says where it was tried, if not in the scenario itself.
    levels
        What was seen before it was found.
    findings
        What this run keeps and breaks.
    lines
        The run in words.
    breaking_line_index
        The line from which on the promise is broken whatever comes later; None where only the end decides.
    """

    schedule: Schedule
    result: PromiseResult
    levels: tuple[Level, ...]
    journal: Journal
    findings: tuple[Finding, ...]
    lines: tuple[str, ...]
    breaking_line_index: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What came of looking for an ID.

    Parameters
    ----------
    found
        None where no smallest schedule has that ID.
    results
        The promises that are broken, with their smallest schedules: all IDs that there are.
    is_complete
        Whether every schedule of up to the fault budget was seen; else the ID may be one of the others.
    """

    found: Replayed | None
    results: tuple[PromiseResult, ...]
    is_complete: bool


def replay(
    scenario: Scenario,
    schedule_id: str,
    *,
    fault_budget: int,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> Searched:
    """Look for the smallest schedule with an ID among those of up to `fault_budget` faults, and run it.

    Parameters
    ----------
    is_over
        Asked before each run; True ends the search.
    tell
        Is told what is being done, one line each.
    """
    results: dict[tuple[Promise, str], PromiseResult] = {}
    is_complete = True
    for fault_count in range(fault_budget + 1):
        tell(f"schedules of up to {fault_count} {'fault' if fault_count == 1 else 'faults'}")
        explorations = [(*world, _explored(world[0], fault_count, is_over)) for world in _worlds(scenario)]
        for world, promise, scope, explored in explorations:
            for result in _broken(explored, promise, scope):
                results[result.promise, scope] = result
                if schedule_id in {schedule.schedule_id for schedule in result.schedules}:
                    found = _replayed(world, schedule_id, result, explored)
                    return Searched(found=found, results=tuple(results.values()), is_complete=True)
        is_complete = all(explored.exploration.is_complete for *_, explored in explorations)
        if not is_complete or all(explored.exploration.is_exhausted for *_, explored in explorations):
            break
    return Searched(found=None, results=tuple(results.values()), is_complete=is_complete)


def breaking_index(journal: Journal, promise: Promise) -> int:
    """The fact of a journal from which on a promise is broken whatever comes later; the last one is its end.

    A run that was cut behind that fact breaks the promise, and one that was cut before it may still keep it.
    """
    facts = list(journal)
    opening_count = sum(isinstance(fact, (Intent, Approval, Promised)) for fact in facts)
    places = range(len(facts) - 1, opening_count - 1, -1)
    return next((index for index in places if not _is_broken(facts[:index], promise)), opening_count)


def _is_broken(facts: list[Fact], promise: Promise) -> bool:
    """Whether a run that is cut after these facts has broken a promise."""
    cut = Journal([*facts, End(at_s=0.0, is_quiescent=False, waiting_for="what comes next")])
    return verdicts(cut, (promise,))[promise] is PromiseVerdict.BROKEN


def _worlds(scenario: Scenario) -> Iterator[tuple[Scenario, Promise | None, str]]:
    """The scenario itself, and those that a study tries beside it, each with the promise that it is tried for."""
    yield scenario, None, ""
    yield scenario.with_one_attempt(), None, ONE_ATTEMPT_SCOPE
    for promise, world, scope in beside(scenario):
        yield world, promise, scope


def _explored(world: Scenario, fault_budget: int, is_over: Callable[[], bool]) -> Explored:
    bounded = replace(world, conditions=replace(world.conditions, fault_budget=fault_budget))
    return explore(bounded, fault_budget=fault_budget, policy="replayed", counts=frozenset(), is_over=is_over)


def _broken(explored: Explored, promise: Promise | None, scope: str) -> Iterator[PromiseResult]:
    for result in explored.exploration.promises:
        if result.schedules and promise in (None, result.promise):
            yield replace(result, scope=scope)


def _replayed(world: Scenario, schedule_id: str, result: PromiseResult, explored: Explored) -> Replayed:
    schedule = next(schedule for schedule in result.schedules if schedule.schedule_id == schedule_id)
    journal = solve_witness(world, dict(explored.scripts)[schedule_id]).journal
    broken_at = breaking_index(journal, result.promise)
    lines = list(timed_lines(journal))
    return Replayed(
        schedule=schedule,
        result=result,
        levels=explored.exploration.levels,
        journal=journal,
        findings=check_all(journal),
        lines=tuple(line for _, line in lines),
        breaking_line_index=next((number for number, (at, _) in enumerate(lines) if at >= broken_at), None),
    )
