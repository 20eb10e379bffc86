"""What a system of record answers, in words, and whose record or effect each answer speaks of."""

from types import MappingProxyType

from simkit.policy import Met, Progress
from simkit.scenario import Downstream
from simkit.terms import ErrorClass, Knowledge, OnExpired, State
from simkit.world.key_memory import Row
from simkit.world.messages import Answer

__all__ = [
    "ACCEPTED",
    "ERROR",
    "ERROR_AFTER_EFFECT",
    "FENCED",
    "IN_FRONT",
    "NOTHING_WANTED",
    "ON_EXPIRED",
    "OVERTAKEN",
    "RECEIPT",
    "REJECTED",
    "answer_to",
    "asking_to_wait",
]

RECEIPT = Answer(state=State.COMPLETED, detail="receipt")
ACCEPTED = Answer(state=State.ACCEPTED, detail="accepted by the system of record")
REJECTED = Answer(state=State.REJECTED, detail="refused by the system of record")
ERROR = Answer(state=State.UNKNOWN, detail="an error of the system of record, outcome unknown")
"""As which error class it is answered, the scenario says."""

ERROR_AFTER_EFFECT = Answer(
    state=State.UNKNOWN, detail="the system of record is unavailable", error=ErrorClass.UNAVAILABLE
)
FENCED = Answer(state=State.CONFLICT, detail="an older token")
NOTHING_WANTED = Answer(state=State.COMPLETED, detail="answered, nothing was to be made")
OVERTAKEN = Answer(state=State.COMPLETED, detail="an older number, dropped")

_BUSY = Answer(state=State.CONFLICT, detail="another request is at work under this key", error=ErrorClass.CONFLICT)

IN_FRONT = MappingProxyType(
    {
        "downstream.overloaded": Answer(
            state=State.REFUSED, detail="the system of record is overloaded", error=ErrorClass.OVERLOADED
        ),
        "downstream.unavailable": Answer(
            state=State.UNKNOWN, detail="503 of the system of record", error=ErrorClass.UNAVAILABLE
        ),
        "downstream.conflict": _BUSY,
        "downstream.credential_refused": Answer(
            state=State.REFUSED, detail="the system of record refuses the credential"
        ),
    }
)
"""Faults in front of the key layer, with what is answered: nothing was done, nothing is stored.

Whoever hears of a refusal knows that. Whoever hears that the system is unavailable, or that another request is
under way, does not: the same is answered where something was done.
"""

_ASKING_TO_WAIT = frozenset({ErrorClass.OVERLOADED, ErrorClass.UNAVAILABLE})

ON_EXPIRED = MappingProxyType(
    {
        OnExpired.REFUSE: Answer(state=State.EXPIRED, detail="this key is past its retention"),
        OnExpired.HOLD: Answer(state=State.UNKNOWN, detail="this key is past its retention, held for the owner"),
    }
)

_BY_MEETING = MappingProxyType(
    {
        Met.BUSY: _BUSY,
        Met.PENDING: Answer(state=State.PENDING, detail="a request with this key is at work", error=ErrorClass.PENDING),
        Met.DEDUPED: ACCEPTED._replace(detail="accepted and deduplicated"),
        Met.LOST: _BUSY._replace(detail="another request with this key was faster"),
        Met.EXISTS: Answer(state=State.CONFLICT, detail="already exists"),
        Met.LOOKALIKE: Answer(state=State.CONFLICT, detail="looks like an earlier request"),
        Met.MISMATCH: Answer(
            state=State.CONFLICT,
            detail="the system of record knows this key with other inputs",
            means=Knowledge.CONFLICT_OTHER_INPUTS,
        ),
    }
)
"""The answers that are always the same; an error class marks what passes by itself."""


def answer_to(met: Met, row: Row) -> Answer:
    """Answer for a request that does not go on, because of what it met in `row`."""
    match met:
        case Met.REPLAY:
            answer = row.answer
        case Met.CURRENT:
            answer = _as_it_stands(row)._replace(detail="made earlier")
        case Met.DROP:
            answer = _as_it_stands(row)._replace(detail="dropped as a repeat")
        case _:
            answer = _BY_MEETING[met]
    return answer._replace(origin=row.owner.call.intent, result=row.result)


def asking_to_wait(answer: Answer, downstream: Downstream) -> Answer:
    """The answer with the wait that the system asks for, where it is one of those that do."""
    is_asking = answer.error in _ASKING_TO_WAIT and downstream.retry_after_s > 0
    return answer._replace(retry_after_s=downstream.retry_after_s) if is_asking else answer


def _as_it_stands(row: Row) -> Answer:
    return ACCEPTED if row.progress is Progress.ACCEPTED else RECEIPT
