"""Writing down what a layer sends and what it hears."""

from simkit.journal import Journal
from simkit.records import Attempt, Reply
from simkit.terms import LayerName
from simkit.world.messages import Answer, ToolCall
from simkit.world.timeline import Timeline

__all__ = ["note_attempt", "note_reply"]


def note_attempt(layer: LayerName, call: ToolCall, number: int, timeline: Timeline, journal: Journal) -> None:
    """Write down that a layer sends a call for the `number`th time, from 1."""
    journal.append(
        Attempt(
            at_s=timeline.now_s,
            layer=layer,
            path=call.path,
            attempt_number=number,
            intent=call.intent,
            operation_id=call.operation_id,
            inputs=call.inputs,
            stage=call.stage,
        )
    )


def note_reply(layer: LayerName, call: ToolCall, answer: Answer, timeline: Timeline, journal: Journal) -> None:
    """Write down what a layer hears about an attempt."""
    journal.append(
        Reply(
            at_s=timeline.now_s,
            layer=layer,
            path=call.path,
            intent=call.intent,
            operation_id=call.operation_id,
            inputs=call.inputs,
            state=answer.state,
            detail=answer.detail,
            stage=call.stage,
            origin=answer.origin,
            result=answer.result,
            stages=answer.stages,
        )
    )
