"""One schedule, replayed: the named sites fail, nothing else does, and every pick is the first option.

===================  ==================================================================
entry                what it says
===================  ==================================================================
`<site>@<path>`      what can go wrong there does
`<site>@<path>=<n>`  the answer there is number n, from 0: for a pick, or for another
                     alternative than the first one that goes wrong
===================  ==================================================================
"""

from collections.abc import Iterable

from simkit.chance.questions import Chance, Question
from simkit.errors import ScenarioError

__all__ = ["Scheduled"]


class Scheduled(Chance):
    """Answers as it is told at each named site, the first time that it is passed.

    Attributes
    ----------
    waiting
        The entries of the schedule that were not passed yet; after a run, those that it never passed.

    Raises
    ------
    ScenarioError
        If an entry names an answer that there is not.

    Examples
    --------
    >>> chance = Scheduled(["server.replica@2=1"])
    >>> chance.pick("server.replica@1", 2), chance.pick("server.replica@2", 2)
    (0, 1)
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self.waiting = set(entries)
        self._told: dict[str, tuple[str, int | None]] = {}
        for entry in self.waiting:
            site, has_answer, answer = entry.partition("=")
            if has_answer and not answer.isdecimal():
                message = f"schedule: {entry!r}: after '=' stands the number of an answer, from 0; got {answer!r}"
                raise ScenarioError(message)
            self._told[site] = (entry, int(answer) if has_answer else None)

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        told = self._told.get(site)
        if told is None or (kind in (Question.PICK, Question.ORDER) and told[1] is None):
            return 0
        entry, answer = self._told.pop(site)
        if answer is not None and answer >= len(weights):
            message = f"schedule: {entry!r}: the answers there have the numbers 0 to {len(weights) - 1}"
            raise ScenarioError(message)
        self.waiting.remove(entry)
        return 1 if answer is None else answer
