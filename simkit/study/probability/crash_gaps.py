"""How often a whole workload breaks a promise when the server dies at a random instant, at a rate per second.

Between two neighbouring steps of a trajectory the server is in one state, so that one run stands for a crash
at any instant of that gap, as long as what follows comes in one order. That is checked, not assumed: each
instant is a constant, or that of the crash plus a constant, so the crash instants with one order of steps and one
answer to each comparison of times are an interval. Where the first and the last instant of a gap tell the same,
so do all between; where they do not, the gap is split, the longest first, down to the clock's microsecond.

The *vulnerable time* V is the time in which one crash breaks the promise. With crashes at rate λ and a horizon
E, past which nothing happens in any of the runs,

    P(N = 0) h₀ + λ exp(−λ E) V  ≤  P  ≤  the same + P(N ≥ 2),    N ~ Poisson(λ E)

with h₀ = 1 where it is broken without a crash. Nothing is assumed of two crashes.

Each listed window `server.<before|after>_<step>` is taken for such crashes, and gets no probability of its own. One
in which no time passes would never see a crash, silently; so it is refused.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import exp, fsum, inf

from simkit.chance import MICROSECONDS_PER_S, Sampled
from simkit.checks import JUDGED, verdicts
from simkit.errors import ScenarioError
from simkit.scenario import Scenario
from simkit.stats import t_interval
from simkit.study.probability.crash_windows_in_time import insist_on_time_in_windows, without_crash_windows
from simkit.study.probability.estimates import RIGOROUS, Estimate, Task
from simkit.study.probability.workloads import are_apart, told_apart
from simkit.study.results import Bounds
from simkit.terms import Promise, PromiseVerdict
from simkit.world import Plan, ServerCrash, Trajectory, planned, run_with_crash

__all__ = ["AveragedGaps", "CrashGaps", "averaged", "crash_gaps", "weigh_crash_gaps"]

CONFIDENCE = 0.95
TRAJECTORY_COUNT = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashGaps:
    """What crashes at a rate per second do to one trajectory.

    Parameters
    ----------
    end_s
        When the trajectory without a crash ends, in seconds.
    horizon_s
        When the longest of all runs ends: E.
    vulnerable_s_min, vulnerable_s_max
        V, in seconds until `end_s`: without and with the instants that were not looked at.
    is_broken_without
        Whether a promise is broken without any crash.
    gap_count, run_count
        Gaps between the steps of the trajectory, and runs that they took.
    is_drawn
        Whether luck had a part in it: then it is one trajectory out of many.
    probability
        That a promise is broken in this trajectory, at the rate.
    """

    crashes_per_s: float
    end_s: float
    horizon_s: float
    vulnerable_s_min: float
    vulnerable_s_max: float
    is_broken_without: bool
    is_drawn: bool
    gap_count: int
    run_count: int
    probability: Bounds

    @property
    def is_complete(self) -> bool:
        """Whether every instant was looked at."""
        return self.vulnerable_s_min == self.vulnerable_s_max

    @property
    def given_one_crash(self) -> Bounds:
        """Probability given exactly one crash, at a uniform instant until `end_s`."""
        if self.end_s == 0:
            return Bounds(lower=float(self.is_broken_without), upper=float(self.is_broken_without))
        return Bounds(lower=self.vulnerable_s_min / self.end_s, upper=self.vulnerable_s_max / self.end_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedGaps:
    """A mean over independent trajectories.

    Parameters
    ----------
    vulnerable_s_low, vulnerable_s_high
        Interval (t) for the mean of V, in seconds.
    probability
        Interval (t) for the mean probability: its lower end from lower ends, its upper from upper ones.
    """

    trajectory_count: int
    confidence: float
    vulnerable_s_low: float
    vulnerable_s_high: float
    probability: Bounds


def crash_gaps(
    scenario: Scenario,
    *,
    crashes_per_s: float,
    seed: int,
    trajectory_index: int = 0,
    promises: Iterable[Promise] | None = None,
    replica_index: int | None = None,
    has_episodes: bool = False,
    width_fraction: float = 0.0,
    run_count_max: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> CrashGaps:
    """Vulnerable time and probability of one trajectory: that of luck number `trajectory_index`, crashes aside.

    Parameters
    ----------
    crashes_per_s
        Rate at which the process dies.
    promises
        The promises that count; None for all that are about effects.
    replica_index
        Which of the server's processes dies; None: all at once.
    width_fraction
        Wanted (V max − V min) / V max; 0 looks at everything.
    run_count_max, is_over
        Once either says so, what was not looked at goes to the upper end.

    Raises
    ------
    ScenarioError
        If a rate is unknown, or in a listed crash window no time passes.
    """
    if not 0 <= crashes_per_s < inf:
        message = f"crashes_per_s: finite and at least 0, got {crashes_per_s}"
        raise ScenarioError(message)
    unknown = [rate.site for rate in scenario.conditions.rates if rate.probability is None]
    if unknown:
        message = f"conditions.rates {', '.join(unknown)}: unknown rates, so no trajectory can be drawn"
        raise ScenarioError(message)
    insist_on_time_in_windows(scenario, (seed, trajectory_index), replica_index)
    wanted = frozenset(promise for promise in JUDGED if promise.is_about_effects) if promises is None else promises
    crashes = _Crashes(
        planned(without_crash_windows(scenario)),
        seed,
        trajectory_index,
        frozenset(wanted),
        replica_index,
        has_episodes=has_episodes,
    )

    def is_enough(vulnerable_us: int, open_us: int) -> bool:
        is_near = open_us <= width_fraction * (vulnerable_us + open_us)
        is_spent = run_count_max is not None and crashes.run_count >= run_count_max
        return is_near or is_spent or is_over()

    return _weighed(crashes, crashes_per_s, *crashes.vulnerable_us(is_enough))


def averaged(found: Sequence[CrashGaps], *, confidence: float) -> AveragedGaps:
    """Mean over independent trajectories: an ordinary mean, because V is nothing rare.

    Raises
    ------
    ValueError
        If there are fewer than two.
    """
    ends = (
        [gaps.vulnerable_s_min for gaps in found],
        [gaps.vulnerable_s_max for gaps in found],
        [gaps.probability.lower for gaps in found],
        [gaps.probability.upper for gaps in found],
    )
    least, most, lower, upper = (t_interval(values, confidence=confidence) for values in ends)
    return AveragedGaps(
        trajectory_count=len(found),
        confidence=confidence,
        vulnerable_s_low=max(0.0, least[0]),
        vulnerable_s_high=most[1],
        probability=Bounds(lower=max(0.0, lower[0]), upper=min(1.0, upper[1])),
    )


def weigh_crash_gaps(task: Task) -> Estimate:
    """Weigh one trajectory where luck has no part in it, otherwise the mean of some, with picks drawn uniformly.

    Raises
    ------
    ScenarioError
        If the task names no rate of crashes, a rate is unknown, or in a listed crash window no time passes.
    """
    if task.crashes_per_s is None:
        message = "crash gaps: needs crashes_per_s, the rate at which the server dies"
        raise ScenarioError(message)
    found: list[CrashGaps] = []
    while not found or (found[-1].is_complete and found[0].is_drawn and len(found) < TRAJECTORY_COUNT):
        gaps = crash_gaps(
            task.scenario,
            crashes_per_s=task.crashes_per_s,
            seed=task.seed,
            trajectory_index=len(found),
            promises=task.promises,
            has_episodes=task.has_episodes,
            run_count_max=task.run_count_max,
            is_over=task.is_over,
        )
        found.append(gaps)
    first, run_count = found[0], sum(gaps.run_count for gaps in found)
    if len(found) > 1:
        average = averaged(found, confidence=CONFIDENCE)
        bounds, counted = average.probability, f"{len(found)} trajectories, picks drawn uniformly"
        kind = f"{100 * CONFIDENCE:g} % interval (t, {counted})"
    else:
        bounds, kind = first.probability, "one trajectory out of many" if first.is_drawn else RIGOROUS
    return Estimate(
        lower=bounds.lower,
        upper=bounds.upper,
        kind=kind,
        how=f"of a whole trajectory, {first.gap_count:,} gaps at {task.crashes_per_s:g} crashes/s, several bounded",
        run_count=run_count,
        is_complete=found[-1].is_complete and len(found) == (TRAJECTORY_COUNT if first.is_drawn else 1),
    )


def _weighed(crashes: "_Crashes", crashes_per_s: float, vulnerable_us: int, open_us: int) -> CrashGaps:
    """V with its probability."""
    from scipy.special import gammainc

    end_s, horizon_s = crashes.end_us / MICROSECONDS_PER_S, crashes.horizon_us / MICROSECONDS_PER_S
    least_s, most_s = vulnerable_us / MICROSECONDS_PER_S, (vulnerable_us + open_us) / MICROSECONDS_PER_S
    expected_count = crashes_per_s * horizon_s
    without = float(crashes.is_broken_without)
    outside_s = without * (horizon_s - end_s)
    none, several = exp(-expected_count) * without, float(gammainc(2, expected_count))
    one_per_s = crashes_per_s * exp(-expected_count)
    return CrashGaps(
        crashes_per_s=crashes_per_s,
        end_s=end_s,
        horizon_s=horizon_s,
        vulnerable_s_min=least_s,
        vulnerable_s_max=most_s,
        is_broken_without=crashes.is_broken_without,
        is_drawn=crashes.is_drawn,
        gap_count=len(crashes.gaps),
        run_count=crashes.run_count,
        probability=Bounds(
            lower=fsum((none, one_per_s * (least_s + outside_s))),
            upper=min(1.0, fsum((none, one_per_s * (most_s + outside_s), several))),
        ),
    )


class _Crashes:
    """The runs of one trajectory with one crash, by its microsecond.

    Attributes
    ----------
    gaps
        First and last microsecond of each.
    is_drawn
        Whether luck had a part in any run.
    """

    def __init__(
        self,
        plan: Plan,
        seed: int,
        trajectory_index: int,
        promises: frozenset[Promise],
        replica_index: int | None,
        *,
        has_episodes: bool,
    ) -> None:
        self._plan = plan
        self._luck = seed, trajectory_index
        self._promises = promises
        self._replica_index = replica_index
        self._has_episodes = has_episodes
        self._is_apart = are_apart(plan.scenario) and not has_episodes
        self._told_by_us: dict[int, tuple[bool, object]] = {}
        self.run_count, self.horizon_us, self.is_drawn = 0, 0, False
        without = self._run(None)
        self.is_broken_without = self._is_broken(without)
        self.end_us = without.instants_us[-1]
        self.gaps = tuple((first, after - 1) for first, after in pairwise(without.instants_us))

    def vulnerable_us(self, is_enough: Callable[[int, int], bool]) -> tuple[int, int]:
        """Microseconds in which a crash breaks a promise, and those that were not looked at."""
        vulnerable = 0
        open_us = sum(last - first + 1 for first, last in self.gaps)
        waiting = [(first - last, first, last) for first, last in self.gaps]
        heapify(waiting)
        try:
            while waiting and not is_enough(vulnerable, open_us):
                _, first, last = heappop(waiting)
                begin, end = self._told(first), self._told(last)
                if begin == end or last - first <= 1:
                    length = last - first + 1
                    vulnerable += length * begin[0] if begin == end else begin[0] + end[0]
                    open_us -= length
                else:
                    middle = (first + last) // 2
                    for half in ((first, middle), (middle + 1, last)):
                        heappush(waiting, (half[0] - half[1], *half))
        except KeyboardInterrupt:  # what was found so far still holds
            return vulnerable, open_us
        return vulnerable, open_us

    def _told(self, at_us: int) -> tuple[bool, object]:
        """Whether a promise is broken after a crash then, and the order of the steps."""
        told = self._told_by_us.get(at_us)
        if told is None:
            found = self._run(ServerCrash(at_us=at_us, replica_index=self._replica_index))
            told = self._told_by_us[at_us] = (
                self._is_broken(found),
                told_apart(self._plan, found.steps, is_apart=self._is_apart),
            )
        return told

    def _run(self, crash: ServerCrash | None) -> Trajectory:
        luck = Sampled(*self._luck)
        found = run_with_crash(self._plan, luck, crash, has_episodes=self._has_episodes)
        self.is_drawn = self.is_drawn or luck.was_asked
        self.run_count += 1
        self.horizon_us = max(self.horizon_us, found.instants_us[-1])
        return found

    def _is_broken(self, found: Trajectory) -> bool:
        return PromiseVerdict.BROKEN in verdicts(found.run.journal, self._promises).values()
