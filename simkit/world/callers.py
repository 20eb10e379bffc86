"""Puts together those who call: the agent with its process, the reconciler, the paths that send again."""

from functools import partial

from simkit.choices import WriteOrder
from simkit.scenario import RetryLayer, Scenario
from simkit.terms import FaultKind, Identity, LayerName
from simkit.world.agent import AgentParty
from simkit.world.approvals import Approvals
from simkit.world.asking import Asking
from simkit.world.conclusions import Conclusions, Undo
from simkit.world.deciding import Deciding
from simkit.world.messages import Sender
from simkit.world.pacing import Pacing
from simkit.world.reconciler import ReconcilerParty
from simkit.world.reissuing import ReissuePath
from simkit.world.reports import Reports
from simkit.world.restarts import AgentProcess
from simkit.world.sending_again import SendingAgain
from simkit.world.setting import Setting

__all__ = ["agent_party"]


def agent_party(setting: Setting, below: Sender, asked: Asking | None, undo: Undo, approvals: Approvals) -> AgentParty:
    """The agent, and who hears what it tells."""
    scenario, timeline, journal, faults = setting.scenario, setting.timeline, setting.journal, setting.faults
    agent, policy = scenario.agent, scenario.layers[0]
    process = AgentProcess(agent, timeline, faults, is_local=not setting.plan.shares_a_process)
    reports = Reports(scenario.conditions, timeline, journal)
    sending = SendingAgain(policy, below, reports, timeline, journal, handover_completes=agent.handover_completes)
    is_local = not (setting.plan.is_hold_shared or setting.plan.watches_landing)
    paths = [ReissuePath(reissue, sending, reports, timeline, is_local=is_local) for reissue in scenario.reissues]
    reports.listeners = tuple(path.hear for path in paths)
    if scenario.reconciler is not None and asked is not None:
        reconciler = ReconcilerParty(
            scenario.reconciler,
            tuple(stage.name for stage in scenario.stages),
            _landing_s(scenario),
            asked,
            setting.last_sent,
            sending,
            reports,
            timeline,
            journal,
            faults,
        )
        reports.listeners = (reconciler.hear, *reports.listeners)
    own_asked = asked if agent.identity is not Identity.NONE else None
    conclusions = Conclusions(agent, policy.on_exhausted, own_asked, undo, reports)
    pacing = Pacing(policy, below, timeline)
    deciding = Deciding(
        agent,
        policy,
        own_asked,
        pacing,
        partial(approvals.renew, journal=journal),
        timeline,
        setting.trials,
        landing_s=_own_landing_s(scenario),
        is_sole_sender=all(layer.attempts == 1 for layer in scenario.layers[1:-1]),
        is_local=process.is_local,
    )
    conditions = scenario.conditions
    return AgentParty(agent, policy, conditions, process, below, pacing, deciding, conclusions, timeline, journal)


def _own_landing_s(scenario: Scenario) -> float | None:
    """Seconds after the agent's own last attempt until all that follows from it has landed and can be seen.

    None where nobody can say: somebody below repeats and waits for ever, or somebody beside the agent sends too.
    """
    stage_count = len(scenario.stages)
    below = [layer for layer in scenario.layers[1:] if layer.attempts > 1 or (stage_count > 1 and _makes_stages(layer))]
    has_no_end = scenario.server.order is WriteOrder.OUTBOX or any(layer.timeout_s is None for layer in below)
    if has_no_end or scenario.reissues or scenario.reconciler is not None:
        return None
    # Each attempt lasts as long as its layer waits; the downstream SDK makes them for one stage after the other.
    return _landing_s(scenario) + sum(
        layer.attempts
        * ((layer.timeout_s or 0.0) + _silent_s(scenario, layer))
        * (stage_count if _makes_stages(layer) else 1)
        for layer in below
    )


def _makes_stages(layer: RetryLayer) -> bool:
    return layer.name is LayerName.DOWNSTREAM_SDK


def _landing_s(scenario: Scenario) -> float:
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
    if layer.attempts == 1 and not goes_round:
        return 0.0
    asked_s = max(downstream.retry_after_s for downstream in scenario.downstreams) if layer.honours_retry_after else 0.0
    return (layer.timeout_s or 0.0) + max(layer.backoff.s_max, asked_s)
