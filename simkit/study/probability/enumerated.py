"""Every run with at most k faults, and all the rest as residual.

Every wait takes its typical duration and a late message its latest, so latencies are discrete and both ends
are exact for the model. Runs that cannot happen, because a rate is 0 or 1, are not made.
"""

from collections.abc import Callable, Iterable

from simkit.chance import Answered
from simkit.study.probability.answer_tree import AnswerTree
from simkit.study.probability.estimates import EXACT, Estimate, Task
from simkit.study.results import Bounds
from simkit.study.tree import Leaf, leaves

__all__ = ["bounds_of", "faults_of", "weigh_enumerated"]

Script = tuple[Answered, ...]


def weigh_enumerated(task: Task) -> Estimate:
    """Enumerate to the task's fault budget.

    Raises
    ------
    Divergence
        If a run depends on anything but its answers, or the runs of a complete enumeration do not hold all
        the probability.
    """
    tree, run_count, was_stopped, schedules = AnswerTree(), 0, False, set()

    def is_dropped(script: Script) -> bool:
        nonlocal was_stopped
        if any(answered.weights[answered.answer] == 0 for answered in script):
            return True
        was_stopped |= run_count == task.run_count_max or task.is_over()
        return was_stopped

    found = leaves(task.play, fault_budget=task.fault_budget, runs_twice=task.runs_twice, is_dropped=is_dropped)
    try:
        for leaf in found:
            run_count += 1
            is_hit = task.is_hit(leaf.run)
            tree.add(leaf.trace, is_hit=is_hit)
            if is_hit:
                schedules.add(faults_of(leaf.trace))
    except KeyboardInterrupt:  # what was found so far still holds
        was_stopped = True
    if task.fault_budget is None and not was_stopped:
        tree.insist_on_whole_mass()
    nouns = "fault" if task.fault_budget == 1 else "faults"
    return Estimate(
        lower=tree.bounds.lower,
        upper=tree.bounds.upper,
        kind=EXACT,
        how="all faults" if task.fault_budget is None else f"up to {task.fault_budget} {nouns}",
        run_count=run_count,
        is_complete=not was_stopped,
        schedules=frozenset(schedules),
    )


def bounds_of(found: Iterable[Leaf], is_hit: Callable[[Leaf], bool]) -> Bounds:
    """Probability that a run is a hit, given the leaves that were enumerated.

    Returns
    -------
    Bounds
        `lower`: the most lenient picks, nothing of the rest; `upper`: the worst picks and all of the rest.
    """
    tree = AnswerTree()
    for leaf in found:
        tree.add(leaf.trace, is_hit=is_hit(leaf))
    return tree.bounds


def faults_of(trace: Iterable[Answered]) -> tuple[str, ...]:
    """The faults of a run, sorted, as schedules are compared."""
    return tuple(sorted(answered.site for answered in trace if answered.fault_cost))
