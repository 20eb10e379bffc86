"""The promise that a repeat converges: the same ID with the same inputs gives the recorded result.

It binds while the record is guaranteed, counted from the first attempt that bore the ID in that tenant, and
is judged by what reached the callers of the tool: what its own downstream SDK heard is not what it gave.

==================================  ============================================================
a repeat got                        and it converges
==================================  ============================================================
completed, rejected                 if all that decided said the same, and carried one result
conflict, expired                   unless the result was recorded before the repeat was sent
refused, unknown, pending, ...      always: that is no result
==================================  ============================================================

A rejection decides under the ID that there is no effect, so `completed` after it is another result.
"""

from collections.abc import Iterator

from simkit.checks.finding import Finding
from simkit.checks.index import Index, IntentFacts, is_durable_decision
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.journal import Journal
from simkit.records import Intent, Reply
from simkit.terms import LayerName, Promise, State

__all__ = ["check_repeat_converges", "judge_repeat_converges"]

_DENIALS = frozenset({State.CONFLICT, State.EXPIRED})
_RESULTS = _DENIALS | {State.COMPLETED}


def check_repeat_converges(journal: Journal) -> tuple[Finding, ...]:
    """No repeat inside the retention gets another result than the recorded one."""
    return findings(journal, Promise.REPEAT_CONVERGES, judge_repeat_converges)


def judge_repeat_converges(index: Index, intent: Intent) -> Judged:
    """Decide for an intent that sent the ID."""
    if index.promised.record_retention_s <= 0:
        return KEPT
    facts = index.by_intent[intent.intent]
    heard = [reply for reply in facts.replies if _is_telling(reply)]
    if heard:
        is_alone = len(heard) == 1 and len(index.intents) == 1 and heard[0].state not in _DENIALS
        for key in () if is_alone else dict.fromkeys((reply.operation_id, reply.inputs) for reply in heard):
            evidence = _Repeats(index, intent, *key).evidence(facts)
            if evidence:
                return broken(*evidence)
    if index.waiting_for is not None:
        return undecided(index, "another answer may follow")
    return KEPT


def _is_telling(reply: Reply) -> bool:
    """Whether a caller of the tool heard something under an ID that is a result, or takes the place of one."""
    is_result = reply.state in _RESULTS or is_durable_decision(reply)
    return is_result and bool(reply.operation_id) and reply.layer is not LayerName.DOWNSTREAM_SDK


class _Repeats:
    """What one tenant heard under one ID with the same inputs, while the record is guaranteed."""

    def __init__(self, index: Index, intent: Intent, operation_id: str, inputs: str) -> None:
        self._index = index
        self._operation_id = operation_id
        self._attempts = [attempt for attempt in index.attempts if attempt.operation_id == operation_id]
        mine = [attempt for attempt in self._attempts if index.tenants.get(attempt.intent) == intent.tenant]
        self._is_unshared = len(mine) == len(self._attempts) and operation_id not in index.shared_ids
        first_s = min((attempt.at_s for attempt in mine), default=0.0)
        self._told = [
            reply
            for name, tenant in index.tenants.items()
            if tenant == intent.tenant
            for reply in index.by_intent[name].replies
            if reply.operation_id == operation_id
            and reply.inputs == inputs
            and _is_telling(reply)
            and reply.at_s - first_s < index.promised.record_retention_s
        ]
        self._decided = [reply for reply in self._told if reply.state not in _DENIALS]

    def evidence(self, facts: IntentFacts) -> tuple[str, ...]:
        """What breaks the promise for the intent with these facts, in words; nothing where it is kept."""
        results = {reply.result for reply in self._decided if reply.result}
        differ = len({reply.state for reply in self._decided}) > 1 or len(results) > 1
        if differ and any(reply in self._decided for reply in facts.replies):
            return tuple(map(_in_words, self._decided))
        denials = [reply for reply in facts.replies if reply.state in _DENIALS and reply in self._told]
        recorded_at_s = min(self._recorded_at_s(), default=None) if denials else None
        if recorded_at_s is None:
            return ()
        sent_at_s = {(attempt.layer, attempt.path): attempt.at_s for attempt in facts.attempts}
        denied = [reply for reply in denials if sent_at_s.get((reply.layer, reply.path), 0.0) > recorded_at_s]
        if not denied:
            return ()
        return (f"{recorded_at_s:g} s: the result was recorded", *map(_in_words, denied))

    def _recorded_at_s(self) -> Iterator[float]:
        """Instants at which the result is known to be recorded: told to somebody, or settled in the record."""
        yield from (reply.at_s for reply in self._decided)
        if self._is_unshared:
            for change in self._index.state_changes:
                is_settled = change.state in (State.COMPLETED, State.REJECTED)
                if is_settled and change.operation_id == self._operation_id:
                    yield change.at_s


def _in_words(reply: Reply) -> str:
    carried = f" with {reply.result!r}" if reply.result else ""
    return f"{reply.at_s:g} s: {reply.layer} attempt {reply.path} got {reply.state}{carried}"
