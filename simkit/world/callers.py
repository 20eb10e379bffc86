"""Puts together those who call: the agent with its process."""

from simkit.journal import Journal
from simkit.scenario import Scenario
from simkit.scenario.sites import AGENT_SITES
from simkit.terms import Identity
from simkit.world.agent import AgentParty
from simkit.world.asking import Asked
from simkit.world.conclusions import Conclusions, Undo
from simkit.world.dispatch import errands
from simkit.world.faults import Faults
from simkit.world.messages import Sender
from simkit.world.reports import Reports
from simkit.world.restarts import AgentProcess
from simkit.world.timeline import Timeline
from simkit.world.trials import Trials

__all__ = ["agent_party", "shares_a_process"]


def shares_a_process(scenario: Scenario) -> bool:
    """Whether what happens to one call of the agent can touch another, so that its steps are no longer local."""
    can_restart = any(rate.site in AGENT_SITES for rate in scenario.conditions.rates)
    return can_restart and len(errands(scenario.calls, scenario.agent.dispatch)) > 1


def agent_party(
    scenario: Scenario,
    below: Sender,
    readbacks: Asked | None,
    undo: Undo,
    timeline: Timeline,
    journal: Journal,
    faults: Faults,
    trials: Trials,
) -> AgentParty:
    """The agent, and who hears what it tells."""
    agent, policy = scenario.agent, scenario.layers[0]
    process = AgentProcess(agent, timeline, faults, is_local=not shares_a_process(scenario))
    reports = Reports(scenario.conditions, timeline, journal)
    asked = readbacks if agent.identity is not Identity.NONE else None
    return AgentParty(
        agent,
        policy,
        scenario.conditions,
        process,
        below,
        asked,
        Conclusions(agent, policy.on_exhausted, asked, undo, reports),
        timeline,
        journal,
        trials,
    )
