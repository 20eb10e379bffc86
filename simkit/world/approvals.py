"""The approvals that were given: whether one is good for a call now, who has used it up, and what begins under it."""

from dataclasses import replace

from simkit.choices import ApprovalCheck, Binding
from simkit.journal import Journal
from simkit.policy import fingerprint
from simkit.records import Approval as ApprovalFact
from simkit.records import Start
from simkit.scenario import Approval, Conditions, Stage
from simkit.terms import Clock
from simkit.world.comparing import has_passed
from simkit.world.messages import ToolCall
from simkit.world.timeline import Timeline

__all__ = ["Approvals", "Starts"]

APPROVER = "approver"


class Approvals:
    """Approvals by name. Who uses one is known by the operation ID alone: no party sees an intent.

    Parameters
    ----------
    binding
        Which inputs the server compares with those that were approved.
    """

    def __init__(
        self, approvals: tuple[Approval, ...], binding: Binding, conditions: Conditions, timeline: Timeline
    ) -> None:
        self._binding = binding
        self._given = {approval.name: approval for approval in approvals}
        self._used_by: dict[str, str] = {}
        self._timeline = timeline
        self._start = timeline.mark()
        self._conditions = conditions

    def __bool__(self) -> bool:
        return bool(self._given)

    def is_good(self, call: ToolCall, *, binds_audience: bool = True) -> bool:
        """Whether an effect of this call may begin now, for what the server can see.

        `binds_audience` is False where the approved policy is to work the audience out anew.
        """
        approval = self._given.get(call.approval)
        if approval is None or self._bound(approval) != self._bound(call):
            return False
        if binds_audience and approval.audience and approval.audience != call.audience:
            return False
        if approval.is_single_use and self._used_by.get(approval.name, _user(call)) != _user(call):
            return False
        if approval.expires_s is None:
            return True
        skew_s = self._conditions.skew_s_of(APPROVER, Clock.SERVER)
        return not has_passed(self._timeline, self._start, approval.expires_s, "approval.expiry", skew_s=skew_s)

    def renew(self, call: ToolCall, journal: Journal) -> ToolCall:
        """The call under an approval that somebody has given it now, for what it sends; one without needs none."""
        old = self._given.get(call.approval)
        if old is None:
            return call
        new = replace(old, name=f"{old.name}, again for {call.path}", inputs=call.inputs, expires_s=None)
        self._given[new.name] = new
        journal.append(
            ApprovalFact(
                approval=new.name,
                intent=new.intent,
                inputs=new.inputs,
                audience=new.audience,
                expires_at_s=None,
                is_single_use=new.is_single_use,
            )
        )
        return call._replace(approval=new.name)

    def settle_time(self, call: ToolCall) -> None:
        """Let it be known whether the approval has expired by true time, for whoever reads the journal."""
        approval = self._given.get(call.approval)
        if approval is not None and approval.expires_s is not None:
            self._timeline.passed(self._start, approval.expires_s, "approval.expiry")

    def use(self, call: ToolCall) -> None:
        """Mark the approval as used by this operation."""
        self._used_by.setdefault(call.approval, _user(call))

    def _bound(self, content: Approval | ToolCall) -> str:
        return fingerprint(
            self._binding, inputs=content.inputs, loose_inputs=content.loose_inputs, wording=content.wording
        )


class Starts:
    """Lets the stages of an operation begin, and writes down under which approval they do.

    Parameters
    ----------
    party
        Who begins them.
    """

    def __init__(
        self, party: str, check: ApprovalCheck, approvals: Approvals, timeline: Timeline, journal: Journal
    ) -> None:
        self._party = party
        self._is_checking = check is ApprovalCheck.AT_EACH_START
        self._approvals = approvals
        self._timeline = timeline
        self._journal = journal

    def begin(self, call: ToolCall, stage: Stage) -> bool:
        """Whether this call may make the effect of a stage now; if so, and where approvals play a part, it is noted."""
        approvals = self._approvals
        if self._is_checking and not approvals.is_good(call, binds_audience=not stage.may_recompute_audience):
            return False
        if approvals:
            approvals.settle_time(call)
            self._journal.append(
                Start(
                    at_s=self._timeline.now_s,
                    party=self._party,
                    stage=stage.name,
                    intent=call.intent,
                    operation_id=call.operation_id,
                    inputs=call.inputs,
                    approval=call.approval,
                )
            )
        return True


def _user(call: ToolCall) -> str:
    return call.operation_id or call.path
