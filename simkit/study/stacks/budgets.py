"""The time budget of a stack: how long each layer may take, against how long the layer above waits for it.

A layer may take its attempts, each as long as it waits for one, and its longest waits between them. Where that is
more than the layer above waits for, the one above gives up first: it tries again, or says that it does not know,
while the work of those below runs on and may still make the effect.
"""

import math
from dataclasses import dataclass

from simkit.distributions import Wait
from simkit.scenario import TO_DOWNSTREAM, TO_GATEWAY, TO_SERVER, RetryLayer, Scenario
from simkit.terms import LayerName

__all__ = ["LayerBudget", "last_arrival_s", "layer_budgets"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerBudget:
    """One layer's times, in seconds; infinity where there is no end.

    Parameters
    ----------
    attempts
        Tries in all; None where they have no end.
    timeout_s
        How long it waits for one try.
    try_s
        How long one try may take: as long as it waits, or less where those below are done before.
    waits_s
        Its longest waits between tries, together.
    last_start_s
        From its first try until its last one may begin.
    longest_s
        How long it may take in all.
    below_s
        How long those below may take for one try of this layer.
    runs_on_s
        How long their work may run on after this layer has given up a try; 0 where it waits long enough.
    """

    layer: LayerName
    attempts: int | None
    timeout_s: float
    try_s: float
    waits_s: float
    last_start_s: float
    longest_s: float
    below_s: float
    runs_on_s: float

    @property
    def gives_up_first(self) -> bool:
        """Whether it stops waiting while those below may still be at work."""
        return self.runs_on_s > 0


def layer_budgets(scenario: Scenario) -> tuple[LayerBudget, ...]:
    """The budget of each layer, outermost first; whether the system of record answers at all is not relied on."""
    budgets: list[LayerBudget] = []
    below_s = math.inf
    for layer in reversed(scenario.layers):
        budget = _budget(layer, below_s + _link_s(scenario, layer.name), scenario)
        budgets.append(budget)
        below_s = budget.longest_s
    return tuple(reversed(budgets))


def last_arrival_s(scenario: Scenario) -> float:
    """From the first attempt until the last request of one operation may reach the system of record, in seconds.

    That is within the retry horizon, after which no attempt of any layer starts.
    """
    starts_s = sum(budget.last_start_s for budget in layer_budgets(scenario))
    on_the_way_s = sum(hop.request.s_max for hop in scenario.hops)
    return min(starts_s, scenario.conditions.retry_horizon_s) + on_the_way_s


def _budget(layer: RetryLayer, below_s: float, scenario: Scenario) -> LayerBudget:
    timeout_s = math.inf if layer.timeout_s is None else layer.timeout_s
    try_s = min(timeout_s, below_s)
    asked_s = max(system.retry_after_s for system in scenario.downstreams)
    waits_s = _waits_s(layer, asked_s)
    last_start_s = math.inf if layer.attempts is None else _times(layer.attempts - 1, try_s) + waits_s
    if layer.budget_s is not None:
        last_start_s = min(last_start_s, layer.budget_s)
    return LayerBudget(
        layer=layer.name,
        attempts=layer.attempts,
        timeout_s=timeout_s,
        try_s=try_s,
        waits_s=waits_s,
        last_start_s=last_start_s,
        longest_s=last_start_s + try_s,
        below_s=below_s,
        runs_on_s=below_s - timeout_s if below_s > timeout_s and layer.name is not _innermost(scenario) else 0.0,
    )


def _innermost(scenario: Scenario) -> LayerName:
    return scenario.layers[-1].name


def _waits_s(layer: RetryLayer, asked_s: float) -> float:
    """The longest waits between all tries, together."""
    if layer.attempts is None:
        return math.inf
    return math.fsum(_longest_wait_s(layer, number, asked_s) for number in range(1, layer.attempts))


def _longest_wait_s(layer: RetryLayer, retry_number: int, asked_s: float) -> float:
    backoffs = [one for one in (layer.backoff, layer.backoff_overloaded) if one is not None]
    waits = [one if isinstance(one, Wait) else one.wait(retry_number) for one in backoffs]
    return max(layer.wait_asked(wait, asked_s).s_max for wait in waits)


def _times(count: int, length_s: float) -> float:
    """So many of a length: none of an endless one is nothing."""
    return count * length_s if count else 0.0


def _link_s(scenario: Scenario, name: LayerName) -> float:
    """Longest usual way below a layer and back, in seconds; a library inside its caller has none."""
    if name is LayerName.DOWNSTREAM_SDK:
        hop = TO_DOWNSTREAM
    elif name is LayerName.AGENT and scenario.layer(LayerName.GATEWAY) is not None:
        hop = TO_GATEWAY
    elif name is not LayerName.CLIENT_SDK and scenario.layer(LayerName.CLIENT_SDK) is not None:
        return 0.0
    else:
        hop = TO_SERVER
    found = scenario.hop(hop)
    return found.request.s_max + found.response.s_max
