"""An exploration in lines for a terminal: what becomes of each promise, and what that leaves out.

==============  =======================================================================================
a line begins   when
==============  =======================================================================================
broken          some schedule breaks the promise; the smallest follow, each with the ID that replays it
proved          every schedule within the fault budget was seen, and each keeps it
not proved      the exploration was stopped before; up to how many faults all were seen follows
undecided       some runs cannot tell; the later steps that could decide it follow
does not apply  nothing in the scenario could break it
==============  =======================================================================================
"""

from collections.abc import Iterable, Iterator

from simkit.review.documents import ExploreResult
from simkit.review.margins_text import margin_lines
from simkit.review.matrix_text import matrix_lines
from simkit.review.table_text import table_lines
from simkit.review.wording import count_words, list_words, schedule_words
from simkit.study import FAULT_KIND, NOT_APPLYING
from simkit.study.results import Exploration, Level, PromiseResult

__all__ = ["exploration_lines", "smallest_words"]


SCHEDULE_COUNT_MAX = 3
"""Smallest schedules of one promise that are listed; all are in the JSON."""

UNDER = " " * 16


def exploration_lines(result: ExploreResult) -> Iterator[str]:
    """What was explored, what becomes of each promise in the order of the page, and what the statements leave out."""
    exploration = result.exploration
    yield (
        f"{result.scenario}: schedules of up to {_faults(exploration.fault_budget)} in every possible order, "
        f"{count_words(exploration.run_count, 'run', 'runs')}"
    )
    if exploration.levels:
        yield f"seen: {'; '.join(map(_level, exploration.levels))}"
    if exploration.is_exhausted:
        yield f"no run has more than {_faults(exploration.levels[-1].fault_count)}: what is proved holds for any number"
    if not exploration.is_complete:
        yield "stopped before all of them were seen: what is not broken is not proved"
    yield from (f"note: {note}" for note in result.notes)
    for promise in exploration.promises:
        yield from _lines(promise, exploration)
    if result.matrix is not None:
        yield from matrix_lines(result.matrix)
    if result.table is not None:
        yield from table_lines(result.table)
    if result.margins is not None:
        yield from margin_lines(result.margins)
    kinds = [what.removeprefix(FAULT_KIND) for what in result.excluded if what.startswith(FAULT_KIND)]
    others = [what for what in result.excluded if not what.startswith(FAULT_KIND)]
    yield f"left out, kinds of fault: {', '.join(kinds) or 'none'}"
    yield f"left out, besides: {', '.join(others)}"


def smallest_words(promise: PromiseResult, levels: Iterable[Level]) -> str:
    """By how many faults a promise is broken, and why by none of fewer; `levels` are what was seen."""
    fewest = promise.fewest_faults
    if not fewest:
        return "without a fault"
    if not promise.is_smallest:
        return f"by {_faults(fewest)}; whether by fewer is undecided"
    below = [level for level in levels if level.fault_count < fewest]
    schedules = count_words(sum(level.schedule_count for level in below), "schedule", "schedules")
    runs = count_words(sum(level.run_count for level in below), "run", "runs")
    seen = "" if promise.scope else f" ({schedules}, {runs})"
    return f"by {_faults(fewest)}; every schedule of fewer keeps it{seen}"


def _lines(promise: PromiseResult, exploration: Exploration) -> Iterator[str]:
    if promise.scope.startswith(NOT_APPLYING):
        kind, said = "does not apply", promise.scope.removeprefix(NOT_APPLYING)
    else:
        kind, said = _said(promise, exploration)
        said += f" ({promise.scope})" if promise.scope else ""
    yield f"{kind:14}  {promise.promise}: {said}"
    for schedule in promise.schedules[:SCHEDULE_COUNT_MAX]:
        yield f"{UNDER}{schedule.schedule_id}  {schedule_words(schedule.faults) or 'nothing goes wrong'}"
    others = len(promise.schedules) - SCHEDULE_COUNT_MAX
    if others > 0:
        yield f"{UNDER}and {count_words(others, 'other', 'others')} of that size, with --json"
    if promise.schedules and not promise.are_all_listed:
        yield f"{UNDER}there may be others of that size"
    if promise.undecided_steps:
        runs = count_words(promise.undecided_count, "run was cut", "runs were cut")
        steps = list_words(step.waiting_for for step in promise.undecided_steps)
        yield f"{UNDER}{runs} before a step that could decide it: {steps}"


def _said(promise: PromiseResult, exploration: Exploration) -> tuple[str, str]:
    if promise.fewest_faults is not None:
        return "broken", smallest_words(promise, exploration.levels)
    if promise.is_proved:
        return "proved", f"up to {_faults(exploration.fault_budget)}"
    if exploration.is_complete and promise.undecided_count:
        return "undecided", f"in {count_words(promise.undecided_count, 'run', 'runs')}"
    seen_count = exploration.explored_faults if not promise.scope else -1
    return "not proved", f"seen up to {_faults(seen_count)} only" if seen_count >= 0 else "not seen to the end"


def _level(level: Level) -> str:
    schedules = count_words(level.schedule_count, "schedule", "schedules")
    stopped = "" if level.is_complete else ", not all"
    return f"{_faults(level.fault_count)}: {schedules} in {count_words(level.run_count, 'run', 'runs')}{stopped}"


def _faults(count: int) -> str:
    return count_words(count, "fault", "faults")
