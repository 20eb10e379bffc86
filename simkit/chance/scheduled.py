"""One schedule, replayed: the named sites fail, nothing else does, and every pick is the first option."""

from collections.abc import Iterable

from simkit.chance.questions import Chance, Question

__all__ = ["Scheduled"]


class Scheduled(Chance):
    """Answers with a fault at each named site, the first time that it is passed.

    Attributes
    ----------
    waiting
        The sites of the schedule that were not passed yet; after a run, those that it never passed.
    """

    def __init__(self, sites: Iterable[str]) -> None:
        self.waiting = set(sites)

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        if kind is Question.PICK or site not in self.waiting:
            return 0
        self.waiting.remove(site)
        return 1
