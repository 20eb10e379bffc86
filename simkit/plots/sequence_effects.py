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
            (not _is_awaited(facts, effect_index, delivery), number)
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
    if delivery.path != attempt.path or delivery.is_handed_out:
        return True
    is_over = any(isinstance(fact, Reply) and _ends(fact, attempt) for fact in facts[index + 1 : effect_index])
    is_lost = any(
        is_fault_on(fact, attempt.path, what)
        for fact in facts[index + 1 :]
        for what in ("request_lost", "connection_refused")
    )
    return not is_over and not is_lost


def _ends(reply: Reply, attempt: Attempt) -> bool:
    """Whether the receiver itself answered, and does nothing more for this attempt: who accepts goes on."""
    return is_reply_to(reply, attempt) and reply.state is not State.ACCEPTED and not is_given_up(reply)


def _is_awaited(facts: Sequence[Fact], effect_index: int, delivery: Delivery) -> bool:
    """Whether nothing stands against it having landed at once; copies come after their originals."""
    if delivery.path != delivery.attempt.path:
        return False
    attempt, between = delivery.attempt, facts[delivery.index + 1 : effect_index]
    return not any(is_reply_to(fact, attempt) or is_fault_on(fact, attempt.path, "request_late") for fact in between)
