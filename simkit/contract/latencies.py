"""How long things take while nothing is wrong; what takes longer than that is a fault."""

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from simkit.contract.answers import Answer, Part, Sentence
from simkit.contract.durations import Duration

__all__ = ["Latencies", "LatencyRange"]


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
