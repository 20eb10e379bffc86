"""What a journal opens with: who wants what, what was approved, and what the contract promises."""

from collections.abc import Iterator

from simkit.choices import KeySent
from simkit.records import Approval, Fact, Intent, Promised
from simkit.scenario import Retention, Scenario, Stage
from simkit.terms import ClaimKind, RetentionKind

__all__ = ["opening"]


def opening(scenario: Scenario) -> Iterator[Fact]:
    """The facts that are true before anything happens."""
    yield _promised(scenario)
    intents = {}
    for planned in scenario.calls:
        intents[planned.intent] = Intent(
            intent=planned.intent,
            tenant=planned.tenant,
            inputs=planned.inputs,
            audience=planned.audience,
            wants_effect=planned.wants_effect,
            approval=planned.approval,
        )
    yield from intents.values()
    for approval in scenario.approvals:
        yield Approval(
            approval=approval.name,
            intent=approval.intent,
            inputs=approval.inputs,
            audience=approval.audience,
            expires_at_s=approval.expires_s,
            is_single_use=approval.is_single_use,
        )


def _promised(scenario: Scenario) -> Promised:
    conditions = scenario.conditions
    record = scenario.server.retention if scenario.server.claim is not ClaimKind.NONE else None
    return Promised(
        record_retention_s=max(
            _guaranteed_s(record),
            min(_guaranteed_by_key_s(stage) for stage in scenario.stages),
        ),
        latest_landing_s=max(hop.latest_landing_s for hop in scenario.hops),
        owner=conditions.owner,
        deadline_s=conditions.deadline_s,
        stages=tuple(stage.name for stage in scenario.stages),
        handover_completes=scenario.agent.handover_completes,
        audience_may_change=any(stage.may_recompute_audience for stage in scenario.stages),
        attempt_count_max=conditions.attempt_count_max,
        time_s_max=conditions.time_s_max,
    )


def _guaranteed_by_key_s(stage: Stage) -> float:
    """What a system of record guarantees about an operation ID: nothing, unless that is the key which it gets."""
    if stage.downstream is None or stage.key is not KeySent.OPERATION_ID:
        return 0.0
    return _guaranteed_s(stage.downstream.key_retention)


def _guaranteed_s(retention: Retention | None) -> float:
    if retention is None or retention.kind not in (RetentionKind.EXACT, RetentionKind.AT_LEAST):
        return 0.0
    return retention.retention_s
