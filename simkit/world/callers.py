"""Puts together those who call: the agent with its process, the reconciler, the paths that send again."""

from functools import partial

from simkit.terms import Identity
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
            setting.plan.landing_s,
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
        landing_s=setting.plan.own_landing_s,
        is_sole_sender=setting.plan.is_sole_sender,
        is_local=process.is_local,
    )
    conditions = scenario.conditions
    return AgentParty(agent, policy, conditions, process, below, pacing, deciding, conclusions, timeline, journal)
