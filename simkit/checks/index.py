"""One pass over a journal, from which every check answers.

Facts of independent parties may stand in any order, and an instant may be a lower bound, so nothing here
depends on the order of facts of different parties.
"""

from dataclasses import dataclass, field

from simkit.journal import Journal
from simkit.records import (
    Approval,
    Attempt,
    CleanUp,
    Effect,
    End,
    Fact,
    Fault,
    Intent,
    Promised,
    Readback,
    Reply,
    Report,
    Settlement,
    Start,
    StateChange,
)
from simkit.terms import LayerName, State

__all__ = ["Index", "IntentFacts", "index_journal", "is_durable_decision"]

_LAYERS = tuple(LayerName)

_REJECTED = State.REJECTED

_NO_END = "the end of the run, which the journal does not hold"


@dataclass(slots=True, kw_only=True)
class IntentFacts:
    """What concerns one intent.

    Parameters
    ----------
    steps
        Attempts, replies, readbacks and reports together, in order.
    """

    attempts: list[Attempt] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    readbacks: list[Readback] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    clean_ups: list[CleanUp] = field(default_factory=list)
    settlements: list[Settlement] = field(default_factory=list)
    steps: list[Attempt | Reply | Readback | Report] = field(default_factory=list)

    def note(self, fact: Start | CleanUp | Settlement) -> None:
        """Keep a fact of a kind that most runs have none of."""
        if isinstance(fact, Start):
            self.starts.append(fact)
        elif isinstance(fact, CleanUp):
            self.clean_ups.append(fact)
        else:
            self.settlements.append(fact)

    def outermost_layer(self) -> LayerName | None:
        """The layer nearest to the user among those that sent something; None where nobody did."""
        senders = {attempt.layer for attempt in self.attempts}
        return next((layer for layer in _LAYERS if layer in senders), None)


class _FactsByIntent(dict[str, IntentFacts]):
    def __missing__(self, intent: str) -> IntentFacts:
        facts = self[intent] = IntentFacts()
        return facts


@dataclass(slots=True, kw_only=True)
class Index:
    """A journal, sorted by intent.

    Parameters
    ----------
    attempts
        Those of all intents, in order.
    record_states
        How often each party's record of a tenant's operation entered each state, the one that it is in last.
    shared_ids
        Operation IDs that were sent with more than one set of inputs.
    tenants
        The tenant of each intent.
    approvals
        What was approved, by name.
    faults
        What went wrong in the run.
    waiting_for
        The next step of a run that was cut; None where it ended at quiescence.
    """

    promised: Promised
    intents: list[Intent]
    by_intent: dict[str, IntentFacts]
    attempts: list[Attempt]
    state_changes: list[StateChange]
    record_states: dict[tuple[str, str, str], dict[State, int]]
    shared_ids: set[str]
    tenants: dict[str, str]
    approvals: dict[str, Approval]
    faults: list[Fault]
    waiting_for: str | None

    def missing_stages(self, intent: Intent) -> list[str]:
        """Promised stages in which an intent that wants an effect has none."""
        if not intent.wants_effect:
            return []
        made = {effect.stage for effect in self.by_intent[intent.intent].effects}
        return [stage for stage in self.promised.stages if stage not in made]


def is_durable_decision(reply: Reply) -> bool:
    """Whether a rejection was decided, not merely said by a layer that gave up on an open attempt."""
    return reply.state is _REJECTED and "gave up" not in reply.detail


def index_journal(journal: Journal) -> Index:
    """Sort the facts of a journal.

    Raises
    ------
    ValueError
        If the journal doesn't say what was promised.
    """
    attempts: list[Attempt] = []
    state_changes: list[StateChange] = []
    record_states: dict[tuple[str, str, str], dict[State, int]] = {}
    faults: list[Fault] = []
    frame: list[Fact] = []
    inputs_by_id: dict[str, str] = {}
    shared_ids: set[str] = set()
    by_intent = _FactsByIntent()
    for fact in journal:
        if isinstance(fact, Attempt):
            facts = by_intent[fact.intent]
            facts.attempts.append(fact)
            facts.steps.append(fact)
            attempts.append(fact)
            if fact.operation_id and inputs_by_id.setdefault(fact.operation_id, fact.inputs) != fact.inputs:
                shared_ids.add(fact.operation_id)
        elif isinstance(fact, Reply):
            facts = by_intent[fact.intent]
            facts.replies.append(fact)
            facts.steps.append(fact)
        elif isinstance(fact, Fault):
            faults.append(fact)
        elif isinstance(fact, StateChange):
            state_changes.append(fact)
            states = record_states.setdefault((fact.party, fact.tenant, fact.operation_id), {})
            states[fact.state] = states.pop(fact.state, 0) + 1  # put back at the end: the last one is the present one
        elif isinstance(fact, Effect):
            by_intent[fact.intent].effects.append(fact)
        elif isinstance(fact, Readback):
            facts = by_intent[fact.intent]
            facts.readbacks.append(fact)
            facts.steps.append(fact)
        elif isinstance(fact, Report):
            facts = by_intent[fact.intent]
            facts.reports.append(fact)
            facts.steps.append(fact)
        elif isinstance(fact, (Start, CleanUp, Settlement)):
            by_intent[fact.intent].note(fact)
        else:
            frame.append(fact)
    intents = [fact for fact in frame if isinstance(fact, Intent)]
    return Index(
        promised=_promised(frame),
        intents=intents,
        by_intent=by_intent,
        attempts=attempts,
        state_changes=state_changes,
        record_states=record_states,
        shared_ids=shared_ids,
        tenants={intent.intent: intent.tenant for intent in intents},
        approvals={fact.approval: fact for fact in frame if isinstance(fact, Approval)},
        faults=faults,
        waiting_for=_waiting_for(frame),
    )


def _promised(frame: list[Fact]) -> Promised:
    for fact in frame:
        if isinstance(fact, Promised):
            return fact
    raise ValueError("a journal opens with a Promised fact; this one holds none")


def _waiting_for(frame: list[Fact]) -> str | None:
    end = frame[-1]
    if not isinstance(end, End):
        return _NO_END
    return None if end.is_quiescent else end.waiting_for
