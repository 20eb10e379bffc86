"""How often faults happen: the numbers that move a probability, and never a proof."""

from pydantic import Field

from simkit.contract.answers import Answer, Part, Probability, Sentence

__all__ = ["CrashRates", "LossRates", "Rate", "Rates"]


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
