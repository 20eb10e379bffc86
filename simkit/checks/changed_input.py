"""The promise that an operation ID, reused with other consequential inputs, meets a conflict.

It binds while the record is guaranteed, counted from the first attempt that bore the ID in that tenant.
A call can conflict only with one that was received, so the reuse of an ID is judged

* strictly, where a record of the ID existed before the new inputs were first sent (a party's durable state
  changed before): then these get a conflict and make no effect;
* otherwise (the first call was lost, or both were under way) as a race: either may win, but not both.

A timeout, unknown, pending, refused or expired says nothing about the inputs, so none of them breaks it.
"""

from collections.abc import Iterator

from simkit.checks.finding import Finding
from simkit.checks.index import Index, is_durable_decision
from simkit.checks.judging import KEPT, Judged, broken, findings, undecided
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Intent, Reply
from simkit.terms import LayerName, Promise, State

__all__ = ["check_changed_input_conflicts", "judge_changed_input_conflicts"]

_LAYERS = tuple(LayerName)


def check_changed_input_conflicts(journal: Journal) -> tuple[Finding, ...]:
    """No reused ID with other inputs gets a result, or makes an effect, beside the first one."""
    return findings(journal, Promise.CHANGED_INPUT_CONFLICTS, judge_changed_input_conflicts)


def judge_changed_input_conflicts(index: Index, intent: Intent) -> Judged:
    """Decide for the intent that reuses the ID."""
    if index.promised.record_retention_s <= 0:
        return KEPT
    facts = index.by_intent[intent.intent]
    own_ids = dict.fromkeys(attempt.operation_id for attempt in facts.attempts) if index.shared_ids else {}
    has_reuse = False
    for operation_id in own_ids:
        if operation_id in index.shared_ids:
            use = _Use(index, intent, operation_id)
            has_reuse = has_reuse or bool(use.reuses)
            evidence = use.evidence()
            if evidence:
                return broken(*evidence)
    if index.waiting_for is not None and (has_reuse or not facts.reports):
        return undecided(index, "an answer or an effect may follow" if has_reuse else "another attempt may follow")
    return KEPT


class _Use:
    """How one intent uses an ID that was sent with several inputs."""

    def __init__(self, index: Index, intent: Intent, operation_id: str) -> None:
        self._index = index
        self._operation_id = operation_id
        self._own = index.by_intent[intent.intent]
        self._neighbours = [index.by_intent[other.intent] for other in index.intents if other.tenant == intent.tenant]
        tenants = {other.intent: other.tenant for other in index.intents}
        sent = [
            attempt
            for attempt in index.attempts
            if attempt.operation_id == operation_id and tenants.get(attempt.intent) == intent.tenant
        ]
        self._sent = sorted(sent, key=lambda attempt: (attempt.at_s, _LAYERS.index(attempt.layer)))
        self._first = self._sent[0]
        outermost = self._own.outermost_layer()
        self.reuses = [
            attempt
            for attempt in self._sent
            if attempt.intent == intent.intent
            and attempt.layer is outermost
            and attempt.inputs != self._first.inputs
            and self._is_guaranteed(attempt)
        ]

    def evidence(self) -> tuple[str, ...]:
        """What breaks the promise, in words; nothing where it is kept."""
        for reuse in self.reuses:
            taken = list(self._taken_up(reuse))
            if not taken:
                continue
            others = [text for inputs, text in self._marks() if inputs != reuse.inputs]
            if others or self._is_record_held_before(reuse):
                return (
                    f"{self._first.at_s:g} s: ID {self._operation_id!r} was first sent with {self._first.inputs!r}",
                    *others,
                    f"{reuse.at_s:g} s: attempt {reuse.path} reused it with {reuse.inputs!r}",
                    *taken,
                )
        return ()

    def _is_guaranteed(self, fact: Attempt | Reply | Effect) -> bool:
        return fact.at_s - self._first.at_s < self._index.promised.record_retention_s

    def _taken_up(self, reuse: Attempt) -> Iterator[str]:
        """Answers and effects that treat the changed inputs as the operation."""
        for reply in self._own.replies:
            if reply.layer is reuse.layer and reply.path == reuse.path and _is_result(reply):
                yield f"{reply.at_s:g} s: attempt {reply.path} got {reply.state}, not conflict"
        for effect in self._own.effects:
            is_of_reuse = effect.operation_id == self._operation_id and effect.inputs == reuse.inputs
            if is_of_reuse and self._is_guaranteed(effect):
                yield f"{effect.at_s:g} s: effect in {effect.stage} with {effect.inputs!r}"

    def _marks(self) -> Iterator[tuple[str, str]]:
        """Inputs and words of each result or effect under the ID in this tenant, while guaranteed."""
        for facts in self._neighbours:
            for reply in facts.replies:
                if reply.operation_id == self._operation_id and _is_result(reply) and self._is_guaranteed(reply):
                    text = f"{reply.at_s:g} s: attempt {reply.path} with {reply.inputs!r} got {reply.state}"
                    yield reply.inputs, text
            for effect in facts.effects:
                if effect.operation_id == self._operation_id and self._is_guaranteed(effect):
                    text = f"{effect.at_s:g} s: effect in {effect.stage} with {effect.inputs!r}"
                    yield effect.inputs, text

    def _is_record_held_before(self, reuse: Attempt) -> bool:
        sent_at_s = min(attempt.at_s for attempt in self._sent if attempt.inputs == reuse.inputs)
        return any(
            change.operation_id == self._operation_id and change.at_s < sent_at_s
            for change in self._index.state_changes
        )


def _is_result(reply: Reply) -> bool:
    return reply.state in (State.COMPLETED, State.ACCEPTED) or is_durable_decision(reply)
