"""A law with bounds that get the mass of what lies beyond them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from simkit.distributions.law import Cell, Law
from simkit.errors import ScenarioError

__all__ = ["Clipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped(Law):
    """Another law, with everything that is shorter or longer than two bounds taken for these bounds.

    Unlike the bounds of a wait, which a law is conditioned on, they get the mass of what lies beyond them.

    Parameters
    ----------
    at_s
        The shortest and the longest duration that are left, in seconds.
    """

    law: Law
    at_s: tuple[float, float]

    def __post_init__(self) -> None:
        if not 0 <= self.at_s[0] <= self.at_s[1] < math.inf:
            message = f"clipped: 0 <= shortest <= longest, finite; got {self.at_s[0]}, {self.at_s[1]}"
            raise ScenarioError(message)

    def beyond_probability(self, duration_s: float) -> float:
        """Probability that it takes longer."""
        shortest_s, longest_s = self.at_s
        if duration_s < shortest_s:
            return 1.0
        return 0.0 if duration_s >= longest_s else self.law.beyond_probability(duration_s)

    def quantile_beyond_s(self, probability: float) -> float:
        """Duration that is exceeded with no more than that probability."""
        shortest_s, longest_s = self.at_s
        return min(longest_s, max(shortest_s, self.law.quantile_beyond_s(probability)))

    def cells(self, s_min: float, s_max: float, cuts_s: Iterable[float]) -> tuple[Cell, ...]:
        """The bounds that have mass of their own, as points, and the parts between them."""
        shortest_s, longest_s = self.at_s
        masses = {
            shortest_s: self.law.cdf_probability(shortest_s),
            longest_s: self.law.beyond_probability(longest_s),
        }
        if shortest_s == longest_s:
            masses = {shortest_s: 1.0}
        least_s, most_s = max(s_min, shortest_s), min(s_max, longest_s)
        between = self.law.beyond_probability(least_s) - self.law.beyond_probability(most_s)
        inside = self.law.cells(least_s, most_s, cuts_s) if least_s < most_s and between > 0 else ()
        points = [Cell(law=self, s_min=at_s, s_max=at_s, probability=mass) for at_s, mass in masses.items()]
        ends = [cell for cell in points if cell.probability > 0 and s_min <= cell.s_min <= s_max]
        total = math.fsum(cell.probability for cell in ends) + (between if inside else 0.0)
        parts = [replace(cell, probability=cell.probability / total) for cell in ends]
        parts += [replace(cell, probability=cell.probability * between / total) for cell in inside]
        return tuple(sorted(parts, key=lambda cell: (cell.s_min, cell.s_max)))
