"""A server that keeps its records in the system of record itself: effect and receipt are one durable step.

Uniqueness shows only when two commit: the second finds the first one's row. What its caller then gets is
the server's policy for a duplicate while the first is at work.
"""

from simkit.scenario import Server
from simkit.terms import ClaimKind, ErrorClass, OnPending, State
from simkit.world.messages import Answer, ToolCall
from simkit.world.record_store import RecordStore

__all__ = ["Transaction"]

VIOLATION = Answer(state=State.UNKNOWN, detail="unique violation", error=ErrorClass.SERVER_ERROR)
BUSY = Answer(state=State.PENDING, detail="another call with this ID was faster", error=ErrorClass.PENDING)
TAKEN = Answer(state=State.CONFLICT, detail="another call with this ID was faster", error=ErrorClass.CONFLICT)


class Transaction:
    """What a system of record does beside the effect of one stage, in the same step."""

    def __init__(self, server: Server, stage: str, records: RecordStore) -> None:
        self._server = server
        self._stage = stage
        self._records = records

    def standing(self, call: ToolCall) -> Answer | None:
        """What a commit of this call meets, where another one stands already; None where it may commit."""
        is_unique = self._server.claim is ClaimKind.UNIQUE
        if not is_unique or self._stage not in self._records.stages_of(call, None)[0]:
            return None
        match self._server.on_pending:
            case OnPending.WAIT:
                return self._records.recorded(call, None)
            case OnPending.CONFLICT:
                return self._records.told(call, None, TAKEN)
            case OnPending.RETURN_PENDING:
                return self._records.told(call, None, BUSY)
            case OnPending.RUN_AGAIN:
                return VIOLATION

    def commit(self, call: ToolCall, answer: Answer) -> None:
        """Write the receipt with the effect."""
        self._records.add_receipt(call, self._stage, answer, 0, None)
