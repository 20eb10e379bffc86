"""The tree of answers that was followed so far, and what it says: backward induction.

At a question with probabilities the values of the answers are summed, weighted; at a pick, the lower end takes
the most lenient option and the upper end the worst. An answer that was not followed counts as kept in the
lower end and as broken in the upper. So at any time the two ends enclose the value of the whole tree.
"""

from collections.abc import Sequence

from simkit.chance import Answered, Question
from simkit.errors import Divergence
from simkit.study.results import Bounds

__all__ = ["AnswerTree"]

MASS_ERROR_MAX = 1e-12


class _Node:
    """A question with the answers that were followed, or the end of a run."""

    __slots__ = ("children", "high", "kind", "low", "mass_max", "mass_min", "parent", "weights")

    def __init__(self, parent: "_Node | None") -> None:
        self.parent = parent
        self.kind = Question.PICK
        self.weights: tuple[float | None, ...] = ()
        self.children: list[_Node | None] = []
        self.low, self.high = 0.0, 1.0
        self.mass_min, self.mass_max = 0.0, 0.0

    def settle(self) -> None:
        """Work out the value from those of the answers."""
        low, high, mass_min, mass_max = [], [], [], []
        for child in self.children:
            low.append(0.0 if child is None else child.low)
            high.append(1.0 if child is None else child.high)
            mass_min.append(0.0 if child is None else child.mass_min)
            mass_max.append(0.0 if child is None else child.mass_max)
        if self.kind is Question.PICK:
            self.low, self.high = min(low), max(high)
            self.mass_min, self.mass_max = min(mass_min), max(mass_max)
            return
        weights = [weight or 0.0 for weight in self.weights]
        self.low, self.high = _dot(weights, low), _dot(weights, high)
        self.mass_min, self.mass_max = _dot(weights, mass_min), _dot(weights, mass_max)

    def end(self, *, is_hit: bool) -> None:
        """Make it the end of a run."""
        self.low = self.high = float(is_hit)
        self.mass_min = self.mass_max = 1.0


class AnswerTree:
    """Runs that were followed, by their answers; each is added once."""

    def __init__(self) -> None:
        self._root = _Node(None)

    def add(self, trace: Sequence[Answered], *, is_hit: bool) -> None:
        """Add one run, and settle all that depends on it."""
        node = self._root
        for kind, _, weights, answer, _ in trace:
            if not node.weights:
                node.kind, node.weights = kind, weights
                node.children = [None] * len(weights)
            child = node.children[answer]
            if child is None:
                child = node.children[answer] = _Node(node)
            node = child
        node.end(is_hit=is_hit)
        parent = node.parent
        while parent is not None:
            parent.settle()
            parent = parent.parent

    @property
    def bounds(self) -> Bounds:
        """Probability of a hit: both ends."""
        return Bounds(lower=self._root.low, upper=self._root.high)

    def insist_on_whole_mass(self) -> None:
        """Raise `Divergence` unless the runs hold all the probability, whatever the picks."""
        mass_min, mass_max = self._root.mass_min, self._root.mass_max
        if not 1 - MASS_ERROR_MAX <= mass_min <= mass_max <= 1 + MASS_ERROR_MAX:
            message = (
                f"the runs of a complete enumeration hold between {mass_min!r} and {mass_max!r} of the probability, "
                "not 1: a question has other answers than its weights say, or a run was left out"
            )
            raise Divergence(message)


def _dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))
