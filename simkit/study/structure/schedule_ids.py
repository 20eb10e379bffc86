"""Short names of schedules, by which people cite them and have them replayed.

A name is made of the promise and of the faults that break it, in any order, and of nothing else: rates, titles,
budgets and what else the exploration found do not change it. Only where two schedules of one exploration
would bear one name do both take as many more digits as tell them apart.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable

from simkit.terms import Promise

__all__ = ["Named", "schedule_ids"]

Named = tuple[Promise, tuple[str, ...]]
"""A promise, and the faults that break it."""

DIGIT_COUNT_MIN = 6


def schedule_ids(schedules: Iterable[Named]) -> dict[Named, str]:
    """A name for each schedule, six hexadecimal digits or as many as tell it from every other one."""
    digests = {schedule: _digest(schedule) for schedule in schedules}
    ids: dict[Named, str] = {}
    digit_count = DIGIT_COUNT_MIN
    while len(ids) < len(digests):
        bearers = Counter(digest[:digit_count] for digest in digests.values())
        for schedule, digest in digests.items():
            if bearers[digest[:digit_count]] == 1:
                ids.setdefault(schedule, digest[:digit_count])
        digit_count += 1
    return ids


def _digest(schedule: Named) -> str:
    promise, faults = schedule
    return hashlib.sha256("|".join((promise, *sorted(faults))).encode()).hexdigest()
