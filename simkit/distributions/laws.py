"""Continuous laws: lognormal, exponential, uniform.

References
----------
Johnson, Kotz & Balakrishnan, Continuous Univariate Distributions 1 (2nd ed., 1994), chapters 14 and 19;
volume 2 (1995), chapter 26.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from simkit.distributions.law import Law
from simkit.errors import ScenarioError

__all__ = ["Exponential", "Lognormal", "Uniform"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lognormal(Law):
    """Its logarithm is normal: what latencies of networks and services look like in their upper tail.

    Parameters
    ----------
    median_s
        Half of all durations are shorter.
    sigma
        Standard deviation of the natural logarithm; 0.5 is steady, above 1 is heavy-tailed.
    """

    median_s: float
    sigma: float

    def __post_init__(self) -> None:
        _insist_on_positive("lognormal", "median_s", self.median_s)
        _insist_on_positive("lognormal", "sigma", self.sigma)

    def beyond_probability(self, duration_s: float) -> float:
        """Probability that it takes longer, precise in the upper tail."""
        if duration_s <= 0:
            return 1.0
        return 0.5 * math.erfc(math.log(duration_s / self.median_s) / self.sigma / math.sqrt(2))

    def quantile_beyond_s(self, probability: float) -> float:
        """Duration that is exceeded with that probability."""
        if not 0 < probability < 1:
            return math.inf if probability <= 0 else 0.0
        return self.median_s * math.exp(-self.sigma * NormalDist().inv_cdf(probability))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(Law):
    """Ends at any instant with the same rate, whatever it has taken so far.

    Parameters
    ----------
    mean_s
        Mean beyond the shortest duration of the wait, which is where it begins if it is not 0: it forgets.
    """

    mean_s: float

    def __post_init__(self) -> None:
        _insist_on_positive("exponential", "mean_s", self.mean_s)

    def beyond_probability(self, duration_s: float) -> float:
        """Probability that it takes longer."""
        return math.exp(-max(duration_s, 0.0) / self.mean_s)

    def quantile_beyond_s(self, probability: float) -> float:
        """Duration that is exceeded with that probability."""
        return math.inf if probability <= 0 else -self.mean_s * math.log(probability)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform(Law):
    """Every duration between two ends is as likely: full jitter has 0 and the cap."""

    shortest_s: float
    longest_s: float

    def __post_init__(self) -> None:
        if not 0 <= self.shortest_s < self.longest_s < math.inf:
            message = f"uniform: 0 <= shortest_s < longest_s, finite; got {self.shortest_s}, {self.longest_s}"
            raise ScenarioError(message)

    def beyond_probability(self, duration_s: float) -> float:
        """Probability that it takes longer."""
        return min(max((self.longest_s - duration_s) / (self.longest_s - self.shortest_s), 0.0), 1.0)

    def quantile_beyond_s(self, probability: float) -> float:
        """Duration that is exceeded with that probability."""
        return self.longest_s - (self.longest_s - self.shortest_s) * probability


def _insist_on_positive(law: str, name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        message = f"{law}: {name} is finite and above 0, got {value}"
        raise ScenarioError(message)
