"""What a sequence diagram is made of: lifelines, and line by line what happened between and on them.

Every happening has one line. An arrow spans two lines where it took so long that something else
happened before it landed; a mark stands on one lifeline. Both renderings show these parts and nothing else.
"""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Arrow", "ArrowKind", "Fate", "Happening", "Lifeline", "Mark", "MarkKind", "Sequence"]


class ArrowKind(StrEnum):
    """What travels."""

    REQUEST = "request"
    DELIVERY = "delivery"
    CLEAN_UP = "clean-up"
    ANSWER = "answer"
    READBACK = "readback"
    REPORT = "report"

    @property
    def is_answer(self) -> bool:
        """Whether it tells something, rather than asking for an effect or for its end."""
        return self in (ArrowKind.ANSWER, ArrowKind.READBACK, ArrowKind.REPORT)


class Fate(StrEnum):
    """What became of what travelled."""

    ARRIVED = "arrived"
    LATE = "late"
    LOST = "lost"
    CLOSED = "closed"


class MarkKind(StrEnum):
    """What is marked on a lifeline."""

    EFFECT = "effect"
    CRASH = "crash"
    PAUSE = "pause"
    START = "start"
    STATE = "state"
    RECEIPT = "receipt"
    REMOVED = "removed"
    SETTLED = "settled"
    READBACK = "readback"
    TIMEOUT = "timeout"
    FAULT = "fault"
    REPORT = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifeline:
    """One party. `title` is what its head says."""

    name: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One line of the diagram, and the sentence that says the same.

    Parameters
    ----------
    at_s
        Seconds from the start of the run.
    """

    at_s: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A message from one lifeline to another.

    Parameters
    ----------
    label
        Path of the attempt that it belongs to; empty where it belongs to none.
    short_label
        The same without the stage, which the lifeline names; what is written at the arrow.
    start_at_s, end_at_s
        Seconds from the start of the run; the end is None where it was lost, or its landing left no trace.
    start_index, end_index
        Lines of the diagram on which it begins and ends; equal where it is drawn level.
    is_answered
        Whether the sender heard anything before it stopped waiting; always true of what needs no answer.
    """

    kind: ArrowKind
    sender: str
    receiver: str
    label: str
    fate: Fate
    start_at_s: float
    end_at_s: float | None
    start_index: int
    end_index: int
    is_answered: bool
    short_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened at one party.

    Parameters
    ----------
    number
        From 1 for effects, in the order in which they were made; 0 for everything else.
    is_duplicate
        Whether its intent already had an effect in this stage.
    """

    kind: MarkKind
    lifeline: str
    at_s: float
    index: int
    label: str
    number: int = 0
    is_duplicate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A whole diagram.

    Parameters
    ----------
    summary
        A sentence for each intent: what came of it.
    given
        What is true before anything happens: approvals, and tenants where there are several.
    """

    lifelines: tuple[Lifeline, ...]
    happenings: tuple[Happening, ...]
    arrows: tuple[Arrow, ...]
    marks: tuple[Mark, ...]
    summary: tuple[str, ...]
    given: tuple[str, ...] = ()
