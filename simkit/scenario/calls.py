"""What is wanted, under which approval, and what changes meanwhile without anybody's call."""

from dataclasses import dataclass

from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_count, insist_on_duration

__all__ = ["Approval", "Deletion", "PlannedCall", "SourceChange"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """Something that somebody wants once, `start_s` seconds after the start of the run.

    Parameters
    ----------
    operation
        Label from which the agent makes the operation ID. Two calls with one label reuse an ID.
    inputs
        The consequential inputs, as a label: two calls that differ in them differ in content.
    loose_inputs
        What a fingerprint sees that ignores a consequential field; empty where it sees all of `inputs`.
    wording
        How the arguments are written: key order, reworded text. Not consequential.
    principal
        Who acts for the tenant.
    target
        The object that the call is about, its natural key; empty where it makes a new one without a name.
    approval
        Name of the approval under which it is sent; empty where none is needed.
    audience
        To whom it is to go; empty where that does not apply.
    method
        Of the transport, for layers that look at it.
    copies
        How often the agent issues it at once, as models do.
    wants_effect
        False for a question or a dry run.
    """

    intent: str
    operation: str
    tenant: str
    inputs: str
    start_s: float
    loose_inputs: str = ""
    wording: str = ""
    principal: str = ""
    target: str = ""
    approval: str = ""
    audience: str = ""
    method: str = "POST"
    copies: int = 1
    wants_effect: bool = True

    def __post_init__(self) -> None:
        insist_on_duration(f"calls, {self.intent}: start_s", self.start_s)
        insist_on_count(f"calls, {self.intent}: copies", self.copies, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What somebody approved before the start: the inputs and the audience of one intent.

    Parameters
    ----------
    loose_inputs, wording
        As of a call, for a server that binds an approval to less than the inputs, or to how they are written.
    expires_s
        Seconds from the start after which no effect may begin under it; None where it does not expire.
    is_single_use
        Whether it is used up by the intent that it was given for.
    """

    name: str
    intent: str
    inputs: str
    audience: str
    expires_s: float | None
    is_single_use: bool
    loose_inputs: str = ""
    wording: str = ""

    def __post_init__(self) -> None:
        insist_on_duration(f"approvals, {self.name}: expires_s", self.expires_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """The source moves on: from then on it holds other inputs, and would reach another audience."""

    at_s: float
    inputs: str
    audience: str

    def __post_init__(self) -> None:
        insist_on_duration("source_change.at_s", self.at_s)
        if not self.inputs and not self.audience:
            message = "source_change.inputs '' and source_change.audience '' exclude each other: nothing would change"
            raise ScenarioError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """Somebody deletes, on purpose and for good, what an intent has made, `at_s` seconds after the start."""

    intent: str
    stage: str
    at_s: float

    def __post_init__(self) -> None:
        insist_on_duration(f"deletions, {self.intent}: at_s", self.at_s)
