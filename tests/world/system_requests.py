"""One system of record under test, with requests handed to it directly: no layer, no link, no server."""

import math
from dataclasses import dataclass, replace
from typing import Any

from simkit.choices import Deduplication, ReadbackBy
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Effect
from simkit.scenario import Downstream, Stage
from simkit.terms import OnMismatch, ReadbackAnswer
from simkit.world.faults import Faults
from simkit.world.messages import Answer, Steps, ToolCall, Waiter
from simkit.world.places import EVERYTHING
from simkit.world.system_of_record import SystemOfRecord
from simkit.world.timeline import ConcreteTimeline
from tests.builders import FaultsAt, a_retention, a_scenario, rates_at

__all__ = ["Asked", "a_request", "asked"]


def a_request(key: str = "k1", **changes: Any) -> ToolCall:
    """A request of intent i1 that bears a key; its path is the key unless another one is given."""
    call = ToolCall(intent="i1", tenant="t1", operation_id=key, inputs="x", path=key, key=key)
    return call._replace(**changes)


@dataclass(slots=True)
class _Reply:
    """Writes down what comes back, and when."""

    timeline: ConcreteTimeline
    answers: list[tuple[float, Answer]]
    takes_time = True
    interrupts = True
    place = EVERYTHING
    gives_up_at_s: float = math.inf

    @property
    def is_wanted(self) -> bool:
        return self.timeline.now_s < self.gives_up_at_s

    def answer(self, answer: Answer) -> None:
        self.answers.append((self.timeline.now_s, answer))

    def close(self) -> None:
        """Nothing waits."""

    def abandon_when_unwanted(self, waiter: Waiter) -> None:
        """Nobody stops waiting."""


class Asked:
    """A system of record whose work takes 1 s, and what it has answered.

    Parameters
    ----------
    sites
        Faults that happen, each with the path of its request.
    changes
        Of the plain system: a response cache that remembers a key for 100 s.
    """

    def __init__(self, *sites: str, lag_s_max: float = 0.0, **changes: Any) -> None:
        kind = changes.get("deduplication")
        self.downstream = Downstream(
            **{
                "name": "ticket",
                "key_retention": None if kind is Deduplication.NONE else a_retention(100.0),
                "on_mismatch": OnMismatch.CONFLICT,
                "work": Wait.of(1.0),
                **changes,
            }
        )
        self._timeline = ConcreteTimeline(FaultsAt(*sites))
        self._journal = Journal()
        rates = rates_at(0.5, *dict.fromkeys(site.partition("@")[0] for site in sites))
        conditions = replace(a_scenario().conditions, rates=rates)
        faults = Faults(conditions, self._timeline.chance, self._timeline, self._journal, has_episodes=False)
        stage = Stage(name="ticket", downstream=self.downstream)
        self.system = SystemOfRecord(stage, lag_s_max, self._timeline, self._journal, faults, EVERYTHING)
        self._replies: list[list[tuple[float, Answer]]] = []
        self.readbacks: list[ReadbackAnswer] = []

    def send(self, at_s: float, call: ToolCall, *, gives_up_at_s: float = math.inf) -> None:
        """Let a request arrive at an instant; its caller may give up, and interrupts the work then."""
        answers: list[tuple[float, Answer]] = []
        self._replies.append(answers)
        reply = _Reply(timeline=self._timeline, answers=answers, gives_up_at_s=gives_up_at_s)
        self._timeline.process(self._at(at_s, lambda: self._timeline.process(self.system.serve(call, reply))))

    def delete(self, at_s: float, intent: str) -> None:
        """Let somebody delete what an intent has made."""
        self._timeline.process(self._at(at_s, lambda: self.system.delete(intent)))

    def undo(self, at_s: float, call: ToolCall) -> None:
        """Let somebody clean up after a call."""
        self._timeline.process(self._at(at_s, lambda: self.system.undo(call)))

    def look_up(self, at_s: float, call: ToolCall, by: ReadbackBy = ReadbackBy.OPERATION_ID) -> None:
        """Let somebody ask."""
        self._timeline.process(self._at(at_s, lambda: self.readbacks.append(self.system.look_up(call, by))))

    def run(self) -> list[Answer]:
        """Run to the end; return the answers in the order in which the requests were sent."""
        self._timeline.run()
        assert all(len(answers) <= 1 for answers in self._replies), "a request is answered once"
        return [answers[0][1] for answers in self._replies if answers]

    @property
    def answered_at_s(self) -> list[float]:
        """Instants of the answers."""
        return [answers[0][0] for answers in self._replies if answers]

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects so far."""
        return tuple(self._journal.of(Effect))

    @property
    def journal(self) -> Journal:
        """Everything that was written down."""
        return self._journal

    def _at(self, at_s: float, act: Any) -> Steps:
        yield self._timeline.wait(Wait.of(at_s), f"at {at_s}")
        act()


def asked(*calls: tuple[float, ToolCall], sites: tuple[str, ...] = (), **changes: Any) -> tuple[list[Answer], Asked]:
    """Answers to requests that arrive at given instants, and the system afterwards."""
    system = Asked(*sites, **changes)
    for at_s, call in calls:
        system.send(at_s, call)
    return system.run(), system
