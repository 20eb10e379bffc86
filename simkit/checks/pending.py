"""The promise that nothing pends for ever: what was sent is settled, or has an owner, by the deadline.

=======================  =======================================================================
an intent is settled     when its outermost layer heard that every stage is done, or something was
                         found; when all that was sent was refused, durably rejected, or settled
                         without an effect
it has an owner          when `UNKNOWN` was reported with an owner and a deadline
a record pends           when it stays short of a decision though nothing else settles its ID
a state recurs           when a record enters it more often than attempts, faults and effects explain
=======================  =======================================================================

The deadline counts from the last fault, or from the first attempt where that is later. A report of `OK` or
`FAILED` is a word and settles nothing by itself. A record that goes round in circles is found even in a
run that was cut, since nothing else ends such a run.
"""

from collections.abc import Iterator
from math import inf

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts, is_durable_decision
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.checks.known import completion_states, open_paths
from simkit.checks.stages import REJECTED, stages_in
from simkit.journal import Journal
from simkit.records import Intent
from simkit.terms import LayerName, Outcome, Promise, ReadbackAnswer, State

__all__ = ["check_nothing_pends", "judge_nothing_pends"]

_PENDING = frozenset({State.PENDING, State.ACCEPTED, State.UNKNOWN})
"""Not `not started`: a record whose claim was released holds nobody up."""

_UNEXPLAINED_COUNT_MAX = 1
"""Entries of a state beyond what explains them that are no circle yet: one call may be delivered again."""


def check_nothing_pends(journal: Journal) -> tuple[Finding, ...]:
    """Whatever was sent ends, or somebody is named who ends it."""
    return findings(journal, Promise.NOTHING_PENDS, judge_nothing_pends)


def judge_nothing_pends(index: Index, intent: Intent) -> Judged:
    """Decide for one intent."""
    facts = index.by_intent[intent.intent]
    circle = next(_circles(index, facts), "")
    if circle:
        return broken(circle)
    if index.waiting_for is not None:
        return undecided(index, "it may be settled, or pend, later")
    if not facts.attempts:
        return KEPT
    deadline_s = index.promised.deadline_s
    since_s = max(
        min(attempt.at_s for attempt in facts.attempts), max((fault.at_s for fault in index.faults), default=-inf)
    )
    limit_s = since_s + deadline_s if deadline_s > 0 else inf
    owned_at_s = _owned_at_s(facts)
    if owned_at_s and min(owned_at_s) <= limit_s:
        return KEPT
    ended_at_s = min((*_settled_at_s(index, facts), *owned_at_s), default=None)
    if ended_at_s is None:
        return broken("something was sent, it is not settled, and no owner with a deadline was named")
    if ended_at_s > limit_s:
        return broken(
            f"{since_s:g} s: the deadline of {deadline_s:g} s began",
            f"{ended_at_s:g} s: settled, or an owner named",
        )
    pending = list(_pending_records(index, facts))
    return broken(*pending, "and no owner with a deadline was named") if pending else KEPT


def _settled_at_s(index: Index, facts: IntentFacts) -> Iterator[float]:
    """Instants at which the whole intent was settled, as far as anybody heard."""
    outermost = facts.outermost_layer()
    if outermost is None:
        return
    stages, done = index.promised.stages, completion_states(index)
    decided_at_s: dict[str, float] = {}
    for reply in facts.replies:
        if reply.layer is outermost:
            for stage in stages_in(reply, done | REJECTED if reply.stages else done, stages):
                decided_at_s[stage] = min(reply.at_s, decided_at_s.get(stage, reply.at_s))
    for readback in facts.readbacks:
        if readback.answer is ReadbackAnswer.FOUND:
            for stage in (readback.stage,) if readback.stage else stages:
                decided_at_s[stage] = min(readback.at_s, decided_at_s.get(stage, readback.at_s))
    if decided_at_s.keys() >= set(stages):
        yield max(decided_at_s[stage] for stage in stages)
    settled = frozenset(settlement.operation_id for settlement in facts.settlements)
    if not open_paths(facts.steps, outermost, settled):
        yield max([reply.at_s for reply in facts.replies] + [settlement.at_s for settlement in facts.settlements])


def _owned_at_s(facts: IntentFacts) -> list[float]:
    """Instants at which an owner was named, with a deadline."""
    return [
        report.at_s
        for report in facts.reports
        if report.outcome is Outcome.UNKNOWN and report.owner and report.deadline_s > 0
    ]


def _pending_records(index: Index, facts: IntentFacts) -> Iterator[str]:
    """Records of what the intent sent that stay short of a decision, with nobody named who settles them."""
    for (party, tenant, operation_id), states in index.record_states.items():
        present = next(reversed(states))
        if present not in _PENDING or present in completion_states(index):
            continue
        users = [
            other
            for name, other in index.by_intent.items()
            if tenant in ("", index.tenants.get(name)) and _has_sent(other, operation_id)
        ]
        is_mine = any(user is facts for user in users)
        if is_mine and not _is_settled(facts, operation_id) and not any(map(_owned_at_s, users)):
            yield f"{party} keeps {operation_id!r} as {present}"


def _has_sent(facts: IntentFacts, operation_id: str) -> bool:
    return any(attempt.operation_id == operation_id for attempt in facts.attempts)


def _is_settled(facts: IntentFacts, operation_id: str) -> bool:
    """Whether anybody above the server heard a decision on this operation, found it, or settled it."""
    return (
        any(
            reply.operation_id == operation_id
            and reply.layer is not LayerName.DOWNSTREAM_SDK
            and (reply.state is State.COMPLETED or is_durable_decision(reply))
            for reply in facts.replies
        )
        or any(
            readback.operation_id == operation_id and readback.answer is ReadbackAnswer.FOUND
            for readback in facts.readbacks
        )
        or any(settlement.operation_id == operation_id for settlement in facts.settlements)
    )


def _circles(index: Index, facts: IntentFacts) -> Iterator[str]:
    """Records of what the intent sent that enter a state again and again without progress."""
    for (party, _, operation_id), states in index.record_states.items():
        count = max(states.values())
        if count <= 1 + _UNEXPLAINED_COUNT_MAX or not _has_sent(facts, operation_id):
            continue
        explained = (
            len(index.faults)
            + sum(
                attempt.operation_id == operation_id and attempt.layer is not LayerName.DOWNSTREAM_SDK
                for attempt in index.attempts
            )
            + sum(effect.operation_id == operation_id for other in index.by_intent.values() for effect in other.effects)
        )
        if count > explained + _UNEXPLAINED_COUNT_MAX:
            state = next(state for state, entered in states.items() if entered == count)
            yield f"{party} entered {state} for {operation_id!r} {count} times; {explained} are explained"
