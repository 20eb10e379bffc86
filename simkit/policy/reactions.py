"""What a layer knows after an answer, what it may try next, and what it says in the end.

Knowledge is the worst over all attempts: once something was possibly sent, a later refusal settles
nothing. Only a receipt, or a durable decision under the same ID, does.
"""

from types import MappingProxyType

from simkit.terms import Action, Identity, Knowledge, OnExhausted, Outcome, State

__all__ = ["can_try", "declared_action", "outcome_to_report", "worst_knowledge"]

_KNOWLEDGE_BY_STATE = MappingProxyType(
    {
        State.COMPLETED: Knowledge.FOUND,
        State.REJECTED: Knowledge.REJECTED,
        State.REFUSED: Knowledge.NOTHING_SENT,
        State.PENDING: Knowledge.PENDING,
        State.CONFLICT: Knowledge.CONFLICT_POSSIBLY_MINE,
        State.EXPIRED: Knowledge.EXPIRED,
    }
)

_SETTLING = frozenset({Knowledge.FOUND, Knowledge.REJECTED})


def worst_knowledge(before: Knowledge | None, state: State, *, is_same_operation: bool = True) -> Knowledge:
    """What is known after one more answer, given what was known before (None before the first).

    `is_same_operation` says that all attempts bore one operation ID. A rejection under another ID, or
    without any, settles nothing about what was sent before.
    """
    heard = _KNOWLEDGE_BY_STATE.get(state, Knowledge.POSSIBLY_SENT)
    if before is None or before is Knowledge.NOTHING_SENT or heard is Knowledge.FOUND:
        return heard
    if before in _SETTLING or heard is Knowledge.NOTHING_SENT:
        return before
    return before if heard is Knowledge.REJECTED and not is_same_operation else heard


def declared_action(known: Knowledge, *, has_attempts_left: bool) -> Action:
    """What a layer does as requested in the review: repeat while it may, then hold for the owner."""
    if known in _SETTLING:
        return Action.STOP
    if known in (Knowledge.CONFLICT_POSSIBLY_MINE, Knowledge.CONFLICT_OTHER_INPUTS, Knowledge.EXPIRED):
        return Action.HOLD
    return Action.SAME_ID if has_attempts_left else Action.HOLD


def can_try(known: Knowledge, identity: Identity, *, has_attempts_left: bool, has_readback: bool) -> tuple[Action, ...]:
    """Every action at this row that sends or asks something, whether wise or not.

    Holding and stopping are not tried: they send nothing, so they can cause no effect.
    """
    tried: list[Action] = []
    if has_attempts_left:
        tried.append(Action.SAME_ID)
        if identity is not Identity.NONE:
            tried.append(Action.NEW_OPERATION)
    if has_readback and known not in (Knowledge.NOT_SEEN, *_SETTLING):
        tried.append(Action.STATUS_FIRST)
    return tuple(tried)


def outcome_to_report(known: Knowledge, on_exhausted: OnExhausted) -> tuple[State, Outcome]:
    """What is said about the operation in the end."""
    if known is Knowledge.FOUND:
        return State.COMPLETED, Outcome.OK
    if known is Knowledge.REJECTED:
        return State.REJECTED, Outcome.FAILED
    if known is Knowledge.NOTHING_SENT:
        return State.REFUSED, Outcome.FAILED
    if on_exhausted is OnExhausted.SAY_FAILED:
        return State.REJECTED, Outcome.FAILED
    return State.UNKNOWN, Outcome.UNKNOWN
