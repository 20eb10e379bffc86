"""Asking about a whole operation: one question to the system of record of each stage."""

from collections.abc import Iterable, Sequence

from simkit.terms import ReadbackAnswer
from simkit.world.messages import Steps, ToolCall
from simkit.world.readbacks import Readbacks
from simkit.world.stages import StagePort

__all__ = ["Asking", "asking_at"]


class Asking:
    """Asks about one stage after the other.

    Parameters
    ----------
    asked
        Each stage with those who ask its system of record.
    """

    def __init__(self, asked: Sequence[tuple[str, Readbacks]]) -> None:
        self._asked = asked

    def ask(self, party: str, call: ToolCall) -> Steps:
        """Return a `ReadbackAnswer`: found if each stage is, not seen if none is, otherwise it cannot be told."""
        by_stage: dict[str, ReadbackAnswer] = yield from self.ask_each(party, (call,))
        answers = set(by_stage.values())
        return answers.pop() if len(answers) == 1 else ReadbackAnswer.CANNOT_TELL

    def ask_each(self, party: str, calls: Iterable[ToolCall]) -> Steps:
        """Return what several operations of one intent amount to, by stage: found if one of them is."""
        heard: dict[str, list[ReadbackAnswer]] = {stage: [] for stage, _ in self._asked}
        is_only = len(self._asked) == 1
        for call in calls:
            for stage, readbacks in self._asked:
                about = call if is_only else call._replace(stage=stage, path=f"{call.path}/{stage}")
                answer: ReadbackAnswer = yield from readbacks.ask(party, about)
                heard[stage].append(answer)
        return {stage: _together(answers) for stage, answers in heard.items()}


def asking_at(ports: Sequence[StagePort]) -> Asking | None:
    """How somebody outside the server asks; None where there is no readback."""
    asked = tuple((port.name, port.readbacks) for port in ports if port.readbacks is not None)
    return Asking(asked) if asked else None


def _together(answers: Iterable[ReadbackAnswer]) -> ReadbackAnswer:
    given = set(answers)
    for answer in (ReadbackAnswer.FOUND, ReadbackAnswer.CANNOT_TELL):
        if answer in given:
            return answer
    return ReadbackAnswer.NOT_SEEN
