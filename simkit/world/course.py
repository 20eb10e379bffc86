"""How far one errand has come, as far as the agent's process remembers it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from simkit.policy import KnownStages, Stages, merged_stages, worst_knowledge
from simkit.terms import Identity, Knowledge, State
from simkit.world.dispatch import Errand
from simkit.world.identities import IdMaker
from simkit.world.messages import Answer, ToolCall
from simkit.world.places import Places
from simkit.world.timeline import Instant

__all__ = ["Course"]

REMADE = frozenset({Identity.NONE, Identity.HASH_OF_ARGUMENTS})
"""Identities of which a restart loses nothing: there is none, or it is made from the arguments again."""

_ACCEPTED = State.ACCEPTED


def _nothing() -> None:
    """There is nothing to take back."""


@dataclass(slots=True, kw_only=True)
class Course:
    """The course of one errand.

    Parameters
    ----------
    life
        How many restarts it has gone through; steps of an earlier life end where they find another number.
    send_count
        Times that it was sent, in all lives; nobody needs to remember that.
    place
        What the steps of all who call on its behalf touch.
    operation_id
        The one sent last; empty where nobody remembers one.
    first_at, last_at
        When it was sent first, and last; that only where somebody may ask for it.
    approval, needs_approval
        The one that was given for a replacement, empty where none was; and whether the next attempt needs one.
    has_lost_id
        Whether something was sent under an ID that nobody remembers.
    calls
        What was sent, in order, as far as it is remembered.
    known, stages, seen, last
        What is known, of each stage where there are several; what the system of record has shown of a stage
        since the last attempt; and what was heard last.
    take_back
        Ends what its process waits for.
    """

    errand: Errand
    ids: IdMaker
    first_at: Instant
    last_at: Instant
    place: Places
    life: int = 0
    send_count: int = 0
    operation_id: str = ""
    is_replacement: bool = False
    approval: str = ""
    needs_approval: bool = False
    has_lost_id: bool = False
    calls: list[ToolCall] = field(default_factory=list)
    known: Knowledge | None = None
    stages: Stages = ()
    seen: KnownStages = ()
    last: Answer | None = None
    is_finished: bool = False
    take_back: Callable[[], None] = _nothing

    @property
    def prefix(self) -> str:
        """What sets the paths of this life apart from all others."""
        return f"{self.errand.prefix}r{self.life}:" if self.life else self.errand.prefix

    @property
    def operations(self) -> tuple[ToolCall, ...]:
        """The first call with each operation ID; each call where there are no IDs."""
        return tuple(
            call
            for index, call in enumerate(self.calls)
            if not call.operation_id or all(sent.operation_id != call.operation_id for sent in self.calls[:index])
        )

    @property
    def is_accepted(self) -> bool:
        """Whether somebody took it over for good, and goes on without the caller."""
        return self.last is not None and self.last.state is _ACCEPTED

    def sends(self, call: ToolCall) -> None:
        """Remember what is about to be sent."""
        self.send_count += 1
        self.operation_id = call.operation_id
        self.calls.append(call)

    def hears(self, answer: Answer, call: ToolCall) -> None:
        """Take one more answer into account."""
        is_same_operation = call.operation_id == self.calls[0].operation_id != ""
        self.known = worst_knowledge(self.known, answer.state, is_same_operation=is_same_operation, means=answer.means)
        self.stages, self.seen = merged_stages(self.stages, answer.stages), ()
        self.last = answer

    def sees(self, seen: KnownStages, *, stage_count: int) -> None:
        """Take into account what the system of record shows; of the whole only what it shows of all its stages."""
        self.seen = seen
        if len(seen) == stage_count and len({known for _, known in seen}) == 1:
            self.known = seen[0][1]

    def starts_over(self) -> None:
        """Drop what was settled: nothing that was sent so far can still make an effect."""
        self.known = None
        self.calls = []

    def is_lost_with_process(self, *, is_id_persisted: bool) -> None:
        """Go on in another life: what is not written down is forgotten."""
        self.life += 1
        self.is_finished = False
        self.stages, self.seen, self.last, self.take_back = (), (), None, _nothing
        self.known = Knowledge.POSSIBLY_SENT if is_id_persisted else None
        if not is_id_persisted:
            self.operation_id, self.is_replacement, self.approval, self.calls = "", False, "", []
            self.has_lost_id = self.ids.identity not in REMADE
