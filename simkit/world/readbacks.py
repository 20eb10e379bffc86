"""Asking the system of record about one operation, as often as the policy says.

Site: `readback.cannot_tell`, for each question: an error, a denial, a partial list.
"""

from simkit.journal import Journal
from simkit.records import Readback as ReadbackFact
from simkit.scenario import Readback
from simkit.terms import ReadbackAnswer
from simkit.world.faults import Faults
from simkit.world.messages import Steps, ToolCall
from simkit.world.system_of_record import SystemOfRecord
from simkit.world.timeline import Timeline

__all__ = ["Readbacks"]


class Readbacks:
    """Asks until something can be told, or the attempts are used up."""

    def __init__(
        self, readback: Readback, system: SystemOfRecord, timeline: Timeline, journal: Journal, faults: Faults
    ) -> None:
        self._readback = readback
        self._system = system
        self._timeline = timeline
        self._journal = journal
        self._faults = faults

    def ask(self, party: str, call: ToolCall) -> Steps:
        """Return a `ReadbackAnswer`; the answer is as old as the instant at which it is given."""
        answer = ReadbackAnswer.CANNOT_TELL
        for number in range(1, self._readback.attempts + 1):
            path = f"{call.path}/{party}-{number}"
            yield self._timeline.wait(self._readback.latency, f"readback@{path}", touches=call.at | self._system.place)
            if self._faults.happens("readback.cannot_tell", path):
                continue
            answer = self._system.look_up(call, self._readback.by)
            break
        self._journal.append(
            ReadbackFact(
                at_s=self._timeline.now_s,
                party=party,
                intent=call.intent,
                operation_id=call.operation_id,
                answer=answer,
                stage=call.stage,
            )
        )
        return answer
