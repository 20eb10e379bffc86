"""The size of a normal number: how some simulations draw the delay of a message.

References
----------
Leone, Nelson & Nottingham, "The folded normal distribution", Technometrics 3 (1961) 543-550.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from simkit.distributions.law import Law
from simkit.errors import ScenarioError

__all__ = ["FoldedNormal"]

STANDARD_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedNormal(Law):
    """The size of a normal number, whatever its sign.

    Parameters
    ----------
    mean_s, deviation_s
        Mean and standard deviation of the normal law before it is folded.
    """

    mean_s: float
    deviation_s: float

    def __post_init__(self) -> None:
        if not (0 <= self.mean_s < math.inf and 0 < self.deviation_s < math.inf):
            message = (
                "folded normal: mean_s is finite and at least 0, deviation_s finite and above 0; "
                f"got {self.mean_s}, {self.deviation_s}"
            )
            raise ScenarioError(message)

    def beyond_probability(self, duration_s: float) -> float:
        """Probability that it takes longer, precise in the upper tail."""
        if duration_s <= 0:
            return 1.0
        ends = ((duration_s - self.mean_s) / self.deviation_s, (duration_s + self.mean_s) / self.deviation_s)
        return 0.5 * math.fsum(math.erfc(end / math.sqrt(2)) for end in ends)

    def quantile_beyond_s(self, probability: float) -> float:
        """Duration that is exceeded with that probability, by bisection: there is no closed form."""
        if not 0 < probability < 1:
            return math.inf if probability <= 0 else 0.0
        # The upper end alone is exceeded by the normal number with half of it, and so is its mirror image.
        low, high = 0.0, self.mean_s - self.deviation_s * STANDARD_NORMAL.inv_cdf(probability / 2)
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if self.beyond_probability(middle) > probability else (low, middle)
        return high

    def drawn_s(self, at_fraction: float) -> float:
        """Duration for a uniform number between 0 and 1: the size of the normal number that belongs to it."""
        return abs(self.mean_s + self.deviation_s * STANDARD_NORMAL.inv_cdf(at_fraction))
