"""Hops and conditions of the scenario that a review amounts to: latencies, landings, sites with their rates."""

from collections.abc import Iterator

from simkit.contract.answers import UNKNOWN, NotApplicable
from simkit.contract.conditions import Conditions as DeclaredConditions
from simkit.contract.latencies import LatencyRange
from simkit.contract.layers import Layer
from simkit.contract.rates import CrashRates, LossRates, Rate, Rates
from simkit.contract.review import Review
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario import Conditions, Hop, Server, SiteRate, Stage, kind_of, windows_of
from simkit.scenario.sites import AGENT_SITES, DOWNSTREAM_SITES, HOP_ENDINGS

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


def conditions_of(review: Review, server: Server, stage: Stage) -> Conditions:
    """The conditions, with every site that this world has and the review does not exclude.

    No file states a budget for the work yet: the retry horizon ends the attempts, so it cannot be exceeded.
    """
    declared: DeclaredConditions = review.conditions
    sites = (*_hop_sites(review), *_server_sites(review, server), *_downstream_sites(review, stage), *_agent_sites())
    rates = tuple(
        SiteRate(
            site=site,
            probability=rate.probability if isinstance(rate, Rate) else None,
            source=str(rate.source) if isinstance(rate, Rate) else "unknown",
        )
        for site, rate in sites
        if kind_of(site) in declared.fault_kinds and not isinstance(rate, NotApplicable)
    )
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


def _hop_sites(review: Review) -> Iterator[tuple[str, object]]:
    """Each fault of each hop; one that the file has no rate for is unknown, unless that hop has no faults at all."""
    rates = _rates(review)
    for hop in hops_of(review):
        losses = getattr(rates, hop.name, UNKNOWN)
        for ending in HOP_ENDINGS:
            field = "late" if ending.endswith("_late") else ending
            yield f"{hop.name}.{ending}", _part(losses, LossRates, field)


def _server_sites(review: Review, server: Server) -> Iterator[tuple[str, object]]:
    """Each crash window, and the readback, where there are any."""
    rates = _rates(review)
    crash = UNKNOWN if rates is None else rates.crash
    for window in windows_of(server.order):
        field = "before_reservation" if window == "server.before_effect" else window.partition(".")[2]
        yield window, _part(crash, CrashRates, field)
    if server.readback is not None:
        yield "readback.cannot_tell", UNKNOWN if rates is None else rates.readback_cannot_tell


def _downstream_sites(review: Review, stage: Stage) -> Iterator[tuple[str, object]]:
    rates = _rates(review)
    hands_over = stage.downstream is not None and stage.downstream.accepts_first
    for site in DOWNSTREAM_SITES:
        is_error = site == "downstream.error"
        is_possible = site != "downstream.lost_after_acceptance" or hands_over
        if is_possible:
            yield site, rates.downstream_error if is_error and rates is not None else UNKNOWN


def _agent_sites() -> Iterator[tuple[str, object]]:
    return ((site, UNKNOWN) for site in AGENT_SITES)


def _rates(review: Review) -> Rates | None:
    return review.rates if isinstance(review.rates, Rates) else None


def _part(losses: object, kind: type[LossRates | CrashRates], field: str) -> object:
    """One rate of a group, unknown where it has none; the answer for the whole group where there is only that."""
    return getattr(losses, field, UNKNOWN) if isinstance(losses, kind) else losses


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
