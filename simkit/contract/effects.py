"""The effects of the tool: what changes where, which key the system of record sees, how it is asked."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from simkit.choices import EffectKind, KeySent, ReadbackBy
from simkit.contract.answers import Answer, Name, OrUnknown, Part, Prose, Sentence
from simkit.contract.choices import CompletionEvidence
from simkit.contract.durations import Duration, seconds
from simkit.contract.retention import Retention
from simkit.contract.showing import shortened
from simkit.terms import OnMismatch, OnUncertainReadback

__all__ = ["DownstreamKey", "Effect", "Effects", "Readback"]


class DownstreamKey(Part):
    """The key by which the system of record itself recognises a repeat (an idempotency key)."""

    sent: OrUnknown[KeySent] = Field(
        description="Which key goes along. 'derived per attempt' protects nothing: every retry brings another key."
    )
    retention: OrUnknown[Retention] = Field(description="How long the system of record remembers the key.")
    on_mismatch: Answer[OnMismatch] = Field(
        description="What the system of record does with a known key and other content."
    )


class Readback(Part):
    """How the system of record is asked whether the effect exists."""

    by: OrUnknown[ReadbackBy] = Field(
        description="By what it is found. Only an identity that no other operation has can prove anything; "
        "a list or a search by content cannot tell two equal wishes apart."
    )
    lag: OrUnknown[Duration] = Field(
        description="Longest time from the effect until the readback shows it. 0 s if it is never behind."
    )
    attempts: OrUnknown[Annotated[int, Field(strict=True, ge=1, le=100)]] = Field(
        description="How often it is asked before the answer counts."
    )
    on_uncertain: OrUnknown[OnUncertainReadback] = Field(
        description="What follows a readback that cannot tell. A failed question never means that nothing exists."
    )
    when_unavailable: OrUnknown[Prose] = Field(
        description="What people do while the readback is down, denied, or finds several matches."
    )

    @property
    def lag_s(self) -> float | None:
        """Longest lag in seconds; None if unknown."""
        return seconds(self.lag)


class Effect(Part):
    """One durable change in one system of record. A tool that creates and notifies has two."""

    name: Name = Field(description="Short name of the effect, unlike that of any other effect.", examples=["ticket"])
    description: OrUnknown[Sentence] = Field(description="What exists afterwards that did not exist before.")
    system: OrUnknown[Name] = Field(description="The system of record: the one that can confirm the effect.")
    kind: OrUnknown[EffectKind] = Field(
        description="create: something new. set: a fixed value. add: a relative change. "
        "delete: something is gone. message: somebody gets it."
    )
    completion_evidence: OrUnknown[CompletionEvidence] = Field(
        description="receipt: the system confirmed the effect. handover: it only took the work over (a queue)."
    )
    evidence_text: OrUnknown[Sentence] = Field(
        description="What that evidence looks like.", examples=["201 with the ticket's number"]
    )
    downstream_key: Answer[DownstreamKey] = Field(
        description="The key by which the system of record recognises a repeat; not_applicable if it takes none."
    )
    readback: Answer[Readback] = Field(
        description="How the system of record is asked about one operation; not_applicable if it cannot be asked."
    )


def _own_names(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    names = [effect.name for effect in effects]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        detail = {"why": f"two effects are called '{shortened(twice)}'", "allowed": "a name of its own for each effect"}
        raise PydanticCustomError("plain", "{why}", detail)
    return effects


Effects = Annotated[tuple[Effect, ...], Field(min_length=1, max_length=4), AfterValidator(_own_names)]
"""One to four effects, in the order in which the tool makes them."""
