"""Which delivery made which effect: a journal names the operation of an effect, not the attempt."""

from collections.abc import Sequence
from dataclasses import dataclass

from simkit.plots.sequence_facts import is_fault_on, is_given_up, is_reply_to
from simkit.records import Attempt, Effect, Fact, Reply
from simkit.terms import LayerName, State

__all__ = ["Delivery", "effects_by_delivery"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One way in which an attempt may land; `index` is where it was sent.

    Parameters
    ----------
    path
        That of the attempt, or of a copy of it.
    is_handed_out
        Whether a queue hands it on.
    """

    index: int
    attempt: Attempt
    path: str
    is_handed_out: bool = False


def effects_by_delivery(facts: Sequence[Fact], deliveries: Sequence[Delivery]) -> dict[int, int]:
    """Give each effect to a downstream delivery that can have made it, if possible one that is still waited for."""
    made: dict[int, int] = {}
    for effect_index, effect in enumerate(facts):
        if not isinstance(effect, Effect):
            continue
        able = [
            (_doubt(facts, effect_index, delivery), number)
            for number, delivery in enumerate(deliveries)
            if number not in made and _can_make(facts, effect_index, delivery, effect)
        ]
        if able:
            made[min(able)[1]] = effect_index
    return made


def _can_make(facts: Sequence[Fact], effect_index: int, delivery: Delivery, effect: Effect) -> bool:
    attempt, index = delivery.attempt, delivery.index
    wanted = (effect.intent, effect.operation_id, effect.inputs)
    if (
        attempt.layer is not LayerName.DOWNSTREAM_SDK
        or (attempt.intent, attempt.operation_id, attempt.inputs) != wanted
        or attempt.stage not in ("", effect.stage)
        or effect_index < index
    ):
        return False
    return not any(
        is_fault_on(fact, attempt.path, what)
        for fact in facts[index + 1 :]
        for what in ("request_lost", "connection_refused")
    )


def _doubt(facts: Sequence[Fact], effect_index: int, delivery: Delivery) -> int:
    """How much stands against it: nothing, that nobody waits any more, that it is a copy, that it was answered."""
    attempt, between = delivery.attempt, facts[delivery.index + 1 : effect_index]
    if delivery.path != attempt.path:
        return 2
    if any(is_reply_to(fact, attempt) and isinstance(fact, Reply) and _ends(fact) for fact in between):
        return 1 if delivery.is_handed_out else 3
    is_away = any(is_reply_to(fact, attempt) or is_fault_on(fact, attempt.path, "request_late") for fact in between)
    return 1 if is_away else 0


def _ends(reply: Reply) -> bool:
    """Whether the receiver itself answered, and usually does nothing more: who accepts goes on."""
    return reply.state is not State.ACCEPTED and not is_given_up(reply)
