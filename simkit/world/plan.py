"""What follows from a scenario alone: worked out once, and shared by all runs of it."""

from dataclasses import dataclass

from simkit.choices import OnTimeout, WriteOrder
from simkit.records import Fact
from simkit.scenario import Scenario
from simkit.scenario.sites import AGENT_SITES
from simkit.terms import LayerName
from simkit.world.dispatch import Errand, errands
from simkit.world.landing import landing_s, own_landing_s
from simkit.world.opening import opening

__all__ = ["Plan", "planned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A scenario that is ready to be run.

    Parameters
    ----------
    stages
        Names of the effects of one operation, in order.
    opening
        What the journal of each run opens with.
    watches_landing
        Whether anybody waits until all that was sent has landed.
    is_hold_shared
        Whether a hold that blocks a path is set by one caller and seen by another.
    shares_a_process
        Whether what happens to one call of the agent can touch another, so that its steps are no longer local.
        A restart takes all calls of the process; a hold may be shared, and so is what was sent where somebody
        waits until it has landed.
    is_divided
        Whether its parties meet in places of their own, so that steps of different parties need no order. Where
        somebody acts for several callers, ends work from afar, or works in the background, all is one place.
    starts_locally
        Whether a start meets no throttle, of the agent or of a client SDK in its process, and restarts nobody.
    is_sole_sender
        Whether nobody between the agent and the server repeats a call.
    landing_s, own_landing_s
        Seconds after anybody's last attempt, and after the agent's own, until all that follows has landed; see
        `simkit.world.landing`.
    """

    scenario: Scenario
    stages: tuple[str, ...]
    opening: tuple[Fact, ...]
    errands: tuple[Errand, ...]
    watches_landing: bool
    is_hold_shared: bool
    shares_a_process: bool
    is_divided: bool
    starts_locally: bool
    is_sole_sender: bool
    landing_s: float
    own_landing_s: float | None


def planned(scenario: Scenario) -> Plan:
    """Make a scenario ready to be run often."""
    todo = errands(scenario.calls, scenario.agent.dispatch)
    is_hold_shared = _is_hold_shared(scenario, len(todo))
    can_restart = len(todo) > 1 and any(rate.site in AGENT_SITES for rate in scenario.conditions.rates)
    gateway, client_sdk = scenario.layer(LayerName.GATEWAY), scenario.layer(LayerName.CLIENT_SDK)
    meets_sdk = gateway is None and client_sdk is not None and client_sdk.is_throttled
    watches_landing = scenario.reconciler is not None and scenario.reconciler.waits_for_landing
    shares_a_process = can_restart or is_hold_shared or watches_landing
    return Plan(
        scenario=scenario,
        stages=tuple(stage.name for stage in scenario.stages),
        opening=tuple(opening(scenario)),
        errands=todo,
        watches_landing=watches_landing,
        is_hold_shared=is_hold_shared,
        shares_a_process=shares_a_process,
        is_divided=not shares_a_process and _is_divided(scenario),
        starts_locally=not (scenario.layers[0].is_throttled or meets_sdk or shares_a_process),
        is_sole_sender=all(layer.attempts == 1 for layer in scenario.layers[1:-1]),
        landing_s=landing_s(scenario),
        own_landing_s=own_landing_s(scenario),
    )


def _is_divided(scenario: Scenario) -> bool:
    callers = scenario.layers[:-1]
    return not (
        any(layer.is_throttled for layer in callers)
        or any(hop.queue is not None or hop.on_timeout is OnTimeout.INTERRUPTED for hop in scenario.hops)
        or scenario.reconciler is not None
        or scenario.reissues
        or scenario.server.order is WriteOrder.OUTBOX
    )


def _is_hold_shared(scenario: Scenario, errand_count: int) -> bool:
    is_seen = any(reissue.is_blocked_by_hold for reissue in scenario.reissues)
    return is_seen and (errand_count + len(scenario.reissues) > 2 or scenario.reconciler is not None)
