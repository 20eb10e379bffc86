"""The layers that may repeat a call, what each does today, and what is requested of each."""

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from simkit.contract.answers import Answer, CountOrNoLimit, DurationOrNoLimit, OrUnknown, Part
from simkit.contract.choices import OnOff
from simkit.contract.durations import Duration, seconds
from simkit.terms import LayerName, OnExhausted

__all__ = ["AutomaticRetries", "Backoff", "Layer", "Layers", "Requested"]


class Backoff(Part):
    """The wait between two attempts of one layer."""

    least: Duration = Field(description="Shortest wait before the next attempt, with jitter.")
    most: Duration = Field(description="Longest wait before the next attempt, with jitter.")

    @model_validator(mode="after")
    def _in_order(self) -> "Backoff":
        if self.least_s > self.most_s:
            raise PydanticCustomError("plain", "the shortest wait is above the longest", {"allowed": "least <= most"})
        return self

    @property
    def least_s(self) -> float:
        """Shortest wait in seconds."""
        return self.least.length_s

    @property
    def most_s(self) -> float:
        """Longest wait in seconds."""
        return self.most.length_s


class Layer(Part):
    """How often and for how long one layer tries. Attempts multiply over the layers."""

    attempts: OrUnknown[CountOrNoLimit] = Field(
        description="Attempts in all, the first one included. 1 means that the layer never repeats, 'none' that "
        "nothing but its budget ends it."
    )
    timeout: OrUnknown[DurationOrNoLimit] = Field(
        description="How long one attempt is waited for, or 'none'. A timeout ends the waiting, not the work below.",
    )
    backoff: Answer[Backoff] = Field(
        description="Wait between two attempts: {least: 200 ms, most: 1 s}; not_applicable with one attempt."
    )
    budget: OrUnknown[DurationOrNoLimit] = Field(
        description="Longest time for all attempts and waits together, or 'none'.",
    )
    when_exhausted: OrUnknown[OnExhausted] = Field(
        description="What the layer says upward when its attempts are used up and the outcome is open."
    )

    @property
    def timeout_s(self) -> float | None:
        """Timeout of one attempt in seconds, infinity for 'none'; None if unknown."""
        return seconds(self.timeout)

    @property
    def budget_s(self) -> float | None:
        """Budget in seconds, infinity for 'none'; None if unknown."""
        return seconds(self.budget)


class Layers(Part):
    """Every layer from the agent down to the SDK that calls the system of record, outermost first.

    A layer that does not exist is answered with not_applicable, so that it was not forgotten.
    """

    agent: Answer[Layer] = Field(description="The agent, or the harness that runs it.")
    gateway: Answer[Layer] = Field(description="An MCP gateway or proxy between agent and server.")
    client_sdk: Answer[Layer] = Field(description="The MCP client SDK that sends tools/call.")
    downstream_sdk: Answer[Layer] = Field(description="The SDK by which the server calls the system of record.")

    def of(self, name: LayerName) -> Answer[Layer]:
        """Return the layer of that name, or why there is none."""
        by_name: dict[LayerName, Answer[Layer]] = {
            LayerName.AGENT: self.agent,
            LayerName.GATEWAY: self.gateway,
            LayerName.CLIENT_SDK: self.client_sdk,
            LayerName.DOWNSTREAM_SDK: self.downstream_sdk,
        }
        return by_name[name]


class AutomaticRetries(Part):
    """Which layers shall be allowed to repeat a write without asking anybody: on or off for each."""

    agent: OnOff = Field(description="on: the agent may repeat the call by itself.")
    gateway: OnOff = Field(description="on: the gateway may repeat the call by itself.")
    client_sdk: OnOff = Field(description="on: the MCP client SDK may repeat the call by itself.")
    downstream_sdk: OnOff = Field(description="on: the SDK below the server may repeat its request by itself.")

    def of(self, name: LayerName) -> OnOff:
        """Return what is requested of the layer of that name."""
        by_name = {
            LayerName.AGENT: self.agent,
            LayerName.GATEWAY: self.gateway,
            LayerName.CLIENT_SDK: self.client_sdk,
            LayerName.DOWNSTREAM_SDK: self.downstream_sdk,
        }
        return by_name[name]


class Requested(Part):
    """What this review asks to be allowed. A gate says whether the evidence supports it."""

    automatic_retries: AutomaticRetries
