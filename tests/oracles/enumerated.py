"""What simkit enumerates, summed as fractions: every leaf of a scenario, and backward induction over its tree.

The sums are not simkit's own, which are floats; a rate is the decimal that it is written as.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import pytest

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


def all_leaves(scenario: Scenario, *, has_episodes: bool = False) -> tuple[Leaf, ...]:
    """Every run of a scenario on a clock, whatever the number of its faults."""
    plan = planned(scenario)
    return tuple(leaves(lambda chance: run_concrete(plan, chance, has_episodes=has_episodes), fault_budget=None))


def breaks(journal: Journal, *promises: Promise) -> list[bool]:
    """Which of these promises are broken in a run, as simkit judges."""
    found = verdicts(journal, frozenset(promises))
    return [found[promise] is PromiseVerdict.BROKEN for promise in promises]


def exact_ranges(scenario: Scenario, found: Iterable[Leaf], judge: Judge) -> list[Range]:
    """Probability of each event over all leaves: with the most lenient picks, and with the worst."""
    conditions = scenario.conditions
    share = Fraction(str(conditions.common_cause_share))
    rates = {rate.site: Fraction(str(rate.probability)) for rate in conditions.rates}
    judged = [(leaf.trace, judge(leaf.run.journal)) for leaf in found]
    return _induced(judged, 0, lambda asked: _weights(asked, rates[asked.site.partition("@")[0]], share))


def _induced(judged: Judged, depth: int, weights_of: Callable[[Answered], Sequence[Fraction]]) -> list[Range]:
    """Backward induction over runs that have their first `depth` answers in common."""
    trace, happened = judged[0]
    if depth == len(trace):
        return [(Fraction(event), Fraction(event)) for event in happened]
    asked, parts = trace[depth], dict[int, list[tuple[Sequence[Answered], Sequence[bool]]]]()
    for run in judged:
        parts.setdefault(run[0][depth].answer, []).append(run)
    values = [_induced(part, depth + 1, weights_of) for part in parts.values()]
    assert len(values) == len(asked.weights), f"{asked.site}: an answer was never tried"
    events = list(zip(*values, strict=True))
    if asked.kind is Question.PICK:
        return [(min(least for least, _ in event), max(most for _, most in event)) for event in events]
    by_answer = weights_of(asked)
    weights = [by_answer[answer] for answer in parts]
    return [
        (_mean(weights, [least for least, _ in event]), _mean(weights, [most for _, most in event])) for event in events
    ]


def _mean(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), start=Fraction(0))


def _weights(asked: Answered, rate: Fraction, share: Fraction) -> Sequence[Fraction]:
    """Probability of each answer to a question about a site; simkit's floats are the same but for their last digits."""
    faults = ((1 - share) * rate, share * rate) if asked.kind is Question.EPISODE else (rate,)
    weights = (1 - rate, *faults)
    assert list(asked.weights) == pytest.approx([float(weight) for weight in weights], rel=1e-12)
    return weights
