"""How often an effect promise is broken, enumerated up to a number of faults, with the rest as residual.

Every wait takes its typical duration and a late message its latest, so latencies are discrete and the
answer is exact for the model. What was not enumerated goes to the upper end. Where something has no
probability (a pick), the lower end takes the most lenient option and the upper end the worst, by
backward induction over the tree of questions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from math import fsum

from simkit.chance import Chance, Question
from simkit.checks import JUDGED, verdicts
from simkit.scenario import Scenario
from simkit.study.results import Bounds, Probability
from simkit.study.tree import Leaf, leaves
from simkit.terms import Promise, PromiseVerdict
from simkit.world import Plan, Run, planned, run_concrete

__all__ = ["NOT_RESOLVED", "bounds_of", "probability"]


NOT_RESOLVED = "breaks; probability not resolved: with typical latencies not all smallest schedules occur"


def probability(
    scenario: Scenario,
    *,
    fault_budget: int | None,
    runs_twice: bool = False,
    promises: Iterable[Promise] | None = None,
    known_schedules: Iterable[tuple[str, ...]] = (),
    is_over: Callable[[], bool] = lambda: False,
) -> Probability:
    """Probability, per operation, that one of some promises is broken.

    Parameters
    ----------
    fault_budget
        Runs with more faults are not enumerated; None enumerates all.
    promises
        The promises that count; None for all that are about effects.
    known_schedules
        Faults of each schedule that is known to break one of them. With typical latencies some may never
        occur; a number that knows nothing of them would look like safety, so none is given then.
    is_over
        Asked before each run; what is left then goes to the upper end.

    Raises
    ------
    Divergence
        If a run depends on anything but its answers.
    """
    conditions = scenario.conditions
    unknown_sites = tuple(rate.site for rate in conditions.rates if rate.probability is None)
    nouns = "fault" if fault_budget == 1 else "faults"
    scope = "all faults" if fault_budget is None else f"up to {fault_budget} {nouns}"
    method = f"enumerated {scope}, exact for the model with typical latencies"
    independent, common_cause, leaf_count = None, None, 0
    if unknown_sites:
        method = "not resolved: a rate is unknown"
    else:
        wanted = frozenset(promise for promise in JUDGED if promise.is_about_effects) if promises is None else promises
        is_hit = _breaks(frozenset(wanted))
        plan = planned(scenario)
        alone, together = (
            tuple(
                leaves(
                    partial(_play, plan, has_episodes),
                    fault_budget=fault_budget,
                    runs_twice=runs_twice,
                    is_dropped=lambda _: is_over(),
                )
            )
            for has_episodes in (False, True)
        )
        leaf_count = len(alone)
        met = {_faults(leaf) for leaf in alone if is_hit(leaf)}
        if all(tuple(sorted(schedule)) in met for schedule in known_schedules):
            independent, common_cause = bounds_of(alone, is_hit), bounds_of(together, is_hit)
        else:
            method = NOT_RESOLVED
    return Probability(
        independent=independent,
        common_cause=common_cause,
        common_cause_share=conditions.common_cause_share,
        leaf_count=leaf_count,
        method=method,
        unknown_sites=unknown_sites,
    )


def bounds_of(found: Iterable[Leaf], is_hit: Callable[[Leaf], bool]) -> Bounds:
    """Probability that a run is a hit, given the leaves that were enumerated.

    Returns
    -------
    Bounds
        `lower`: the most lenient picks, nothing of the rest; `upper`: the worst picks and all of the rest.
    """
    root = _Node()
    for leaf in found:
        node = root
        for kind, _, weights, answer, _ in leaf.trace:
            node.kind, node.weights = kind, weights
            node = node.children.setdefault(answer, _Node())
        node.hit, node.is_end = is_hit(leaf), True
    if not root.weights and not root.is_end:
        return Bounds(lower=0.0, upper=1.0)
    lower, upper = _value(root)
    return Bounds(lower=lower, upper=upper)


@dataclass(slots=True)
class _Node:
    """A question with the answers that were followed, or the end of a run."""

    kind: Question = Question.PICK
    weights: tuple[float | None, ...] = ()
    children: "dict[int, _Node]" = field(default_factory=dict)
    hit: bool = False
    is_end: bool = False


def _value(node: _Node) -> tuple[float, float]:
    """Lower and upper probability of a hit from here."""
    if not node.weights:
        return (1.0, 1.0) if node.hit else (0.0, 0.0)
    values = {answer: _value(child) for answer, child in node.children.items()}
    if node.kind is Question.PICK:
        options = [values.get(answer, (0.0, 1.0)) for answer in range(len(node.weights))]
        return min(low for low, _ in options), max(high for _, high in options)
    weighted = [(weight or 0.0, values.get(answer, (0.0, 1.0))) for answer, weight in enumerate(node.weights)]
    return fsum(weight * low for weight, (low, _) in weighted), fsum(weight * high for weight, (_, high) in weighted)


def _faults(leaf: Leaf) -> tuple[str, ...]:
    return tuple(sorted(answered.site for answered in leaf.trace if answered.fault_cost))


def _play(plan: Plan, has_episodes: bool, chance: Chance) -> Run:  # noqa: FBT001 (bound by partial)
    return run_concrete(plan, chance, has_episodes=has_episodes)


def _breaks(promises: frozenset[Promise]) -> Callable[[Leaf], bool]:
    def is_hit(leaf: Leaf) -> bool:
        return PromiseVerdict.BROKEN in verdicts(leaf.run.journal, promises).values()

    return is_hit
