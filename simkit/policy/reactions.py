"""What a layer knows after an answer, what it may try next, and what it says in the end.

Knowledge is the worst over all attempts: once something was possibly sent, a later refusal settles
nothing. Only a receipt, or a durable decision under the same ID, does. What was accepted is somebody's
work that can be watched, so it is pending for whoever asks what may be done.
"""

from types import MappingProxyType

from simkit.choices import OnConflict, OnRejected
from simkit.terms import Action, ErrorClass, Identity, Knowledge, OnExhausted, Outcome, State

__all__ = [
    "can_try",
    "declared_action",
    "failure_of",
    "is_nothing_sent",
    "is_settled",
    "outcome_after_conflict",
    "outcome_to_report",
    "worst_knowledge",
]

_KNOWLEDGE_BY_STATE = MappingProxyType(
    {
        State.COMPLETED: Knowledge.FOUND,
        State.REJECTED: Knowledge.REJECTED,
        State.REFUSED: Knowledge.NOTHING_SENT,
        State.PENDING: Knowledge.PENDING,
        State.ACCEPTED: Knowledge.PENDING,
        State.CONFLICT: Knowledge.CONFLICT_POSSIBLY_MINE,
        State.EXPIRED: Knowledge.EXPIRED,
    }
)

_SETTLING = frozenset({Knowledge.FOUND, Knowledge.REJECTED})

_NOTHING_SENT = frozenset({Knowledge.NOTHING_SENT, Knowledge.APPROVAL_LAPSED})
"""The attempt did nothing; with no other one, nothing was done at all."""

_POLLED = frozenset({Knowledge.PENDING, Knowledge.POSSIBLY_SENT})
"""Where waiting alone may bring another answer."""

_HOPELESS = frozenset({Knowledge.CONFLICT_POSSIBLY_MINE, Knowledge.CONFLICT_OTHER_INPUTS, Knowledge.EXPIRED})

_NEEDS_NO_STATUS = _SETTLING | {Knowledge.NOT_SEEN, Knowledge.CONFIRMED_ABSENT}

# Asked in every step of millions of runs: to read a member of an enumeration by its class is slow (Python 3.11).
_FOUND, _REJECTED, _POSSIBLY_SENT = Knowledge.FOUND, Knowledge.REJECTED, Knowledge.POSSIBLY_SENT
_SAME_ID = Action.SAME_ID

_CLASS_BY_STATE = MappingProxyType(
    {
        State.CONFLICT: ErrorClass.CONFLICT,
        State.PENDING: ErrorClass.PENDING,
        State.UNKNOWN: ErrorClass.UNKNOWN,
    }
)

_AFTER_REJECTION = MappingProxyType(
    {
        OnRejected.STOP: Action.STOP,
        OnRejected.SAME_ID: Action.SAME_ID,
        OnRejected.NEW_ID: Action.NEW_OPERATION,
    }
)


def worst_knowledge(
    before: Knowledge | None, state: State, *, is_same_operation: bool = True, means: Knowledge | None = None
) -> Knowledge:
    """What is known after one more answer, given what was known before (None before the first).

    Parameters
    ----------
    is_same_operation
        Whether all attempts bore one operation ID. A rejection under another ID, or without any, settles
        nothing about what was sent before.
    means
        What the answer says where that is more than its state; None where it is not.
    """
    heard = means or _KNOWLEDGE_BY_STATE.get(state, _POSSIBLY_SENT)
    if before is None or before in _NOTHING_SENT or heard is _FOUND:
        return heard
    if before in _SETTLING or heard in _NOTHING_SENT:
        return before
    return before if heard is _REJECTED and not is_same_operation else heard


def is_settled(known: Knowledge) -> bool:
    """Whether nothing that was sent is open any more."""
    return known in _SETTLING or known in _NOTHING_SENT


def is_nothing_sent(known: Knowledge | None) -> bool:
    """Whether it is certain that no attempt was sent; None is what is known before the first answer."""
    return known in _NOTHING_SENT


def failure_of(state: State, error: ErrorClass | None) -> ErrorClass | None:
    """As which failure an answer counts for a party that lists what it tries again; None where it is none."""
    return _CLASS_BY_STATE.get(state) if error is None else error


def declared_action(
    known: Knowledge,
    *,
    has_attempts_left: bool,
    on_rejected: OnRejected = OnRejected.STOP,
    is_listed: bool | None = None,
) -> Action:
    """What a layer does as requested in the review: repeat while it may, then hold for the owner.

    Parameters
    ----------
    is_listed
        Whether the last answer is one of the failures that the layer lists; None where it lists none
        and repeats whatever is open.
    """
    if known is _REJECTED and has_attempts_left:
        return _AFTER_REJECTION[on_rejected]
    if known in _SETTLING:
        return Action.STOP
    repeats = is_listed if is_listed is not None else known not in _HOPELESS
    return _SAME_ID if repeats and has_attempts_left else Action.HOLD


def can_try(known: Knowledge, identity: Identity, *, has_attempts_left: bool, has_readback: bool) -> tuple[Action, ...]:
    """Every action at this row that sends or asks something, whether wise or not.

    Holding and stopping are not tried: whatever else is refused, they are what is left.
    """
    tried: list[Action] = []
    if has_attempts_left:
        tried.append(Action.SAME_ID)
        if identity is not Identity.NONE:
            tried.append(Action.NEW_OPERATION)
    if has_readback and known not in _NEEDS_NO_STATUS:
        tried.append(Action.STATUS_FIRST)
    if has_readback and has_attempts_left and known in _POLLED:
        tried.append(Action.POLL)
    return tuple(tried)


def outcome_after_conflict(on_conflict: OnConflict, *, has_sent_before: bool) -> tuple[State, Outcome] | None:
    """What is said, without any evidence, where the last answer was that the ID or the natural key is taken.

    None where the conflict alone lets nothing be said.
    """
    if on_conflict is OnConflict.TAKE_AS_DONE and has_sent_before:
        return State.COMPLETED, Outcome.OK
    return (State.CONFLICT, Outcome.FAILED) if on_conflict is OnConflict.SAY_FAILED else None


def outcome_to_report(
    known: Knowledge, on_exhausted: OnExhausted, last: State = State.UNKNOWN
) -> tuple[State, Outcome]:
    """What is said about the operation in the end; `last` is what the last attempt heard."""
    if on_exhausted is OnExhausted.SAY_LAST and known is not Knowledge.FOUND:
        known = worst_knowledge(None, last)
    if known is Knowledge.FOUND:
        return State.COMPLETED, Outcome.OK
    if known is Knowledge.REJECTED:
        return State.REJECTED, Outcome.FAILED
    if known in _NOTHING_SENT:
        return State.REFUSED, Outcome.FAILED
    if on_exhausted is OnExhausted.SAY_FAILED:
        return State.REJECTED, Outcome.FAILED
    return State.UNKNOWN, Outcome.UNKNOWN
