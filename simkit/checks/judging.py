"""What a judgement on one promise for one intent is made of, and how it becomes a finding."""

from collections.abc import Callable

from simkit.checks.finding import Finding
from simkit.checks.index import Index, index_journal
from simkit.journal import Journal
from simkit.records import Intent
from simkit.terms import Promise, PromiseVerdict

__all__ = ["KEPT", "Judge", "Judged", "broken", "findings", "findings_of", "undecided"]

Judged = tuple[PromiseVerdict, tuple[str, ...]]
"""A verdict with its evidence."""

Judge = Callable[[Index, Intent], Judged]
"""Decides one promise for one intent."""

KEPT: Judged = (PromiseVerdict.KEPT, ())


def broken(*evidence: str) -> Judged:
    """The promise is broken; at least one line says by what."""
    return PromiseVerdict.BROKEN, evidence


def undecided(index: Index, what_may_follow: str) -> Judged:
    """The run was cut before a step that can still change the verdict."""
    return PromiseVerdict.UNDECIDED, (f"the run was cut before: {index.waiting_for}", what_may_follow)


def findings_of(index: Index, promise: Promise, judge: Judge) -> tuple[Finding, ...]:
    """One finding per intent, in the order of the journal."""
    found = []
    for intent in index.intents:
        verdict, evidence = judge(index, intent)
        found.append(Finding(promise=promise, intent=intent.intent, verdict=verdict, evidence=evidence))
    return tuple(found)


def findings(journal: Journal, promise: Promise, judge: Judge) -> tuple[Finding, ...]:
    """One finding per intent of a journal that was not indexed yet."""
    return findings_of(index_journal(journal), promise, judge)
