"""One row of the table of systems: a system of record behind one write path, explored, judged, and its guesses turned.

Every row has the same layers above, so that two rows differ by the system of record or by the write path alone.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

from simkit.catalog import SystemEntry
from simkit.distributions import Wait
from simkit.scenario import Scenario
from simkit.study.applicability import NOT_APPLYING
from simkit.study.results import Exploration, PromiseResult
from simkit.study.site_words import site_in_words
from simkit.study.stacks.budgets import last_arrival_s
from simkit.study.stacks.guesses import can_be_turned, turned_guesses
from simkit.study.stacks.protection import protection
from simkit.study.stacks.stack import Stack, WritePath, stack_scenario, system_entry
from simkit.study.structure.claims import structural_verdict
from simkit.study.study import proofs
from simkit.terms import Promise, Verdict

__all__ = ["FAULT_BUDGET", "JUDGED_IN_ROWS", "SDK", "SystemRow", "system_row"]

SDK: Final = "botocore-standard-v2"
"""The SDK of every row: the one that is installed most, and that repeats whatever the method is."""

FAULT_BUDGET: Final = 2

JUDGED_IN_ROWS: Final = tuple(promise for promise in Promise if promise.is_about_effects or promise.is_about_reports)

_FOR_ALLOW: Final = tuple(promise for promise in Promise if not promise.is_about_reports)
_BEYOND_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRow:
    """What is known of one system of record behind one write path.

    Parameters
    ----------
    verdict
        By structure alone: allow, hold or disable.
    protected_by
        What keeps a repeat from making a second effect; `nothing` where a schedule of few faults makes one.
    window_s
        How long that is guaranteed, in seconds; infinity where it lasts as long as what was made.
    last_arrival_s
        When the last request of one operation may reach the system of record, in seconds from the first attempt.
    beyond_window
        The verdict where the agent repeats only after the window; `does not apply` where there is no end, or no window.
    sdk_once
        The verdict where the SDK below the tool sends once only, and everybody else repeats as before.
    broken, broken_by, schedule_id
        The effect promise that breaks with fewest faults, those faults in words, and the ID of that schedule; empty
        where none breaks.
    promises
        What became of each promise, in words.
    depends_on
        Guesses by which the verdict is another one, with that verdict.
    not_turned
        Guesses that were not turned another way.
    """

    system: str
    name: str
    category: str
    write_path: WritePath
    grade: str
    verdict: Verdict
    is_report_unsafe: bool
    recognises_by: str
    protected_by: str
    window_s: float
    last_arrival_s: float
    beyond_window: str
    sdk_once: str
    broken: str
    broken_by: str
    schedule_id: str
    promises: tuple[tuple[Promise, str], ...]
    guessed: tuple[str, ...]
    depends_on: tuple[str, ...]
    not_turned: tuple[str, ...]
    run_count: int
    scenario_digest: str


def system_row(name: str, path: WritePath, *, sdk: str = SDK, fault_budget: int = FAULT_BUDGET) -> SystemRow:
    """Explore one system of record behind one write path, to so many faults.

    Raises
    ------
    InputError
        If the catalog has no such entry.
    """
    entry = system_entry(name)
    scenario = stack_scenario(Stack(downstream=name, path=path, sdk=sdk))
    explored = proofs(scenario, fault_budget=fault_budget)
    verdict = _verdict(scenario, explored)
    protected = protection(entry, path, scenario.server.retention)
    is_protected = explored.of(Promise.AT_MOST_ONE_EFFECT).is_proved
    worst = _worst(explored)
    return SystemRow(
        system=name,
        name=entry.name,
        category=entry.category,
        write_path=path,
        grade=str(entry.grade),
        verdict=verdict,
        is_report_unsafe=any(
            result.fewest_faults is not None for result in explored.promises if result.promise.is_about_reports
        ),
        recognises_by=str(entry.behaviour.deduplication),
        protected_by=protected.by if is_protected else "nothing",
        window_s=protected.window_s if is_protected else 0.0,
        last_arrival_s=last_arrival_s(scenario),
        beyond_window=_beyond(scenario, protected.window_s, fault_budget)
        if is_protected
        else NOT_APPLYING.rstrip(": "),
        sdk_once=str(
            verdict if verdict is Verdict.ALLOW else structural_verdict(_with_sdk_once(scenario), fault_budget)
        ),
        broken="" if worst is None else str(worst.promise),
        broken_by="" if worst is None else _faults_in_words(worst),
        schedule_id="" if worst is None else worst.schedules[0].schedule_id,
        promises=tuple((promise, _said_of(explored.of(promise), fault_budget)) for promise in JUDGED_IN_ROWS),
        guessed=entry.guessed,
        depends_on=tuple(_dependences(entry, scenario, verdict, fault_budget)),
        not_turned=tuple(field for field in entry.guessed if not can_be_turned(field, entry)),
        run_count=explored.run_count,
        scenario_digest=scenario.digest(),
    )


def _said_of(result: PromiseResult, fault_budget: int) -> str:
    """What an exploration says of one promise, in a table's cell."""
    if result.scope.startswith(NOT_APPLYING):
        return NOT_APPLYING.rstrip(": ")
    if result.is_proved:
        return f"proved up to {fault_budget} faults"
    if result.fewest_faults is None:
        return "undecided"
    noun = "fault" if result.fewest_faults == 1 else "faults"
    return f"broken with {result.fewest_faults} {noun} ({result.schedules[0].schedule_id}): {_faults_in_words(result)}"


def _verdict(scenario: Scenario, explored: Exploration) -> Verdict:
    """Allow where all that it needs is proved as requested; otherwise what one attempt each deserves."""
    if all(explored.of(promise).is_proved for promise in _FOR_ALLOW):
        return Verdict.ALLOW
    return structural_verdict(scenario, explored.fault_budget, claims=(Verdict.HOLD,)) or Verdict.DISABLE


def _worst(explored: Exploration) -> PromiseResult | None:
    """The effect promise that breaks with fewest faults; of several, the first in the list of promises."""
    broken = [result for result in explored.promises if result.promise.is_about_effects and result.schedules]
    return min(broken, key=lambda result: result.fewest_faults or 0, default=None)


def _faults_in_words(result: PromiseResult) -> str:
    return " and ".join(site_in_words(site) for site in result.schedules[0].faults) or "nothing goes wrong"


def _beyond(scenario: Scenario, window_s: float, fault_budget: int) -> str:
    """The verdict where the agent waits for longer than the window before it repeats."""
    if not 0 < window_s < math.inf:
        return NOT_APPLYING.rstrip(": ")
    wait = Wait.of(window_s + _BEYOND_S)
    agent = replace(scenario.layers[0], backoff=wait)
    horizon_s = scenario.conditions.retry_horizon_s + (agent.attempts or 1) * wait.s_max
    deadline_s = scenario.conditions.deadline_s + horizon_s
    late = replace(
        scenario,
        layers=(agent, *scenario.layers[1:]),
        conditions=replace(scenario.conditions, retry_horizon_s=horizon_s, deadline_s=deadline_s),
    )
    return str(structural_verdict(late, fault_budget))


def _with_sdk_once(scenario: Scenario) -> Scenario:
    *above, sdk = scenario.layers
    return replace(scenario, layers=(*above, replace(sdk, attempts=1)))


def _dependences(entry: SystemEntry, scenario: Scenario, verdict: Verdict, fault_budget: int) -> list[str]:
    found = []
    for turned in turned_guesses(entry, scenario):
        other = structural_verdict(turned.scenario, fault_budget)
        if other is not verdict:
            found.append(f"{turned.field} = {turned.value}: {other}")
    return found
