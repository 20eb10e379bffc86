"""Frozen description of one world: who calls whom, what each party does, what may go wrong."""

from simkit.scenario.conditions import Conditions, SiteRate, kind_of
from simkit.scenario.parties import Agent, Downstream, Readback, Retention, RetryLayer, Server
from simkit.scenario.world import Hop, PlannedCall, Scenario

__all__ = [
    "Agent",
    "Conditions",
    "Downstream",
    "Hop",
    "PlannedCall",
    "Readback",
    "Retention",
    "RetryLayer",
    "Scenario",
    "Server",
    "SiteRate",
    "kind_of",
]
