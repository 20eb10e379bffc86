"""A system of record of the catalog in lines for a terminal: what its documents say, and what is acted out of it."""

from collections.abc import Iterator

from simkit.catalog import SystemEntry
from simkit.cli.entry_text import headed, kept_words, marked, recognised_by, support_lines, wait_words

__all__ = ["system_lines"]


def system_lines(entry: SystemEntry) -> Iterator[str]:
    """The entry as somebody reads it: what a repeat meets, for how long, from when, and what is guessed."""
    yield f"{entry.id}: {entry.name} ({entry.category}), a system of record"
    yield from headed("Write", entry.operation)
    yield from headed("", entry.summary)
    yield ""
    yield "What a repeat meets: what is documented, and beneath it what a scenario acts out"
    for label, documented, acted_out in (
        ("Key", entry.key, _recognition(entry)),
        ("Retention", entry.retention, _retention(entry)),
        ("Other inputs", entry.mismatch, _field(entry, str(entry.behaviour.on_mismatch), "on_mismatch")),
        ("At once", entry.concurrent, _field(entry, str(entry.behaviour.on_concurrent), "on_concurrent")),
        ("Stored", entry.stored, f"failures: {_field(entry, str(entry.behaviour.failures_stored), 'failures_stored')}"),
        ("Scope", entry.scope, ""),
        ("Readback", entry.readback, _readback(entry)),
        ("Effect", "", _effect(entry)),
    ):
        texts = ([documented] if documented else []) + ([f"> {acted_out}"] if acted_out else [])
        yield from headed(label, *texts)
    yield from support_lines(entry)


def _field(entry: SystemEntry, text: str, name: str) -> str:
    return marked(text, f"behaviour.{name}", entry.guessed)


def _recognition(entry: SystemEntry) -> str:
    behaviour = entry.behaviour
    if behaviour.key_retention is None:
        return _field(entry, recognised_by(entry), "deduplication")
    by = _field(entry, str(behaviour.deduplication), "deduplication")
    return f"{by}; remembered {_field(entry, str(behaviour.key_recorded), 'key_recorded')}"


def _retention(entry: SystemEntry) -> str:
    retention = entry.behaviour.key_retention
    if retention is None:
        return _field(entry, "nothing is remembered", "key_retention")
    text = f"{kept_words(retention)} from the {retention.counted_from}, then {retention.after}"
    return _field(entry, text, "key_retention")


def _readback(entry: SystemEntry) -> str:
    asked = f"can be asked by {_field(entry, ', '.join(entry.behaviour.asked_by) or 'nothing', 'asked_by')}"
    offer = entry.readback_offer
    if offer is None:
        return f"{asked}; not about one operation"
    text = f"about one operation by {offer.by}, an effect shows after {wait_words(offer.lag)}"
    return f"{asked}; {marked(text, 'readback_offer', entry.guessed)}"


def _effect(entry: SystemEntry) -> str:
    behaviour = entry.behaviour
    order = "answers before the effect is made" if behaviour.accepts_first else "answers once the effect is made"
    return f"{_field(entry, str(behaviour.effect), 'effect')}; {_field(entry, order, 'accepts_first')}"
