"""What became of each attempt, read from the traces that it left further down the journal.

A journal says when an attempt was sent and what its layer heard, not when it landed: an arrival is known
by the first thing that the receiver did for that path. What left no trace has no instant of landing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from simkit.records import Attempt, Effect, Fact, Fault, Readback, Receipt, Reply, StateChange
from simkit.terms import LayerName

__all__ = ["CLOSED", "TIMEOUT", "Trace", "is_arrival", "site_parts", "traces_of"]

TIMEOUT: Final = "timeout"
CLOSED: Final = "connection closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One attempt and the facts about it, as positions in the journal.

    Parameters
    ----------
    fault_index
        The fault on its way down; None where there was none.
    reply_index
        What its layer heard, or that it stopped waiting; None where it is not told.
    landing_index
        The first fact that shows that it has landed; None where nothing shows it.
    effect_index
        The effect that it made downstream; None for other layers, and where it made none.
    """

    attempt: Attempt
    index: int
    fault_index: int | None
    reply_index: int | None
    landing_index: int | None
    effect_index: int | None
    is_lost: bool
    is_late: bool


def traces_of(facts: Sequence[Fact]) -> tuple[Trace, ...]:
    """A trace for every attempt, in the order in which they were sent."""
    sent = [(index, fact) for index, fact in enumerate(facts) if isinstance(fact, Attempt)]
    effects = _effects_by_attempt(facts, sent)
    return tuple(_trace(facts, index, attempt, effects.get(index)) for index, attempt in sent)


def site_parts(site: str) -> tuple[str, str, str]:
    """Party or hop, what went wrong there, and the path of the attempt that met it."""
    name, _, path = site.partition("@")
    party, _, what = name.partition(".")
    return party, what, path


def is_arrival(reply: Reply) -> bool:
    """Whether something came back, rather than the layer stopping to wait."""
    return reply.detail != TIMEOUT


def _trace(facts: Sequence[Fact], index: int, attempt: Attempt, effect_index: int | None) -> Trace:
    later = range(index + 1, len(facts))
    fault_index = next((at for at in later if _is_fault(facts[at], attempt.path, "request_")), None)
    fault = facts[fault_index] if fault_index is not None else None
    what = site_parts(fault.site)[1] if isinstance(fault, Fault) else ""
    reply_index = next((at for at in later if _is_reply_to(facts[at], attempt)), None)
    landing_index = None if what == "request_lost" else _landing(facts, index, attempt, effect_index)
    gone_index = next((at for at in later if _gives_up(facts[at], attempt.path)), len(facts))
    return Trace(
        attempt=attempt,
        index=index,
        fault_index=fault_index,
        reply_index=reply_index,
        landing_index=landing_index,
        effect_index=effect_index,
        is_lost=what == "request_lost",
        is_late=what == "request_late" or (landing_index is not None and landing_index > gone_index),
    )


def _is_fault(fact: Fact, path: str, beginning: str) -> bool:
    if not isinstance(fact, Fault):
        return False
    _, what, met_by = site_parts(fact.site)
    return met_by == path and what.startswith(beginning)


def _is_reply_to(fact: Fact, attempt: Attempt) -> bool:
    return isinstance(fact, Reply) and fact.layer is attempt.layer and fact.path == attempt.path


def _gives_up(fact: Fact, path: str) -> bool:
    """Whether the sender, or a layer above on whose behalf it sends, stops waiting here."""
    return isinstance(fact, Reply) and not is_arrival(fact) and f"{path}/".startswith(f"{fact.path}/")


def _landing(facts: Sequence[Fact], index: int, attempt: Attempt, effect_index: int | None) -> int | None:
    for at in range(index + 1, len(facts)):
        if at == effect_index or _shows_landing(facts[at], attempt):
            return _first_of_step(facts, index, at, attempt) if at != effect_index else at
    return None


def _shows_landing(fact: Fact, attempt: Attempt) -> bool:
    match fact:
        case Attempt():
            return fact.layer is not attempt.layer and fact.path.rpartition("/")[0] == attempt.path
        case Reply():
            return _is_reply_to(fact, attempt) and is_arrival(fact)
        case Fault():
            _, what, path = site_parts(fact.site)
            return path == attempt.path and not what.startswith("request_")
        case _:
            return False


def _first_of_step(facts: Sequence[Fact], index: int, at: int, attempt: Attempt) -> int:
    """Step back over what the server wrote for this operation just before it did something for this path."""
    while at - 1 > index and _is_written_for(facts[at - 1], attempt.operation_id):
        at -= 1
    return at


def _is_written_for(fact: Fact, operation_id: str) -> bool:
    match fact:
        case StateChange() | Receipt():
            return fact.operation_id == operation_id
        case Readback():
            return fact.operation_id == operation_id and fact.party != LayerName.AGENT
        case _:
            return False


def _effects_by_attempt(facts: Sequence[Fact], sent: Sequence[tuple[int, Attempt]]) -> dict[int, int]:
    """Give each effect to a downstream attempt that can have made it, if possible one that is still waited for."""
    made: dict[int, int] = {}
    for effect_index, effect in enumerate(facts):
        if not isinstance(effect, Effect):
            continue
        able = [
            (not _is_awaited(facts, index, effect_index, attempt), index)
            for index, attempt in sent
            if index not in made and _can_make(facts, index, effect_index, attempt, effect)
        ]
        if able:
            made[min(able)[1]] = effect_index
    return made


def _can_make(facts: Sequence[Fact], index: int, effect_index: int, attempt: Attempt, effect: Effect) -> bool:
    wanted = (effect.intent, effect.operation_id, effect.inputs)
    if (
        attempt.layer is not LayerName.DOWNSTREAM_SDK
        or (attempt.intent, attempt.operation_id, attempt.inputs) != wanted
    ):
        return False
    is_over = any(isinstance(fact, Reply) and _answers(fact, attempt) for fact in facts[index + 1 : effect_index])
    is_lost = any(_is_fault(fact, attempt.path, "request_lost") for fact in facts[index + 1 :])
    return index < effect_index and not is_over and not is_lost


def _answers(reply: Reply, attempt: Attempt) -> bool:
    """Whether the receiver itself answered, after which it does nothing more for this attempt."""
    return _is_reply_to(reply, attempt) and reply.detail not in (TIMEOUT, CLOSED)


def _is_awaited(facts: Sequence[Fact], index: int, effect_index: int, attempt: Attempt) -> bool:
    between = facts[index + 1 : effect_index]
    return not any(_is_reply_to(fact, attempt) or _is_fault(fact, attempt.path, "request_late") for fact in between)
