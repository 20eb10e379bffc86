"""The effects of one operation: each stage with its way to its system of record, its key and its readback."""

from dataclasses import dataclass

from simkit.choices import Content, KeySent
from simkit.scenario import SourceChange, Stage
from simkit.world.layer import Layer
from simkit.world.messages import ToolCall
from simkit.world.readbacks import Readbacks
from simkit.world.timeline import Instant, Timeline

__all__ = ["Source", "StagePort"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePort:
    """What a server needs of one stage.

    Parameters
    ----------
    downstream
        The SDK that sends to its system of record.
    readbacks
        None where the server cannot ask that system.
    shows_token
        Whether its system of record gets to see the fencing token.
    is_only
        Whether the tool has no other stage; then calls look as if there were none at all.
    """

    stage: Stage
    downstream: Layer
    readbacks: Readbacks | None
    shows_token: bool
    is_only: bool

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.stage.name

    def call_of(self, call: ToolCall, source: "Source", content: Content, token: int) -> ToolCall:
        """The call of this stage: with its key, its token, and the content that the policies send."""
        call = source.applied(call, content, recomputes_audience=self.stage.recomputes_audience)
        if not self.is_only:
            call = call._replace(stage=self.name, path=f"{call.path}/{self.name}")
        key = self._key(call)
        shown = token if self.shows_token else 0
        return call._replace(key=key, token=shown) if key or shown else call

    def _key(self, call: ToolCall) -> str:
        """What the system of record recognises a repeat by; empty where nothing is sent for that."""
        if self.stage.key is None or not call.operation_id:
            return ""
        name = call.operation_id if self.is_only else f"{call.operation_id}/{self.name}"
        return name if self.stage.key is KeySent.OPERATION_ID else f"{name}/{call.path}"


class Source:
    """Where the content comes from: it may move on while an operation is open."""

    def __init__(self, change: SourceChange | None, timeline: Timeline) -> None:
        self._change = change
        self._timeline = timeline
        self._start: Instant | None = None if change is None else timeline.mark()

    def applied(self, call: ToolCall, content: Content, *, recomputes_audience: bool) -> ToolCall:
        """The call as it goes out now."""
        change = self._change
        is_asked = content is Content.CURRENT or recomputes_audience
        if change is None or self._start is None or not is_asked:
            return call
        if not self._timeline.passed(self._start, change.at_s, "source.change"):
            return call
        inputs = change.inputs if content is Content.CURRENT else ""
        audience = change.audience if recomputes_audience else ""
        return call._replace(inputs=inputs or call.inputs, audience=audience or call.audience)
