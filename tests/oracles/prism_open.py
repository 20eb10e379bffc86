"""The same models without probabilities and without typical durations: what can go wrong within so many faults.

Whether a site fails is left open, and so is how long anything takes within its interval, tick by tick. What is asked
is whether something can be reached at all. A timed model whose bounds are whole ticks, none of them strict, loses
nothing by that; deadlines that beat an answer are strict, so the tick has to be finer than the bounds.

References
----------
Henzinger, Manna, Pnueli, "What good are digital clocks?", ICALP 1992.
"""

from collections.abc import Iterable
from fractions import Fraction

from simkit.scenario import Hop, Scenario
from tests.oracles.prism_faults import Faults
from tests.oracles.prism_measures import Measures
from tests.oracles.prism_model import written_down
from tests.oracles.prism_program import Branch, Program, Updates

__all__ = ["open_prism_of"]


def open_prism_of(scenario: Scenario, fault_budget: int, *, ticks_per_bound: int) -> str:
    """The program in which up to `fault_budget` sites fail, whichever they are.

    Parameters
    ----------
    ticks_per_bound
        Ticks to the largest duration that all bounds are multiples of.
    """
    measures = Measures(scenario, has_intervals=True, ticks_per_bound=ticks_per_bound)
    faults = OpenFaults(Program(has_intervals=True), measures, fault_budget=fault_budget)
    return written_down(faults, scenario)


class OpenFaults(Faults):
    """Leaves each question of chance open, and counts the faults in the variable `faults`."""

    def __init__(self, program: Program, measures: Measures, *, fault_budget: int) -> None:
        super().__init__(program, measures, share=Fraction(0))
        self._fault_budget = fault_budget
        program.variable("faults", fault_budget)

    def meets(self, guard: str, site: str, fails: Updates, goes_on: Iterable[Branch]) -> None:
        """At once, the site fails, or what follows otherwise does."""
        ((_, updates),) = goes_on
        self.program.open_choice(guard, updates)
        self._may_fail(guard, site, fails)

    def message(self, guard: str, hop: Hop, way: str, timer: str, *, landing: Updates, in_any_case: Updates) -> None:
        """One message, lost, late, or on its usual way."""
        usual = hop.request if way == "request" else hop.response
        lands, site = {**in_any_case, **landing}, f"{hop.name}.{way}"
        self.program.open_choice(guard, {**lands, **self.waits(timer, usual)})
        self._may_fail(guard, f"{site}_lost", in_any_case)
        self._may_fail(guard, f"{site}_late", {**lands, **self.lands_late(timer, usual, hop.latest_landing_s)})

    def _may_fail(self, guard: str, site: str, fails: Updates) -> None:
        if self.measures.rate(site):
            self.program.may(f"{guard} & faults<{self._fault_budget}", {**fails, "faults": "faults+1"})
