"""What a layer could know about an intent from what it had heard, and what was left open for it.

An attempt without an operation ID is an operation of its own; so is each stage below a server that makes
several. A rejection that a layer only says because it gave up decides nothing, and a conflict or a *not
seen* settles nothing.
"""

from collections.abc import Iterable

from simkit.checks.index import Index, IntentFacts, is_durable_decision
from simkit.checks.stages import COMPLETED, stages_in
from simkit.records import Attempt, Readback, Reply, Report, Settlement
from simkit.terms import LayerName, ReadbackAnswer, Settled, State

__all__ = ["DONE_BY_HANDOVER", "NO_EFFECT", "Step", "completion_states", "known_stages", "open_paths", "settled_ids"]

Step = Attempt | Reply | Readback | Report

RECONCILER = "reconciler"
"""Whoever reconciles tells the user what was found, as the agent does."""

DONE_BY_HANDOVER = frozenset({State.COMPLETED, State.ACCEPTED})

NO_EFFECT = frozenset({State.REJECTED, State.REFUSED, State.NOT_STARTED})
"""States of single stages beside a rejection of the whole: none has an effect, and none can begin any more."""


def completion_states(index: Index) -> frozenset[State]:
    """The replies that settle an operation as done: a receipt, and where the review says so a handover."""
    return DONE_BY_HANDOVER if index.promised.handover_completes else COMPLETED


def known_stages(index: Index, steps: Iterable[Step], layer: LayerName) -> set[str]:
    """Stages of which a layer heard that they are done, or found them."""
    states, stages = completion_states(index), index.promised.stages
    heard_from = {layer, RECONCILER} if layer is LayerName.AGENT else {layer}
    known: set[str] = set()
    for step in steps:
        if isinstance(step, Reply) and step.layer is layer:
            known.update(stages_in(step, states, stages))
        elif isinstance(step, Readback) and step.party in heard_from and step.answer is ReadbackAnswer.FOUND:
            known.update((step.stage,) if step.stage else stages)
    return known


def open_paths(steps: Iterable[Step], layer: LayerName, settled: frozenset[str] = frozenset()) -> list[str]:
    """Paths of the attempts of a layer about whose operation nothing durable was heard.

    `settled` holds the operation IDs that are settled in another way.
    """
    sent: list[Attempt] = []
    refused: set[str] = set()
    decided: set[tuple[str, str]] = set()
    for step in steps:
        if isinstance(step, Attempt) and step.layer is layer:
            sent.append(step)
        elif isinstance(step, Reply) and step.layer is layer:
            if step.state is State.REFUSED:
                refused.add(step.path)
            elif is_durable_decision(step) and all(state in NO_EFFECT for _, state in step.stages):
                decided.add((step.operation_id or step.path, step.stage))
    return [
        step.path
        for step in sent
        if step.path not in refused
        and (step.operation_id or step.path, step.stage) not in decided
        and step.operation_id not in settled
    ]


def settled_ids(index: Index, facts: IntentFacts, by_s: float) -> frozenset[str]:
    """Operation IDs that somebody had rightly settled without an effect by an instant."""
    return frozenset(
        settlement.operation_id
        for settlement in facts.settlements
        if settlement.at_s <= by_s and _is_warranted(index, facts, settlement, by_s)
    )


def _is_warranted(index: Index, facts: IntentFacts, settlement: Settlement, by_s: float) -> bool:
    """Whether *absent* was concluded from a view newer than the last possible landing of what was sent."""
    if settlement.settled is not Settled.ABSENT:
        return True
    last_sent_s = max(
        (
            attempt.at_s
            for attempt in facts.attempts
            if attempt.operation_id == settlement.operation_id and attempt.at_s <= by_s
        ),
        default=0.0,
    )
    return any(
        readback.party == settlement.party
        and readback.operation_id == settlement.operation_id
        and readback.answer is ReadbackAnswer.NOT_SEEN
        and last_sent_s + index.promised.latest_landing_s <= readback.at_s <= settlement.at_s
        for readback in facts.readbacks
    )
