"""Frozen description of one world: who calls whom, what each party does, what may go wrong."""

from simkit.scenario.agent import Agent
from simkit.scenario.calls import Approval, Deletion, PlannedCall, SourceChange
from simkit.scenario.conditions import Conditions, PartyClock, SiteRate
from simkit.scenario.downstream import Downstream, Stage, SystemBehaviour
from simkit.scenario.hops import Hop, Queue
from simkit.scenario.layers import (
    CircuitBreaker,
    RetryAfter,
    RetryLayer,
    RetryPolicy,
    RetryRule,
    RetryShare,
    TokenBucket,
)
from simkit.scenario.load import Arrivals, Link, LoadLayer, LoadScenario, RateStep
from simkit.scenario.load_service import LoadFault, LoadService, Outage
from simkit.scenario.people import Reconciler, Reissue
from simkit.scenario.server import Readback, Retention, Server, Store
from simkit.scenario.sites import kind_of
from simkit.scenario.windows import windows_of
from simkit.scenario.world import TO_DOWNSTREAM, TO_GATEWAY, TO_SERVER, Scenario

__all__ = [
    "TO_DOWNSTREAM",
    "TO_GATEWAY",
    "TO_SERVER",
    "Agent",
    "Approval",
    "Arrivals",
    "CircuitBreaker",
    "Conditions",
    "Deletion",
    "Downstream",
    "Hop",
    "Link",
    "LoadFault",
    "LoadLayer",
    "LoadScenario",
    "LoadService",
    "Outage",
    "PartyClock",
    "PlannedCall",
    "Queue",
    "RateStep",
    "Readback",
    "Reconciler",
    "Reissue",
    "Retention",
    "RetryAfter",
    "RetryLayer",
    "RetryPolicy",
    "RetryRule",
    "RetryShare",
    "Scenario",
    "Server",
    "SiteRate",
    "SourceChange",
    "Stage",
    "Store",
    "SystemBehaviour",
    "TokenBucket",
    "kind_of",
    "windows_of",
]
