"""Which crash windows take time: a crash at a rate per second never comes in one that takes none.

A window takes time where a crash just before or just after the instant at which it is passed does to the call
what a crash in the window does.
"""

from collections.abc import Iterator
from dataclasses import replace

from simkit.chance import Question, Sampled, microseconds
from simkit.errors import ScenarioError
from simkit.journal import Journal
from simkit.records import Effect, Fault, Receipt, Reply, Report, StateChange
from simkit.scenario import Scenario
from simkit.terms import FaultKind
from simkit.world import Plan, ServerCrash, planned, run_with_crash

__all__ = ["insist_on_time_in_windows", "without_crash_windows"]

Luck = tuple[int, int]
"""Seed, and number of the trajectory."""

SERVER = "server."


def without_crash_windows(scenario: Scenario) -> Scenario:
    """The same world without crashes of the server at its windows; everything else goes wrong as it did."""
    listed = _windows(scenario)
    rates = tuple(rate for rate in scenario.conditions.rates if rate.site not in listed)
    return replace(scenario, conditions=replace(scenario.conditions, rates=rates))


def insist_on_time_in_windows(scenario: Scenario, luck: Luck, replica_index: int | None) -> None:
    """Refuse a listed crash window in which no time passes for any call of the trajectory.

    Parameters
    ----------
    replica_index
        The process that dies at the rate per second; None for all at once.

    Raises
    ------
    ScenarioError
        If there is one.
    """
    listed = _windows(scenario)
    if not listed:
        return
    plan, nowhere = planned(scenario), _OneCrash(luck, listed)
    run_with_crash(plan, nowhere, None)
    silent = []
    for window in listed:
        passings = [passing for passing in nowhere.passed if passing.startswith(f"{window}@")]
        if passings and not any(_takes_time(plan, luck, listed, passing, replica_index) for passing in passings):
            silent.append(window)
    if silent:
        message = (
            f"conditions.rates '{', '.join(silent)}' and crashes at a rate per second exclude each other: no time "
            "passes there, so no crash would ever come; leave such a window out, or give it a probability per passing"
        )
        raise ScenarioError(message)


def _windows(scenario: Scenario) -> tuple[str, ...]:
    return tuple(
        rate.site for rate in scenario.conditions.rates if rate.kind is FaultKind.CRASH and rate.site.startswith(SERVER)
    )


def _takes_time(plan: Plan, luck: Luck, windows: tuple[str, ...], passing: str, replica_index: int | None) -> bool:
    """Whether a crash within a microsecond of this passing does to its call what one in the window does."""
    path = passing.partition("@")[2]
    there = run_with_crash(plan, _OneCrash(luck, windows, passing), None).run.journal
    at_us = next(microseconds(fault.at_s) for fault in there.of(Fault) if fault.site == passing)
    expected = _of_call(plan, there, path)
    for instant_us in (at_us - 1, at_us):
        if instant_us >= 0:
            crash = ServerCrash(at_us=instant_us, replica_index=replica_index)
            beside = run_with_crash(plan, _OneCrash(luck, windows), crash).run.journal
            if _of_call(plan, beside, path) == expected:
                return True
    return False


def _of_call(plan: Plan, journal: Journal, path: str) -> list[str]:
    """What was made, recorded, heard and told for the call of an attempt, without instants."""
    planned_call = next(errand.planned for errand in plan.errands if path.startswith(errand.prefix))
    return sorted(repr(fact._replace(at_s=0.0)) for fact in _facts_of(journal, planned_call.intent))


def _facts_of(journal: Journal, intent: str) -> Iterator[Effect | Reply | Report | Receipt | StateChange]:
    ids = {reply.operation_id for reply in journal.of(Reply) if reply.intent == intent}
    for fact in journal:
        if isinstance(fact, Effect | Reply | Report):
            if fact.intent == intent:
                yield fact
        elif isinstance(fact, Receipt | StateChange) and fact.operation_id in ids:
            yield fact


class _OneCrash(Sampled):
    """Lets the server die in one window, once, and in none of the others; all else is luck.

    Parameters
    ----------
    passing
        The window with the path of the attempt; empty where it is to die nowhere.

    Attributes
    ----------
    passed
        Every window that was passed, with its path.
    """

    def __init__(self, luck: Luck, windows: tuple[str, ...], passing: str = "") -> None:
        super().__init__(*luck)
        self._windows = windows
        self._passing = passing
        self.passed: list[str] = []

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        if site.partition("@")[0] not in self._windows:
            return super()._answer(kind, site, weights)
        self.passed.append(site)
        return int(site == self._passing)
