"""The approvals that were given: whether one is good for a call now, and who has used it up."""

from simkit.scenario import Approval, Conditions
from simkit.terms import Clock
from simkit.world.comparing import has_passed
from simkit.world.messages import ToolCall
from simkit.world.timeline import Timeline

__all__ = ["Approvals"]

APPROVER = "approver"


class Approvals:
    """Approvals by name. Who uses one is known by the operation ID alone: no party sees an intent."""

    def __init__(self, approvals: tuple[Approval, ...], conditions: Conditions, timeline: Timeline) -> None:
        self._given = {approval.name: approval for approval in approvals}
        self._used_by: dict[str, str] = {}
        self._timeline = timeline
        self._start = timeline.mark()
        self._skew_s = conditions.skew_s_of(APPROVER, Clock.SERVER)

    def __bool__(self) -> bool:
        return bool(self._given)

    def is_good(self, call: ToolCall) -> bool:
        """Whether an effect of this call may begin now, for what the server can see."""
        approval = self._given.get(call.approval)
        if approval is None or approval.inputs != call.inputs:
            return False
        if approval.audience and approval.audience != call.audience:
            return False
        if approval.is_single_use and self._used_by.get(approval.name, _user(call)) != _user(call):
            return False
        return approval.expires_s is None or not has_passed(
            self._timeline, self._start, approval.expires_s, "approval.expiry", skew_s=self._skew_s
        )

    def use(self, call: ToolCall) -> None:
        """Mark the approval as used by this operation."""
        self._used_by.setdefault(call.approval, _user(call))


def _user(call: ToolCall) -> str:
    return call.operation_id or call.path
