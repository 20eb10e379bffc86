"""An exploration in lines for a terminal: what becomes of each promise, and what that leaves out.

==============  =======================================================================================
a line begins   when
==============  =======================================================================================
broken          some schedule breaks the promise; the first of the smallest follows
proved          every schedule within the fault budget was seen, and each keeps it
not proved      the time was over before that; up to how many faults all schedules were seen follows
undecided       some runs cannot tell
does not apply  nothing in the scenario could break it
==============  =======================================================================================
"""

from collections.abc import Iterator

from simkit.review.documents import ExploreResult
from simkit.review.wording import count_words, schedule_words
from simkit.study import FAULT_KIND, NOT_APPLYING
from simkit.study.results import Exploration, PromiseResult

__all__ = ["exploration_lines"]


def exploration_lines(result: ExploreResult) -> Iterator[str]:
    """What was explored, a line for each promise in the order of the page, and what the statements leave out."""
    exploration = result.exploration
    yield (
        f"{result.scenario}: schedules of up to {_faults(exploration.fault_budget)} in every possible order, "
        f"{count_words(exploration.run_count, 'run', 'runs')}"
    )
    if not exploration.is_complete:
        yield "the time was over before all of them were seen"
    yield from (f"note: {note}" for note in result.notes)
    for promise in exploration.promises:
        yield _line(promise, exploration)
    kinds = [what.removeprefix(FAULT_KIND) for what in result.excluded if what.startswith(FAULT_KIND)]
    others = [what for what in result.excluded if not what.startswith(FAULT_KIND)]
    yield f"left out, kinds of fault: {', '.join(kinds) or 'none'}"
    yield f"left out, besides: {', '.join(others)}"


def _line(promise: PromiseResult, exploration: Exploration) -> str:
    if promise.scope.startswith(NOT_APPLYING):
        kind, said = "does not apply", promise.scope.removeprefix(NOT_APPLYING)
    else:
        kind, said = _said(promise, exploration)
        said += f" ({promise.scope})" if promise.scope else ""
    return f"{kind:14}  {promise.promise}: {said}"


def _said(promise: PromiseResult, exploration: Exploration) -> tuple[str, str]:
    if promise.fewest_faults is not None:
        return "broken", _smallest(promise, promise.fewest_faults)
    if promise.is_proved:
        return "proved", f"up to {_faults(exploration.fault_budget)}"
    if exploration.is_complete and promise.undecided_count:
        return "undecided", f"in {count_words(promise.undecided_count, 'run', 'runs')}"
    seen_count = exploration.explored_faults if not promise.scope else -1
    return "not proved", f"seen up to {_faults(seen_count)} only" if seen_count >= 0 else "not seen to the end"


def _smallest(promise: PromiseResult, fault_count: int) -> str:
    if fault_count == 0:
        return "without a fault"
    other_count = len(promise.schedules) - 1
    others = f"; or {count_words(other_count, 'other way', 'other ways')}" if other_count else ""
    return f"by {_faults(fault_count)}: {schedule_words(promise.schedules[0].faults)}{others}"


def _faults(count: int) -> str:
    return count_words(count, "fault", "faults")
