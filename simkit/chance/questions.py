"""The five questions. Everything that a scenario leaves open is asked here, at a named site.

=========  ===========================================  ===================================
question   for                                          counted as a fault
=========  ===========================================  ===================================
flip       one message lost, one window with a crash    yes, if it happens
episode    the same, with a share that is the onset of  one, however many passings it hits
           an outage of the whole party
choose     alternatives with weights                    every answer but the likeliest
latency    the usual duration, or a late one; or the    every cell but the likeliest
           cell in which a wait with a law ends
pick       order of steps, forgetting after a           never; has no weight
           guaranteed minimum, comparison of times
order      which of several steps is next              never; has no weight, and of its answers only
                                                        those are followed that lead to something else
=========  ===========================================  ===================================

A driver answers `_answer`; the questions are the same for all drivers, so that the same world runs
sampled, replayed, enumerated and explored.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

from simkit.distributions import Cell, Wait

__all__ = ["Answered", "Chance", "Episode", "Question"]


class Question(IntEnum):
    """The kinds of question; all but a pick and an order have weights."""

    FLIP = 0
    EPISODE = 1
    CHOOSE = 2
    LATENCY = 3
    PICK = 4
    ORDER = 5


class Episode(IntEnum):
    """Answers to an episode question."""

    NOTHING = 0
    SINGLE = 1
    ONSET = 2


_FLIP, _LATENCY, _PICK = Question.FLIP, Question.LATENCY, Question.PICK
"""By their class, members of an enumeration are slow to read (Python 3.11); these are asked millions of times."""


class Answered(NamedTuple):
    """One question with its answer.

    Parameters
    ----------
    weights
        Probabilities of the answers, or None for each answer of a pick and of an unknown rate; its
        length is the number of answers.
    answer
        Index into `weights`.
    fault_cost
        1 where this answer is a fault.
    earlier
        Of an order, the answers that were followed before.
    """

    kind: Question
    site: str
    weights: tuple[float | None, ...]
    answer: int
    fault_cost: int
    earlier: tuple[int, ...] = ()


class Chance(ABC):
    """Answers questions. Answer 0 is always the one that costs no fault."""

    def flip(self, site: str, probability: float | None) -> bool:
        """Say whether it happens; `probability` in 0..1, or None where the rate is unknown."""
        other = None if probability is None else 1 - probability
        return self._answer(_FLIP, site, (other, probability)) == 1

    def episode(self, site: str, probability: float, share: float) -> Episode:
        """Say whether nothing happens, a single fault, or the onset of an episode of the party.

        Of `probability`, the fraction `share` is the onset.
        """
        weights = (1 - probability, (1 - share) * probability, share * probability)
        return Episode(self._answer(Question.EPISODE, site, weights))

    def choose(self, site: str, weights: Sequence[float]) -> int:
        """Index of one of several alternatives; the likeliest stands first."""
        return self._answer(Question.CHOOSE, site, tuple(weights))

    def is_late(self, site: str, probability: float | None) -> bool:
        """Say whether a message is late: past its usual latency, before its latest landing."""
        other = None if probability is None else 1 - probability
        return self._answer(_LATENCY, site, (other, probability)) == 1

    def latency(self, site: str, wait: Wait, cuts_s: Iterable[float]) -> float:
        """Seconds that a wait with a law takes: the cell is asked, and the place in it is a matter of luck."""
        cell = self.cell(site, wait, cuts_s)
        return cell.s_min if cell.is_point else cell.duration_s(self._place_fraction(site))

    def cell(self, site: str, wait: Wait, cuts_s: Iterable[float]) -> Cell:
        """Between which two cuts a wait with a law ends; the likeliest cell costs nothing.

        Parameters
        ----------
        cuts_s
            Durations with which it will be compared; a law of single durations needs none.
        """
        cells = sorted(wait.cells(cuts_s), key=lambda cell: -cell.probability)
        weights = tuple(cell.probability for cell in cells)
        return cells[self._answer(Question.LATENCY, site, weights) if len(cells) > 1 else 0]

    def pick(self, site: str, option_count: int) -> int:
        """Index of one of `option_count` options that have no probability."""
        if option_count == 1:
            return 0
        return self._answer(_PICK, site, (None,) * option_count)

    def order(self, site: str, option_count: int, first_index: int) -> tuple[int, tuple[int, ...]]:
        """Index of one of at least two steps that may be next, and the indices that were followed before.

        `first_index` is the one to be followed first.
        """
        return self._answer(Question.ORDER, site, (None,) * option_count), ()

    @property
    def asked_count(self) -> int:
        """How many questions were asked; 0 where nobody counts."""
        return 0

    @property
    def is_past_script(self) -> bool:
        """Whether what happens now was not seen before, in the run that this one departs from."""
        return True

    @property
    def may_fail(self) -> bool:
        """Whether anything else may go wrong."""
        return True

    def _place_fraction(self, site: str) -> float:
        """Fraction of its cell's probability below the duration: the cell's median where nobody draws."""
        return 0.5

    @abstractmethod
    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        """Index of the answer."""
