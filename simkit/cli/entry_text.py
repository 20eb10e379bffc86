"""What the entries of the catalog say, in lines for a terminal: one line for each, and what all of them have."""

import math
import textwrap
from collections.abc import Iterable, Iterator
from types import MappingProxyType

from simkit.catalog import WRITE, PolicyEntry, SystemEntry, retry_rows
from simkit.choices import Deduplication
from simkit.contract import Entry
from simkit.contract.durations import duration_text
from simkit.distributions import Wait
from simkit.scenario import Retention
from simkit.terms import ErrorClass, RetentionKind

__all__ = [
    "WIDTH",
    "failure_words",
    "headed",
    "kept_words",
    "listed_line",
    "marked",
    "recognised_by",
    "retried",
    "support_lines",
    "time_words",
    "wait_words",
]

WIDTH = 110
LABEL_WIDTH = 14
DIGITS = 6
SERVERS_OWN = ("500", "502", "503", "504")

_SHORT = MappingProxyType({ErrorClass.CONNECTION_REFUSED: "refused", ErrorClass.CONNECTION_CLOSED: "closed"})


def listed_line(entry: Entry, *, id_width: int) -> str:
    """One line: ID, name, what it recognises a repeat by or what it tries again, grade, guesses."""
    said = recognised_by(entry) if isinstance(entry, SystemEntry) else retried(entry)
    guesses = f"; guesses {len(entry.guessed)}" if entry.guessed else ""
    return f"{entry.id:{id_width}}  {entry.name}: {said} [{entry.grade}{guesses}]"


def recognised_by(entry: SystemEntry) -> str:
    """What a system of record recognises a repeat by, and for how long."""
    behaviour = entry.behaviour
    if behaviour.deduplication is Deduplication.NONE or (
        behaviour.key_retention is None and behaviour.deduplication is Deduplication.RESPONSE_CACHE
    ):
        return "recognises no repeat"
    kept = "" if behaviour.key_retention is None else f", {kept_words(behaviour.key_retention)}"
    return f"{behaviour.deduplication}{kept}"


def retried(entry: PolicyEntry) -> str:
    """What a policy tries again, and how often in all."""
    policy = entry.behaviour
    if policy is None:
        return "delivers again"
    if not policy.repeats:
        return "tries once"
    tries = "tries without end" if policy.attempts is None else f"{policy.attempts} tries"
    rows = retry_rows(policy)
    write = _failures_words(row.failure for row in rows if row.write)
    idempotent = _failures_words(row.failure for row in rows if row.idempotent_methods)
    if write == idempotent:
        return f"{tries} on {write or 'no failure of a call'}"
    return f"{tries}: {WRITE} on {write or 'nothing'}, others on {idempotent or 'nothing'}"


def _failures_words(failures: Iterable[ErrorClass]) -> str:
    """Failures, shortly: all four of a server's own are `5xx`."""
    words = [failure_words(failure) for failure in failures]
    if set(words) >= set(SERVERS_OWN):
        words = [*(word for word in words if word not in SERVERS_OWN), "5xx"]
    return ", ".join(words)


def kept_words(retention: Retention) -> str:
    """How long something is remembered."""
    if retention.kind is RetentionKind.WITH_OBJECT:
        return str(retention.kind)
    kind = "" if retention.kind is RetentionKind.EXACT else f"{retention.kind} "
    return f"{kind}{time_words(retention.retention_s)}"


def failure_words(failure: ErrorClass) -> str:
    """A failure, shortly."""
    return _SHORT.get(failure, str(failure))


def time_words(length_s: float) -> str:
    """A length of time, to six digits."""
    return "no end" if math.isinf(length_s) else duration_text(float(f"{length_s:.{DIGITS}g}"))


def wait_words(wait: Wait) -> str:
    """A wait by its bounds."""
    least, most = time_words(wait.s_min), time_words(wait.s_max)
    return most if least == most else f"{least} to {most}"


def marked(text: str, field: str, guessed: Iterable[str]) -> str:
    """The text, with a mark where that field of the entry, or a part of it, is guessed."""
    parts = [one.removeprefix(f"{field}.") for one in guessed if one == field or one.startswith(f"{field}.")]
    if not parts:
        return text
    return f"{text} (guessed)" if field in parts else f"{text} (guessed: {', '.join(parts)})"


def headed(label: str, *texts: str) -> Iterator[str]:
    """A label with its texts beside it, each in as many lines as it needs."""
    indent = " " * LABEL_WIDTH
    for index, text in enumerate(texts):
        first = f"{label:{LABEL_WIDTH}}" if index == 0 else indent
        yield textwrap.fill(
            text, WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
        )


def support_lines(entry: Entry) -> Iterator[str]:
    """Cautions, what nobody knows, what is guessed, what is not acted out, and on what all of it rests."""
    yield ""
    for label, texts in (
        ("Cautions", entry.cautions),
        ("Nobody knows", entry.open_questions or ("nothing is open",)),
        ("Guessed", entry.guessed or ("nothing: each field has a source",)),
        ("Not simulated", entry.not_simulated or ("nothing that is documented",)),
        ("Sources", tuple(f"{one.where} ({one.kind}): {one.says}" for one in entry.sources)),
    ):
        yield from headed(label, *(f"- {text}" for text in texts))
    yield from headed("Grade", str(entry.grade))
    yield from headed("Checked", f"{entry.checked_at}, against {entry.checked_against}")
