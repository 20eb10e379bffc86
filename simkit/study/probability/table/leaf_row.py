"""One leaf as a row of the table: what its probability is made of, apart from the rates."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from simkit.chance import Answered, Episode, Question
from simkit.errors import ScenarioError

__all__ = ["SEPARATOR", "Factors", "entry_of", "factors_of", "failed_column", "passed_column"]

SEPARATOR = "; "

_WITH_OWN_WEIGHTS = frozenset({Question.CHOOSE, Question.LATENCY})
"""Alternatives, and cells of a law; but a message that is late is a fault with a rate."""


def passed_column(site: str) -> str:
    """Column of how often a site was passed."""
    return f"{site}.passed"


def failed_column(site: str) -> str:
    """Column of how often a fault happened at a site."""
    return f"{site}.failed"


@dataclass(slots=True, kw_only=True)
class Factors:
    """The factors of one run's probability.

    Parameters
    ----------
    passed_count, failed_count
        By site: how often a fault could happen there, and did.
    single_count, onset_count
        Faults with common episodes: those that were no onset, and those that were.
    weight
        Probability of what is no site's rate.
    """

    passed_count: dict[str, int] = field(default_factory=dict)
    failed_count: dict[str, int] = field(default_factory=dict)
    single_count: int = 0
    onset_count: int = 0
    weight: float = 1.0

    def add(self, asked: Answered, sites: Container[str], open_probability: float) -> None:
        """Take one question with its answer into account.

        Raises
        ------
        ScenarioError
            If a fault has another probability than its site's rate.
        """
        site = asked.site.partition("@")[0]
        if asked.kind in _WITH_OWN_WEIGHTS and site not in sites:
            self.weight *= asked.weights[asked.answer] or 0.0
            return
        if site not in sites or asked.weights[0] != 1 - open_probability:
            message = f"{asked.site}: its probability is not the rate of {site}, so new rates say nothing about it"
            raise ScenarioError(message)
        self.passed_count[site] = self.passed_count.get(site, 0) + 1
        if asked.answer:
            self.failed_count[site] = self.failed_count.get(site, 0) + 1
            if asked.kind is Question.EPISODE:
                self.onset_count += asked.answer == Episode.ONSET
                self.single_count += asked.answer == Episode.SINGLE


def factors_of(trace: Iterable[Answered], sites: Container[str], open_probability: float) -> Factors:
    """The factors of a run in which the rates of all sites are `open_probability`."""
    factors = Factors()
    for asked in trace:
        if asked.kind is not Question.PICK:
            factors.add(asked, sites, open_probability)
    return factors


def entry_of(asked: Answered) -> str:
    """An answer as a scenario's `schedule` names it."""
    is_plain = asked.answer == 1 and asked.kind is not Question.PICK
    return asked.site if is_plain else f"{asked.site}={asked.answer}"
