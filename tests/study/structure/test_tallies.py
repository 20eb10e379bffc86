"""What the runs say about a promise does not depend on the order in which they come."""

from itertools import permutations

from simkit.study.structure.tallies import Tally
from simkit.study.tree import leaves
from simkit.terms import PromiseVerdict
from tests.study.toys import three_steps

__all__: list[str] = []


def test_the_fewest_faults_are_found_in_whatever_order_runs_come() -> None:
    by_count = {leaf.fault_count: leaf for leaf in leaves(three_steps, fault_budget=2)}

    for order in permutations((0, 1, 2)):
        tally = Tally()
        for count in order:
            tally.add(by_count[count], PromiseVerdict.KEPT if count == 0 else PromiseVerdict.BROKEN)

        assert tally.fewest_faults == 1
        assert list(tally.scripts) == [tuple(sorted(by_count[1].faults))]
