"""Layers above one party that answers as it is told, on a clock."""

from typing import Any

from simkit.chance import Chance
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.scenario import RetryLayer
from simkit.terms import ErrorClass, LayerName, State
from simkit.world.layer import Layer
from simkit.world.link import InProcess
from simkit.world.messages import Answer, ReplyPath, Steps, ToolCall
from simkit.world.places import EVERYTHING
from simkit.world.timeline import ConcreteTimeline
from simkit.world.trials import Decisions, Trials
from tests.builders import FaultsAt, a_layer

__all__ = ["BUSY", "DONE", "DOWN", "EVERY_ERROR", "GATEWAY", "SDK", "TAKEN", "Bench", "Party", "an_sdk"]

DONE = Answer(state=State.COMPLETED, detail="done")
BUSY = Answer(state=State.REFUSED, detail="429", error=ErrorClass.OVERLOADED, retry_after_s=7.0)
DOWN = Answer(state=State.UNKNOWN, detail="503", error=ErrorClass.UNAVAILABLE)
TAKEN = Answer(state=State.CONFLICT, detail="409", error=ErrorClass.CONFLICT)
EVERY_ERROR = tuple(ErrorClass)
SDK, GATEWAY = LayerName.CLIENT_SDK, LayerName.GATEWAY


class Party:
    """Answers as it is told, the last answer for ever; None never answers.

    Parameters
    ----------
    work_s
        From the arrival of a call to its answer; may be changed between calls.
    """

    takes_calls_locally = True
    place = EVERYTHING

    def __init__(self, timeline: ConcreteTimeline, answers: tuple[Answer | None, ...], work_s: float) -> None:
        self._timeline = timeline
        self._answers = answers
        self.work_s = work_s
        self.arrivals_s: list[float] = []

    def serve(self, call: ToolCall, reply: ReplyPath) -> Steps:
        """Take one call."""
        answer = self._answers[min(len(self.arrivals_s), len(self._answers) - 1)]
        self.arrivals_s.append(self._timeline.now_s)
        yield self._timeline.wait(Wait.of(self.work_s), f"work@{call.path}")
        if answer is not None:
            reply.answer(answer)


class Bench:
    """Layers above one party, outermost first, all in one process; `chance` draws the waits that have a law."""

    def __init__(
        self,
        *policies: RetryLayer,
        answers: tuple[Answer | None, ...],
        work_s: float = 0.0,
        chance: Chance | None = None,
    ) -> None:
        self.timeline = ConcreteTimeline(FaultsAt() if chance is None else chance)
        self.journal = Journal()
        self.party = Party(self.timeline, answers, work_s)
        trials = Trials(FaultsAt(), Decisions(), is_on=False)
        self.layers: list[Layer] = []
        below = InProcess(self.party, self.timeline)
        for policy in reversed(policies):
            self.layers.append(Layer(policy, below, self.timeline, self.journal, trials))
            below = InProcess(self.layers[-1], self.timeline)
        self._top = below

    def call(self, count: int = 1, method: str = "POST") -> list[Answer]:
        """What so many calls at once are answered; runs until the last of them is."""
        calls = [self.a_call(f"{number}") for number in range(1, count + 1)]
        waiters = [self._top.send(call._replace(method=method), None) for call in calls]
        answers: list[Any] = []
        for waiter in waiters:
            self.timeline.run(until=waiter.event)
            answers.append(waiter.event.value)
        return answers

    def a_call(self, path: str) -> ToolCall:
        """One call of that path."""
        return ToolCall(intent="i1", tenant="t1", operation_id="op1", inputs="x", path=path)

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""
        self.timeline.run(until=self.timeline.deadline(seconds, "meanwhile"))

    @property
    def request_count(self) -> int:
        """Calls that reached the party."""
        return len(self.party.arrivals_s)


def an_sdk(**changes: object) -> RetryLayer:
    """A client SDK with three attempts, 2 s between them."""
    return a_layer(SDK, **{"attempts": 3, "backoff": Wait.of(2.0), **changes})
