"""From the journal of a run to its sequence diagram, without running anything.

==================================  =============================================================
fact                                becomes
==================================  =============================================================
attempt, with a fault on its way    a request; lost, or late with a line of its own where it lands
first trace of a copy               a second delivery
first trace of a queued call        a delivery by the queue
reply                               an answer, a closed connection, or the mark of a timeout
fault on the way back               an answer that is lost, or late and perhaps for nobody
fault of a party                    the mark of a crash, a pause, or another fault
effect                              a numbered mark in its system of record
state, receipt                      a mark at the record store; one where both are one step
readback                            an answer of the system of record
start                               a mark where a stage is begun under an approval
clean-up, deletion                  an arrow to the system of record; a mark there
settlement                          a mark at the party that settles
report                              what the user is told
==================================  =============================================================
"""

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from simkit.journal import Journal
from simkit.plots.sequence_cast import SERVER, USER, Cast
from simkit.plots.sequence_facts import CLOSED, GIVEN_UP, is_arrival, site_parts
from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate, Happening, Mark, MarkKind, Sequence
from simkit.plots.sequence_paths import is_by_queue
from simkit.plots.sequence_sentences import (
    Wishes,
    fate_words,
    given_words,
    identity_words,
    reply_words,
    reporter_of,
    summary_words,
)
from simkit.plots.sequence_traces import Trace, traces_of
from simkit.plots.sequence_words import printable
from simkit.records import (
    Approval,
    Attempt,
    CleanUp,
    Deleted,
    Effect,
    End,
    Fact,
    Fault,
    Intent,
    Promised,
    Readback,
    Receipt,
    Reply,
    Report,
    Settlement,
    Start,
    StateChange,
)
from simkit.study.story import settlement_in_words, site_in_words, stages_in_words
from simkit.terms import LayerName

__all__ = ["sequence_of"]

_Timed = Reply | Effect | Receipt | StateChange | Readback | Report | Fault | Start | CleanUp | Deleted | Settlement

_ANSWERS_IN_TROUBLE: Final = MappingProxyType(
    {"response_lost": "lost", "response_late": "late", "response_replaced": "replaced by an error"}
)


def sequence_of(journal: Journal) -> Sequence:
    """Every happening of a run in order, with its arrows and marks.

    In a structure exploration instants are the earliest possible ones, and need not grow from line to line.
    """
    facts = tuple(journal)
    drawing = _Drawing(facts)
    for index, fact in enumerate(facts):
        drawing.add(index, fact)
    return Sequence(
        lifelines=drawing.cast.lifelines(),
        happenings=tuple(drawing.happenings),
        arrows=tuple(drawing.arrows),
        marks=tuple(drawing.marks),
        summary=tuple(map(printable, summary_words(journal))),
        given=tuple(map(printable, given_words(journal))),
    )


class _Drawing:
    """The lines so far, and the late messages that are still on their way."""

    def __init__(self, facts: tuple[Fact, ...]) -> None:
        self._facts = facts
        self.cast = Cast(facts)
        self.happenings: list[Happening] = []
        self.arrows: list[Arrow] = []
        self.marks: list[Mark] = []
        self._wishes = Wishes(facts)
        traces = traces_of(facts)
        firsts = [trace for trace in traces if trace.is_first]
        self._by_index = {trace.index: trace for trace in firsts}
        self._by_reply = {trace.reply_index: trace for trace in firsts if trace.reply_index is not None}
        self._by_path = {trace.path: trace for trace in traces if not trace.is_handed_out or trace.is_again}
        self._told_with_request = {at for trace in firsts for at in trace.fault_indexes}
        self._copies = [trace for trace in traces if trace.is_again and not is_by_queue(trace.path)]
        self._landing = [trace for trace in traces if trace.is_late or not trace.is_first]
        self._sent_on_line: dict[int, int] = {}
        self._answered_late: dict[str, tuple[float, int]] = {}

    def add(self, index: int, fact: Fact) -> None:
        """Draw one fact, after the deliveries that it shows to have landed."""
        for trace in self._landing:
            if trace.landing_index == index:
                self._land(trace, fact)
        match fact:
            case Attempt():
                self._request(self._by_index[index])
            case Reply():
                self._reply(fact, self._by_reply.get(index))
            case Fault() if index not in self._told_with_request:
                self._fault(index, fact)
            case Effect():
                self._effect(index, fact)
            case StateChange() | Receipt():
                self._record(index, fact)
            case Readback():
                self._readback(fact)
            case Report():
                self._report(index, fact)
            case Start() | CleanUp() | Deleted() | Settlement():
                self._other(fact)
            case End(is_quiescent=False):
                self._line(fact.at_s, f"the run was cut here; next would be {fact.waiting_for}")

    def _line(self, at_s: float, text: str) -> int:
        self.happenings.append(Happening(at_s=at_s, text=printable(text)))
        return len(self.happenings) - 1

    def _mark(self, kind: MarkKind, lifeline: str | None, fact: _Timed, label: str, text: str) -> None:
        """A mark on a new line; the line alone where the fault of a hop concerns nobody who occurs."""
        index = self._line(fact.at_s, text)
        if lifeline is not None:
            self.marks.append(Mark(kind=kind, lifeline=lifeline, at_s=fact.at_s, index=index, label=label))

    def _level(
        self, kind: ArrowKind, sender: str, receiver: str, label: str, at_s: float, text: str, fate: Fate
    ) -> None:
        """An arrow that begins and ends on one new line; only its end has a known instant."""
        index = self._line(at_s, text)
        self.arrows.append(
            Arrow(
                kind=kind,
                sender=sender,
                receiver=receiver,
                label=label,
                fate=fate,
                start_at_s=at_s,
                end_at_s=None if fate is Fate.LOST else at_s,
                start_index=index,
                end_index=index,
                is_answered=True,
            )
        )

    def _receiver(self, trace: Trace) -> str:
        effect = self._facts[trace.effect_index] if trace.effect_index is not None else None
        stage = trace.attempt.stage or (effect.stage if isinstance(effect, Effect) else "")
        layer = trace.attempt.layer
        return self.cast.behind_queue(layer, stage) if trace.is_handed_out else self.cast.receiver(layer, stage)

    def _sender(self, trace: Trace) -> str:
        attempt = trace.attempt
        return self.cast.receiver(attempt.layer, "") if trace.is_handed_out else self._layer(attempt)

    def _layer(self, fact: Attempt | Reply) -> str:
        return self.cast.sender(fact.layer, fact.path)

    def _request(self, trace: Trace) -> None:
        attempt = trace.attempt
        text = f"{self.cast.said(self._layer(attempt))} sends {attempt.path} to {self.cast.said(self._receiver(trace))}"
        if attempt.layer is LayerName.AGENT:
            text += f", {identity_words(attempt.operation_id)}{self._wishes.whose_words(attempt.intent)}"
        if attempt.layer in (LayerName.AGENT, LayerName.DOWNSTREAM_SDK):
            text += self._wishes.changed_words(attempt)
        index = self._line(attempt.at_s, text + fate_words(trace) + self._copy_words(trace))
        self._sent_on_line[trace.index] = index
        if trace.is_late and trace.landing_index is not None:
            return
        fate = Fate.LOST if trace.is_lost else Fate.LATE if trace.is_late else Fate.ARRIVED
        landing = self._facts[trace.landing_index] if trace.landing_index is not None else None
        self.arrows.append(self._way_down(trace, fate, _at_s(landing), index))

    def _copy_words(self, trace: Trace) -> str:
        copies = [copy for copy in self._copies if copy.index == trace.index]
        if not copies:
            return ""
        has_landed = any(copy.landing_index is not None for copy in copies)
        return "; it arrives TWICE" + ("" if has_landed else ", the copy left no trace")

    def _way_down(self, trace: Trace, fate: Fate, end_at_s: float | None, end_index: int) -> Arrow:
        reply = self._facts[trace.reply_index] if trace.reply_index is not None else None
        start_index, start_at_s = self._sent_on_line[trace.index], trace.attempt.at_s
        if trace.is_handed_out and end_at_s is not None:
            start_index, start_at_s = end_index, end_at_s
        return Arrow(
            kind=ArrowKind.REQUEST if trace.is_first else ArrowKind.DELIVERY,
            sender=self._sender(trace),
            receiver=self._receiver(trace),
            label=trace.path,
            short_label=_without_stage(trace.path, trace.attempt.stage),
            fate=fate,
            start_at_s=start_at_s,
            end_at_s=end_at_s,
            start_index=start_index,
            end_index=end_index,
            is_answered=not trace.is_first or (isinstance(reply, Reply) and is_arrival(reply)),
        )

    def _land(self, trace: Trace, shown_by: Fact) -> None:
        at_s = _at_s(shown_by)
        receiver = self.cast.said(self._receiver(trace))
        if trace.is_handed_out:
            again = " AGAIN" if trace.is_again else ""
            text = f"{receiver} gets {trace.path} from {self.cast.said(self._sender(trace))}{again}"
        elif trace.is_first:
            text = f"late request {trace.path} has reached {receiver}"
        else:
            text = f"second delivery {trace.path} has reached {receiver}"
        index = self._line(trace.attempt.at_s if at_s is None else at_s, text)
        self.arrows.append(self._way_down(trace, Fate.LATE if trace.is_first else Fate.ARRIVED, at_s, index))

    def _reply(self, reply: Reply, trace: Trace | None) -> None:
        layer = self._layer(reply)
        said = self.cast.said(layer)
        if not is_arrival(reply):
            why = "timeout" if reply.detail != GIVEN_UP else "its caller has given up"
            self._mark(MarkKind.TIMEOUT, layer, reply, "timeout", f"{said} stops waiting for {reply.path} ({why})")
            return
        below = self.cast.receiver(reply.layer, reply.stage) if trace is None else self._receiver(trace)
        is_closed = reply.detail == CLOSED
        text = f"{said} gets {reply.state} for {reply.path}"
        text += reply_words(reply, self.cast.with_parties_said(reply.detail)) + self._wishes.origin_words(reply)
        text = f"{said}: connection of {reply.path} closed" if is_closed else text
        late = self._answered_late.pop(reply.path, None)
        fate = Fate.CLOSED if is_closed else Fate.ARRIVED if late is None else Fate.LATE
        self._level(ArrowKind.ANSWER, below, layer, reply.path, reply.at_s, text, fate)
        short_label = _without_stage(reply.path, reply.stage)
        self.arrows[-1] = replace(self.arrows[-1], short_label=short_label)
        if late is not None:
            start_at_s, start_index = late
            self.arrows[-1] = replace(self.arrows[-1], start_at_s=start_at_s, start_index=start_index)

    def _fault(self, index: int, fault: Fault) -> None:
        party, what, path = site_parts(fault.site)
        trace = self._by_path.get(path)
        during = f", during {path}" if path else ""
        if trace is not None and what in _ANSWERS_IN_TROUBLE:
            self._answer_in_trouble(index, fault, trace, _ANSWERS_IN_TROUBLE[what])
        elif what.startswith(("before_", "after_")):
            self._mark(MarkKind.CRASH, self._place(party, path), fault, "crash", _loud(f"{party}.{what}") + during)
        elif what.startswith("paused_"):
            self._mark(MarkKind.PAUSE, self._place(party, path), fault, "pause", _loud(f"{party}.{what}") + during)
        else:
            self._mark(MarkKind.FAULT, self._place(party, path), fault, "fault", site_in_words(fault.site))

    def _answer_in_trouble(self, index: int, fault: Fault, trace: Trace, trouble: str) -> None:
        below, layer, path = self._receiver(trace), self._layer(trace.attempt), trace.path
        said = f"{self.cast.said(below)} answers {path}"
        if trouble != "late":
            text = f"{said}; the answer is {trouble}"
            self._level(ArrowKind.ANSWER, below, layer, path, fault.at_s, text, Fate.LOST)
            return
        reply = self._facts[trace.reply_index] if trace.reply_index is not None else None
        if (
            isinstance(reply, Reply)
            and is_arrival(reply)
            and trace.reply_index is not None
            and trace.reply_index > index
        ):
            self._answered_late[path] = fault.at_s, self._line(fault.at_s, f"{said}; the answer is late")
            return
        text = f"{said}; late, when nobody waits any more"
        self._level(ArrowKind.ANSWER, below, layer, path, fault.at_s, text, Fate.LATE)
        self.arrows[-1] = replace(self.arrows[-1], end_at_s=None)

    def _place(self, party: str, path: str) -> str | None:
        """Lifeline on which the fault of a party is marked."""
        trace = self._by_path.get(path)
        if party in ("downstream", "readback"):
            is_at_system = trace is not None and trace.attempt.layer is LayerName.DOWNSTREAM_SDK
            return self._receiver(trace) if trace is not None and is_at_system else self.cast.system_named_in(path)
        return self.cast.party(party) or self.cast.party(SERVER)

    def _effect(self, index: int, effect: Effect) -> None:
        number = sum(mark.kind is MarkKind.EFFECT for mark in self.marks) + 1
        is_duplicate = any(
            isinstance(fact, Effect) and (fact.intent, fact.stage) == (effect.intent, effect.stage)
            for fact in self._facts[:index]
        )
        again = " AGAIN: a duplicate" if is_duplicate else ""
        result = f" ({effect.result})" if effect.result else ""
        text = f"EFFECT {number} in {effect.stage}{again}{result}{self._wishes.effect_words(effect)}"
        text += f", {identity_words(effect.operation_id)}"
        self._mark(MarkKind.EFFECT, self.cast.system(effect.stage), effect, f"effect {number}", text)
        self.marks[-1] = replace(self.marks[-1], number=number, is_duplicate=is_duplicate)

    def _record(self, index: int, fact: StateChange | Receipt) -> None:
        following = self._facts[index + 1] if index + 1 < len(self._facts) else None
        previous = self._facts[index - 1] if index else None
        if isinstance(fact, StateChange):
            has_receipt = isinstance(following, Receipt) and _is_one_step(fact, following)
            kind = MarkKind.RECEIPT if has_receipt else MarkKind.STATE
            text = f"{fact.party}: {fact.operation_id} is {fact.state}"
            text += f", with receipt of {following.stage}" if isinstance(following, Receipt) and has_receipt else ""
            self._mark(kind, fact.party, fact, str(fact.state), text)
        elif not (isinstance(previous, StateChange) and _is_one_step(previous, fact)):
            text = f"{fact.party}: receipt of {fact.stage} for {fact.operation_id}"
            self._mark(MarkKind.RECEIPT, fact.party, fact, "receipt", text)

    def _readback(self, readback: Readback) -> None:
        system = self.cast.system_named_in(readback.stage)
        stage = f" in {readback.stage}" if readback.stage else ""
        asked = f"{self.cast.said(readback.party)} reads back {identity_words(readback.operation_id)}{stage}"
        text = f"{asked}: {readback.answer}"
        self._level(ArrowKind.READBACK, system, readback.party, "", readback.at_s, text, Fate.ARRIVED)
        self._mark_here(MarkKind.READBACK, system, readback, str(readback.answer))

    def _report(self, index: int, report: Report) -> None:
        reporter = reporter_of(self._facts, index)
        whose = self._wishes.whose_words(report.intent)
        stages = f" ({said})" if (said := stages_in_words(report.stages)) else ""
        to_whom = f", left to {report.owner}" if report.owner else ""
        text = f"{self.cast.said(reporter)} reports {report.outcome} to user{whose}{stages}{to_whom}"
        self._level(ArrowKind.REPORT, reporter, USER, "", report.at_s, text, Fate.ARRIVED)
        self._mark_here(MarkKind.REPORT, USER, report, str(report.outcome))

    def _other(self, fact: Start | CleanUp | Deleted | Settlement) -> None:
        match fact:
            case Start():
                under = f" under {fact.approval}" if fact.approval else " without an approval"
                text = f"{self.cast.said(fact.party)} begins {fact.stage}{under}{self._wishes.changed_words(fact)}"
                self._mark(MarkKind.START, fact.party, fact, "start", text)
            case CleanUp():
                undone, system = identity_words(fact.operation_id), self.cast.system(fact.stage)
                text = f"{self.cast.said(fact.party)} begins to undo {undone} in {fact.stage}"
                self._level(ArrowKind.CLEAN_UP, fact.party, system, "", fact.at_s, text, Fate.ARRIVED)
            case Deleted():
                text = f"what {fact.intent} made in {fact.stage} is taken away for good"
                self._mark(MarkKind.REMOVED, self.cast.system(fact.stage), fact, "taken away", text)
            case Settlement():
                self._mark(MarkKind.SETTLED, fact.party, fact, str(fact.settled), settlement_in_words(fact))

    def _mark_here(self, kind: MarkKind, lifeline: str, fact: _Timed, label: str) -> None:
        """A mark on the line that was drawn last."""
        index = len(self.happenings) - 1
        self.marks.append(Mark(kind=kind, lifeline=lifeline, at_s=fact.at_s, index=index, label=label))


def _at_s(fact: Fact | None) -> float | None:
    return None if fact is None or isinstance(fact, Approval | Intent | Promised) else fact.at_s


def _loud(site: str) -> str:
    """A window in words, with what happens there in capitals."""
    return re.sub(" (crashes|restarts|pauses) ", lambda found: found[0].upper(), site_in_words(site))


def _without_stage(path: str, stage: str) -> str:
    parts = path.split("/")
    return "/".join(part for part in parts if part != stage) if stage else path


def _is_one_step(state: StateChange, receipt: Receipt) -> bool:
    """Whether the receipt was written in the durable step that changed the state."""
    return (state.party, state.operation_id, state.at_s) == (receipt.party, receipt.operation_id, receipt.at_s)
