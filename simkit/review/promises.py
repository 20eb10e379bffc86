"""What the exploration found: which promises hold up to how many faults, and what one crash in each window leads to."""

from collections.abc import Iterable
from dataclasses import replace

from simkit.review.page import Block, Row, Text, Tone, plain, row
from simkit.review.wording import count_words, range_words, schedule_words, window_words
from simkit.study.results import Exploration, PromiseResult, StudyResult, WindowRow
from simkit.terms import EvidenceKind

__all__ = ["promises_block", "windows_block"]


def promises_block(result: StudyResult) -> Block:
    """Each promise under both policies of the callers; the smallest schedules stand beneath."""
    rows = _with_repeats_named(
        _promise_row(promise, result.as_requested, result.one_attempt.of(promise.promise), result.one_attempt)
        for promise in result.as_requested.promises
    )
    shows_paths = any(entry.detail is not None and "(attempt " in entry.detail.text for entry in rows)
    return Block(
        name="promises",
        title="Promises",
        evidence=EvidenceKind.SIMULATED,
        columns=("Promise", "As requested", "One attempt"),
        rows=rows,
        noun="promise",
        nouns="promises",
        notes=("Attempt 2/1: second try of the agent, first of the next layer, and so on down.",)
        if shows_paths
        else (),
    )


def _with_repeats_named(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows, with `as above` where a detail was said already by the one before."""
    named: list[Row] = []
    said: Text | None = None
    for entry in rows:
        is_repeat = entry.detail is not None and entry.detail == said
        named.append(replace(entry, detail=plain("as above", Tone.BAD)) if is_repeat else entry)
        said = entry.detail or said
    return tuple(named)


def _promise_row(promise: PromiseResult, part: Exploration, once: PromiseResult, once_part: Exploration) -> Row:
    as_requested, one_attempt = _promise_text(promise, part), _promise_text(once, once_part)
    if as_requested.text == one_attempt.text:
        one_attempt = plain(f"{as_requested.text[0]} likewise", as_requested.tone)
    ways, ways_once = _ways(promise), _ways(once)
    if ways_once and ways_once != ways:
        ways = f"{ways}. One attempt: {ways_once}" if ways else f"One attempt: {ways_once}"
    detail = None
    if ways or promise.scope:
        detail = plain(". ".join(filter(None, (ways, promise.scope))), Tone.BAD if ways else Tone.MUTED)
    return row(str(promise.promise), as_requested, one_attempt, detail=detail)


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


def _ways(promise: PromiseResult) -> str:
    if not promise.schedules or not promise.schedules[0].faults:
        return ""
    others = len(promise.schedules) - 1
    more = f", or {count_words(others, 'other way', 'other ways')}" if others else ""
    return f"{schedule_words(promise.schedules[0].faults)}{more}"


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
