"""One more attempt by somebody who is not the agent, and what is told of it."""

from simkit.journal import Journal
from simkit.policy import conclusion, worst_knowledge
from simkit.records import Report
from simkit.scenario import RetryLayer
from simkit.terms import Knowledge
from simkit.world.layer import attempt_once
from simkit.world.messages import Answer, Sender, Steps, ToolCall
from simkit.world.reports import Reports
from simkit.world.timeline import Timeline

__all__ = ["SendingAgain"]


class SendingAgain:
    """Sends by the same way as the agent, and waits as long as it would.

    Parameters
    ----------
    policy
        The agent's layer: its timeout, and what it says of an open outcome.
    """

    def __init__(
        self,
        policy: RetryLayer,
        below: Sender,
        reports: Reports,
        timeline: Timeline,
        journal: Journal,
        *,
        handover_completes: bool,
    ) -> None:
        self._policy = policy
        self._below = below
        self._reports = reports
        self._timeline = timeline
        self._journal = journal
        self._handover_completes = handover_completes

    def send(self, call: ToolCall, number: int, known: Knowledge | None, *, is_same_operation: bool) -> Steps:
        """Send once; return the `Report` of what is known then, given what was known before."""
        answer: Answer = yield from attempt_once(
            self._policy, call, number, self._below, self._timeline, self._journal, None
        )
        known = worst_knowledge(known, answer.state, is_same_operation=is_same_operation)
        state, outcome = conclusion(
            known,
            answer.state,
            answer.stages,
            self._policy.on_exhausted,
            handover_completes=self._handover_completes,
        )
        report: Report = self._reports.tell(call.intent, state, outcome, answer.stages)
        return report
