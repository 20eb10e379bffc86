"""Which attempt made which effect: a journal names the operation of an effect, not the attempt."""

from collections.abc import Sequence

from simkit.plots.sequence_facts import CLOSED, TIMEOUT, is_fault_on, is_reply_to
from simkit.records import Attempt, Effect, Fact, Reply
from simkit.terms import LayerName

__all__ = ["effects_by_attempt"]


def effects_by_attempt(facts: Sequence[Fact], sent: Sequence[tuple[int, Attempt]]) -> dict[int, int]:
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
    is_lost = any(is_fault_on(fact, attempt.path, "request_lost") for fact in facts[index + 1 :])
    return index < effect_index and not is_over and not is_lost


def _answers(reply: Reply, attempt: Attempt) -> bool:
    """Whether the receiver itself answered, after which it does nothing more for this attempt."""
    return is_reply_to(reply, attempt) and reply.detail not in (TIMEOUT, CLOSED)


def _is_awaited(facts: Sequence[Fact], index: int, effect_index: int, attempt: Attempt) -> bool:
    between = facts[index + 1 : effect_index]
    return not any(is_reply_to(fact, attempt) or is_fault_on(fact, attempt.path, "request_late") for fact in between)
