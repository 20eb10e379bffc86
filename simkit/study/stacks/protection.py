"""By what a stack is protected from a second effect, and for how long.

What a system of record recognises a repeat by is one thing, and whether the stack lets it see that is another: a
key that nobody sends protects nobody. A retention counts as far as it is guaranteed.
"""

import math
from dataclasses import dataclass

from simkit.catalog import SystemEntry
from simkit.policy import KnownBy, known_by
from simkit.scenario import Retention
from simkit.study.stacks.stack import WritePath, is_named_by_arguments
from simkit.terms import RetentionKind

__all__ = ["RECORD", "Protection", "guaranteed_s", "protection"]

RECORD = "the server's record"
"""What protects a tool that reserves the operation ID first."""

_GUARANTEED = frozenset({RetentionKind.EXACT, RetentionKind.AT_LEAST})


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """What recognises a repeat in a stack.

    Parameters
    ----------
    by
        `the key`, `the object`, `the content`, `the server's record`, several joined by `and`, or `nothing`.
    window_s
        How long that is guaranteed, in seconds: infinity where it lasts as long as what was made, 0 where nothing is
        promised; the longest, where there are several.
    """

    by: str
    window_s: float


def protection(entry: SystemEntry, path: WritePath, record: Retention) -> Protection:
    """What recognises a repeat, by what the system of record can do and by what the write path lets it see."""
    kind = known_by(entry.behaviour.deduplication)
    is_seen = path is not WritePath.NO_KEY or kind is KnownBy.CONTENT or is_named_by_arguments(entry)
    by = [RECORD] if path is WritePath.RECORDED_FIRST else []
    windows_s = [guaranteed_s(record)] if path is WritePath.RECORDED_FIRST else []
    if kind is not KnownBy.NOTHING and is_seen:
        by.append(str(kind))
        windows_s.append(guaranteed_s(entry.behaviour.key_retention))
    return Protection(by=" and ".join(by) or str(KnownBy.NOTHING), window_s=max(windows_s, default=0.0))


def guaranteed_s(retention: Retention | None) -> float:
    """How long something is remembered for certain, in seconds."""
    if retention is None:
        return 0.0
    if retention.kind is RetentionKind.WITH_OBJECT:
        return math.inf
    return retention.retention_s if retention.kind in _GUARANTEED else 0.0
