"""The conditions under which a verdict holds: which faults, how many, how late, for how long."""

from typing import Annotated

from pydantic import Field

from simkit.contract.answers import OrUnknown, Part, Probability, Several
from simkit.contract.durations import Duration, seconds
from simkit.terms import FaultKind

__all__ = ["CommonCause", "Conditions", "LandingPerHop"]


class LandingPerHop(Part):
    """Latest landing: the longest time after sending at which a message may still arrive."""

    agent_to_gateway: OrUnknown[Duration] = Field(description="From the agent (or its MCP client) to the gateway.")
    gateway_to_server: OrUnknown[Duration] = Field(description="From the gateway to the MCP server.")
    server_to_downstream: OrUnknown[Duration] = Field(description="From the MCP server to the system of record.")

    @property
    def agent_to_gateway_s(self) -> float | None:
        """Seconds; None if unknown."""
        return seconds(self.agent_to_gateway)

    @property
    def gateway_to_server_s(self) -> float | None:
        """Seconds; None if unknown."""
        return seconds(self.gateway_to_server)

    @property
    def server_to_downstream_s(self) -> float | None:
        """Seconds; None if unknown."""
        return seconds(self.server_to_downstream)


class CommonCause(Part):
    """Faults that come together: a partition hits every call there while it lasts."""

    share: Probability = Field(
        description="Share of each rate that comes from such an episode, between 0 and 1. 0.1 if nothing is known."
    )
    lasts: OrUnknown[Duration] = Field(description="How long such an episode lasts.")

    @property
    def lasts_s(self) -> float | None:
        """Length of an episode in seconds; None if unknown."""
        return seconds(self.lasts)


class Conditions(Part):
    """Under which conditions the verdict shall hold. What is left out here is printed as excluded.

    The guaranteed retentions belong to the conditions too; they stand with the record and the keys.
    """

    fault_kinds: Annotated[Several[FaultKind], Field(min_length=1, max_length=len(FaultKind))] = Field(
        description="The kinds of fault that the verdict covers. Leave one out only if it truly cannot happen."
    )
    fault_budget: Annotated[int, Field(strict=True, ge=0, le=4)] = Field(
        description="Up to how many faults in one operation the verdict is proved. 2 is a good start."
    )
    latest_landing: LandingPerHop
    retry_horizon: OrUnknown[Duration] = Field(
        description="Longest time from the first attempt to the last one that anything or anybody may make."
    )
    risk_limit: Probability = Field(
        description="Highest accepted probability that one operation goes wrong, such as 0.0001."
    )
    common_cause: CommonCause

    @property
    def retry_horizon_s(self) -> float | None:
        """Retry horizon in seconds; None if unknown."""
        return seconds(self.retry_horizon)
