"""The reconciler: takes what was left unknown to an owner, asks the system of record, and decides.

===============  =================================================================================
it concludes     and then
===============  =================================================================================
found            writes a receipt; the user is told that it is completed
cannot tell      the owner keeps it
not seen         escalates, sends it again with the same ID or a new one, or settles it as absent
in part          the same; what is found is confirmed, and nothing is settled as a whole
===============  =================================================================================

It can err, and each error is a fault of its own:

============================  ====================================================================
site                          the error
============================  ====================================================================
reconciler.wrong_record       it looks at another's record, and takes it for this one
reconciler.weak_query         it asks so that nothing can be seen, whatever is there
reconciler.two_at_once        a second one takes the same case at the same time
reconciler.beside_a_retry     it does not wait, though a retry or a late original is under way
reconciler.new_id             it sends again, and makes a new ID
============================  ====================================================================
"""

from collections.abc import Mapping

from simkit.choices import OnNotSeen
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Receipt, Settlement
from simkit.scenario import Reconciler
from simkit.terms import Knowledge, Outcome, ReadbackAnswer, Settled, State
from simkit.world.asking import Asking
from simkit.world.faults import Faults
from simkit.world.last_sent import LastSent
from simkit.world.messages import Steps
from simkit.world.reports import Reports, Told
from simkit.world.sending_again import SendingAgain
from simkit.world.timeline import Timeline

__all__ = ["ReconcilerParty"]

PARTY = "reconciler"
AT_ONCE = Wait.of(0.0)


class ReconcilerParty:
    """Takes cases.

    Parameters
    ----------
    stages
        Names of the effects of one operation.
    landing_s
        Seconds after the last attempt of anybody until all that it can make is made, and can be seen.
    """

    def __init__(
        self,
        reconciler: Reconciler,
        stages: tuple[str, ...],
        landing_s: float,
        asked: Asking,
        last_sent: LastSent,
        sending: SendingAgain,
        reports: Reports,
        timeline: Timeline,
        journal: Journal,
        faults: Faults,
    ) -> None:
        self._reconciler = reconciler
        self._stages = stages
        self._landing_s = landing_s
        self._asked = asked
        self._last_sent = last_sent
        self._sending = sending
        self._reports = reports
        self._timeline = timeline
        self._journal = journal
        self._faults = faults

    def hear(self, told: Told) -> None:
        """Take the case if it was left to an owner."""
        if not told.report.owner:
            return
        path = f"{PARTY}:{told.prefix}"
        count = 2 if self._faults.happens("reconciler.two_at_once", path) else 1
        for number in range(1, count + 1):
            self._timeline.start_next(self._reconcile(told, number, f"{path}{number}"))

    def _reconcile(self, told: Told, number: int, path: str) -> Steps:
        yield from self._wait(told, path)
        found: dict[str, ReadbackAnswer] = yield from self._look(told, path)
        self._write_receipts(told, found)
        answers = set(found.values())
        if answers == {ReadbackAnswer.FOUND}:
            self._tell(told, found, State.COMPLETED, Outcome.OK)
        elif ReadbackAnswer.CANNOT_TELL in answers or self._reconciler.on_not_seen is OnNotSeen.ESCALATE:
            self._tell(told, found, State.UNKNOWN, Outcome.UNKNOWN)
        elif self._reconciler.on_not_seen is not OnNotSeen.SETTLE_AS_ABSENT:
            yield from self._send_again(told, number, path)
        elif ReadbackAnswer.FOUND in answers:
            self._tell(told, found, State.UNKNOWN, Outcome.PARTIAL)
        else:
            self._settle_as_absent(told)
            self._tell(told, {}, State.REJECTED, Outcome.FAILED)

    def _wait(self, told: Told, path: str) -> Steps:
        """Wait as declared; what follows may touch what others touch, so the wait is no local step."""
        is_rash = self._faults.happens("reconciler.beside_a_retry", path)
        yield self._timeline.wait(AT_ONCE if is_rash else self._reconciler.delay, f"{PARTY}.delay@{path}")
        if is_rash or not self._reconciler.waits_for_landing:
            return
        wait_count = 0
        while not self._last_sent.has_passed(told.report.intent, self._landing_s, f"{PARTY}.landing@{path}"):
            wait_count += 1
            yield self._timeline.deadline(self._landing_s, f"{PARTY}.landing-{wait_count}@{path}")

    def _look(self, told: Told, path: str) -> Steps:
        """What it concludes about each stage, from all operations that the agent sent."""
        if self._faults.happens("reconciler.wrong_record", path):
            return dict.fromkeys(self._stages, ReadbackAnswer.FOUND)
        if self._faults.happens("reconciler.weak_query", path):
            return dict.fromkeys(self._stages, ReadbackAnswer.NOT_SEEN)
        calls = [call.along(f"{path}/{call.path}") for call in told.calls]
        found: dict[str, ReadbackAnswer] = yield from self._asked.ask_each(PARTY, calls)
        return found

    def _write_receipts(self, told: Told, found: Mapping[str, ReadbackAnswer]) -> None:
        operation_id = told.calls[-1].operation_id
        for stage, answer in found.items():
            if answer is ReadbackAnswer.FOUND:
                self._journal.append(
                    Receipt(at_s=self._timeline.now_s, party=PARTY, stage=stage, operation_id=operation_id)
                )

    def _tell(self, told: Told, found: Mapping[str, ReadbackAnswer], state: State, outcome: Outcome) -> None:
        """Tell the user; where there are several stages, of each of them."""
        absent = State.NOT_STARTED if outcome is Outcome.PARTIAL else State.UNKNOWN
        stages = tuple(
            (stage, State.COMPLETED if answer is ReadbackAnswer.FOUND else absent) for stage, answer in found.items()
        )
        self._reports.tell(told.report.intent, state, outcome, stages if len(stages) > 1 else ())

    def _settle_as_absent(self, told: Told) -> None:
        for call in told.calls:
            self._journal.append(
                Settlement(
                    at_s=self._timeline.now_s,
                    party=PARTY,
                    intent=call.intent,
                    operation_id=call.operation_id,
                    settled=Settled.ABSENT,
                )
            )

    def _send_again(self, told: Told, number: int, path: str) -> Steps:
        last = told.calls[-1]
        makes_new = self._reconciler.on_not_seen is OnNotSeen.NEW_ID or self._faults.happens("reconciler.new_id", path)
        operation_id = f"{told.operation}/{path}" if makes_new and last.operation_id else last.operation_id
        yield from self._sending.send(
            last._replace(path=path, operation_id=operation_id),
            number,
            Knowledge.POSSIBLY_SENT,
            is_same_operation=len(told.calls) == 1 and operation_id == last.operation_id != "",
        )
