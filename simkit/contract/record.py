"""How the server recognises a repeat: identity of the operation, bound inputs, operation record."""

from typing import Annotated

from pydantic import Field

from simkit.choices import ScopePart, StoreKind
from simkit.contract.answers import Answer, FieldName, Name, OrUnknown, Part, Several
from simkit.contract.choices import Canonicalisation, MadeBy, Persisted
from simkit.contract.durations import Duration, seconds
from simkit.contract.retention import Retention
from simkit.terms import ClaimKind, Identity, OnMismatch, OnPending, StalePolicy

__all__ = ["Binding", "OperationIdentity", "Record"]

FieldNames = Annotated[Several[FieldName], Field(max_length=24)]


class OperationIdentity(Part):
    """The identity that survives retries. A JSON-RPC request ID is none: every retry has another one."""

    made_by: OrUnknown[MadeBy] = Field(
        description="Who makes the operation ID. An ID made below a layer that retries is new for every retry."
    )
    span: OrUnknown[Identity] = Field(
        description="per intent: all retries of one wish bear one ID. per attempt: each try has its own. none: no ID."
    )
    persisted: Answer[Persisted] = Field(
        description="When its maker writes it down. Only 'before sending' survives a crash of the caller."
    )
    scope: Answer[Annotated[Several[ScopePart], Field(min_length=1, max_length=5)]] = Field(
        description="What the ID is looked up together with. Tenant and principal come from the credential, "
        "never from the arguments."
    )


class Binding(Part):
    """Which inputs an operation ID stands for, and what happens if they differ."""

    bound_fields: OrUnknown[FieldNames] = Field(
        description="Inputs that make it another operation if they change: recipient, amount, title."
    )
    excluded_fields: OrUnknown[FieldNames] = Field(
        description="Inputs that may differ between attempts: a trace ID, a time of sending. [] if there are none."
    )
    canonicalisation: OrUnknown[Canonicalisation] = Field(
        description="How inputs are brought into one form before comparing. Exact bytes turn another key order "
        "into another operation."
    )
    on_mismatch: OrUnknown[OnMismatch] = Field(
        description="What a known ID with other inputs gets. Anything but 'conflict' hides or overwrites something."
    )


class Record(Part):
    """The durable row that the server keeps about one operation."""

    store: OrUnknown[StoreKind] = Field(
        description="shared: all replicas see it, and it survives a restart. process memory: neither."
    )
    store_name: OrUnknown[Name] = Field(description="Which store that is, as its operators call it.")
    claim: OrUnknown[ClaimKind] = Field(
        description="How two calls at the same time are kept apart. 'check then act' lets both through; "
        "a unique constraint on the scope does not."
    )
    lease: Answer[Duration] = Field(
        description="How long a reservation keeps others away. It must be longer than the work can take."
    )
    while_pending: OrUnknown[OnPending] = Field(description="What a repeat gets while the first call is at work.")
    stale: Answer[StalePolicy] = Field(
        description="What is done with a reservation whose lease ran out without a receipt. The effect may exist: "
        "'run again' repeats it, 'read back' asks first, 'hold' waits for the owner."
    )
    retention: OrUnknown[Retention] = Field(description="How long the row is kept.")

    @property
    def lease_s(self) -> float | None:
        """Lease in seconds; None if unknown or not applicable."""
        return seconds(self.lease)
