"""How long after an attempt all that follows from it has landed, by what the scenario says of each wait."""

from simkit.choices import WriteOrder
from simkit.scenario import RetryLayer, Scenario
from simkit.terms import FaultKind, LayerName

__all__ = ["landing_s", "own_landing_s"]


def own_landing_s(scenario: Scenario) -> float | None:
    """Seconds after the agent's own last attempt until all that follows from it has landed and can be seen.

    None where nobody can say: somebody below repeats and waits for ever, or somebody beside the agent sends too.
    """
    stage_count = len(scenario.stages)
    below = [layer for layer in scenario.layers[1:] if layer.repeats or (stage_count > 1 and _makes_stages(layer))]
    has_no_end = scenario.server.order is WriteOrder.OUTBOX or any(_has_no_end(layer) for layer in below)
    if has_no_end or scenario.reissues or scenario.reconciler is not None:
        return None
    # Each attempt lasts as long as its layer waits; the downstream SDK makes them for one stage after the other.
    return landing_s(scenario) + sum(
        _attempts_s(scenario, layer) * (stage_count if _makes_stages(layer) else 1) for layer in below
    )


def _has_no_end(layer: RetryLayer) -> bool:
    """Whether nobody can say when a layer that repeats has sent its last attempt, and stopped waiting."""
    return layer.timeout_s is None or (layer.attempts is None and layer.budget_s is None)


def _attempts_s(scenario: Scenario, layer: RetryLayer) -> float:
    """How long the attempts of a layer take at most: so many of them, or one more after its budget is used up."""
    one_s = (layer.timeout_s or 0.0) + _silent_s(scenario, layer)
    return layer.attempts * one_s if layer.attempts is not None else (layer.budget_s or 0.0) + one_s


def _makes_stages(layer: RetryLayer) -> bool:
    return layer.name is LayerName.DOWNSTREAM_SDK


def landing_s(scenario: Scenario) -> float:
    """Seconds after anybody's last attempt until all that follows from it has landed and can be seen."""
    server, readback = scenario.server, scenario.server.readback
    queues = [hop.queue for hop in scenario.hops if hop.queue is not None]
    return (
        sum(hop.latest_landing_s for hop in scenario.hops)
        + sum(queue.delay.s_max + queue.visibility_timeout_s * queue.delivery_count_max for queue in queues)
        + sum(downstream.work.s_max for downstream in scenario.downstreams)
        + server.wait_s
        + server.after_effect.s_max * len(scenario.stages)
        + _paused_s(scenario)
        + sum(_silent_s(scenario, layer) for layer in scenario.layers[1:])
        + (0.0 if readback is None else readback.attempts * readback.latency.s_max + readback.lag_s_max)
    )


def _paused_s(scenario: Scenario) -> float:
    """How long pauses hold up one attempt at most: one in each window where a worker pauses, for each stage."""
    windows = [rate for rate in scenario.conditions.rates if rate.kind is FaultKind.PAUSE]
    return scenario.conditions.pause_s_max * max(1, len(windows) * len(scenario.stages))


def _silent_s(scenario: Scenario, layer: RetryLayer) -> float:
    """How long a layer that goes on after its caller has gone may be silent before it sends again."""
    goes_round = layer is scenario.layers[-1] and scenario.server.order is WriteOrder.OUTBOX
    if not layer.repeats and not goes_round:
        return 0.0
    asked_s = max(downstream.retry_after_s for downstream in scenario.downstreams)
    return (layer.timeout_s or 0.0) + layer.longest_silence_s(asked_s)
