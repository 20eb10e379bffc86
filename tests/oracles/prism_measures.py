"""The numbers of a scenario as a model needs them: durations in ticks, rates as fractions, and what is left out.

A scenario with a field that the model has no rule for is refused: it would be solved as if the field were not there.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import gcd
from types import MappingProxyType

from simkit.choices import CountedFrom, KeySent, WriteOrder
from simkit.scenario import TO_DOWNSTREAM, TO_GATEWAY, TO_SERVER, Agent, Downstream, Scenario, Server, Stage
from simkit.terms import ClaimKind, Identity, LayerName, OnExhausted, OnExpired, OnPending, RetentionKind

__all__ = ["Measures"]

MICROSECONDS_PER_S = 1_000_000

# With one call there is no mismatch, so what is done with one is free.
FREE_OF_SERVER = ("claim", "order", "lease_s", "stale", "on_pending", "on_mismatch", "retention", "readback")
FREE_OF_DOWNSTREAM = ("name", "key_retention", "on_mismatch", "work", "asked_by")
RULED_ORDERS = MappingProxyType({ClaimKind.NONE: WriteOrder.EFFECT_ONLY, ClaimKind.UNIQUE: WriteOrder.RESERVE_FIRST})
RULED_KINDS = (RetentionKind.EXACT, RetentionKind.AT_LEAST)


class Measures:
    """Ticks and rates of one scenario.

    Parameters
    ----------
    scenario
        One call, one stage, one attempt of the SDK below the server.

    Raises
    ------
    ValueError
        If the model has no rule for a field.
    """

    def __init__(self, scenario: Scenario) -> None:
        for problem in _without_rule(scenario):
            message = f"{scenario.name}: the model has no rule for {problem}"
            raise ValueError(message)
        self._scenario = scenario
        self._rates = {rate.site: Fraction(str(rate.probability)) for rate in scenario.conditions.rates}
        self._tick = reduce(gcd, (_microseconds(seconds) for seconds in _durations_s(scenario)))
        self._longest_s = _longest_s(scenario)

    def rate(self, site: str) -> Fraction:
        """Probability of a fault; 0 at a site that takes no part."""
        return self._rates.get(site, Fraction(0))

    def ticks(self, seconds: float) -> int:
        """A duration as a whole number of ticks."""
        return _microseconds(seconds) // self._tick

    def outlasts(self, seconds: float) -> bool:
        """Whether a duration is longer than the longest run, so that nobody sees its end."""
        return seconds > self._longest_s

    @property
    def has_key(self) -> bool:
        """Whether the system of record recognises a repeat."""
        (stage,) = self._scenario.stages
        has_id = self._scenario.agent.identity is Identity.PER_INTENT
        return has_id and stage.key is not None and self.downstream.key_retention is not None

    @property
    def downstream(self) -> Downstream:
        """The one system of record."""
        (downstream,) = self._scenario.downstreams
        return downstream

    @property
    def gateway_attempts(self) -> int:
        """Attempts of the gateway for each one of the agent; 0 where there is none."""
        gateway = self._scenario.layer(LayerName.GATEWAY)
        return 0 if gateway is None else gateway.attempts


def _without_rule(scenario: Scenario) -> Iterator[str]:
    """What the model leaves out, of what the scenario has."""
    server, (stage, *others) = scenario.server, scenario.stages
    plain = Server(**{name: getattr(server, name) for name in FREE_OF_SERVER})
    if server != plain or RULED_ORDERS.get(server.claim) is not server.order:
        yield "this write path"
    if server.claim is ClaimKind.UNIQUE and server.on_pending is not OnPending.RETURN_PENDING:
        yield f"a duplicate that meets {server.on_pending}"
    if scenario.agent not in (Agent(identity=Identity.PER_INTENT), Agent(identity=Identity.NONE)):
        yield "this agent"
    if stage.downstream is not None:
        simple = Downstream(**{name: getattr(stage.downstream, name) for name in FREE_OF_DOWNSTREAM})
        keys = {KeySent.OPERATION_ID, None}
        if others or stage.key not in keys or stage != Stage(name=stage.name, downstream=simple, key=stage.key):
            yield "these stages"
        retention = stage.downstream.key_retention
        if retention is not None and (retention.kind not in RULED_KINDS or retention.after is not OnExpired.RUN_AS_NEW):
            yield f"a key that is remembered {retention.kind}, and then {retention.after}"
    if len(scenario.calls) != 1 or replace(scenario.calls[0], copies=1, wants_effect=True) != scenario.calls[0]:
        yield "several calls"
    if any((scenario.source_change, scenario.deletions, scenario.reconciler, scenario.reissues)):
        yield "what others do"
    yield from _layers_without_rule(scenario)
    yield from _sites_without_rule(scenario)


def _layers_without_rule(scenario: Scenario) -> Iterator[str]:
    if scenario.layer(LayerName.CLIENT_SDK) is not None:
        yield "a client SDK"
    for layer in scenario.layers:
        if layer.is_throttled or layer.lists_its_failures or layer.methods is not None or layer.honours_retry_after:
            yield f"what {layer.name} repeats"
        if layer.timeout_s is None or layer.budget_s is not None or layer.on_exhausted is OnExhausted.SAY_LAST:
            yield f"how long {layer.name} waits, or what it says"
    sdk = scenario.layer(LayerName.DOWNSTREAM_SDK)
    if sdk is not None and sdk.attempts > 1:
        yield "an SDK below the server that repeats"
    if any(hop.queue is not None for hop in scenario.hops):
        yield "a queue"
    retention = scenario.server.retention
    if retention.kind is not RetentionKind.EXACT or retention.counted_from is not CountedFrom.FIRST_ATTEMPT:
        yield f"a record that is remembered {retention.kind}, counted from {retention.counted_from}"


def _sites_without_rule(scenario: Scenario) -> Iterator[str]:
    hops = (TO_GATEWAY, TO_SERVER, TO_DOWNSTREAM)
    endings = ("request_lost", "request_late", "response_lost", "response_late")
    ruled = {f"{hop}.{ending}" for hop in hops for ending in endings}
    ruled |= {"server.before_effect", "server.before_reservation", "server.after_reservation"}
    ruled |= {"server.after_effect", "server.after_receipt", "readback.cannot_tell"}
    for rate in scenario.conditions.rates:
        if rate.probability is None or rate.site not in ruled:
            yield f"the site {rate.site}, with the rate {rate.probability}"
    if _longest_s(scenario) > scenario.conditions.retry_horizon_s:
        yield "a horizon that ends a run"


def _durations_s(scenario: Scenario) -> Iterator[float]:
    """Every duration that may be counted down."""
    for layer in scenario.layers:
        yield layer.timeout_s or 0.0
        yield layer.backoff.s_typical
    for hop in scenario.hops:
        yield from (hop.request.s_typical, hop.response.s_typical, hop.latest_landing_s)
    server = scenario.server
    yield server.lease_s or 0.0
    yield server.retention.retention_s
    if server.readback is not None:
        yield from (server.readback.latency.s_typical, server.readback.lag_s_max)
    for downstream in scenario.downstreams:
        yield downstream.work.s_typical
        yield 0.0 if downstream.key_retention is None else downstream.key_retention.retention_s


def _longest_s(scenario: Scenario) -> float:
    """More than any run may take: every layer waits as long as it can, and everything lands at its latest."""
    longest_s = 0.0
    for layer in scenario.layers:
        longest_s += layer.attempts * ((layer.timeout_s or 0.0) + layer.backoff.s_typical)
    readback = scenario.server.readback
    if readback is not None:
        longest_s += readback.attempts * readback.latency.s_typical
    longest_s += sum(downstream.work.s_typical for downstream in scenario.downstreams)
    # Request and response, each at its latest landing.
    return longest_s + sum(2 * hop.latest_landing_s for hop in scenario.hops)


def _microseconds(seconds: float) -> int:
    return round(seconds * MICROSECONDS_PER_S)
