"""Writing down what a layer sends and what it hears.

These are two of three facts of most journals, and made without keywords, which cost as much again.
"""

from simkit.journal import Journal
from simkit.records import Attempt, Reply
from simkit.terms import LayerName
from simkit.world.messages import Answer, ToolCall
from simkit.world.timeline import Timeline

__all__ = ["note_attempt", "note_reply"]


def note_attempt(layer: LayerName, call: ToolCall, number: int, timeline: Timeline, journal: Journal) -> None:
    """Write down that a layer sends a call for the `number`th time, from 1."""
    at_s = timeline.now_s
    journal.append(Attempt(at_s, layer, call.path, number, call.intent, call.operation_id, call.inputs, call.stage))


def note_reply(layer: LayerName, call: ToolCall, answer: Answer, timeline: Timeline, journal: Journal) -> None:
    """Write down what a layer hears about an attempt."""
    journal.append(
        Reply(
            timeline.now_s,
            layer,
            call.path,
            call.intent,
            call.operation_id,
            call.inputs,
            answer.state,
            answer.detail,
            call.stage,
            answer.origin,
            answer.result,
            answer.stages,
        )
    )
