"""The promise that nothing lands once an operation was settled as absent, cancelled or superseded.

A settlement says that there is no effect and none will follow. One that existed already breaks it as
well as one that lands later, so the order of the two, which different parties write, is not looked at.
"""

from simkit.checks.finding import Finding
from simkit.checks.index import Index
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.journal import Journal
from simkit.records import Intent
from simkit.terms import Promise

__all__ = ["check_nothing_after_settlement", "judge_nothing_after_settlement"]


def check_nothing_after_settlement(journal: Journal) -> tuple[Finding, ...]:
    """No operation that was settled without an effect has one."""
    return findings(journal, Promise.NOTHING_AFTER_SETTLEMENT, judge_nothing_after_settlement)


def judge_nothing_after_settlement(index: Index, intent: Intent) -> Judged:
    """Decide for one intent, by operation: what was made under another of its IDs is another promise."""
    facts = index.by_intent[intent.intent]
    for settlement in facts.settlements:
        made = [effect for effect in facts.effects if effect.operation_id == settlement.operation_id]
        if made:
            return broken(
                f"{settlement.at_s:g} s: {settlement.party} settled it as {settlement.settled}",
                *(f"{effect.at_s:g} s: effect in {effect.stage}" for effect in made),
            )
    if index.waiting_for is not None:
        what = "an effect may follow" if facts.settlements else "a settlement may follow, and an effect after it"
        return undecided(index, what)
    return KEPT
