"""When anybody last sent something for an intent, for whoever must wait until all of it has landed."""

from simkit.world.messages import Sender, ToolCall, Waiter
from simkit.world.timeline import Instant, Timeline

__all__ = ["LastSent"]


class LastSent:
    """Marks what passes the senders that it watches; where nobody asks, it watches none, and costs nothing."""

    def __init__(self, timeline: Timeline, *, is_asked: bool) -> None:
        self._timeline = timeline
        self._is_asked = is_asked
        self._last: dict[str, Instant] = {}

    def over(self, sender: Sender) -> Sender:
        """The same sender, watched."""
        return _Watched(sender, self) if self._is_asked else sender

    def note(self, intent: str) -> None:
        """Mark the present instant for an intent."""
        self._last[intent] = self._timeline.mark()

    def has_passed(self, intent: str, seconds: float, site: str) -> bool:
        """Whether at least `seconds` have passed since anybody sent something for the intent."""
        last = self._last.get(intent)
        return last is None or self._timeline.passed(last, seconds, site)


class _Watched:
    """A sender of which `LastSent` hears.

    What passes it is seen by whoever waits for the landing, so no step that leads to it is local: made
    ahead of its time, it would be waited for before it was sent.
    """

    sends_locally = False

    def __init__(self, sender: Sender, last_sent: LastSent) -> None:
        self._sender = sender
        self._last_sent = last_sent

    def send(self, call: ToolCall, timeout_s: float | None) -> Waiter:
        """Note it, and send it on."""
        self._last_sent.note(call.intent)
        return self._sender.send(call, timeout_s)
