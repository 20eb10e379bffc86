"""A wait: what it may take, what it usually takes, and with a law how often it takes how long.

A structure exploration takes the whole interval from `s_min` to `s_max`. Without a law, a probability or a
sample takes `s_typical`, so that its answer is exact for the model and says nothing of the spread. With a
law both draw from it, and never leave the interval: the law is conditioned on lying there. What takes
longer than `s_max` is late, a fault with a rate of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from simkit.distributions.law import Cell, Law
from simkit.errors import ScenarioError

__all__ = ["Wait"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A duration that lies between two bounds, in seconds, 0 <= s_min <= s_typical <= s_max.

    Parameters
    ----------
    law
        How often it takes how long between the bounds; None where nobody says.
    """

    s_min: float
    s_typical: float
    s_max: float
    law: Law | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.s_min <= self.s_typical <= self.s_max < float("inf"):
            message = (
                f"a wait needs 0 <= s_min <= s_typical <= s_max, finite; "
                f"got {self.s_min}, {self.s_typical}, {self.s_max}"
            )
            raise ScenarioError(message)
        if self.law is not None and not self.cells(()):
            message = f"a wait from {self.s_min} to {self.s_max} s and its law exclude each other: {self.law}"
            raise ScenarioError(message)

    @classmethod
    def of(cls, seconds: float) -> "Wait":
        """A constant wait."""
        return cls(s_min=seconds, s_typical=seconds, s_max=seconds)

    @property
    def is_continuous(self) -> bool:
        """Whether a law says of it that it may take any duration of a stretch."""
        return any(not cell.is_point for cell in self.cells(()))

    def cells(self, cuts_s: Iterable[float]) -> tuple[Cell, ...]:
        """The parts between cuts, shortest first; none without a law. Their probabilities add up to 1."""
        return () if self.law is None else self.law.cells(self.s_min, self.s_max, cuts_s)

    def duration_s(self, at_fraction: float) -> float:
        """Duration that the given fraction of all does not exceed; without a law the typical one."""
        for cell in (cells := self.cells(())):
            if at_fraction < cell.probability or cell is cells[-1]:
                return cell.duration_s(min(1.0, at_fraction / cell.probability))
            at_fraction -= cell.probability
        return self.s_typical
