"""From the journal of a run to its sequence diagram, without running anything.

==================================  =============================================================
fact                                becomes
==================================  =============================================================
attempt, with a fault on its way    a request; lost, or late with a line of its own where it lands
reply                               an answer, a closed connection, or the mark of a timeout
fault on the way back               an answer that is lost, or late and perhaps for nobody
fault of the server                 the mark of a crash
effect                              a numbered mark in its system of record
state, receipt                      a mark at the record store; one where both are one step
readback                            an answer of the system of record
report                              what the user is told
==================================  =============================================================
"""

from dataclasses import replace

from simkit.journal import Journal
from simkit.plots.sequence_cast import SERVER, USER, Cast
from simkit.plots.sequence_facts import CLOSED, is_arrival, site_parts
from simkit.plots.sequence_parts import Arrow, ArrowKind, Fate, Happening, Mark, MarkKind, Sequence
from simkit.plots.sequence_traces import Trace, traces_of
from simkit.plots.sequence_words import printable
from simkit.records import (
    Approval,
    Attempt,
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
    StateChange,
)
from simkit.study.story import site_in_words
from simkit.terms import LayerName, State

__all__ = ["sequence_of"]

_Timed = Reply | Effect | Receipt | StateChange | Readback | Report | Fault


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
        summary=_summary(journal),
    )


class _Drawing:
    """The lines so far, and the late messages that are still on their way."""

    def __init__(self, facts: tuple[Fact, ...]) -> None:
        self._facts = facts
        self.cast = Cast(facts)
        self.happenings: list[Happening] = []
        self.arrows: list[Arrow] = []
        self.marks: list[Mark] = []
        self._has_several_intents = sum(isinstance(fact, Intent) for fact in facts) > 1
        traces = traces_of(facts)
        self._by_index = {trace.index: trace for trace in traces}
        self._by_reply = {trace.reply_index: trace for trace in traces if trace.reply_index is not None}
        self._by_path = {trace.attempt.path: trace for trace in traces}
        self._told_with_request = {trace.fault_index for trace in traces}
        self._landing_late = [trace for trace in traces if trace.is_late and trace.landing_index is not None]
        self._sent_on_line: dict[int, int] = {}
        self._answered_late: dict[str, tuple[float, int]] = {}

    def add(self, index: int, fact: Fact) -> None:
        """Draw one fact, after the late requests that it shows to have landed."""
        for trace in self._landing_late:
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
                self._report(fact)
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
        stage = effect.stage if isinstance(effect, Effect) else None
        return self.cast.receiver(trace.attempt.layer, f"{trace.attempt.path} {trace.attempt.operation_id}", stage)

    def _request(self, trace: Trace) -> None:
        attempt = trace.attempt
        sender, receiver = self.cast.sender(attempt.layer), self._receiver(trace)
        identity = f", {_identity(attempt.operation_id)}" if attempt.layer is LayerName.AGENT else ""
        if identity and self._has_several_intents:
            identity += f", for {attempt.intent}"
        text = f"{self.cast.said(sender)} sends {attempt.path} to {self.cast.said(receiver)}{identity}"
        index = self._line(attempt.at_s, text + _fate_words(trace))
        self._sent_on_line[trace.index] = index
        if trace.is_late and trace.landing_index is not None:
            return
        fate = Fate.LOST if trace.is_lost else Fate.LATE if trace.is_late else Fate.ARRIVED
        landing = self._facts[trace.landing_index] if trace.landing_index is not None else None
        self.arrows.append(self._request_arrow(trace, fate, _at_s(landing), index))

    def _request_arrow(self, trace: Trace, fate: Fate, end_at_s: float | None, end_index: int) -> Arrow:
        reply = self._facts[trace.reply_index] if trace.reply_index is not None else None
        return Arrow(
            kind=ArrowKind.REQUEST,
            sender=self.cast.sender(trace.attempt.layer),
            receiver=self._receiver(trace),
            label=trace.attempt.path,
            fate=fate,
            start_at_s=trace.attempt.at_s,
            end_at_s=end_at_s,
            start_index=self._sent_on_line[trace.index],
            end_index=end_index,
            is_answered=isinstance(reply, Reply) and is_arrival(reply),
        )

    def _land(self, trace: Trace, shown_by: Fact) -> None:
        at_s = _at_s(shown_by)
        text = f"late request {trace.attempt.path} has reached {self.cast.said(self._receiver(trace))}"
        index = self._line(trace.attempt.at_s if at_s is None else at_s, text)
        self.arrows.append(self._request_arrow(trace, Fate.LATE, at_s, index))

    def _reply(self, reply: Reply, trace: Trace | None) -> None:
        layer = self.cast.sender(reply.layer)
        said = self.cast.said(layer)
        if not is_arrival(reply):
            self._mark(MarkKind.TIMEOUT, layer, reply, "timeout", f"{said} stops waiting for {reply.path} (timeout)")
            return
        below = self._receiver(trace) if trace is not None else self.cast.receiver(reply.layer, reply.path, None)
        is_closed = reply.detail == CLOSED
        detail = self.cast.with_parties_said(reply.detail)
        is_plain = reply.state is State.COMPLETED and reply.detail == "receipt"
        text = f"{said} gets {reply.state} for {reply.path}" + (f" ({detail})" if detail and not is_plain else "")
        text = f"{said}: connection of {reply.path} closed" if is_closed else text
        late = self._answered_late.pop(reply.path, None)
        fate = Fate.CLOSED if is_closed else Fate.ARRIVED if late is None else Fate.LATE
        self._level(ArrowKind.ANSWER, below, layer, reply.path, reply.at_s, text, fate)
        if late is not None:
            start_at_s, start_index = late
            self.arrows[-1] = replace(self.arrows[-1], start_at_s=start_at_s, start_index=start_index)

    def _fault(self, index: int, fault: Fault) -> None:
        party, what, path = site_parts(fault.site)
        trace = self._by_path.get(path)
        if trace is not None and what in ("response_lost", "response_late"):
            self._answer_in_trouble(index, fault, trace, is_lost=what == "response_lost")
        elif what.startswith(("before_", "after_")):
            during = f", during {path}" if path else ""
            text = f"{party.replace('_', ' ')} CRASHES {what.replace('_', ' the ', 1).replace('_', ' ')}{during}"
            self._mark(MarkKind.CRASH, self._place(party), fault, "crash", text)
        else:
            self._mark(MarkKind.FAULT, self._place(party), fault, "fault", site_in_words(fault.site))

    def _answer_in_trouble(self, index: int, fault: Fault, trace: Trace, *, is_lost: bool) -> None:
        below, layer, path = self._receiver(trace), self.cast.sender(trace.attempt.layer), trace.attempt.path
        said = f"{self.cast.said(below)} answers {path}"
        if is_lost:
            self._level(ArrowKind.ANSWER, below, layer, path, fault.at_s, f"{said}; the answer is lost", Fate.LOST)
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

    def _place(self, party: str) -> str | None:
        if party in ("downstream", "readback"):
            return self.cast.first_system()
        return next((name for name in (party, SERVER) if name in self.cast.names), None)

    def _effect(self, index: int, effect: Effect) -> None:
        number = sum(mark.kind is MarkKind.EFFECT for mark in self.marks) + 1
        is_duplicate = any(
            isinstance(fact, Effect) and (fact.intent, fact.stage) == (effect.intent, effect.stage)
            for fact in self._facts[:index]
        )
        again = " AGAIN: a duplicate" if is_duplicate else ""
        text = f"EFFECT {number} in {effect.stage}{again}, {_identity(effect.operation_id)}"
        self._mark(MarkKind.EFFECT, self.cast.system(effect.stage), effect, f"effect {number}", text)
        self.marks[-1] = replace(self.marks[-1], number=number, is_duplicate=is_duplicate)

    def _record(self, index: int, fact: StateChange | Receipt) -> None:
        following = self._facts[index + 1] if index + 1 < len(self._facts) else None
        previous = self._facts[index - 1] if index else None
        if isinstance(fact, StateChange):
            has_receipt = isinstance(following, Receipt) and _is_one_step(fact, following)
            kind = MarkKind.RECEIPT if has_receipt else MarkKind.STATE
            text = f"{fact.party}: {fact.operation_id} is {fact.state}{', with receipt' if has_receipt else ''}"
            self._mark(kind, fact.party, fact, str(fact.state), text)
        elif not (isinstance(previous, StateChange) and _is_one_step(previous, fact)):
            text = f"{fact.party}: receipt of {fact.stage} for {fact.operation_id}"
            self._mark(MarkKind.RECEIPT, fact.party, fact, "receipt", text)

    def _readback(self, readback: Readback) -> None:
        system = self.cast.first_system()
        text = f"{self.cast.said(readback.party)} reads back {_identity(readback.operation_id)}: {readback.answer}"
        self._level(ArrowKind.READBACK, system, readback.party, "", readback.at_s, text, Fate.ARRIVED)
        self._mark_here(MarkKind.READBACK, system, readback, str(readback.answer))

    def _report(self, report: Report) -> None:
        layer = self.cast.sender(report.layer)
        to_whom = f", left to {report.owner}" if report.owner else ""
        text = f"{self.cast.said(layer)} reports {report.outcome} to user{to_whom}"
        self._level(ArrowKind.REPORT, layer, USER, "", report.at_s, text, Fate.ARRIVED)
        self._mark_here(MarkKind.REPORT, USER, report, str(report.outcome))

    def _mark_here(self, kind: MarkKind, lifeline: str, fact: _Timed, label: str) -> None:
        """A mark on the line that was drawn last."""
        index = len(self.happenings) - 1
        self.marks.append(Mark(kind=kind, lifeline=lifeline, at_s=fact.at_s, index=index, label=label))


def _at_s(fact: Fact | None) -> float | None:
    return None if fact is None or isinstance(fact, Approval | Intent | Promised) else fact.at_s


def _identity(operation_id: str) -> str:
    return f"ID {operation_id}" if operation_id else "no ID"


def _fate_words(trace: Trace) -> str:
    if trace.is_lost:
        return "; LOST"
    if trace.is_late:
        return "; late" if trace.landing_index is not None else "; late, its arrival left no trace"
    return "; never answered" if trace.reply_index is None else ""


def _is_one_step(state: StateChange, receipt: Receipt) -> bool:
    """Whether the receipt was written in the durable step that made the state `completed`."""
    same = (state.party, state.operation_id, state.at_s) == (receipt.party, receipt.operation_id, receipt.at_s)
    return same and state.state is State.COMPLETED


def _summary(journal: Journal) -> tuple[str, ...]:
    """For each intent: the effects that it has, and what its user was told."""
    lines = []
    for intent in journal.of(Intent):
        made = [effect.stage for effect in journal.of(Effect) if effect.intent == intent.intent]
        counts = [_count_words(made.count(stage), stage) for stage in dict.fromkeys(made)]
        told = [str(report.outcome) for report in journal.of(Report) if report.intent == intent.intent]
        heard = f"the user was told {', then '.join(told) or 'nothing'}"
        lines.append(printable(f"{intent.intent}: {', '.join(counts) or 'no effect'}; {heard}"))
    return tuple(lines)


def _count_words(count: int, stage: str) -> str:
    if count == 1:
        return f"1 effect in {stage}"
    return f"{count} effects in {stage}, {count - 1} too many"
