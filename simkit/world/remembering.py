"""Whether something recorded is still remembered: certain inside a guarantee, a pick beyond it."""

from simkit.scenario import Retention
from simkit.terms import RetentionKind
from simkit.world.timeline import Instant, Timeline

__all__ = ["is_remembered"]


def is_remembered(retention: Retention, since: Instant | None, timeline: Timeline, site: str) -> bool:
    """Whether something is still there whose time began at `since`; None where it has not begun.

    Remembered while t < expiry. What lives as long as an object is there until somebody takes the object
    away, and says so.
    """
    if since is None or retention.kind is RetentionKind.WITH_OBJECT:
        return True
    is_over = timeline.passed(since, retention.retention_s, site)
    match retention.kind:
        case RetentionKind.EXACT:
            return not is_over
        case RetentionKind.AT_LEAST:
            return not is_over or timeline.chance.pick(f"{site}.forgotten", 2) == 0
        case RetentionKind.AT_MOST:
            return not is_over and timeline.chance.pick(f"{site}.forgotten", 2) == 0
        case RetentionKind.NOT_STATED:
            return timeline.chance.pick(f"{site}.forgotten", 2) == 0
