"""Paths that send a call again and that nobody calls a retry: a sweep, a batch, a re-plan, a second agent.

Such a path knows what was reported, and nothing of what the agent knows. It sends what was reported so,
for as often as it is to and as long as what it reports itself is among that.
"""

from simkit.records import Report
from simkit.scenario import Reissue
from simkit.world.messages import Steps
from simkit.world.places import EVERYTHING, NOTHING
from simkit.world.reports import Reports, Told
from simkit.world.sending_again import SendingAgain
from simkit.world.timeline import Timeline

__all__ = ["ReissuePath"]


class ReissuePath:
    """One such path.

    Parameters
    ----------
    is_local
        Whether what it does touches only the call that it sends.
    """

    def __init__(
        self, reissue: Reissue, sending: SendingAgain, reports: Reports, timeline: Timeline, *, is_local: bool
    ) -> None:
        self._reissue = reissue
        self._sending = sending
        self._reports = reports
        self._timeline = timeline
        self._touches = NOTHING if is_local else EVERYTHING

    def hear(self, told: Told) -> None:
        """Begin, if what was told is among what this path sends."""
        if told.report.outcome in self._reissue.reported:
            self._timeline.start_next(self._send_repeatedly(told))

    def _send_repeatedly(self, told: Told) -> Steps:
        reissue, first = self._reissue, told.calls[0]
        for number in range(1, reissue.count + 1):
            path = f"{reissue.name}:{told.prefix}{number}"
            yield self._timeline.wait(reissue.after, f"{reissue.name}.after@{path}", touches=self._touches)
            if reissue.is_blocked_by_hold and self._reports.is_held(first.intent):
                return
            operation_id = f"{told.operation}/{path}" if first.operation_id else ""
            call = first._replace(path=path, operation_id=first.operation_id if reissue.carries_id else operation_id)
            report: Report = yield from self._sending.send(call, number, None, is_same_operation=True)
            if report.outcome not in reissue.reported:
                return
