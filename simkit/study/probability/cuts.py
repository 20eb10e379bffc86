"""Where latencies are cut: found by running the scenario and noting with what they are compared.

Of a scenario in which answers race with deadlines and arrivals with expiries, the typical run shows the first
comparisons; cut there, the other cells lead to runs that show the next ones, and so on until a round shows
nothing new. Any cuts give an unbiased answer. These make it a precise one, because which way a comparison goes
is then named by the cell and not left to luck.
"""

from simkit.chance import Scripted
from simkit.study.probability.estimates import Task
from simkit.study.tree import leaves
from simkit.world import Cut, Cuts, Run, compared_latencies

__all__ = ["CUT_COUNT_MAX", "found_cuts"]

CUT_COUNT_MAX = 16
"""For one wait. Those are kept that were found with the fewest faults."""

FAULT_BUDGET = 2


def found_cuts(task: Task) -> Cuts:
    """The cuts of each wait with a law, by its label."""
    cuts: dict[str, tuple[Cut, ...]] = {}
    while True:
        noted = _noted(task, cuts)
        found = dict(cuts)
        for label, cut in noted:
            known = found.get(label, ())
            if cut not in known and len(known) < CUT_COUNT_MAX:
                found[label] = (*known, cut)
        if found == cuts:
            return cuts
        cuts = found


def _noted(task: Task, cuts: Cuts) -> dict[tuple[str, Cut], None]:
    """What is compared in all runs of few faults, cells other than the likeliest among them."""
    noted: dict[tuple[str, Cut], None] = {}

    def play(chance: Scripted) -> Run:
        run, compared = compared_latencies(task.plan, chance, cuts, has_episodes=task.has_episodes)
        noted.update(dict.fromkeys(compared))
        return run

    for _ in leaves(play, fault_budget=FAULT_BUDGET, is_dropped=lambda _: task.is_over()):
        pass
    return noted
