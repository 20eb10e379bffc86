"""Every axis of the world with its values, as changes to one plain scenario, and what of it has no meaning together.

A change leaves a scenario that may still have no meaning beside another change; `sensible` takes the nearest one
that has, so that every pair of values that can stand together does stand in some row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from simkit.choices import (
    Acknowledgement,
    ApprovalCheck,
    ApprovalUse,
    AskedWait,
    BeyondLongest,
    Binding,
    Content,
    CountedFrom,
    Deduplication,
    Dispatch,
    Drift,
    EffectKind,
    FailuresStored,
    Fencing,
    Holder,
    KeyMinted,
    KeyRecorded,
    KeySent,
    LeaseClock,
    OnConcurrent,
    OnConflict,
    OnNotSeen,
    OnOutage,
    OnRejected,
    OnRestart,
    OnTimeout,
    OnUnknown,
    ReadbackBy,
    Resume,
    ScopePart,
    StoredFailure,
    StoreKind,
    WriteOrder,
)
from simkit.distributions import Backoff, Wait
from simkit.scenario import (
    Approval,
    CircuitBreaker,
    Deletion,
    Downstream,
    Hop,
    PartyClock,
    Queue,
    Reconciler,
    Reissue,
    RetryAfter,
    RetryRule,
    RetryShare,
    Scenario,
    SourceChange,
    Stage,
    Store,
    TokenBucket,
)
from simkit.terms import (
    ClaimKind,
    ErrorClass,
    Identity,
    LayerName,
    OnExhausted,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    Outcome,
    RetentionKind,
    StalePolicy,
)
from tests.builders import LONGER_OF_BOTH, a_call, a_layer, a_readback, a_retention, a_scenario, conditions_with

__all__ = ["AXES", "Change", "applied"]

Change = Callable[[dict[str, Any]], None]
"""Sets one part of the parts from which a scenario is put together."""

QUICK = Wait(s_min=0.005, s_typical=0.01, s_max=0.05)
SLOW = Wait(s_min=0.2, s_typical=0.5, s_max=2.0)


def of(part: str, **values: Any) -> Change:
    """Change fields of one part."""

    def change(parts: dict[str, Any]) -> None:
        parts[part] = parts[part] | values

    return change


def each(part: str, field: str, values: Sequence[Any]) -> tuple[Change, ...]:
    """One change for each value of a field."""
    return tuple(of(part, **{field: value}) for value in values)


def nothing(_: dict[str, Any]) -> None:
    """Leave everything as it is."""


def sdk(name: LayerName, **values: Any) -> Change:
    """Put in a layer that repeats."""
    layer = a_layer(name, **({"attempts": 2, "timeout_s": 0.3, "backoff": QUICK} | values))
    return lambda parts: parts["layers"].update({name: layer})


def queue(holder: Holder, acknowledges: Acknowledgement) -> Queue:
    return Queue(delay=SLOW, held_by=holder, visibility_timeout_s=0.4, delivery_count_max=2, acknowledges=acknowledges)


def whole(part: str, value: Any) -> Change:
    """Put in something that the plain scenario does not have."""

    def change(parts: dict[str, Any]) -> None:
        parts[part] = value

    return change


def second_stage(parts: dict[str, Any]) -> None:
    """Let the tool have another effect, after the first."""
    parts["stages"].append("s2")


def expiring(after: OnExpired) -> Change:
    """Say what follows the retention, whichever that is."""

    def change(parts: dict[str, Any]) -> None:
        parts["server"]["retention"] = replace(parts["server"]["retention"], after=after)

    return change


def counted(counted_from: CountedFrom) -> Change:
    """Say from when the retention counts, whichever that is."""

    def change(parts: dict[str, Any]) -> None:
        parts["server"]["retention"] = replace(parts["server"]["retention"], counted_from=counted_from)

    return change


def reconciler(on_not_seen: OnNotSeen) -> Reconciler:
    return Reconciler(delay=SLOW, on_not_seen=on_not_seen, waits_for_landing=on_not_seen is not OnNotSeen.NEW_ID)


def sweep(*, carries_id: bool, is_blocked_by_hold: bool) -> Reissue:
    return Reissue(
        name="sweep",
        after=SLOW,
        reported=(Outcome.FAILED, Outcome.UNKNOWN),
        carries_id=carries_id,
        is_blocked_by_hold=is_blocked_by_hold,
    )


def second_call(**values: Any) -> Change:
    """Somebody else's wish, or the same one again."""
    usual = {"intent": "i2", "operation": "op2", "start_s": 0.02, "target": "t", "approval": "a", "audience": "some"}
    call = a_call(**(usual | values))
    return lambda parts: parts["others"].append(call)


REST = tuple(ErrorClass)
FULL_JITTER = Backoff(first_s=0.05, factor=2.0, cap_s=0.2, scale_min=0.0)
CHAINED = Backoff(first_s=0.05, previous_factor=3.0, cap_s=0.2, immediate_count=1)
CHARGING = TokenBucket(token_count_max=4, cost_count=1, refund_count=0.5, charges_failures=True, above_count=2)
ON_BUSY = RetryRule(failures=(ErrorClass.OVERLOADED, ErrorClass.CONFLICT), methods=("POST",))
STOPPING = RetryAfter(waits=AskedWait.INSTEAD, longest_s=0.3, beyond=BeyondLongest.STOP)

AXES: Mapping[str, tuple[Change, ...]] = MappingProxyType(
    {
        # --- the agent and what is wanted
        "identity": each("agent", "identity", tuple(Identity)),
        "ID persisted": each("agent", "is_id_persisted", (True, False)),
        "restart": each("agent", "on_restart", tuple(OnRestart)),
        "drift": each("agent", "drift", tuple(Drift)),
        "dispatch": each("agent", "dispatch", tuple(Dispatch)),
        "copies": each("call", "copies", (1, 2)),
        "on conflict": each("agent", "on_conflict", tuple(OnConflict)),
        "on rejected": each("agent", "on_rejected", tuple(OnRejected)),
        "on unknown": each("agent", "on_unknown", tuple(OnUnknown)),
        "handover": each("agent", "handover_completes", (False, True)),
        "second call": (
            nothing,
            second_call(start_s=0.0),
            second_call(operation="op1", inputs="y", start_s=3.0),
            second_call(operation="op1", tenant="t2"),
            second_call(intent="i1", operation="op1"),
            second_call(operation="op1", inputs="x dry", loose_inputs="x", wants_effect=False, start_s=0.0),
        ),
        "method": each("call", "method", ("POST", "GET")),
        # --- layers
        "agent attempts": (*each("agent layer", "attempts", (1, 3)), of("agent layer", attempts=2, timeout_s=None)),
        "exhausted": each("agent layer", "on_exhausted", tuple(OnExhausted)),
        "gateway": (
            nothing,
            sdk(LayerName.GATEWAY),
            sdk(LayerName.GATEWAY, retries_on=REST, retry_after=LONGER_OF_BOTH),
            sdk(LayerName.GATEWAY, token_bucket=TokenBucket(token_count_max=1, cost_count=1, refund_count=1)),
            sdk(LayerName.GATEWAY, circuit_breaker=CircuitBreaker(failure_count=1, open_s=0.5)),
            sdk(LayerName.GATEWAY, retry_share=RetryShare(fraction=0.5, count_min=0)),
            sdk(LayerName.GATEWAY, attempts=None, budget_s=1.0, retries_on=REST, backoff=FULL_JITTER),
            sdk(LayerName.GATEWAY, attempts=3, token_bucket=CHARGING, concurrent_retry_count_max=1, backoff=CHAINED),
        ),
        "client SDK": (
            nothing,
            sdk(LayerName.CLIENT_SDK),
            sdk(LayerName.CLIENT_SDK, methods=("GET",)),
            sdk(LayerName.CLIENT_SDK, on_exhausted=OnExhausted.SAY_LAST, budget_s=0.2),
        ),
        "downstream SDK": (
            nothing,
            sdk(LayerName.DOWNSTREAM_SDK, retries_on=REST),
            sdk(LayerName.DOWNSTREAM_SDK, mints_key=KeyMinted.PER_CALL, rules=(ON_BUSY,), retry_after=STOPPING),
            sdk(LayerName.DOWNSTREAM_SDK, mints_key=KeyMinted.PER_ATTEMPT, backoff_overloaded=FULL_JITTER),
        ),
        # --- links
        "timeout": each("server hop", "on_timeout", tuple(OnTimeout)),
        "queue": each(
            "server hop",
            "queue",
            (
                None,
                queue(Holder.BROKER, Acknowledgement.AFTER_WORK),
                queue(Holder.WORKER, Acknowledgement.AFTER_WORK),
                queue(Holder.WORKER, Acknowledgement.ON_RECEIPT),
            ),
        ),
        # --- the server
        "claim": each("server", "claim", tuple(ClaimKind)),
        "order": each("server", "order", tuple(WriteOrder)),
        "lease": (
            *each("server", "lease_s", (None, 0.0, 0.3)),
            of("server", lease_s=0.3, is_lease_renewed=True),
        ),
        "lease clock": each("server", "lease_clock", tuple(LeaseClock)),
        "pending": each("server", "on_pending", tuple(OnPending)),
        "stale": each("server", "stale", tuple(StalePolicy)),
        "mismatch": each("server", "on_mismatch", tuple(OnMismatch)),
        "retention": each("server", "retention", tuple(a_retention(5.0, kind) for kind in RetentionKind)),
        "after expiry": tuple(expiring(after) for after in OnExpired),
        "counted from": tuple(counted(begin) for begin in CountedFrom),
        "readback": each(
            "server",
            "readback",
            (
                None,
                a_readback(lag_s_max=0.5),
                a_readback(attempts=2, on_uncertain=OnUncertainReadback.TREAT_AS_ABSENT),
            ),
        ),
        "asked by": each("asked", "by", tuple(ReadbackBy)),
        "fencing": each("server", "fencing", tuple(Fencing)),
        "binding": each("server", "binding", tuple(Binding)),
        "scope": each(
            "server",
            "scope",
            (
                (ScopePart.TENANT, ScopePart.OPERATION_ID),
                (ScopePart.OPERATION_ID,),
                (ScopePart.TENANT, ScopePart.PRINCIPAL, ScopePart.CREDENTIAL, ScopePart.OPERATION_ID),
                (ScopePart.TENANT, ScopePart.ACTION, ScopePart.TARGET),
            ),
        ),
        "stored failure": each("server", "stored_failure", tuple(StoredFailure)),
        "store": each(
            "server",
            "store",
            (
                Store(),
                Store(kind=StoreKind.PROCESS_MEMORY),
                Store(failover_loss_s=0.5),
                Store(row_count_max=1),
                Store(outage_s=0.5, on_outage=OnOutage.FAIL_OPEN),
                Store(outage_s=0.5, on_outage=OnOutage.FAIL_CLOSED),
            ),
        ),
        "replicas": each("server", "replica_count", (1, 2)),
        "workers": each("server", "worker_count", (None, 1)),
        "resume": each("server", "resume", tuple(Resume)),
        "content": each("server", "content", tuple(Content)),
        "approval": (
            nothing,
            of("approval", expires_s=0.03),
            of("approval", inputs="something else"),
            of("approval", is_single_use=False),
        ),
        "approval check": each("server", "approval_check", tuple(ApprovalCheck)),
        "approval use": each("server", "approval_use", tuple(ApprovalUse)),
        "source": (nothing, whole("source", SourceChange(at_s=0.1, inputs="z", audience="more"))),
        "errors": each("server", "passes_errors_on", (False, True)),
        "after the effect": each("server", "after_effect", (Wait.of(0.0), SLOW)),
        "deletion": (nothing, whole("deletions", (Deletion(intent="i1", stage="s1", at_s=0.3),))),
        "ends with object": each("server", "ends_with_object", (False, True)),
        # --- the systems of record
        "stages": (nothing, second_stage),
        "key": each("stage", "key", (*KeySent, None)),
        "audience": each("stage", "recomputes_audience", (False, True)),
        "audience policy": each("stage", "may_recompute_audience", (False, True)),
        "deduplication": each("system", "deduplication", tuple(Deduplication)),
        "key retention": each("system", "key_retention", (None, *(a_retention(5.0, kind) for kind in RetentionKind))),
        "key mismatch": each("system", "on_mismatch", tuple(OnMismatch)),
        "concurrent": each("system", "on_concurrent", tuple(OnConcurrent)),
        "key recorded": each("system", "key_recorded", tuple(KeyRecorded)),
        "failures stored": each("system", "failures_stored", tuple(FailuresStored)),
        "effect": each("system", "effect", tuple(EffectKind)),
        "accepts first": each("system", "accepts_first", (False, True)),
        "rejects until": each("system", "rejects_until_s", (0.0, 0.5)),
        "retry after": each("system", "retry_after_s", (0.0, 0.4)),
        "error class": each("system", "error", (ErrorClass.SERVER_ERROR, ErrorClass.UNAVAILABLE)),
        # --- people, clocks, budget
        "reconciler": (nothing, *(whole("reconciler", reconciler(on_not_seen)) for on_not_seen in OnNotSeen)),
        "reissue": (
            nothing,
            whole("reissues", (sweep(carries_id=True, is_blocked_by_hold=False),)),
            whole("reissues", (sweep(carries_id=False, is_blocked_by_hold=False),)),
            whole("reissues", (sweep(carries_id=True, is_blocked_by_hold=True),)),
        ),
        "clocks": (
            nothing,
            whole(
                "clocks", (PartyClock(party="server", skew_s_max=0.1), PartyClock(party="approver", skew_s_max=0.02))
            ),
        ),
        "budget": (nothing, whole("budget", {"attempt_count_max": 1, "time_s_max": 0.1})),
    }
)


def applied(changes: Sequence[Change]) -> Scenario:
    """The scenario of one row, every site with a rate at which something goes wrong in most runs."""
    plain = a_scenario()
    parts: dict[str, Any] = {
        "agent": {"identity": Identity.PER_INTENT, "restart": QUICK},
        "call": {"target": "t", "approval": "a", "audience": "some", "principal": "p"},
        "agent layer": {"attempts": 2, "timeout_s": 0.5, "backoff": QUICK},
        "layers": {},
        "server hop": {"name": "gateway_to_server", "request": QUICK, "response": QUICK, "latest_landing_s": 1.0},
        "server": {field: getattr(plain.server, field) for field in type(plain.server).__dataclass_fields__},
        "asked": {"by": ReadbackBy.OPERATION_ID},
        "approval": {"expires_s": 1e6, "inputs": "x", "is_single_use": True},
        "stages": ["s1"],
        "stage": {},
        "system": {"key_retention": None, "on_mismatch": OnMismatch.CONFLICT, "work": QUICK},
        "others": [],
    }
    for change in changes:
        change(parts)
    sensible(parts)
    return together(plain, parts)


def sensible(parts: dict[str, Any]) -> None:
    """Replace what has no meaning together by the nearest that has."""
    server, system = parts["server"], parts["system"]
    if parts["agent"]["identity"] is Identity.NONE:
        server["claim"] = ClaimKind.NONE
        if parts["agent"].get("on_conflict") is OnConflict.ADOPT:
            parts["agent"]["on_conflict"] = OnConflict.HOLD
    if server["claim"] is ClaimKind.NONE:
        server["order"] = WriteOrder.EFFECT_ONLY
        server["fencing"] = Fencing.NONE
    elif server["order"] is WriteOrder.EFFECT_ONLY:
        server["order"] = WriteOrder.EFFECT_THEN_RECEIPT
    if server["order"] is WriteOrder.ONE_TRANSACTION and server["store"].kind is StoreKind.PROCESS_MEMORY:
        server["store"] = Store()
    if server["readback"] is None:
        parts.pop("reconciler", None)
        if server["stale"] is StalePolicy.READ_BACK:
            server["stale"] = StalePolicy.HOLD
    else:
        server["readback"] = replace(server["readback"], by=parts["asked"]["by"])
    if system.get("deduplication") is Deduplication.NONE:
        system["key_retention"] = None


def together(plain: Scenario, parts: dict[str, Any]) -> Scenario:
    """A scenario of its parts."""
    agent_layer = a_layer(LayerName.AGENT, **parts["agent layer"])
    layers = {LayerName.DOWNSTREAM_SDK: a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=0.4)} | parts["layers"]
    hops = [Hop(**parts["server hop"]), replace(plain.hops[1], request=QUICK, response=QUICK, latest_landing_s=1.0)]
    if LayerName.GATEWAY in layers:
        hops.insert(0, Hop(name="agent_to_gateway", request=QUICK, response=QUICK, latest_landing_s=1.0))
    systems = {name: Downstream(name=name, asked_by=tuple(ReadbackBy), **parts["system"]) for name in parts["stages"]}
    approval = Approval(name="a", intent="i1", audience="some", **parts["approval"])
    scenario = replace(
        plain,
        calls=(a_call(**parts["call"]), *parts["others"]),
        agent=replace(plain.agent, **parts["agent"]),
        layers=(agent_layer, *(layers[name] for name in LayerName if name in layers)),
        hops=tuple(hops),
        server=replace(plain.server, **parts["server"]),
        stages=tuple(Stage(name=name, downstream=system, **parts["stage"]) for name, system in systems.items()),
        approvals=(approval,),
        source_change=parts.get("source"),
        deletions=parts.get("deletions", ()),
        reconciler=parts.get("reconciler"),
        reissues=parts.get("reissues", ()),
    )
    return conditions_with(
        scenario,
        clocks=parts.get("clocks", ()),
        pause_s_max=0.5,
        retry_horizon_s=20.0,
        **parts.get("budget", {}),
    )
