"""Which operation ID an attempt bears, and what has drifted in its arguments.

=================  ==================================================================================
identity           the ID of an attempt
=================  ==================================================================================
per intent         the intent's, as long as somebody remembers it; a new one where a restart lost it
per attempt        a new one each time
per process        one of the agent's process: the same until that restarts
hash of arguments  follows what is sent: equal arguments share it, changed ones have another
by the model       the first one, then whichever the model writes: a new one, or the same again
none               no ID
=================  ==================================================================================
"""

from dataclasses import dataclass

from simkit.choices import Drift
from simkit.scenario import PlannedCall
from simkit.terms import Identity
from simkit.world.messages import ToolCall
from simkit.world.places import EVERYTHING, Places

__all__ = ["IdMaker", "as_sent"]


def as_sent(planned: PlannedCall, drift: Drift, *, path: str, send_number: int, at: Places = EVERYTHING) -> ToolCall:
    """The call as the agent sends it the `send_number`th time, from 1, still without an operation ID."""
    has_drifted = send_number > 1
    rewritten = f"{planned.wording}, rewritten {send_number}".removeprefix(", ")
    return ToolCall(
        intent=planned.intent,
        tenant=planned.tenant,
        operation_id="",
        inputs=f"{planned.inputs}, changed {send_number}" if has_drifted and drift is Drift.INPUTS else planned.inputs,
        path=path,
        loose_inputs=planned.loose_inputs,
        wording=rewritten if has_drifted and drift is Drift.WORDING else planned.wording,
        principal=planned.principal,
        credential=f"credential {send_number}" if drift is Drift.CREDENTIAL else "",
        target=planned.target,
        approval=planned.approval,
        audience=planned.audience,
        method=planned.method,
        wants_effect=planned.wants_effect,
        at=at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IdMaker:
    """Makes the operation IDs of one planned call.

    Parameters
    ----------
    operation
        The label from which they are made.
    occurrence_number
        Which of several calls with equal arguments this one is, where the dispatcher numbers them; otherwise 0.
    """

    identity: Identity
    operation: str
    occurrence_number: int = 0

    def first(self, call: ToolCall, *, process_number: int) -> str:
        """The ID of the first attempt that anybody makes."""
        return (
            self.operation if self.identity is Identity.BY_MODEL else self._made(call, process_number, self.operation)
        )

    def again(self, call: ToolCall, remembered: str, *, process_number: int) -> str:
        """The ID of a later attempt, where the one before bore `remembered`; empty where nobody remembers.

        By the model: this is the ID of a model that writes a new one.
        """
        new = f"{self.operation}/{call.path}"
        if self.identity is Identity.BY_MODEL:
            return new
        return self._made(call, process_number, remembered or new)

    def replacement(self, call: ToolCall) -> str:
        """The ID of a new operation for the same intent."""
        return f"{self.operation}/{call.path}/new"

    def _made(self, call: ToolCall, process_number: int, kept: str) -> str:
        match self.identity:
            case Identity.PER_INTENT | Identity.BY_MODEL:
                return kept
            case Identity.NONE:
                return ""
            case Identity.PER_ATTEMPT:
                return f"{self.operation}/{call.path}"
            case Identity.PER_PROCESS:
                return f"{self.operation}/process {process_number}"
            case Identity.HASH_OF_ARGUMENTS:
                return self._hash(call)

    def _hash(self, call: ToolCall) -> str:
        occurrence = f"occurrence {self.occurrence_number}" if self.occurrence_number else ""
        parts = (call.inputs, call.wording, call.target, occurrence)
        return f"#{'; '.join(part for part in parts if part)}"
