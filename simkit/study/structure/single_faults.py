"""Every run in which one thing goes wrong and nothing else, in every order, sorted by where it goes wrong."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from simkit.checks import verdicts
from simkit.journal import Journal
from simkit.records import Effect, Report
from simkit.scenario import Scenario
from simkit.study.tree import Script, leaves
from simkit.terms import Outcome, Promise, PromiseVerdict
from simkit.world import planned, run_intervals

__all__ = ["SingleFaults", "SiteRuns", "single_faults"]

_WORST_FIRST = (PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED, PromiseVerdict.KEPT)


@dataclass(slots=True)
class SiteRuns:
    """What the runs show in which a fault happens at one site, whichever attempt meets it.

    Parameters
    ----------
    broken_by
        For each promise that breaks, the fault with its attempt path; the first of them in the order of letters.
    """

    run_count: int = 0
    effect_counts: set[int] = field(default_factory=set)
    outcomes: set[Outcome] = field(default_factory=set)
    verdicts: dict[Promise, PromiseVerdict] = field(default_factory=dict)
    broken_by: dict[Promise, tuple[str, ...]] = field(default_factory=dict)

    def add(self, journal: Journal, faults: tuple[str, ...]) -> None:
        """Take one run into account."""
        self.run_count += 1
        self.effect_counts.add(len(journal.of(Effect)))
        self.outcomes.update(report.outcome for report in journal.of(Report))
        for promise, verdict in verdicts(journal).items():
            self.verdicts[promise] = min(verdict, self.verdicts.get(promise, verdict), key=_WORST_FIRST.index)
            if verdict is PromiseVerdict.BROKEN:
                self.broken_by[promise] = min(faults, self.broken_by.get(promise, faults))


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleFaults:
    """The runs without a fault, and those with one by its site; a site that no run met has none.

    Parameters
    ----------
    is_complete
        Whether all of them were made.
    """

    without: SiteRuns
    at: Mapping[str, SiteRuns]
    is_complete: bool

    def verdict(self, runs: SiteRuns | None, promise: Promise) -> PromiseVerdict | None:
        """The worst over all orders; None where no run met the site, and undecided where runs are missing."""
        found = None if runs is None else runs.verdicts.get(promise)
        if found is PromiseVerdict.BROKEN or self.is_complete:
            return found
        return PromiseVerdict.UNDECIDED


def single_faults(scenario: Scenario, is_over: Callable[[], bool] = lambda: False) -> SingleFaults:
    """Run every schedule of at most one fault in every order.

    Parameters
    ----------
    is_over
        Asked before each run; True ends it, and what was not seen is undecided.
    """
    plan = planned(scenario)
    was_cut = False

    def is_dropped(_: Script) -> bool:
        nonlocal was_cut
        was_cut = was_cut or is_over()
        return was_cut

    without = SiteRuns()
    at: dict[str, SiteRuns] = {}
    for leaf in leaves(lambda chance: run_intervals(plan, chance), fault_budget=1, is_dropped=is_dropped):
        runs = at.setdefault(leaf.faults[0].partition("@")[0], SiteRuns()) if leaf.faults else without
        runs.add(leaf.run.journal, leaf.faults)
    return SingleFaults(without=without, at=at, is_complete=not was_cut)
