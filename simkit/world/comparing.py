"""Comparisons of times that span the clocks of two parties: off by up to their skews, either way."""

from simkit.world.timeline import Instant, Timeline

__all__ = ["has_passed"]


def has_passed(timeline: Timeline, since: Instant, seconds: float, site: str, *, skew_s: float) -> bool:
    """Whether `seconds` have passed since an instant, as far as clocks that differ by up to `skew_s` can tell.

    Inside the skew either answer may come: a pick.
    """
    if not skew_s:
        return timeline.passed(since, seconds, site)
    if timeline.passed(since, seconds + skew_s, f"{site}.latest"):
        return True
    return (
        timeline.passed(since, max(seconds - skew_s, 0.0), f"{site}.earliest")
        and timeline.chance.pick(f"{site}.skewed", 2) == 1
    )
