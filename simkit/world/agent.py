"""The agent: makes the operation ID, repeats as declared, and tells the user what it knows.

It never sees an intent or an effect. What it reports stands beside what is true in the journal.
"""

from simkit.journal import Journal
from simkit.policy import can_try, declared_action, outcome_to_report, worst_knowledge
from simkit.records import Report
from simkit.scenario import Agent, Conditions, PlannedCall, RetryLayer
from simkit.terms import Action, Identity, Knowledge, Outcome, ReadbackAnswer
from simkit.world.layer import attempt_once
from simkit.world.messages import Answer, Sender, Steps, ToolCall
from simkit.world.readbacks import Readbacks
from simkit.world.timeline import Timeline
from simkit.world.trials import Trials

__all__ = ["AgentParty"]


class AgentParty:
    """Carries out planned calls.

    Parameters
    ----------
    readbacks
        How the agent can ask for a status; None where it cannot.
    """

    def __init__(
        self,
        agent: Agent,
        policy: RetryLayer,
        conditions: Conditions,
        below: Sender,
        readbacks: Readbacks | None,
        timeline: Timeline,
        journal: Journal,
        trials: Trials,
    ) -> None:
        self._agent = agent
        self._policy = policy
        self._conditions = conditions
        self._below = below
        self._readbacks = readbacks if agent.identity is not Identity.NONE else None
        self._timeline = timeline
        self._journal = journal
        self._trials = trials
        budget_s = conditions.retry_horizon_s
        self._budget_s = budget_s if policy.budget_s is None else min(budget_s, policy.budget_s)

    def carry_out(self, planned: PlannedCall, prefix: str) -> Steps:
        """Try until it is settled, the attempts are used up, or the horizon has passed; then report.

        `prefix` sets the paths of one planned call apart from those of another.
        """
        timeline, policy = self._timeline, self._policy
        first = timeline.mark()
        known: Knowledge | None = None
        number = 1
        operation_id = self._operation_id(planned, f"{prefix}{number}")
        first_id = operation_id
        while True:
            call = ToolCall(
                intent=planned.intent,
                tenant=planned.tenant,
                operation_id=operation_id,
                inputs=planned.inputs,
                path=f"{prefix}{number}",
            )
            answer: Answer = yield from attempt_once(policy, call, number, self._below, timeline, self._journal, None)
            is_same_operation = operation_id == first_id != ""
            known = worst_knowledge(known, answer.state, is_same_operation=is_same_operation)
            has_attempts_left = number < policy.attempts
            action = self._decide(known, call.path, has_attempts_left=has_attempts_left)
            if action is Action.STATUS_FIRST and self._readbacks is not None:
                known = yield from self._ask_status(self._readbacks, known, call)
                action = self._decide(known, f"{call.path}/status", has_attempts_left=has_attempts_left)
            if action not in (Action.SAME_ID, Action.NEW_OPERATION):
                break
            yield timeline.wait(policy.backoff, f"agent.backoff@{call.path}", is_local=True)
            if timeline.passed(first, self._budget_s, "agent.budget"):
                break
            number += 1
            if action is Action.NEW_OPERATION:
                operation_id = f"{planned.operation}/{prefix}{number}/new"
            elif self._agent.identity is Identity.PER_ATTEMPT:
                operation_id = self._operation_id(planned, f"{prefix}{number}")
        self._report(planned, known)

    def _operation_id(self, planned: PlannedCall, path: str) -> str:
        if self._agent.identity is Identity.NONE:
            return ""
        return f"{planned.operation}/{path}" if self._agent.identity is Identity.PER_ATTEMPT else planned.operation

    def _decide(self, known: Knowledge, path: str, *, has_attempts_left: bool) -> Action:
        others = can_try(
            known,
            self._agent.identity,
            has_attempts_left=has_attempts_left,
            has_readback=self._readbacks is not None,
        )
        declared = declared_action(known, has_attempts_left=has_attempts_left)
        return self._trials.action(self._policy.name, known, path, declared, others)

    def _ask_status(self, readbacks: Readbacks, known: Knowledge, call: ToolCall) -> Steps:
        answer: ReadbackAnswer = yield from readbacks.ask("agent", call)
        if answer is ReadbackAnswer.FOUND:
            return Knowledge.FOUND
        return Knowledge.NOT_SEEN if answer is ReadbackAnswer.NOT_SEEN else known

    def _report(self, planned: PlannedCall, known: Knowledge) -> None:
        state, outcome = outcome_to_report(known, self._policy.on_exhausted)
        is_open = outcome is Outcome.UNKNOWN
        self._journal.append(
            Report(
                at_s=self._timeline.now_s,
                layer=self._policy.name,
                intent=planned.intent,
                state=state,
                outcome=outcome,
                owner=self._conditions.owner if is_open else "",
                deadline_s=self._conditions.deadline_s if is_open else 0.0,
            )
        )
