"""Whether the calls of a workload can touch each other, and so which order of their steps makes a difference.

Calls that share nothing but the process they run in are told one by one: that their steps fall between those
of another call, and where, changes nothing for either.
"""

from collections.abc import Sequence

from simkit.choices import Deduplication, Dispatch, EffectKind, ReadbackBy, ScopePart
from simkit.scenario import Scenario
from simkit.terms import FaultKind, Identity, RetentionKind
from simkit.world import Plan, Step

__all__ = ["are_apart", "told_apart"]

_OWN_IDS = frozenset({Identity.PER_INTENT, Identity.PER_ATTEMPT, Identity.NONE})
"""Identities that no two calls share, as long as their labels differ."""

_SHARED_FAULTS = frozenset({FaultKind.RESTART, FaultKind.STORE_OUTAGE, FaultKind.STORE_FAILOVER})
"""Faults that hit every call at once."""

_NEW_EACH_TIME = frozenset({EffectKind.CREATE, EffectKind.MESSAGE})
"""Effects that don't depend on what there is already."""

_BY_KEY = frozenset({Deduplication.RESPONSE_CACHE, Deduplication.LEASE_THEN_CACHE, Deduplication.NONE})
"""Kinds that remember each key by itself."""

_CERTAIN = frozenset({RetentionKind.EXACT, RetentionKind.WITH_OBJECT})
"""Retentions of which it is known when they end."""

_BY_OWN_NAME = frozenset({ReadbackBy.OPERATION_ID, ReadbackBy.CLIENT_REFERENCE})
"""What a question may name so that it sees nothing of another operation."""


def told_apart(plan: Plan, steps: Sequence[Step], *, is_apart: bool) -> object:
    """The order of the steps as far as it makes a difference: of each call, or of all where they touch each other."""
    if not is_apart:
        return tuple(step.what for step in steps)
    told: dict[str, list[str]] = {}
    for step in steps:
        told.setdefault(step.path.partition(":")[0] if len(plan.errands) > 1 else "", []).append(step.what)
    return told


def are_apart(scenario: Scenario) -> bool:
    """Whether no call can meet anything that another one has left, waits for or uses up; False where in doubt."""
    return (
        _have_own_ids(scenario)
        and _have_own_room(scenario)
        and _have_own_effects(scenario)
        and _have_own_luck(scenario)
        and scenario.reconciler is None
        and not (scenario.reissues or scenario.deletions or scenario.approvals)
    )


def _have_own_ids(scenario: Scenario) -> bool:
    calls = scenario.calls
    return (
        len({call.operation for call in calls}) == len(calls)
        and all(call.copies == 1 for call in calls)
        and scenario.agent.identity in _OWN_IDS
        and scenario.agent.dispatch is Dispatch.SEND_ALL
        and ScopePart.OPERATION_ID in scenario.server.scope
    )


def _have_own_room(scenario: Scenario) -> bool:
    server = scenario.server
    return (
        server.worker_count is None
        and server.store.row_count_max is None
        and not any(layer.is_throttled for layer in scenario.layers)
        and not any(rate.kind in _SHARED_FAULTS for rate in scenario.conditions.rates)
    )


def _have_own_effects(scenario: Scenario) -> bool:
    readback = scenario.server.readback
    return (readback is None or readback.by in _BY_OWN_NAME) and all(
        downstream.effect in _NEW_EACH_TIME and downstream.deduplication in _BY_KEY
        for downstream in scenario.downstreams
    )


def _have_own_luck(scenario: Scenario) -> bool:
    """Whether nothing is drawn whose site names no call, so that the order of the calls would decide who draws what."""
    kept = (scenario.server.retention, *(downstream.key_retention for downstream in scenario.downstreams))
    is_certain = all(retention is None or retention.kind in _CERTAIN for retention in kept)
    return is_certain and not scenario.conditions.clocks
