"""What every law of a duration can say, and the cells into which a continuous one is cut.

Tails matter more than the middle here, so everything is told by how likely it is to take *longer*: of a
probability of 1e-20 to take longer than an hour nothing would be left in 1 − F.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Cell", "Law"]


class Law(ABC):
    """How often a duration is how long, in seconds from 0."""

    __slots__ = ()

    @abstractmethod
    def beyond_probability(self, duration_s: float) -> float:
        """Probability that it takes longer."""

    @abstractmethod
    def quantile_beyond_s(self, probability: float) -> float:
        """Duration that is exceeded with that probability, between 0 and 1; at 0 it may be infinite."""

    def cdf_probability(self, duration_s: float) -> float:
        """Probability that it takes no longer."""
        return 1 - self.beyond_probability(duration_s)

    def quantile_s(self, probability: float) -> float:
        """Duration that is not exceeded with that probability, between 0 and 1."""
        return self.quantile_beyond_s(1 - probability)

    def drawn_s(self, at_fraction: float) -> float:
        """Duration for a uniform number between 0 and 1; a law may have a cheaper way than its quantile."""
        return self.quantile_s(at_fraction)

    def cells(self, s_min: float, s_max: float, cuts_s: Iterable[float]) -> "tuple[Cell, ...]":
        """The parts between cuts of what lies between two bounds, shortest first; none where nothing lies there.

        Parameters
        ----------
        cuts_s
            In any order; those that are not between the bounds cut nothing.
        """
        ends_s = sorted({s_min, s_max, *(cut_s for cut_s in cuts_s if s_min < cut_s < s_max)})
        beyond = {end_s: self.beyond_probability(end_s) for end_s in ends_s}
        total = beyond[s_min] - beyond[s_max]
        return tuple(
            Cell(law=self, s_min=least_s, s_max=most_s, probability=(beyond[least_s] - beyond[most_s]) / total)
            for least_s, most_s in pairwise(ends_s)
            if beyond[least_s] > beyond[most_s]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One part of a law, between two durations.

    Parameters
    ----------
    probability
        That a duration lies in it, of all that lie between the bounds of the wait.
    """

    law: Law
    s_min: float
    s_max: float
    probability: float

    @property
    def is_point(self) -> bool:
        """Whether nothing is left open in it."""
        return self.s_min == self.s_max

    def duration_s(self, at_fraction: float) -> float:
        """Duration that the given fraction of the cell's probability does not exceed."""
        if self.is_point:
            return self.s_min
        shortest = self.law.beyond_probability(self.s_min)
        longest = self.law.beyond_probability(self.s_max)
        found_s = self.law.quantile_beyond_s(shortest + (longest - shortest) * at_fraction)
        return min(max(found_s, self.s_min), self.s_max)
