"""A run in which the server's process dies at a given instant, wherever its calls are, with the steps in order.

The crash comes after all other steps of its microsecond, so that a crash at t stands for every instant
between t and t + 1 µs. It kills what every crash kills: all calls in flight of the process, its memory and its
connections; what was sent downstream still arrives, and the process is up again at once.
"""

from typing import NamedTuple

from simpy.events import Event, EventPriority

from simkit.chance import MICROSECONDS_PER_S, Chance
from simkit.journal import Journal
from simkit.records import Fault
from simkit.world.assembly import play
from simkit.world.places import EVERYTHING
from simkit.world.plan import Plan
from simkit.world.run import Run
from simkit.world.server_side import ServerSide
from simkit.world.setting import Setting
from simkit.world.timeline import ConcreteTimeline, Instant, Span
from simkit.world.trials import Decisions, Trials

__all__ = ["CRASH", "ServerCrash", "Step", "Trajectory", "run_with_crash"]

CRASH = "server.crash"
"""Site of the crash, in the journal; nobody is asked about it."""

LAST = EventPriority(2)
"""After SimPy's urgent (0) and normal (1) events of the same instant."""


class ServerCrash(NamedTuple):
    """When the server dies, in microseconds from the start, and which of its processes; None: all at once."""

    at_us: int
    replica_index: int | None


class Step(NamedTuple):
    """What happened, without its instant: the end of a wait, or the answer to a comparison of times.

    Parameters
    ----------
    path
        Of the attempt whose wait ended last.
    """

    path: str
    what: str


class Trajectory(NamedTuple):
    """A run with its steps, in order, and the instants at which there were some, in microseconds."""

    run: Run
    steps: tuple[Step, ...]
    instants_us: tuple[int, ...]


def run_with_crash(plan: Plan, chance: Chance, crash: ServerCrash | None, *, has_episodes: bool = False) -> Trajectory:
    """Run on a clock, with the crash or, for None, without."""
    timeline = _ObservedTimeline(chance)
    journal, decisions = Journal(), Decisions()

    def begin(_: Setting, server_side: ServerSide) -> None:
        if crash is not None:
            timeline.let_die(crash, server_side, journal)

    play(plan, timeline, journal, Trials(chance, decisions, is_on=False), has_episodes=has_episodes, begin=begin)
    return Trajectory(
        run=Run(journal=journal, decisions=decisions),
        steps=tuple(timeline.steps),
        instants_us=tuple(sorted(timeline.instants_us)),
    )


class _ObservedTimeline(ConcreteTimeline):
    """A clock that keeps the steps; what was taken back is none."""

    def __init__(self, chance: Chance) -> None:
        super().__init__(chance)
        self.steps: list[Step] = []
        self.instants_us: set[int] = {0}
        self._path = ""

    def _schedule_between(self, event: Event, span: Span) -> None:
        super()._schedule_between(event, span)
        event.callbacks.append(lambda _: self._take(span.label))

    def _take(self, label: str) -> None:
        self._path = label.partition("@")[2]
        self.steps.append(Step(path=self._path, what=label))
        self.instants_us.add(int(self._now))

    def passed(self, instant: Instant, seconds: float, site: str) -> bool:
        """Whether at least `seconds` have passed since `instant`, by the clock."""
        has_passed = super().passed(instant, seconds, site)
        self.steps.append(Step(path=self._path, what=f"{site}: {has_passed}"))
        return has_passed

    def let_die(self, crash: ServerCrash, server_side: ServerSide, journal: Journal) -> None:
        """Let the server die later."""
        at_s = crash.at_us / MICROSECONDS_PER_S
        death = self._after(Span(at_s, at_s, at_s, LAST, CRASH, EVERYTHING))
        death.callbacks.append(lambda _: journal.append(Fault(at_s=self.now_s, site=f"{CRASH}@{at_s:.6f} s")))
        death.callbacks.append(lambda _: server_side.server.crash(crash.replica_index))
