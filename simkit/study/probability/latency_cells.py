"""Latency cells: waits with a continuous law, cut where they are compared, with one draw inside each cell.

A replicate is all runs with one luck: every wait has one place in each of its cells, and in which cell it ends is
enumerated as any other answer, with its probability. So what is rare is not left to luck, and a replicate is one
unbiased number; replicates are independent, and their mean has a t interval. What the enumeration of a replicate
left out goes to the upper end, as always. Picks are resolved within each replicate, so that the ends enclose
what they can do even to somebody who knew the luck.

Of two latencies that are compared with each other, the one that is drawn last is cut where the other ends. What
no cell tells apart is left to luck; where too few replicates hit for an interval, none is given.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from statistics import fmean

from simkit.chance import Chance, Luck
from simkit.stats import t_interval, why_no_interval, zero_hits_upper_bound
from simkit.study.probability.best_first import weigh_best_first
from simkit.study.probability.cuts import CUT_COUNT_MAX, found_cuts
from simkit.study.probability.enumerated import weigh_enumerated
from simkit.study.probability.estimates import Estimate, Task
from simkit.world import Cuts, Run, run_in_cells

__all__ = ["replicates", "weigh_latency_cells"]

CONFIDENCE = 0.95
CHUNK_COUNT = 20
HIT_COUNT_MIN = 30
REPLICATE_COUNT_MAX = 1000
RUN_COUNT_OF_ONE_MAX = 2000
"""Of one replicate, where no fault budget bounds it."""


def weigh_latency_cells(task: Task, *, cuts: Cuts | None = None) -> Estimate:
    """Make replicates until luck widens the interval by no more than the task wants, or there were enough.

    Parameters
    ----------
    cuts
        Where the waits are cut; None for where a few runs show that they are compared with something.
    """
    cuts = found_cuts(task) if cuts is None else cuts
    made: list[Estimate] = []
    run_count = 0
    was_stopped = False
    for one in replicates(task, cuts):
        run_count += one.run_count
        was_stopped = not one.is_complete or (task.run_count_max is not None and run_count >= task.run_count_max)
        if one.is_complete:
            made.append(one)
        is_due = len(made) >= HIT_COUNT_MIN and len(made) % CHUNK_COUNT == 0
        if was_stopped or len(made) == REPLICATE_COUNT_MAX or (is_due and _is_near(made, task.width_fraction)):
            break
    lower, upper, kind, problem = _interval(made)
    limited = any(len(of_wait) == CUT_COUNT_MAX for of_wait in cuts.values())
    return Estimate(
        lower=lower,
        upper=upper,
        kind=kind,
        how=f"{len(made):,} replicates of {run_count / max(len(made), 1):.0f} runs"
        + (f", no more than {CUT_COUNT_MAX} cuts in a wait" if limited else ""),
        run_count=run_count,
        is_complete=not was_stopped,
        schedules=_resolved_schedules(task, made),
        is_for_typical=False,
        problem=problem,
    )


def replicates(task: Task, cuts: Cuts) -> Iterator[Estimate]:
    """One estimate after the other, each from its own luck: the seed and its index alone decide it."""
    given = {field.name: getattr(task, field.name) for field in fields(Task)} | {"run_count_max": None}
    for index in range(REPLICATE_COUNT_MAX):
        replicate = _Replicate(**given, cuts=cuts, luck=Luck(task.seed, index))
        if task.fault_budget is not None:
            yield weigh_enumerated(replicate)
        else:
            found = weigh_best_first(
                replace(replicate, width_fraction=task.width_fraction / 10, run_count_max=RUN_COUNT_OF_ONE_MAX)
            )
            # More runs would bring its two ends nearer; as they are they enclose it, and it counts.
            yield replace(found, is_complete=found.is_complete or found.run_count == RUN_COUNT_OF_ONE_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replicate(Task):
    """A task with one luck."""

    cuts: Cuts
    luck: Luck

    def play(self, chance: Chance) -> Run:
        return run_in_cells(self.plan, chance, cuts=self.cuts, luck=self.luck, has_episodes=self.has_episodes)


def _is_near(made: list[Estimate], width_fraction: float) -> bool:
    """Whether more replicates would change little; what no replicate looks at they cannot change."""
    lower, _, _, problem = _interval(made)
    mean = fmean(one.lower for one in made)
    return not problem and 2 * (mean - lower) <= width_fraction * mean


def _interval(made: list[Estimate]) -> tuple[float, float, str, str]:
    """Both ends, with their kind, and why they must not be shown."""
    lowers, uppers = [one.lower for one in made], [one.upper for one in made]
    if len(made) < HIT_COUNT_MIN:
        return 0.0, 1.0, "", f"{len(made)} replicates, {HIT_COUNT_MIN} are needed"
    if not any(lowers):
        bound = float(zero_hits_upper_bound(len(made), confidence=CONFIDENCE))
        _, upper = t_interval(uppers, confidence=CONFIDENCE)
        return 0.0, min(upper + bound, 1.0), "95 % upper bound, no hits", ""
    problem = why_no_interval(lowers)
    if problem:
        words = "some latency is left to luck: one that is compared with another, or with something it is not cut at"
        return 0.0, 1.0, "", f"{problem}; {words}"
    if min(lowers) == 1:
        return 1 - float(zero_hits_upper_bound(len(made), confidence=CONFIDENCE)), 1.0, "95 % lower bound, all hit", ""
    lower, _ = t_interval(lowers, confidence=CONFIDENCE)
    _, upper = t_interval(uppers, confidence=CONFIDENCE)
    return max(lower, 0.0), min(upper, 1.0), "95 % interval (t, over replicates)", ""


def _resolved_schedules(task: Task, made: list[Estimate]) -> frozenset[tuple[str, ...]]:
    """The faults, without the cells, of what broke a promise in enough replicates."""
    sites = {rate.site for rate in task.scenario.conditions.rates}
    hits: Counter[tuple[str, ...]] = Counter()
    for one in made:
        hits.update({tuple(fault for fault in faults if fault.partition("@")[0] in sites) for faults in one.schedules})
    return frozenset(faults for faults, count in hits.items() if count >= HIT_COUNT_MIN)
