"""Asking about a whole operation: one question to the system of record of each stage."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from simkit.terms import ReadbackAnswer
from simkit.world.messages import Steps, ToolCall
from simkit.world.stages import StagePort

__all__ = ["Asked", "AskedByStage", "asked_of"]


class Asked(Protocol):
    """Whoever can be asked about an operation."""

    def ask(self, party: str, call: ToolCall) -> Steps:
        """Return a `ReadbackAnswer`."""


class AskedByStage:
    """Asks about one stage after the other: found if each is, not seen if none is, otherwise it cannot be told."""

    def __init__(self, asked: Sequence[tuple[str, Asked]]) -> None:
        self._asked = asked

    def ask(self, party: str, call: ToolCall) -> Steps:
        """Return a `ReadbackAnswer` for the operation as a whole."""
        answers = set()
        for stage, asked in self._asked:
            answer = yield from asked.ask(party, replace(call, stage=stage, path=f"{call.path}/{stage}"))
            answers.add(answer)
        return answers.pop() if len(answers) == 1 else ReadbackAnswer.CANNOT_TELL


def asked_of(ports: Sequence[StagePort]) -> Asked | None:
    """How somebody outside the server asks; None where there is no readback."""
    asked = [(port.name, port.readbacks) for port in ports if port.readbacks is not None]
    if len(asked) <= 1:
        return asked[0][1] if asked else None
    return AskedByStage(asked)
