"""The promise that work stays in the budget that the review states: attempts of any one layer, and time.

Each stage is an effect of its own, so below a server that makes several the attempts count stage by stage.
"""

from collections import Counter

from simkit.checks.finding import Finding
from simkit.checks.index import Index
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.journal import Journal
from simkit.records import Intent
from simkit.terms import Promise

__all__ = ["check_work_in_budget", "judge_work_in_budget"]


def check_work_in_budget(journal: Journal) -> tuple[Finding, ...]:
    """No layer tries more often, and nobody tries longer, than the review states."""
    return findings(journal, Promise.WORK_IN_BUDGET, judge_work_in_budget)


def judge_work_in_budget(index: Index, intent: Intent) -> Judged:
    """Decide for one intent."""
    count_max, time_s_max = index.promised.attempt_count_max, index.promised.time_s_max
    if count_max is None and time_s_max is None:
        return KEPT
    attempts = index.by_intent[intent.intent].attempts
    exceeded = []
    if count_max is not None:
        counts = Counter((attempt.layer, attempt.stage) for attempt in attempts)
        exceeded = [
            f"{layer}{f' in {stage}' if stage else ''} made {count} attempts, {count_max} are stated"
            for (layer, stage), count in sorted(counts.items())
            if count > count_max
        ]
    if time_s_max is not None and attempts:
        first_s, last_s = min(attempt.at_s for attempt in attempts), max(attempt.at_s for attempt in attempts)
        if last_s - first_s > time_s_max:
            exceeded.append(f"first attempt at {first_s:g} s, last at {last_s:g} s, {time_s_max:g} s are stated")
    if exceeded:
        return broken(*exceeded)
    if index.waiting_for is not None:
        return undecided(index, "another attempt may follow")
    return KEPT
