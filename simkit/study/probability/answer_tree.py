"""The tree of answers that was followed so far, and what it says: backward induction.

At a question with probabilities the values of the answers are summed, weighted; at a pick, the lower end takes
the most lenient option and the upper end the worst. An answer that was not followed counts as kept in the
lower end and as broken in the upper. So at any time the two ends enclose the value of the whole tree.
"""

from collections.abc import Sequence

from simkit.chance import Answered, Question
from simkit.errors import Divergence
from simkit.study.results import Bounds

__all__ = ["AnswerTree", "insist_on_whole_mass"]

MASS_ERROR_MAX = 1e-12


class _Node:
    """A question with the answers that were followed, or the end of a run, which has no children.

    Its weights are None at a pick.
    """

    __slots__ = ("children", "high", "low", "parent", "rest", "weights")

    def __init__(self, parent: "_Node | None") -> None:
        self.parent = parent
        self.weights: tuple[float, ...] | None = ()
        self.children: list[_Node | None] = []
        self.low, self.high, self.rest = 0.0, 1.0, 1.0

    def ask(self, kind: Question, weights: tuple[float | None, ...]) -> None:
        """Make it a question."""
        self.children = [None] * len(weights)
        self.weights = None if kind is Question.PICK else tuple(weight or 0.0 for weight in weights)

    def settle(self) -> None:
        """Work out the value from those of the answers."""
        if self.weights is None:
            self.low = min(0.0 if child is None else child.low for child in self.children)
            self.high = max(1.0 if child is None else child.high for child in self.children)
            self.rest = max(1.0 if child is None else child.rest for child in self.children)
            return
        low = high = rest = 0.0
        for weight, child in zip(self.weights, self.children, strict=True):
            if child is None:
                high += weight
                rest += weight
            else:
                low += weight * child.low
                high += weight * child.high
                rest += weight * child.rest
        self.low, self.high, self.rest = low, high, rest


class AnswerTree:
    """Runs that were followed, by their answers; each is added once."""

    def __init__(self) -> None:
        self._root = _Node(None)
        self._nodes = [self._root]

    def add(self, trace: Sequence[Answered], *, is_hit: bool) -> None:
        """Add one run, and settle all that depends on it."""
        node = self._root
        for kind, _, weights, answer, *_ in trace:
            if not node.children:
                node.ask(kind, weights)
            child = node.children[answer]
            if child is None:
                child = node.children[answer] = _Node(node)
                self._nodes.append(child)
            node = child
        node.low = node.high = float(is_hit)
        node.rest = 0.0
        parent = node.parent
        while parent is not None:
            parent.settle()
            parent = parent.parent

    @property
    def bounds(self) -> Bounds:
        """Probability of a hit: both ends."""
        return Bounds(lower=self._root.low, upper=self._root.high)

    @property
    def residual(self) -> float:
        """Probability of what was not followed, at most: each end is at most so far from where it would end."""
        return self._root.rest

    def insist_on_whole_mass(self) -> None:
        """Raise `Divergence` unless the runs hold all the probability, whatever the picks."""
        insist_on_whole_mass(*self._masses())

    def _masses(self) -> tuple[float, float]:
        """Probability of all runs together, over all picks: the least and the most."""
        masses: dict[_Node | None, tuple[float, float]] = {}
        for node in reversed(self._nodes):  # a node stands there after its parent
            below = [masses.get(child, (0.0, 0.0)) for child in node.children]
            if not below:
                masses[node] = (1.0, 1.0)
            elif node.weights is None:
                masses[node] = min(least for least, _ in below), max(most for _, most in below)
            else:
                weighted = list(zip(node.weights, below, strict=True))
                masses[node] = (
                    sum(weight * least for weight, (least, _) in weighted),
                    sum(weight * most for weight, (_, most) in weighted),
                )
        return masses[self._root]


def insist_on_whole_mass(lower: float, upper: float) -> None:
    """Raise `Divergence` unless the probability of all runs is 1, at least and at most, over the picks."""
    if not 1 - MASS_ERROR_MAX <= lower <= upper <= 1 + MASS_ERROR_MAX:
        message = (
            f"the runs of a complete enumeration hold between {lower!r} and {upper!r} of the probability, "
            "not 1: a question has other answers than its weights say, or a run was left out"
        )
        raise Divergence(message)
