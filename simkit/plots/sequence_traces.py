"""What became of each attempt, read from the traces that it left further down the journal.

A journal says when an attempt was sent and what its layer heard, not when it landed: an arrival is known
by the first thing that the receiver did for that path. What left no trace has no instant of landing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from simkit.plots.sequence_effects import effects_by_attempt
from simkit.plots.sequence_facts import is_arrival, is_fault_on, is_reply_to, site_parts
from simkit.records import Attempt, Fact, Fault, Readback, Receipt, Reply, StateChange
from simkit.terms import LayerName

__all__ = ["Trace", "traces_of"]


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
    effects = effects_by_attempt(facts, sent)
    return tuple(_trace(facts, index, attempt, effects.get(index)) for index, attempt in sent)


def _trace(facts: Sequence[Fact], index: int, attempt: Attempt, effect_index: int | None) -> Trace:
    later = range(index + 1, len(facts))
    fault_index = next((at for at in later if is_fault_on(facts[at], attempt.path, "request_")), None)
    fault = facts[fault_index] if fault_index is not None else None
    what = site_parts(fault.site)[1] if isinstance(fault, Fault) else ""
    reply_index = next((at for at in later if is_reply_to(facts[at], attempt)), None)
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
            return is_reply_to(fact, attempt) and is_arrival(fact)
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
