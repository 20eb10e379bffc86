"""Words for journals written by hand: one intent `order`, one stage `ticket`, unless a test says otherwise."""

from collections.abc import Callable
from typing import Any

from simkit.checks import Finding
from simkit.journal import Journal
from simkit.records import (
    Approval,
    Attempt,
    CleanUp,
    Effect,
    End,
    Fact,
    Fault,
    Intent,
    Promised,
    Readback,
    Reply,
    Report,
    Settlement,
    Start,
    StateChange,
)
from simkit.terms import LayerName, Outcome, PromiseVerdict, ReadbackAnswer, Settled, State

__all__ = [
    "answered",
    "approved",
    "asked",
    "began",
    "cleaned_up",
    "effect",
    "fault",
    "recorded",
    "reported",
    "run",
    "sent",
    "settled",
    "tried",
    "verdict_of",
    "wanted",
]

AGENT = LayerName.AGENT
OUTCOMES = {State.COMPLETED: Outcome.OK, State.REJECTED: Outcome.FAILED, State.REFUSED: Outcome.FAILED}
WANTED_ONCE = (Intent(intent="order", tenant="acme", inputs="red"),)


def run(
    *facts: Fact,
    intents: tuple[Intent, ...] = WANTED_ONCE,
    stages: tuple[str, ...] = ("ticket",),
    retention_s: float = 1000.0,
    cut_before: str = "",
    deadline_s: float = 3600.0,
    **promises: Any,
) -> Journal:
    """A whole journal; a run that is not cut ends at quiescence."""
    promised = Promised(
        record_retention_s=retention_s,
        latest_landing_s=60.0,
        owner="ops",
        deadline_s=deadline_s,
        stages=stages,
        **promises,
    )
    end = End(at_s=9999.0, is_quiescent=not cut_before, waiting_for=cut_before)
    return Journal((promised, *intents, *facts, end))


def wanted(
    intent: str,
    inputs: str = "red",
    tenant: str = "acme",
    *,
    audience: str = "",
    wants_effect: bool = True,
    approval: str = "",
) -> Intent:
    return Intent(
        intent=intent, tenant=tenant, inputs=inputs, audience=audience, wants_effect=wants_effect, approval=approval
    )


def sent(
    path: str = "1",
    *,
    at_s: float = 0.0,
    layer: LayerName = AGENT,
    intent: str = "order",
    operation_id: str = "op",
    inputs: str = "red",
    stage: str = "",
) -> Attempt:
    return Attempt(
        at_s=at_s,
        layer=layer,
        path=path,
        attempt_number=int(path.rpartition("/")[2].rpartition(":")[2]),
        intent=intent,
        operation_id=operation_id,
        inputs=inputs,
        stage=stage,
    )


def answered(
    state: State,
    path: str = "1",
    *,
    at_s: float = 1.0,
    layer: LayerName = AGENT,
    intent: str = "order",
    operation_id: str = "op",
    inputs: str = "red",
    detail: str = "",
    stage: str = "",
    origin: str = "",
    result: str = "",
    stages: tuple[tuple[str, State], ...] = (),
) -> Reply:
    return Reply(
        at_s=at_s,
        layer=layer,
        path=path,
        intent=intent,
        operation_id=operation_id,
        inputs=inputs,
        state=state,
        detail=detail,
        stage=stage,
        origin=origin,
        result=result,
        stages=stages,
    )


def tried(
    state: State,
    path: str = "1",
    *,
    at_s: float = 0.0,
    intent: str = "order",
    operation_id: str = "op",
    inputs: str = "red",
    **said: Any,
) -> tuple[Attempt, Reply]:
    """An attempt of the agent with its reply, one second later."""
    return (
        sent(path, at_s=at_s, intent=intent, operation_id=operation_id, inputs=inputs),
        answered(state, path, at_s=at_s + 1, intent=intent, operation_id=operation_id, inputs=inputs, **said),
    )


def effect(
    *,
    at_s: float = 0.5,
    stage: str = "ticket",
    intent: str = "order",
    operation_id: str = "op",
    inputs: str = "red",
    audience: str = "",
) -> Effect:
    return Effect(at_s=at_s, stage=stage, intent=intent, operation_id=operation_id, inputs=inputs, audience=audience)


def recorded(
    state: State = State.PENDING, *, at_s: float = 0.4, operation_id: str = "op", tenant: str = ""
) -> StateChange:
    return StateChange(at_s=at_s, party="record store", operation_id=operation_id, state=state, tenant=tenant)


def asked(
    answer: ReadbackAnswer,
    *,
    party: str = "agent",
    intent: str = "order",
    at_s: float = 2.0,
    operation_id: str = "op",
    stage: str = "",
) -> Readback:
    return Readback(at_s=at_s, party=party, intent=intent, operation_id=operation_id, answer=answer, stage=stage)


def approved(
    *,
    approval: str = "yes",
    intent: str = "order",
    inputs: str = "red",
    audience: str = "",
    expires_at_s: float | None = None,
    is_single_use: bool = True,
) -> Approval:
    return Approval(
        approval=approval,
        intent=intent,
        inputs=inputs,
        audience=audience,
        expires_at_s=expires_at_s,
        is_single_use=is_single_use,
    )


def began(
    approval: str = "yes", *, at_s: float = 0.3, intent: str = "order", inputs: str = "red", stage: str = "ticket"
) -> Start:
    return Start(
        at_s=at_s, party="server", stage=stage, intent=intent, operation_id="op", inputs=inputs, approval=approval
    )


def cleaned_up(*, at_s: float = 4.0, party: str = "agent", stage: str = "ticket", operation_id: str = "op") -> CleanUp:
    return CleanUp(at_s=at_s, party=party, stage=stage, intent="order", operation_id=operation_id)


def settled(
    how: Settled = Settled.ABSENT, *, at_s: float = 200.0, operation_id: str = "op", party: str = "reconciler"
) -> Settlement:
    return Settlement(at_s=at_s, party=party, intent="order", operation_id=operation_id, settled=how)


def reported(
    state: State,
    *,
    outcome: Outcome | None = None,
    layer: LayerName = AGENT,
    intent: str = "order",
    owner: str = "ops",
    deadline_s: float = 3600.0,
    at_s: float = 3.0,
    stages: tuple[tuple[str, State], ...] = (),
) -> Report:
    """A report; the outcome is the one that goes with the state, unless it is given."""
    return Report(
        at_s=at_s,
        layer=layer,
        intent=intent,
        state=state,
        outcome=OUTCOMES.get(state, Outcome.UNKNOWN) if outcome is None else outcome,
        owner=owner,
        deadline_s=deadline_s,
        stages=stages,
    )


def fault(*, at_s: float = 0.0) -> Fault:
    return Fault(at_s=at_s, site="gateway_to_server.response_lost@1")


def verdict_of(
    check: Callable[[Journal], tuple[Finding, ...]], journal: Journal, intent: str = "order"
) -> PromiseVerdict:
    """The verdict for one intent; one that is not kept has its evidence."""
    (finding,) = (finding for finding in check(journal) if finding.intent == intent)
    assert bool(finding.evidence) == (finding.verdict is not PromiseVerdict.KEPT)
    return finding.verdict
