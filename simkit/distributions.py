"""Laws of waits and latencies, as data: what a wait may be, and what it usually is.

A structure exploration takes the whole interval from `s_min` to `s_max`; a probability or a sample
takes `s_typical`, so that its answer is exact for the model and says nothing of the spread.
"""

from dataclasses import dataclass

from simkit.errors import ScenarioError

__all__ = ["Wait"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A duration that lies between two bounds, in seconds, 0 <= s_min <= s_typical <= s_max."""

    s_min: float
    s_typical: float
    s_max: float

    def __post_init__(self) -> None:
        if not 0 <= self.s_min <= self.s_typical <= self.s_max < float("inf"):
            message = (
                f"a wait needs 0 <= s_min <= s_typical <= s_max, finite; "
                f"got {self.s_min}, {self.s_typical}, {self.s_max}"
            )
            raise ScenarioError(message)

    @classmethod
    def of(cls, seconds: float) -> "Wait":
        """A constant wait."""
        return cls(s_min=seconds, s_typical=seconds, s_max=seconds)
