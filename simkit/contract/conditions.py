"""The conditions under which a verdict holds, and the numbers that go into a probability."""

from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from simkit.contract.answers import Answer, OrUnknown, Part, Probability, Sentence
from simkit.contract.durations import Duration, seconds
from simkit.terms import FaultKind

__all__ = [
    "CommonCause",
    "Conditions",
    "CrashRates",
    "LandingPerHop",
    "Latencies",
    "LatencyRange",
    "LossRates",
    "Rate",
    "Rates",
]


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

    fault_kinds: Annotated[tuple[FaultKind, ...], Field(min_length=1, max_length=len(FaultKind))] = Field(
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


class LatencyRange(Part):
    """How long something takes when nothing is wrong."""

    fastest: Duration = Field(description="Shortest time that happens.")
    typical: Duration = Field(description="The usual time.")
    slowest: Duration = Field(description="Longest time that still counts as usual; anything later is a fault.")
    source: Sentence = Field(description="Where the numbers come from, or 'assumed'.")

    @model_validator(mode="after")
    def _in_order(self) -> "LatencyRange":
        if not self.fastest_s <= self.typical_s <= self.slowest_s:
            message = "the three times are not in order"
            raise PydanticCustomError("plain", "{why}", {"why": message, "allowed": "fastest <= typical <= slowest"})
        return self

    @property
    def fastest_s(self) -> float:
        """Shortest time in seconds."""
        return self.fastest.length_s

    @property
    def typical_s(self) -> float:
        """Usual time in seconds."""
        return self.typical.length_s

    @property
    def slowest_s(self) -> float:
        """Longest usual time in seconds."""
        return self.slowest.length_s

    @property
    def is_assumed(self) -> bool:
        """Whether nobody measured it."""
        return self.source == "assumed"


class Latencies(Part):
    """How long each hop takes one way, and the work at the system of record."""

    agent_to_gateway: Answer[LatencyRange] = Field(description="One way from the agent to the gateway.")
    gateway_to_server: Answer[LatencyRange] = Field(description="One way from the gateway to the MCP server.")
    server_to_downstream: Answer[LatencyRange] = Field(description="One way from the server to the system of record.")
    downstream_work: Answer[LatencyRange] = Field(description="The work of the system of record.")
    readback: Answer[LatencyRange] = Field(description="One readback, there and back, without its lag.")


class Rate(Part):
    """How often one kind of fault hits one message or one step."""

    probability: Probability = Field(description="Between 0 and 1, for one passage.")
    source: Sentence = Field(description="Where the number comes from, or 'assumed'.")

    @property
    def is_assumed(self) -> bool:
        """Whether nobody measured it."""
        return self.source == "assumed"


class LossRates(Part):
    """Faults of one hop. An unknown rate leaves the probability unknown, never the proof."""

    request_lost: Answer[Rate] = Field(description="The request never arrives.")
    response_lost: Answer[Rate] = Field(description="The work was done, its reply never arrives.")
    late: Answer[Rate] = Field(description="The message arrives after the usual time, up to the latest landing.")


class CrashRates(Part):
    """A crash of the server's process in one window between two durable steps."""

    before_reservation: Answer[Rate] = Field(description="Before anything was written.")
    after_reservation: Answer[Rate] = Field(description="After the reservation, before anything was sent downstream.")
    after_effect: Answer[Rate] = Field(description="After the effect, before its receipt was written.")
    after_receipt: Answer[Rate] = Field(description="After the receipt, before the reply was sent.")


class Rates(Part):
    """Fault rates, for every place where a fault can happen."""

    agent_to_gateway: Answer[LossRates] = Field(description="Faults between agent and gateway.")
    gateway_to_server: Answer[LossRates] = Field(description="Faults between gateway and MCP server.")
    server_to_downstream: Answer[LossRates] = Field(description="Faults between MCP server and system of record.")
    crash: Answer[CrashRates] = Field(description="Crashes of the MCP server's process.")
    readback_cannot_tell: Answer[Rate] = Field(description="A readback that gives no answer, or no clear one.")
    downstream_error: Answer[Rate] = Field(description="The system of record answers with an error.")
