"""The two claims that a verdict rests on, as worlds that are explored and what must be proved of each.

=======  ==================================================================================================
claim    holds where every effect promise is proved within the fault budget
=======  ==================================================================================================
allow    as requested, and the work is proved to stay in its budget
hold     if everybody tries only once
=======  ==================================================================================================

A promise that is tried in a scenario beside this one is proved there, and one that does not apply need not
be proved at all; a run that breaks it counts all the same.
"""

from collections.abc import Callable
from dataclasses import dataclass

from simkit.checks import JUDGED, verdicts
from simkit.journal import Journal
from simkit.scenario import Scenario
from simkit.study.applicability import beside, why_not
from simkit.study.tree import leaves
from simkit.terms import Promise, PromiseVerdict, Verdict
from simkit.world import Plan, planned, run_intervals

__all__ = ["CLAIMS", "Claimed", "claimed", "limited", "structural_verdict"]

CLAIMS = (Verdict.ALLOW, Verdict.HOLD)

_ABOUT_EFFECTS = frozenset(promise for promise in JUDGED if promise.is_about_effects)
_FOR_ALLOW = _ABOUT_EFFECTS | {Promise.WORK_IN_BUDGET}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One world, ready to be run, and what is claimed of it.

    Parameters
    ----------
    proved
        Promises that no run within the budget may break or leave undecided.
    unbroken
        Promises that no run may break.
    """

    plan: Plan
    proved: frozenset[Promise]
    unbroken: frozenset[Promise]

    def is_refuted_by(self, journal: Journal) -> bool:
        """Whether a run speaks against the claim."""
        found = verdicts(journal, self.proved | self.unbroken)
        return any(
            verdict is PromiseVerdict.BROKEN or (verdict is PromiseVerdict.UNDECIDED and promise in self.proved)
            for promise, verdict in found.items()
        )

    def holds(self, fault_budget: int, is_over: Callable[[], bool]) -> bool | None:
        """Whether no run speaks against it; None where the time is over first."""
        for leaf in leaves(lambda chance: run_intervals(self.plan, chance), fault_budget=fault_budget):
            if self.is_refuted_by(leaf.run.journal):
                return False
            if is_over():
                return None
        return True


def claimed(claim: Verdict, scenario: Scenario) -> tuple[Claimed, ...]:
    """The worlds of a claim; it holds where it holds in each."""
    aside = {promise: world for promise, world, _ in beside(scenario)}
    if claim is Verdict.ALLOW:
        world, needed = scenario, _FOR_ALLOW
    else:
        world, needed = scenario.with_one_attempt(), _ABOUT_EFFECTS
    elsewhere = {promise for promise in needed if promise in aside or why_not(scenario, promise)}
    return (
        Claimed(plan=planned(world), proved=needed - elsewhere, unbroken=needed & elsewhere),
        *(
            Claimed(plan=planned(other), proved=frozenset({promise}), unbroken=frozenset())
            for promise, other in aside.items()
        ),
    )


def structural_verdict(
    scenario: Scenario,
    fault_budget: int,
    is_over: Callable[[], bool] = lambda: False,
    claims: tuple[Verdict, ...] = CLAIMS,
) -> Verdict | None:
    """The verdict by structure alone: the first claim that holds, else `disable`.

    None where the time is over before it is known.
    """
    for claim in claims:
        answer = _holds(claim, scenario, fault_budget, is_over)
        if answer is not False:
            return claim if answer else None
    return Verdict.DISABLE


def limited(is_over: Callable[[], bool], run_count: int) -> Callable[[], bool]:
    """The same limit, and one on how often it is asked: once for each run."""
    left = iter(range(run_count))
    return lambda: next(left, None) is None or is_over()


def _holds(claim: Verdict, scenario: Scenario, fault_budget: int, is_over: Callable[[], bool]) -> bool | None:
    for world in claimed(claim, scenario):
        answer = world.holds(fault_budget, is_over)
        if answer is not True:
            return answer
    return True
