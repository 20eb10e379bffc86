"""Running a scenario: on concrete time, or on intervals; and from an interval run to a concrete witness."""

from dataclasses import dataclass
from typing import Any

from simpy.events import NORMAL, Event

from simkit.chance import MICROSECONDS_PER_S, Answered, Chance, Question, Scripted
from simkit.errors import Divergence
from simkit.journal import Journal
from simkit.scenario import Scenario
from simkit.world.assembly import play
from simkit.world.timeline import ConcreteTimeline, IntervalTimeline
from simkit.world.trials import Decision, Trials

__all__ = ["Run", "Witness", "run_concrete", "run_intervals", "solve_witness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: its journal, and the decisions of its layers.

    Parameters
    ----------
    declared
        Decisions taken as declared before any departure: (layer, what it knew, action).
    departure
        The decision that departed from the declaration, or None.
    """

    journal: Journal
    declared: tuple[Decision, ...]
    departure: Decision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """One schedule with concrete times, replayed on a clock.

    Parameters
    ----------
    faults
        Sites with their attempt paths, in order.
    durations_s
        How long each wait of the run took, in the order in which the waits began, in seconds.
    journal
        What happened in the replay.
    """

    faults: tuple[str, ...]
    durations_s: tuple[float, ...]
    journal: Journal


def run_concrete(scenario: Scenario, chance: Chance, *, has_episodes: bool = False) -> Run:
    """Run on a clock: every wait takes its typical duration, a late message its latest.

    Parameters
    ----------
    has_episodes
        Whether the share of each rate named in the conditions is the onset of an episode.
    """
    trials = Trials(chance, is_on=False)
    return _run(scenario, ConcreteTimeline(chance), trials, has_episodes=has_episodes)


def run_intervals(scenario: Scenario, chance: Chance, *, has_trials: bool = False) -> Run:
    """Run on intervals: which of the possible steps is next is asked of `chance` as a pick.

    Parameters
    ----------
    has_trials
        Whether each layer may once depart from what it declares.
    """
    return _run(scenario, IntervalTimeline(chance), Trials(chance, is_on=has_trials), has_episodes=False)


def solve_witness(scenario: Scenario, script: tuple[Answered, ...], *, has_trials: bool = False) -> Witness:
    """Give a schedule of an interval run concrete times, and replay it with them on a clock.

    Raises
    ------
    Divergence
        If the replay does not end as the interval run did.
    """
    chance = Scripted(script)
    timeline = IntervalTimeline(chance, keeps_all=True)
    found = _run(scenario, timeline, Trials(chance, is_on=has_trials), has_episodes=False)
    chance.assert_script_used()
    instants = timeline.solution()
    durations = [instants[step] - instants[after] for step, after in timeline.scheduled_after]
    ranks = {step: rank for rank, step in enumerate(timeline.fired)}
    order = [ranks.get(step, len(ranks)) for step, _ in timeline.scheduled_after]
    replay_chance = _WithoutOrder(tuple(chance.trace))
    clock = _WitnessTimeline(replay_chance, durations, order)
    replayed = _run(scenario, clock, Trials(replay_chance, is_on=has_trials), has_episodes=False)
    if _story(found.journal) != _story(replayed.journal):
        message = "a witness replayed with its concrete times tells another story than the interval run"
        raise Divergence(message)
    return Witness(
        faults=tuple(site for kind, site, _, _, cost in chance.trace if cost),
        durations_s=tuple(duration / MICROSECONDS_PER_S for duration in durations),
        journal=replayed.journal,
    )


def _run(scenario: Scenario, timeline: Any, trials: Trials, *, has_episodes: bool) -> Run:
    journal = play(scenario, timeline, trials, has_episodes=has_episodes)
    return Run(journal=journal, declared=tuple(trials.declared), departure=trials.departure)


def _story(journal: Journal) -> list[str]:
    """The facts without their instants."""
    return [repr(fact).partition("at_s=")[2].partition(",")[2] or repr(fact) for fact in journal]


class _WithoutOrder(Scripted):
    """Replays a script of an interval run on a clock, which needs no order and no comparisons."""

    def __init__(self, script: tuple[Answered, ...]) -> None:
        super().__init__(
            tuple(
                answered
                for answered in script
                if answered.kind is not Question.PICK
                or not (answered.site == "order" or answered.site.endswith(".passed"))
            )
        )


class _WitnessTimeline(ConcreteTimeline):
    """A clock on which every wait takes a given duration; ties come in a given order.

    Parameters
    ----------
    durations
        Microseconds, for each wait in the order in which the waits begin.
    order
        Rank of each wait among all that end, in the same order.
    """

    def __init__(self, chance: Chance, durations: list[int], order: list[int]) -> None:
        super().__init__(chance)
        self._durations = iter(durations)
        self._order = iter(order)

    def _schedule_between(self, event: Event, priority: int, s_min: float, s_typical: float, s_max: float) -> None:
        duration, rank = next(self._durations), next(self._order)
        self._queue_at(event, self._now + duration, rank)

    def _queue_at(self, event: Event, instant: float, rank: int) -> None:
        # SimPy orders its queue by (instant, priority, number); a rank as number, after all that follows at once.
        from heapq import heappush

        heappush(self._queue, (instant, NORMAL + 1, rank, event))  # type: ignore[arg-type]
