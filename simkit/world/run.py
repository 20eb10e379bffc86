"""Running a scenario: on concrete time, or on intervals; and from an interval run to a concrete witness."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from simpy import Environment
from simpy.events import Event, EventPriority

from simkit.chance import MICROSECONDS_PER_S, Answered, Chance, Keyed, Scripted, Zone
from simkit.errors import Divergence
from simkit.journal import Journal
from simkit.records import Effect, End, Readback, Receipt, Report, StateChange
from simkit.scenario import Scenario
from simkit.world.assembly import play
from simkit.world.interval_timeline import IntervalTimeline, RedundantOrder
from simkit.world.plan import Plan, planned
from simkit.world.timeline import ConcreteTimeline, Span, Timeline
from simkit.world.trials import Decisions, Trials
from simkit.world.turns import Reversal

__all__ = ["Run", "Witness", "run_concrete", "run_intervals", "solve_witness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: its journal, and the decisions of its layers in order.

    Parameters
    ----------
    is_redundant
        It was stopped, since all that can follow is seen in other runs, or is impossible.
    reversals
        Other orders of its steps that are worth a run.
    """

    journal: Journal
    decisions: Decisions
    is_redundant: bool = False
    reversals: tuple[Reversal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """One schedule with concrete times, replayed on a clock.

    Parameters
    ----------
    faults
        Sites with their attempt paths, in order.
    durations_s
        How long each wait of the run took, by its label, in seconds.
    journal
        What happened in the replay.
    """

    faults: tuple[str, ...]
    durations_s: Mapping[str, float]
    journal: Journal


def run_concrete(scenario: Scenario | Plan, chance: Chance, *, has_episodes: bool = False) -> Run:
    """Run on a clock: every wait takes its typical duration, a late message its latest.

    Parameters
    ----------
    scenario
        Its plan where it is run often.
    has_episodes
        Whether the share of each rate named in the conditions is the onset of an episode.
    """
    return _run(scenario, ConcreteTimeline(chance), Journal(), Decisions(), has_episodes=has_episodes)


def run_intervals(
    scenario: Scenario | Plan, chance: Chance, *, has_trials: bool = False, zone: Zone | None = None
) -> Run:
    """Run on intervals: which of the possible steps is next is asked of `chance` as a pick.

    Parameters
    ----------
    scenario
        Its plan where it is run often.
    has_trials
        Whether each layer may depart from what it declares, wherever it decides.
    zone
        Where the constraints on the instants are kept; a new one, unless somebody watches what it decides.
    """
    timeline, journal, decisions = IntervalTimeline(chance, zone=zone), Journal(), Decisions()
    try:
        _run(scenario, timeline, journal, decisions, has_trials=has_trials)
    except RedundantOrder:
        return Run(journal=journal, decisions=decisions, is_redundant=True, reversals=timeline.reversals)
    return Run(journal=journal, decisions=decisions, reversals=timeline.reversals)


def solve_witness(scenario: Scenario, script: tuple[Answered, ...], *, has_trials: bool = False) -> Witness:
    """Give a schedule of an interval run concrete times, and replay it with them on a clock.

    Raises
    ------
    Divergence
        If the replay does not end as the interval run did.
    """
    chance = Scripted(script)
    timeline = IntervalTimeline(chance, keeps_all=True)
    found = _run(scenario, timeline, Journal(), Decisions(), has_trials=has_trials)
    chance.assert_script_used()
    durations = timeline.durations()
    replay = Keyed(tuple(chance.trace))
    (end,) = found.journal.of(End)
    replaying = _WitnessTimeline(replay, durations, cut_before=end.waiting_for)
    replayed = _run(scenario, replaying, Journal(), Decisions(), has_trials=has_trials)
    if _story(found.journal) != _story(replayed.journal):
        message = "a witness replayed with its concrete times tells another story than the interval run"
        raise Divergence(message)
    return Witness(
        faults=tuple(answered.site for answered in chance.trace if answered.fault_cost),
        durations_s={label: duration / MICROSECONDS_PER_S for label, (duration, _) in durations.items()},
        journal=replayed.journal,
    )


def _run(
    scenario: Scenario | Plan,
    timeline: Timeline,
    journal: Journal,
    decisions: Decisions,
    *,
    has_trials: bool = False,
    has_episodes: bool = False,
) -> Run:
    plan = scenario if isinstance(scenario, Plan) else planned(scenario)
    trials = Trials(timeline.chance, decisions, is_on=has_trials, stages=plan.stages)
    play(plan, timeline, journal, trials, has_episodes=has_episodes)
    return Run(journal=journal, decisions=decisions)


def _story(journal: Journal) -> list[str]:
    """What was made, recorded, read back and reported, without instants, whatever the order of independent steps."""
    told = (Effect, Receipt, StateChange, Readback, Report)
    return sorted(re.sub(r"at_s=[^,)]*,? ?", "", repr(fact)) for fact in journal if isinstance(fact, told))


class _WitnessTimeline(ConcreteTimeline):
    """A clock on which every wait takes a given duration, and steps of one instant come in a given order.

    Parameters
    ----------
    durations
        Microseconds, and rank among all steps, by label; the rank is None of a step that was never taken.
    cut_before
        The step before which the run that is replayed was cut: what was pending there never happens. Empty
        where it ended at quiescence.
    """

    def __init__(self, chance: Chance, durations: Mapping[str, tuple[int, int | None]], *, cut_before: str) -> None:
        super().__init__(chance)
        self._durations = durations
        self._cut_before = cut_before

    def _schedule_between(self, event: Event, span: Span) -> None:
        found = self._durations.get(span.label)
        if found is None:
            message = f"the run that is replayed never waited for {span.label}"
            raise Divergence(message)
        duration, rank = found
        if rank is not None:
            Environment.schedule(self, event, EventPriority(rank), duration)
        elif not self._cut_before:
            Environment.schedule(self, event, EventPriority(len(self._durations)), duration)

    def run_out(self) -> str | None:
        """Take every step that the replayed run took, and end as it did."""
        return super().run_out() or self._cut_before or None
