"""What simkit enumerates, summed as fractions: every leaf of a scenario, and backward induction over its tree.

The sums are not simkit's own, which are floats; a rate is taken at its word, as the decimal that it is written as.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from simkit.chance import Answered, Question
from simkit.checks import verdicts
from simkit.journal import Journal
from simkit.scenario import Scenario
from simkit.study.tree import Leaf, leaves
from simkit.terms import Promise, PromiseVerdict
from simkit.world import planned, run_concrete

__all__ = ["Judge", "Range", "all_leaves", "breaks", "exact_ranges"]

Judge = Callable[[Journal], Sequence[bool]]
"""Says of a run which of some events happened in it."""

Range = tuple[Fraction, Fraction]
Judged = Sequence[tuple[Sequence[Answered], Sequence[bool]]]


def all_leaves(scenario: Scenario) -> tuple[Leaf, ...]:
    """Every run of a scenario on a clock, whatever the number of its faults."""
    plan = planned(scenario)
    return tuple(leaves(lambda chance: run_concrete(plan, chance), fault_budget=None))


def breaks(journal: Journal, *promises: Promise) -> list[bool]:
    """Which of these promises are broken in a run, as simkit judges."""
    found = verdicts(journal, frozenset(promises))
    return [found[promise] is PromiseVerdict.BROKEN for promise in promises]


def exact_ranges(found: Iterable[Leaf], judge: Judge) -> list[Range]:
    """Probability of each event over all leaves: with the most lenient picks, and with the worst."""
    return _induced([(leaf.trace, judge(leaf.run.journal)) for leaf in found], 0)


def _induced(judged: Judged, depth: int) -> list[Range]:
    """Backward induction over runs that have their first `depth` answers in common."""
    trace, happened = judged[0]
    if depth == len(trace):
        return [(Fraction(event), Fraction(event)) for event in happened]
    asked, parts = trace[depth], dict[int, list[tuple[Sequence[Answered], Sequence[bool]]]]()
    for run in judged:
        parts.setdefault(run[0][depth].answer, []).append(run)
    values = [_induced(part, depth + 1) for part in parts.values()]
    if asked.kind is Question.PICK:
        assert len(values) == len(asked.weights), f"{asked.site}: an option was never tried"
        return [
            (min(least for least, _ in event), max(most for _, most in event)) for event in zip(*values, strict=True)
        ]
    weights = [_weight(asked, answer) for answer in parts]
    assert sum(weights) == 1, f"{asked.site}: an answer was never tried"
    return [
        (_mean(weights, [least for least, _ in event]), _mean(weights, [most for _, most in event]))
        for event in zip(*values, strict=True)
    ]


def _mean(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), start=Fraction(0))


def _weight(asked: Answered, answer: int) -> Fraction:
    """Probability of an answer, of a question that has two: that a fault happens is written down as a decimal."""
    _, rate = asked.weights
    fault = Fraction(str(rate))
    return fault if answer else 1 - fault
