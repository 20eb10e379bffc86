"""How long something that prevents duplicates is remembered, and what comes after."""

from pydantic import Field

from simkit.choices import CountedFrom
from simkit.contract.answers import DurationOrForEver, OrUnknown, Part
from simkit.contract.durations import seconds
from simkit.terms import Clock, OnExpired, RetentionKind

__all__ = ["Retention"]


class Retention(Part):
    """How long duplicates are recognised. A retry that comes later is a new write, or must be refused."""

    lasts: OrUnknown[DurationOrForEver] = Field(
        description="How long it is remembered, such as 24 h, or 'for ever' if nothing is ever pruned. Where the "
        "vendor states no time, write the shortest that was seen, with kind 'not stated': nothing is then guaranteed.",
    )
    kind: OrUnknown[RetentionKind] = Field(
        description="How firm that time is. 'at least': never forgotten earlier. 'at most': may be forgotten earlier. "
        "'exact': both. 'not stated': no promise."
    )
    clock: OrUnknown[Clock] = Field(description="Whose clock decides that the time has passed.")
    counted_from: OrUnknown[CountedFrom] = Field(
        description="When the time begins: at the first attempt, or when the operation was completed."
    )
    after_expiry: OrUnknown[OnExpired] = Field(
        description="What a repeat meets afterwards. 'run as new' makes a second effect. 'refuse' needs something that "
        "outlives the record: a tombstone, or a time of issue inside of the operation ID."
    )

    @property
    def lasts_s(self) -> float | None:
        """Seconds, infinity for 'for ever'; None if unknown."""
        return seconds(self.lasts)

    @property
    def guaranteed_s(self) -> float:
        """Seconds that can be relied on: 0 unless the kind is 'exact' or 'at least'."""
        is_promised = self.kind in (RetentionKind.EXACT, RetentionKind.AT_LEAST)
        return (self.lasts_s or 0.0) if is_promised else 0.0
