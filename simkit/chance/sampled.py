"""Luck, keyed: each draw depends on the seed, the intent's number and the site, never on the order of asking.

So adding a site or splitting the work changes no other luck, and two policies compared with one
seed meet the same luck wherever they pass the same site.
"""

from collections.abc import Iterable

from simkit.chance.luck import Luck
from simkit.chance.questions import Chance, Question
from simkit.distributions import Wait

__all__ = ["Sampled"]


class Sampled(Chance):
    """Draws every answer. Picks have no probability; they are drawn uniformly, and results say so.

    Parameters
    ----------
    seed
        Root of all luck.
    replication_index
        Which independent replication this is, from 0.
    """

    def __init__(self, seed: int, replication_index: int) -> None:
        self._luck = Luck(seed, replication_index)
        self._passed: dict[str, int] = {}

    @property
    def was_asked(self) -> bool:
        """Whether anything was drawn at all."""
        return bool(self._passed)

    def _uniform(self, site: str) -> float:
        number = self._passed.get(site, 0)
        self._passed[site] = number + 1
        return self._luck.at_fraction(f"{site}#{number}")

    def latency(self, site: str, wait: Wait, cuts_s: Iterable[float]) -> float:
        """Seconds that a wait with a law takes, drawn from all of it: a cut changes no luck."""
        return wait.duration_s(self._uniform(site))

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        point = self._uniform(site)
        if kind in (Question.PICK, Question.ORDER):
            return min(int(point * len(weights)), len(weights) - 1)
        for index, weight in enumerate(weights):
            if weight is None:
                message = f"{site}: its rate is unknown, so nothing can be drawn"
                raise ValueError(message)
            point -= weight
            if point < 0:
                return index
        return max(range(len(weights)), key=lambda index: weights[index] or 0.0)
