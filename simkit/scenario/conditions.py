"""The conditions under which a statement about a scenario is made."""

from dataclasses import dataclass

from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_duration, insist_on_probability
from simkit.terms import FaultKind

__all__ = ["Conditions", "SiteRate", "kind_of"]

_KIND_BY_ENDING = (
    ("request_lost", FaultKind.REQUEST_LOST),
    ("response_lost", FaultKind.RESPONSE_LOST),
    ("request_late", FaultKind.LATE),
    ("response_late", FaultKind.LATE),
    ("cannot_tell", FaultKind.READBACK_CANNOT_TELL),
    ("error", FaultKind.DOWNSTREAM_ERROR),
)


def kind_of(site: str) -> FaultKind:
    """Kind of the fault at a site: by the ending of its name; every other site is a crash window."""
    for ending, kind in _KIND_BY_ENDING:
        if site.endswith(ending):
            return kind
    return FaultKind.CRASH


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRate:
    """How often something goes wrong at one site, each time that it is passed.

    Parameters
    ----------
    site
        `<party>.<before|after>_<durable step>` for crashes, `<hop>.<request|response>_<lost|late>`
        for hops, `readback.cannot_tell`.
    probability
        In 0..1, or None where nobody knows: then the site takes part in every structure exploration,
        and probabilities stay unknown.
    source
        Where the number comes from; `assumed` where somebody guessed.
    """

    site: str
    probability: float | None
    source: str

    def __post_init__(self) -> None:
        insist_on_probability(f"{self.site}: a probability", self.probability)

    @property
    def kind(self) -> FaultKind:
        """Kind of fault, by the site's name."""
        return kind_of(self.site)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What may go wrong, how much of it, and what is accepted.

    Parameters
    ----------
    rates
        Every site that takes part, once. A site that is not listed is excluded: no fault happens there.
    fault_budget
        k: statements are proved for every schedule of at most this many faults.
    retry_horizon_s
        No attempt of any layer starts later than this after the first, in seconds.
    risk_limit_probability
        Largest accepted probability, per operation, of a broken effect promise.
    common_cause_share
        Fraction of each site's rate that is an episode of its party, which hits every later passing.
    episode_s
        How long such an episode lasts, in seconds.
    owner, deadline_s
        Who settles an unknown outcome, and within how many seconds.
    """

    rates: tuple[SiteRate, ...]
    fault_budget: int
    retry_horizon_s: float
    risk_limit_probability: float
    common_cause_share: float
    episode_s: float
    owner: str
    deadline_s: float

    def __post_init__(self) -> None:
        sites = [rate.site for rate in self.rates]
        if len(set(sites)) < len(sites):
            twice = sorted({site for site in sites if sites.count(site) > 1})
            message = f"rates: a site stands there once; twice: {', '.join(twice)}"
            raise ScenarioError(message)
        insist_on_probability("common_cause_share", self.common_cause_share)
        insist_on_probability("risk_limit_probability", self.risk_limit_probability)
        for name in ("retry_horizon_s", "episode_s", "deadline_s"):
            insist_on_duration(name, getattr(self, name))
        if self.fault_budget < 0:
            message = f"fault_budget is 0 or more, got {self.fault_budget}"
            raise ScenarioError(message)

    @property
    def has_unknown_rate(self) -> bool:
        """Whether a probability cannot be given because a rate is unknown."""
        return any(rate.probability is None for rate in self.rates)
