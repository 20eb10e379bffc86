"""Undoing at the systems of record what a call may have made, one stage after the other, the last first."""

from collections.abc import Callable
from typing import NamedTuple

from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import CleanUp
from simkit.world.messages import Steps, ToolCall
from simkit.world.timeline import Timeline

__all__ = ["CleaningUp", "Undone"]


class Undone(NamedTuple):
    """A stage and how the effects of one operation are taken out of its system of record."""

    stage: str
    take_out: Callable[[ToolCall], object]


class CleaningUp:
    """Begins clean-ups, whether or not there is anything to undo.

    Parameters
    ----------
    way
        How long it takes to reach a system of record.
    """

    def __init__(self, undone: tuple[Undone, ...], way: Wait, timeline: Timeline, journal: Journal) -> None:
        self._undone = undone
        self._way = way
        self._timeline = timeline
        self._journal = journal

    def undo(self, party: str, call: ToolCall) -> Steps:
        """Undo what bears the operation ID of `call`; what lands later is not undone."""
        for stage, take_out in reversed(self._undone):
            yield self._timeline.wait(self._way, f"{party}.clean_up@{call.path}/{stage}")
            self._journal.append(
                CleanUp(
                    at_s=self._timeline.now_s,
                    party=party,
                    stage=stage,
                    intent=call.intent,
                    operation_id=call.operation_id,
                )
            )
            take_out(call)
