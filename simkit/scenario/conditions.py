"""The conditions under which a statement about a scenario is made."""

from dataclasses import dataclass

from simkit.errors import ScenarioError
from simkit.scenario.ranges import insist_on_count, insist_on_duration, insist_on_probability
from simkit.scenario.sites import kind_of
from simkit.terms import FaultKind

__all__ = ["Conditions", "PartyClock", "SiteRate"]

CLOCK_PARTIES = ("server", "approver")
"""Whose clocks are compared with another one: leases among workers, and the expiry of approvals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRate:
    """How often something goes wrong at one site, each time that it is passed.

    Parameters
    ----------
    site
        One of `Scenario.sites`; `simkit.scenario.sites` tells how they are named.
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
class PartyClock:
    """How far the clocks of a party's processes may be from true time, either way, in seconds."""

    party: str
    skew_s_max: float

    def __post_init__(self) -> None:
        insist_on_duration(f"clocks, {self.party}: skew_s_max", self.skew_s_max)


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
    pause_s_max
        How long a worker pauses at most, where it does, in seconds.
    clocks
        Parties whose clocks are not exact; all others have true time.
    attempt_count_max, time_s_max
        What the review allows for one intent: attempts of any one layer, and seconds from the first
        to the last; None where no budget is stated.
    """

    rates: tuple[SiteRate, ...]
    fault_budget: int
    retry_horizon_s: float
    risk_limit_probability: float
    common_cause_share: float
    episode_s: float
    owner: str
    deadline_s: float
    pause_s_max: float = 0.0
    clocks: tuple[PartyClock, ...] = ()
    attempt_count_max: int | None = None
    time_s_max: float | None = None

    def __post_init__(self) -> None:
        sites = [rate.site for rate in self.rates]
        if len(set(sites)) < len(sites):
            twice = sorted({site for site in sites if sites.count(site) > 1})
            message = f"rates: a site stands there once; twice: {', '.join(twice)}"
            raise ScenarioError(message)
        for clock in self.clocks:
            if clock.party not in CLOCK_PARTIES:
                message = f"clocks: nobody reads a clock of {clock.party!r}; parties: {', '.join(CLOCK_PARTIES)}"
                raise ScenarioError(message)
        if len({clock.party for clock in self.clocks}) < len(self.clocks):
            message = f"clocks: a party stands there once; got {', '.join(clock.party for clock in self.clocks)}"
            raise ScenarioError(message)
        insist_on_probability("common_cause_share", self.common_cause_share)
        insist_on_probability("risk_limit_probability", self.risk_limit_probability)
        for name in ("retry_horizon_s", "episode_s", "deadline_s", "pause_s_max", "time_s_max"):
            insist_on_duration(name, getattr(self, name))
        insist_on_count("fault_budget", self.fault_budget, 0)
        if self.attempt_count_max is not None:
            insist_on_count("attempt_count_max", self.attempt_count_max, 1)
        pauses = [rate.site for rate in self.rates if rate.kind is FaultKind.PAUSE]
        if pauses and self.pause_s_max == 0:
            message = f"conditions.rates '{pauses[0]}' and conditions.pause_s_max 0 exclude each other: no time passes"
            raise ScenarioError(message)

    @property
    def has_unknown_rate(self) -> bool:
        """Whether a probability cannot be given because a rate is unknown."""
        return any(rate.probability is None for rate in self.rates)

    def skew_s_of(self, *parties: str) -> float:
        """Most by which a comparison that spans these parties' clocks may be off, in seconds."""
        skews_s = {clock.party: clock.skew_s_max for clock in self.clocks}
        return sum(skews_s.get(party, 0.0) for party in parties)
