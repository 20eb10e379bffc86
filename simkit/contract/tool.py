"""The tool under review: what it is, what it publishes about itself, who settles what is left open."""

from typing import Annotated

from pydantic import Field, StrictBool, StrictStr

from simkit.contract.answers import Answer, Name, OrUnknown, Part, Prose
from simkit.contract.choices import YesNo
from simkit.contract.durations import Duration, seconds

__all__ = ["Annotations", "Approval", "Tool", "UnknownOutcome"]

ToolName = Annotated[StrictStr, Field(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9_./-]+$")]


class Annotations(Part):
    """The four hints, exactly as the running server publishes them: true or false, not what you wish."""

    read_only_hint: Answer[StrictBool] = Field(description="readOnlyHint as published. A tool that writes says false.")
    destructive_hint: Answer[StrictBool] = Field(
        description="destructiveHint as published. True if the tool may overwrite or delete something."
    )
    idempotent_hint: Answer[StrictBool] = Field(
        description="idempotentHint as published. True claims that the same arguments again change nothing more. "
        "It is a claim, never evidence; this review compares it with the contract below."
    )
    open_world_hint: Answer[StrictBool] = Field(
        description="openWorldHint as published. True if the tool reaches systems outside of the server."
    )


class Tool(Part):
    """Which tool, in which version, run by whom. A review is worth nothing for another version."""

    name: ToolName = Field(description="Name of the tool as clients see it.", examples=["create_ticket"])
    version: OrUnknown[Name] = Field(description="Version of the tool's contract. Write it in quotes: '1.10'.")
    server: OrUnknown[Name] = Field(description="Name of the MCP server that offers the tool.")
    server_version: OrUnknown[Name] = Field(description="Version of that server, in quotes.")
    owner: OrUnknown[Name] = Field(description="Team that answers for the tool, as others would address it.")
    summary: OrUnknown[Prose] = Field(description="What the tool does in the world, in a sentence or two.")
    annotations: Annotations


class UnknownOutcome(Part):
    """Who settles an operation whose outcome nobody knows, and until when."""

    owner: OrUnknown[Name] = Field(description="Team or person who settles unknown outcomes; never the model.")
    deadline: OrUnknown[Duration] = Field(
        description="Longest time from the last attempt until the owner has settled it, such as 4 h."
    )

    @property
    def deadline_s(self) -> float | None:
        """Deadline in seconds; None if unknown."""
        return seconds(self.deadline)


class Approval(Part):
    """What a person approves before the tool may act."""

    bound_to: OrUnknown[Prose] = Field(
        description="To what the approval is bound: the inputs, the revision, the audience that were shown."
    )
    single_use: OrUnknown[YesNo] = Field(description="yes if one approval allows one operation, otherwise no.")
    expires_after: Answer[Duration] = Field(
        description="How long an approval allows a start. Returning a finished result stays allowed."
    )

    @property
    def expires_after_s(self) -> float | None:
        """Life of an approval in seconds; None if unknown or without an end."""
        return seconds(self.expires_after)
