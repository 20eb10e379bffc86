"""The review file as a whole: what a tool owner declares about one write-enabled MCP tool.

It says nothing about whether that is true or safe; it only holds the declaration, and can tell which
answers are missing and which exclude each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PrivateAttr
from pydantic_core import PydanticCustomError

from simkit.contract.answers import Answer, NotApplicable, OrUnknown, Part, Unknown
from simkit.contract.conditions import Conditions
from simkit.contract.contradictions import contradictions_between
from simkit.contract.effects import DownstreamKey, Effects
from simkit.contract.latencies import Latencies
from simkit.contract.layers import Layers, Requested
from simkit.contract.rates import Rates
from simkit.contract.record import Binding, OperationIdentity, Record
from simkit.contract.retention import Retention
from simkit.contract.tool import Approval, Tool, UnknownOutcome
from simkit.contract.written_out import WrittenOut

__all__ = ["GuaranteedRetention", "Review"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteedRetention:
    """One retention that the verdict relies on.

    Parameters
    ----------
    field
        Dotted path of the retention in the review file.
    retention
        As declared.
    guaranteed_s
        Seconds that can be relied on; 0 where no least time is promised.
    """

    field: str
    retention: Retention
    guaranteed_s: float


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("plain", "a whole number is expected", {"allowed": "1"})
    return value


class Review(Part):
    """Declaration of one write-enabled MCP tool: what may be repeated when the outcome of a call is unknown.

    Every field is required. 'unknown' is an answer: it keeps automatic write retries off, and says so.
    Where a question has no meaning, write {not_applicable: because ...}. Durations bear a unit: 90 s, 24 h.
    """

    schema_version: Annotated[Literal[1], BeforeValidator(_no_truth_value)] = Field(
        description="Version of this file format: 1."
    )
    tool: Tool
    effects: Effects = Field(description="Each durable change that one call makes, in order.")
    identity: OrUnknown[OperationIdentity] = Field(description="The identity that survives retries.")
    binding: Answer[Binding] = Field(description="Which inputs that identity stands for.")
    record: Answer[Record] = Field(
        description="What the server itself remembers about an operation; not_applicable if it remembers nothing."
    )
    unknown_outcome: UnknownOutcome
    approval: Answer[Approval] = Field(description="What a person approves before; not_applicable if nobody is asked.")
    layers: Layers
    requested: Requested
    conditions: Conditions
    latencies: Latencies
    rates: OrUnknown[Rates] = Field(description="How often faults happen, each with its source.")

    _written_out: WrittenOut = PrivateAttr(default_factory=WrittenOut)

    def model_post_init(self, context: object) -> None:
        """Keep what was taken from the catalog, if the file named any of it."""
        if isinstance(context, WrittenOut):
            self._written_out = replace(context, document=None)

    @property
    def from_catalog(self) -> WrittenOut:
        """What was taken from entries of the catalog, of the user's own too."""
        return self._written_out

    def unknown_in_words(self) -> tuple[str, ...]:
        """The unknown fields, and of each whether an entry of the catalog has a guess for it."""
        guesses = self._written_out.guesses
        return tuple(
            f"{path} (only guessed by {guesses[path]}: say the value itself)" if path in guesses else path
            for path in self.unknown_fields()
        )

    def unknown_fields(self) -> tuple[str, ...]:
        """Dotted paths of the required fields that are answered `unknown`, in file order.

        Fault rates are not among them: an unknown rate leaves a probability unknown, and nothing else.
        """
        return tuple(path for path in _unknown_paths(self, "") if not _is_rate(path))

    def unknown_rates(self) -> tuple[str, ...]:
        """Dotted paths of the fault rates that are answered `unknown`, in file order."""
        return tuple(path for path in _unknown_paths(self, "") if _is_rate(path))

    def contradictions(self) -> tuple[str, ...]:
        """Plain sentences, one for each pair of answers that cannot both be true."""
        return contradictions_between(
            tool=self.tool,
            effects=self.effects,
            identity=self.identity,
            binding=self.binding,
            record=self.record,
            layers=self.layers,
            requested=self.requested,
            conditions=self.conditions,
            latencies=self.latencies,
        )

    def guaranteed_retentions(self) -> tuple[GuaranteedRetention, ...]:
        """The retentions that are among the conditions of the verdict: of the record and of each key."""
        places: list[tuple[str, object]] = []
        if isinstance(self.record, Record):
            places.append(("record.retention", self.record.retention))
        for index, effect in enumerate(self.effects):
            if isinstance(effect.downstream_key, DownstreamKey):
                places.append((f"effects.{index}.downstream_key.retention", effect.downstream_key.retention))
        return tuple(
            GuaranteedRetention(field=field, retention=retention, guaranteed_s=retention.guaranteed_s)
            for field, retention in places
            if isinstance(retention, Retention)
        )

    def to_document(self) -> dict[str, object]:
        """The review as plain values, exactly as a file would say it."""
        return self.model_dump(mode="json", by_alias=True)


def _is_rate(path: str) -> bool:
    return path == "rates" or path.startswith("rates.")


def _unknown_paths(value: object, path: str) -> Iterator[str]:
    if isinstance(value, Unknown):
        yield path
    elif isinstance(value, NotApplicable):
        return
    elif isinstance(value, Part):
        for name in type(value).model_fields:
            yield from _unknown_paths(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _unknown_paths(item, f"{path}.{index}")
