"""The visible steps of one run, which of them had to follow which, and which two could change places.

Two steps *depend* on each other if they touch a place in common; a step also follows whatever caused it. What
follows from these two is the only order that matters: runs that differ in the order of other steps are one run.
So another order is worth a run only where two steps depend on each other and neither caused the other: there
the later one is put first, with everything that led to it. A sleeping step is one whose turn was tried in another
run from here; it sleeps until something that it depends on has taken place, for until then all is as it was there.

References
----------
Flanagan & Godefroid, "Dynamic partial-order reduction for model checking software", POPL 2005, 110-121.
Abdulla, Aronis, Jonsson & Sagonas, "Optimal dynamic partial order reduction", POPL 2014, 373-384, for source sets.
Godefroid, "Partial-order methods for the verification of concurrent systems", LNCS 1032 (1996), for sleep sets.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from simkit.world.places import Places

__all__ = ["Reversal", "Turn", "Turns"]


class Reversal(NamedTuple):
    """Another order of two steps that depend on each other.

    Parameters
    ----------
    question_index
        Which question of the run says whose turn it is where the earlier one came first.
    answers
        Answers to it that lead to the other order; one of them is enough.
    """

    question_index: int
    answers: tuple[int, ...]


class Turn:
    """One visible step that was taken.

    Parameters
    ----------
    step
        Its number.
    touches
        The places that it has touched so far.
    past
        Bits of the turns that it had to follow.
    question_index
        Which question decided that it was next; -1 where nothing else could be.
    candidates
        What could have been next instead, itself included.
    asleep
        What was tried here before.
    """

    __slots__ = ("asleep", "candidates", "past", "question_index", "step", "touches")

    def __init__(
        self,
        step: int,
        touches: Places,
        past: int,
        question_index: int,
        candidates: Sequence[int],
        asleep: frozenset[int],
    ) -> None:
        self.step = step
        self.touches = touches
        self.past = past
        self.question_index = question_index
        self.candidates = candidates
        self.asleep = asleep


class Turns:
    """What a run has been so far.

    Attributes
    ----------
    reversals
        Other orders that are worth a run.
    """

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self.reversals: list[Reversal] = []

    def __len__(self) -> int:
        return len(self._turns)

    def __getitem__(self, index: int) -> Turn:
        return self._turns[index]

    def past_of(self, causes: int) -> int:
        """Bits of some turns and of everything that they had to follow."""
        past, left = causes, causes
        while left:
            index = left.bit_length() - 1
            past |= self._turns[index].past
            left ^= 1 << index
        return past

    def add(self, turn: Turn) -> None:
        """Append the turn that is taken now."""
        self._turns.append(turn)

    def met(self, touches: Places, past: int) -> Iterator[int]:
        """Indices of turns that touched some places and are not in `past`, but for those that one of them follows."""
        turns = self._turns
        for index in range(len(turns) - 1, -1, -1):
            if not past >> index & 1 and turns[index].touches & touches:
                past |= turns[index].past | 1 << index
                yield index

    def propose(self, step: int, touches: Places, past: int, may_precede: Callable[[int], bool]) -> None:
        """Note before which turns `step` might have come instead, of those that it depends on and did not follow.

        Where it is clear that it can come before one, others that this one follows are met in the run in which it
        does. Where it is not, since what came before made it late, they are asked as well.
        """
        seen, settled = past, past
        for index in range(len(self._turns) - 1, -1, -1):
            turn = self._turns[index]
            if not settled >> index & 1 and turn.touches & touches:
                if not may_precede(turn.step) or self._propose(index, step, seen):
                    settled |= turn.past | 1 << index
                seen |= turn.past | 1 << index

    def _propose(self, index: int, step: int, past: int) -> bool:
        """Note that `step` might have come before the turn `index`; say whether it was possible or tried there."""
        earlier = self._turns[index]
        answers, is_settled = [], False
        for first in self._ways(index, step, past):
            if first in earlier.asleep:
                return first == step
            if first in earlier.candidates:
                answers.append(earlier.candidates.index(first))
                is_settled = is_settled or first == step
        if answers and earlier.question_index >= 0:
            self.reversals.append(Reversal(earlier.question_index, tuple(answers)))
        return is_settled

    def _ways(self, index: int, step: int, past: int) -> Iterator[int]:
        """Steps that could be the first of those that need not follow the turn `index` and lead to `step`."""
        others = 0
        for later in range(index + 1, len(self._turns)):
            turn = self._turns[later]
            if turn.step == step:
                break
            if not turn.past >> index & 1:
                if not turn.past & others:
                    yield turn.step
                others |= 1 << later
        if not past & others:
            yield step
