"""What a stage has made: its objects, how they look, the effects on them, and who can see these.

An effect is one durable change. To set what is set already, and to delete what is gone, changes nothing;
to create, to add, to toggle and to send always does, however often it is repeated.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simkit.choices import EffectKind, ReadbackBy
from simkit.journal import Journal
from simkit.records import Deleted, Effect
from simkit.terms import ReadbackAnswer
from simkit.world.messages import ToolCall
from simkit.world.timeline import Instant, Timeline

__all__ = ["Change", "Objects"]

GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a request has changed, or found as it wanted it: whose effect that is, and its name."""

    origin: str
    result: str


@dataclass(slots=True, kw_only=True)
class _Made:
    call: ToolCall
    result: str
    at: Instant
    is_visible: bool


@dataclass(slots=True, kw_only=True)
class _Object:
    """One object. `value` is what was set last; `last` the change that made it so."""

    value: str | None = None
    is_on: bool = False
    last: Change | None = None


class Objects:
    """Everything that one stage has made.

    Parameters
    ----------
    stage
        Its name, which the results bear.
    lag_s_max
        An effect may stay unseen for this long after it was made, in seconds.
    """

    def __init__(self, stage: str, kind: EffectKind, lag_s_max: float, timeline: Timeline, journal: Journal) -> None:
        self._stage = stage
        self._kind = kind
        self._lag_s_max = lag_s_max
        self._timeline = timeline
        self._journal = journal
        self._made: list[_Made] = []
        self._count = 0
        self._by_name: dict[tuple[str, str], _Object] = {}

    def apply(self, call: ToolCall, overwritten: str = "") -> Change:
        """Make the effect of a call, unless everything is already as it wants it.

        Parameters
        ----------
        overwritten
            Name of the result that it gives new content; empty where it makes one of its own.
        """
        thing = self._by_name.setdefault((call.tenant, call.target), _Object())
        if thing.last is not None and thing.value == self._wanted(call):
            return thing.last
        self._count += 1
        made = Change(origin=call.intent, result=overwritten or f"{self._stage} {self._count}")
        state = self._alter(thing, call)
        thing.last = made
        self._made.append(
            _Made(call=call, result=made.result, at=self._timeline.mark(), is_visible=self._lag_s_max == 0)
        )
        self._journal.append(
            Effect(
                at_s=self._timeline.now_s,
                stage=self._stage,
                intent=call.intent,
                operation_id=call.operation_id,
                inputs=call.inputs,
                audience=call.audience,
                result=made.result,
                state=state,
            )
        )
        return made

    def delete(self, intent: str) -> frozenset[str]:
        """Take away what an intent has made, on purpose and for good; return the names of the results that are gone."""
        gone = self._take_away([made for made in self._made if made.call.intent == intent])
        if gone:
            self._journal.append(Deleted(at_s=self._timeline.now_s, stage=self._stage, intent=intent))
        return gone

    def undo(self, call: ToolCall) -> frozenset[str]:
        """Take away what the operation of a call has made, or what its target holds where it has no ID."""
        return self._take_away([made for made in self._made if _is_same_operation(made.call, call)])

    def look_up(self, call: ToolCall, by: ReadbackBy) -> ReadbackAnswer:
        """Say whether an effect of this call's operation is seen; a fresh one may still be hidden by the lag.

        Only an identity that one operation alone has finds it. A natural key finds what bears it, if that is
        one thing and has this content; content alone cannot tell mine from another's.
        """
        match by:
            case ReadbackBy.OPERATION_ID | ReadbackBy.CLIENT_REFERENCE:
                if not call.operation_id:
                    return ReadbackAnswer.CANNOT_TELL
                is_seen = any(
                    self._is_visible(made, call) for made in self._made if _is_same_operation(made.call, call)
                )
                return ReadbackAnswer.FOUND if is_seen else ReadbackAnswer.NOT_SEEN
            case ReadbackBy.NATURAL_KEY if call.target:
                seen = [
                    made for made in self._made if _has_same_target(made.call, call) and self._is_visible(made, call)
                ]
                if len(seen) == 1 and seen[0].call.inputs == call.inputs:
                    return ReadbackAnswer.FOUND
            case _:
                seen = [
                    made for made in self._made if _has_same_content(made.call, call) and self._is_visible(made, call)
                ]
        return ReadbackAnswer.CANNOT_TELL if seen else ReadbackAnswer.NOT_SEEN

    def _wanted(self, call: ToolCall) -> str:
        """The value at which nothing is left to do; no object ever has the empty one."""
        if self._kind is EffectKind.DELETE:
            return GONE
        return call.inputs if self._kind is EffectKind.SET else ""

    def _alter(self, thing: _Object, call: ToolCall) -> str:
        """Change an object, and say how it looks then."""
        match self._kind:
            case EffectKind.CREATE:
                return call.inputs
            case EffectKind.SET:
                thing.value = call.inputs
                return call.inputs
            case EffectKind.DELETE:
                thing.value = GONE
                return GONE
            case EffectKind.ADD:
                return "added"
            case EffectKind.TOGGLE:
                thing.is_on = not thing.is_on
                return "on" if thing.is_on else "off"
            case EffectKind.MESSAGE:
                return "sent"

    def _take_away(self, gone: list[_Made]) -> frozenset[str]:
        for made in gone:
            self._made.remove(made)
            thing = self._by_name[made.call.tenant, made.call.target]
            thing.value = None
            thing.is_on = not thing.is_on
        return frozenset(made.result for made in gone)

    def _seen(self, asked: ToolCall, is_meant: Callable[[ToolCall, ToolCall], bool]) -> Iterator[_Made]:
        """What a question shows of what it means."""
        return (made for made in self._made if is_meant(made.call, asked) and self._is_visible(made, asked))

    def _is_visible(self, made: _Made, asked: ToolCall) -> bool:
        if not made.is_visible:
            made.is_visible = (
                self._timeline.passed(made.at, self._lag_s_max, "downstream.lag")
                or self._timeline.chance.pick(f"downstream.hidden@{asked.path}/{made.result}", 2) == 0
            )
        return made.is_visible


def _is_same_operation(made: ToolCall, call: ToolCall) -> bool:
    if made.tenant != call.tenant:
        return False
    if call.operation_id:
        return made.operation_id == call.operation_id
    return bool(call.target) and made.target == call.target


def _has_same_target(made: ToolCall, call: ToolCall) -> bool:
    return made.tenant == call.tenant and made.target == call.target


def _has_same_content(made: ToolCall, call: ToolCall) -> bool:
    return made.tenant == call.tenant and made.inputs == call.inputs
