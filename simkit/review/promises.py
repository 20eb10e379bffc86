"""What the exploration found: which promises hold up to how many faults, and what one crash in each window leads to."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from simkit.review.page import Block, Row, Text, Tone, plain, row
from simkit.review.wording import count_words, range_words, schedule_words, window_words
from simkit.study import NOT_APPLYING
from simkit.study.results import Exploration, PromiseResult, StudyResult, WindowRow
from simkit.terms import EvidenceKind, Promise

__all__ = ["promises_block", "windows_block"]

_URGENCY = (Tone.BAD, Tone.OPEN, Tone.GOOD)

_GROUPS: tuple[tuple[str, Callable[[Promise], bool]], ...] = (
    ("About effects", lambda promise: promise.is_about_effects),
    ("About what is reported", lambda promise: promise.is_about_reports),
    ("About work", lambda promise: not promise.is_about_effects and not promise.is_about_reports),
)


def promises_block(result: StudyResult) -> Block:
    """Each promise under both policies of the callers, those about effects first; the smallest schedules stand beneath.

    Those of which the same is to be said share a row, and those that do not apply are named with the reason beneath.
    """
    found = [
        _Found(promise, result.as_requested, result.one_attempt.of(promise.promise), result.one_attempt)
        for promise in result.as_requested.promises
    ]
    applying = [one for one in found if not one.why_not]
    rows: list[Row] = []
    for title, is_of in _GROUPS:
        of_group = [one for one in applying if is_of(one.promise)]
        rows += _rows(title, of_group)
    shows_paths = any(entry.detail is not None and "(attempt " in entry.detail.text for entry in rows)
    return Block(
        name="promises",
        title="Promises",
        evidence=EvidenceKind.SIMULATED,
        columns=("Promise", "As requested", "One attempt"),
        rows=tuple(rows),
        noun="promise",
        nouns="promises",
        notes=(
            *_scope_notes(applying),
            *_not_applying(one for one in found if one.why_not),
            *(
                ("Attempt 2/1: second try of the agent, first of the next layer, and so on down.",)
                if shows_paths
                else ()
            ),
        ),
    )


class _Found:
    """What both explorations say about one promise, in words."""

    def __init__(self, promise: PromiseResult, part: Exploration, once: PromiseResult, once_part: Exploration) -> None:
        self.promise = promise.promise
        self.scope = promise.scope or once.scope
        self.why_not = self.scope.removeprefix(NOT_APPLYING) if self.scope.startswith(NOT_APPLYING) else ""
        self.as_requested, self.one_attempt = _promise_text(promise, part), _promise_text(once, once_part)
        if self.as_requested.text == self.one_attempt.text:
            self.one_attempt = plain(f"{self.as_requested.text[0]} likewise", self.as_requested.tone)
        ways = _both_ways(promise, once)
        self.detail = plain(ways, Tone.BAD) if ways else None


def _rows(title: str, found: list[_Found]) -> list[Row]:
    """One row for all promises of a group of which the same is said, what is broken first, then what is open.

    Where the same is said of the whole group, its title is that row.
    """
    shared: dict[tuple[Text, Text, Text | None], list[Promise]] = {}
    for one in sorted(
        found, key=lambda one: min(_URGENCY.index(one.as_requested.tone), _URGENCY.index(one.one_attempt.tone))
    ):
        shared.setdefault((one.as_requested, one.one_attempt, one.detail), []).append(one.promise)
    if len(shared) == 1 and all(one.detail is None for one in found):
        texts = found[0].as_requested, found[0].one_attempt
        return [row(title, *texts, detail=plain(_names(shared.popitem()[1])), item_count=len(found))]
    rows = [
        row(_names(promises), as_requested, one_attempt, detail=detail, item_count=len(promises))
        for (as_requested, one_attempt, detail), promises in shared.items()
    ]
    return [row(title), *rows] if rows else []


def _names(promises: list[Promise]) -> str:
    return ", ".join(promises)


def _scope_notes(found: list[_Found]) -> Iterator[str]:
    """How those were tried that no call of the plan could break."""
    for one in found:
        if one.scope:
            yield f"{str(one.promise).capitalize()}: {one.scope}."


def _not_applying(found: Iterable[_Found]) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for one in found:
        by_reason.setdefault(one.why_not, []).append(str(one.promise))
    if by_reason:
        reasons = (f"{', '.join(promises)} ({why})" for why, promises in by_reason.items())
        yield f"Does not apply: {'; '.join(reasons)}."


def _with_repeats_named(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows, with `as above` where a detail was said already by the one before."""
    named: list[Row] = []
    said: Text | None = None
    for entry in rows:
        is_repeat = entry.detail is not None and entry.detail == said
        named.append(replace(entry, detail=plain("as above", Tone.BAD)) if is_repeat else entry)
        said = entry.detail or said
    return tuple(named)


def _promise_text(promise: PromiseResult, part: Exploration) -> Text:
    if promise.fewest_faults == 0:
        return plain("✕ broken without a fault", Tone.BAD)
    if promise.fewest_faults is not None:
        return plain(f"✕ broken by {count_words(promise.fewest_faults, 'fault', 'faults')}", Tone.BAD)
    if promise.is_proved:
        return plain(f"✓ proved up to {count_words(part.fault_budget, 'fault', 'faults')}", Tone.GOOD)
    if promise.undecided_count:
        return plain(f"? undecided in {count_words(promise.undecided_count, 'run', 'runs')}", Tone.OPEN)
    seen = (
        f"explored up to {count_words(part.explored_faults, 'fault', 'faults')}"
        if part.explored_faults >= 0
        else "not explored"
    )
    return plain(f"? {seen}", Tone.OPEN)


def _both_ways(promise: PromiseResult, once: PromiseResult) -> str:
    """The first smallest schedule under both policies, and how many others there are."""
    first, more = _ways(promise)
    first_once, more_once = _ways(once)
    if not first_once or (first, more) == (first_once, more_once):
        return first + more
    if first == first_once:
        return f"{first}{more or ', no other way'} (one attempt: {more_once.removeprefix(', or ') or 'no other way'})"
    return f"{first}{more}. One attempt: {first_once}{more_once}" if first else f"One attempt: {first_once}{more_once}"


def _ways(promise: PromiseResult) -> tuple[str, str]:
    if not promise.schedules or not promise.schedules[0].faults:
        return "", ""
    others = len(promise.schedules) - 1
    more = f", or {count_words(others, 'other way', 'other ways')}" if others else ""
    return schedule_words(promise.schedules[0].faults), more


def windows_block(result: StudyResult) -> Block:
    """What one crash in each window leads to, over all orders."""
    return Block(
        name="windows",
        title="One server crash, by window",
        evidence=EvidenceKind.SIMULATED,
        columns=("Crash", "Effects", "Reported", "Promises"),
        rows=_with_repeats_named(_window_row(window) for window in result.windows),
        noun="window",
        nouns="windows",
        notes=() if result.windows else ("No crash window was explored.",),
    )


def _window_row(window: WindowRow) -> Row:
    broken = ", ".join(str(promise) for promise in window.broken)
    is_duplicated = window.effect_count_max > 1
    return row(
        window_words(window.site),
        plain(range_words(window.effect_count_min, window.effect_count_max), Tone.BAD if is_duplicated else Tone.PLAIN),
        ", ".join(str(outcome) for outcome in window.outcomes),
        plain(f"✕ {len(window.broken)} broken", Tone.BAD) if broken else plain("✓ kept", Tone.GOOD),
        detail=plain(f"broken: {broken}", Tone.BAD) if broken else None,
    )
