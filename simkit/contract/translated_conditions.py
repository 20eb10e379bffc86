"""Hops and conditions of the scenario that a review amounts to: latencies, landings, sites with their rates."""

from simkit.contract.answers import UNKNOWN, NotApplicable
from simkit.contract.conditions import Conditions as DeclaredConditions
from simkit.contract.latencies import LatencyRange
from simkit.contract.layers import Layer
from simkit.contract.rates import CrashRates, LossRates, Rate, Rates
from simkit.contract.review import Review
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario import Conditions, Hop, Server, SiteRate
from simkit.terms import ClaimKind

__all__ = ["conditions_of", "hops_of", "wait_of"]


def hops_of(review: Review) -> tuple[Hop, ...]:
    """The hops that the declared layers have between them."""
    landing, latencies = review.conditions.latest_landing, review.latencies
    hops = [
        ("gateway_to_server", latencies.gateway_to_server, landing.gateway_to_server_s),
        ("server_to_downstream", latencies.server_to_downstream, landing.server_to_downstream_s),
    ]
    if isinstance(review.layers.gateway, Layer):
        hops.insert(0, ("agent_to_gateway", latencies.agent_to_gateway, landing.agent_to_gateway_s))
    return tuple(
        _hop(name, wait_of(latency, f"latencies.{name}"), landing_s or 0.0) for name, latency, landing_s in hops
    )


def _hop(name: str, latency: Wait, landing_s: float) -> Hop:
    if landing_s < latency.s_max:
        message = (
            f"conditions.latest_landing.{name} {landing_s:g} s and latencies.{name}.slowest {latency.s_max:g} s "
            "exclude each other: what is usual cannot be later than the latest"
        )
        raise ScenarioError(message)
    return Hop(name=name, request=latency, response=latency, latest_landing_s=landing_s)


def conditions_of(review: Review, server: Server) -> Conditions:
    """The conditions, with every site that `server` and the hops have and the review does not exclude."""
    declared: DeclaredConditions = review.conditions
    rates = tuple(rate for rate in _rates(review, server) if rate.kind in declared.fault_kinds)
    outcome = review.unknown_outcome
    return Conditions(
        rates=rates,
        fault_budget=declared.fault_budget,
        retry_horizon_s=declared.retry_horizon_s or 0.0,
        risk_limit_probability=declared.risk_limit,
        common_cause_share=declared.common_cause.share,
        episode_s=declared.common_cause.lasts_s or 0.0,
        owner=str(outcome.owner),
        deadline_s=outcome.deadline_s or 0.0,
    )


def _rates(review: Review, server: Server) -> list[SiteRate]:
    """Every site of this world, with its declared rate; a rate that is not applicable excludes its site."""
    rates = review.rates if isinstance(review.rates, Rates) else None
    sites: list[tuple[str, object]] = []
    for hop in hops_of(review):
        losses = getattr(rates, hop.name, UNKNOWN)
        for ending, field in (
            ("request_lost", "request_lost"),
            ("response_lost", "response_lost"),
            ("request_late", "late"),
            ("response_late", "late"),
        ):
            sites.append((f"{hop.name}.{ending}", _part(losses, LossRates, field)))
    crash = UNKNOWN if rates is None else rates.crash
    claim = server.claim
    before = "before_reservation" if claim is ClaimKind.UNIQUE else "before_effect"
    sites.append((f"server.{before}", _part(crash, CrashRates, "before_reservation")))
    if claim is ClaimKind.UNIQUE:
        sites.append(("server.after_reservation", _part(crash, CrashRates, "after_reservation")))
    sites.append(("server.after_effect", _part(crash, CrashRates, "after_effect")))
    if claim is not ClaimKind.NONE:
        sites.append(("server.after_receipt", _part(crash, CrashRates, "after_receipt")))
    if server.readback is not None:
        sites.append(("readback.cannot_tell", UNKNOWN if rates is None else rates.readback_cannot_tell))
    sites.append(("downstream.error", UNKNOWN if rates is None else rates.downstream_error))
    return [
        SiteRate(
            site=site,
            probability=rate.probability if isinstance(rate, Rate) else None,
            source=str(rate.source) if isinstance(rate, Rate) else "unknown",
        )
        for site, rate in sites
        if not isinstance(rate, NotApplicable)
    ]


def _part(losses: object, kind: type[LossRates | CrashRates], field: str) -> object:
    """One rate of a group; the answer for the whole group where there is only that."""
    return getattr(losses, field) if isinstance(losses, kind) else losses


def wait_of(latency: object, field: str) -> Wait:
    """A declared latency as a wait.

    Raises
    ------
    ScenarioError
        If it is not applicable although this world needs it; `field` names it.
    """
    if not isinstance(latency, LatencyRange):
        message = f"{field}: needed, because this world has that hop"
        raise ScenarioError(message)
    return Wait(s_min=latency.fastest_s, s_typical=latency.typical_s, s_max=latency.slowest_s)
