"""A replayed schedule in lines for a terminal: what breaks, by what, and a timeline that marks where it broke."""

from collections.abc import Iterator

from simkit.review.exploration_text import smallest_words
from simkit.review.wording import count_words, schedule_words
from simkit.study import Replayed, Searched
from simkit.terms import PromiseVerdict

__all__ = ["replay_head", "replay_lines", "unknown_schedule_lines"]

MARK = ">>"
UNDER = " " * 16


def replay_head(replayed: Replayed) -> Iterator[str]:
    """What the schedule breaks, the faults that it consists of, and why nothing smaller breaks it."""
    result, schedule = replayed.result, replayed.schedule
    yield f"{schedule.schedule_id}: broken: {result.promise}{f' ({result.scope})' if result.scope else ''}"
    yield f"what goes wrong: {schedule_words(schedule.faults) or 'nothing'}"
    yield f"smallest: {smallest_words(result, replayed.levels)}"


def replay_lines(replayed: Replayed) -> Iterator[str]:
    """What happened, in order, with a mark at the line from which on the promise is broken whatever comes later."""
    promise = replayed.result.promise
    yield "What happened, in order, at instants that the declared latencies allow:"
    for index, line in enumerate(replayed.lines):
        is_breaking = index == replayed.breaking_line_index
        yield f"{MARK}{line[len(MARK) :]}" if is_breaking else line
        if is_breaking:
            yield f"{UNDER}^ here it is broken: {promise}"
            yield from _evidence(replayed)
    if replayed.breaking_line_index is None:
        yield f"{MARK} the run is over, nothing is in flight, and it is broken: {promise}"
        yield from _evidence(replayed)
    others = {
        finding.promise: None
        for finding in replayed.findings
        if finding.verdict is PromiseVerdict.BROKEN and finding.promise is not promise
    }
    if others:
        yield f"this run breaks as well: {', '.join(others)}"


def unknown_schedule_lines(searched: Searched, schedule_id: str, *, fault_budget: int) -> Iterator[str]:
    """That no smallest schedule has this ID, and which IDs there are."""
    faults = count_words(fault_budget, "fault", "faults")
    yield f"no smallest schedule of up to {faults} has the ID {schedule_id!r}"
    if not searched.is_complete:
        yield "stopped before all of them were seen: it may be one of the others"
    if not searched.results:
        yield f"nothing is broken{'' if searched.is_complete else ' so far'}, so there is none to replay"
    for result in searched.results:
        scope = f" ({result.scope})" if result.scope else ""
        yield f"{result.promise}{scope}: {', '.join(schedule.schedule_id for schedule in result.schedules)}"


def _evidence(replayed: Replayed) -> Iterator[str]:
    for finding in replayed.findings:
        if finding.promise is replayed.result.promise and finding.verdict is PromiseVerdict.BROKEN:
            yield from (f"{UNDER}  {line}" for line in finding.evidence)
