"""Luck that is made worse on purpose, and the weight that takes it back: importance sampling.

Until so many faults have happened, each question that can go wrong does so with a raised probability; after
that at its true rate. The weight of a run is the ratio of its true probability to the one with which it was
drawn, so that the mean of the weights of the hits is the true probability of a hit, whatever was raised.

References
----------
Hammersley & Handscomb, Monte Carlo Methods (1964), section 5.4. Switching the raised rates off once enough
has failed: Juneja & Shahabuddin, "Rare-event simulation techniques", Handbooks in OR & MS 13 (2006), ch. 11.
"""

from simkit.chance.luck import Luck
from simkit.chance.questions import Chance, Question
from simkit.errors import ScenarioError

__all__ = ["Tilted"]


class Tilted(Chance):
    """Draws every answer, faults more often than they happen. Picks have no probability; they are drawn uniformly.

    Parameters
    ----------
    fault_count
        m: the number of faults after which nothing is raised any more.
    fault_probability
        q: that a question goes wrong until then; one that does so more often keeps its own rate.

    Attributes
    ----------
    weight
        True probability of the answers so far, divided by that with which they were drawn.
    faults
        What went wrong so far.
    has_picked
        Whether a pick was asked: then the mean is that over uniform picks, and no bound over them.
    """

    def __init__(self, luck: Luck, *, fault_count: int, fault_probability: float) -> None:
        self.weight = 1.0
        self.faults: list[str] = []
        self.has_picked = False
        self._luck = luck
        self._fault_count = fault_count
        self._fault_probability = fault_probability
        self._passed: dict[str, int] = {}

    def _uniform(self, site: str) -> float:
        number = self._passed.get(site, 0)
        self._passed[site] = number + 1
        return self._luck.at_fraction(f"{site}#{number}")

    def _place_fraction(self, site: str) -> float:
        return self._uniform(f"{site}, place")

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        point = self._uniform(site)
        if kind is Question.PICK:
            self.has_picked = True
            return min(int(point * len(weights)), len(weights) - 1)
        usual = weights[0]
        if usual is None:
            message = f"{site}: its rate is unknown, so nothing can be drawn"
            raise ScenarioError(message)
        wrong = 1 - usual
        is_raised = len(self.faults) < self._fault_count and 0 < wrong < self._fault_probability
        drawn = self._fault_probability if is_raised else wrong
        if point >= drawn or wrong == 0:
            self.weight *= usual / (1 - drawn)
            return 0
        self.faults.append(site)
        self.weight *= wrong / drawn
        return self._which(point / drawn * wrong, weights)

    def _which(self, value: float, weights: tuple[float | None, ...]) -> int:
        """Which of the answers that go wrong, by their true shares."""
        for index, weight in enumerate(weights[1:], start=1):
            value -= weight or 0.0
            if value < 0:
                return index
        return max(range(1, len(weights)), key=lambda index: weights[index] or 0.0)
