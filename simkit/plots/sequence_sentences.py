"""What single facts bear, as parts of the sentences of a sequence diagram."""

from collections.abc import Iterator, Sequence

from simkit.journal import Journal
from simkit.plots.sequence_cast import RECONCILER, USER
from simkit.plots.sequence_traces import Trace
from simkit.plots.sequence_words import instant_words
from simkit.records import (
    Approval,
    Attempt,
    Deleted,
    Effect,
    Fact,
    Fault,
    Intent,
    Readback,
    Receipt,
    Reply,
    Report,
    Settlement,
    Start,
)
from simkit.study.story import caller_of, stages_in_words
from simkit.terms import LayerName, State

__all__ = ["Wishes", "fate_words", "given_words", "identity_words", "reply_words", "reporter_of", "summary_words"]


class Wishes:
    """The intents of a run, with which what is sent, made and answered is compared."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._intents = {fact.intent: fact for fact in facts if isinstance(fact, Intent)}

    def whose_words(self, intent: str) -> str:
        """For which intent something is; empty where there is only one."""
        return f", for {intent}" if len(self._intents) > 1 else ""

    def changed_words(self, fact: Attempt | Effect | Start) -> str:
        """The inputs where they are not those that were wanted."""
        wanted = self._intents.get(fact.intent)
        return "" if wanted is None or fact.inputs == wanted.inputs else f", with other inputs: {fact.inputs}"

    def effect_words(self, effect: Effect) -> str:
        """Who gets it, how its target looks then, and what of it nobody wanted."""
        wanted = self._intents.get(effect.intent)
        text = f" to {effect.audience}" if effect.audience else ""
        if wanted is not None and wanted.audience and effect.audience != wanted.audience:
            text += f" instead of to {wanted.audience}"
        text += self.changed_words(effect)
        if effect.state not in ("", effect.inputs, "sent"):
            text += f", now {effect.state}"
        return text if wanted is None or wanted.wants_effect else f"{text}, though no effect was wanted"

    def origin_words(self, reply: Reply) -> str:
        """Whose result it is, where it is another wish's."""
        if reply.origin in ("", reply.intent):
            return ""
        own, other = self._intents.get(reply.intent), self._intents.get(reply.origin)
        crosses = own is not None and other is not None and own.tenant != other.tenant
        return f"; this is of another wish, {reply.origin}{', and of ANOTHER TENANT' if crosses else ''}"


def identity_words(operation_id: str) -> str:
    """An operation ID, or that there is none."""
    return f"ID {operation_id}" if operation_id else "no ID"


def reply_words(reply: Reply, detail: str) -> str:
    """What an answer says beside its state; a plain receipt needs no word."""
    said = [detail] if detail and not (reply.state is State.COMPLETED and reply.detail == "receipt") else []
    if reply.layer is LayerName.AGENT:
        said += [words for words in (reply.result, stages_in_words(reply.stages)) if words]
    return f" ({'; '.join(said)})" if said else ""


def fate_words(trace: Trace) -> str:
    """What becomes of a request on its way."""
    if trace.is_refused:
        return "; connection REFUSED, nothing is sent"
    if trace.is_lost:
        return "; LOST"
    if trace.is_late:
        return "; late" if trace.landing_index is not None else "; late, its arrival left no trace"
    return "; never answered" if trace.reply_index is None else ""


def reporter_of(facts: Sequence[Fact], index: int) -> str:
    """Who tells the user: the party whose own step stands right before the report."""
    report = facts[index]
    before = facts[index - 1] if index else None
    match before:
        case Reply(layer=LayerName.AGENT) | Attempt(layer=LayerName.AGENT):
            return caller_of(before.path)
        case Receipt(party=party) | Settlement(party=party) | Readback(party=party) if party == RECONCILER:
            return RECONCILER
        case Fault() if before.site.startswith(f"{RECONCILER}."):
            return RECONCILER
        case Report(at_s=at_s) if isinstance(report, Report) and at_s == report.at_s:
            return reporter_of(facts, index - 1)
        case _:
            return str(report.layer) if isinstance(report, Report) else USER


def given_words(journal: Journal) -> tuple[str, ...]:
    """What is true before anything happens: who is who, where that matters, and what was approved."""
    intents = list(journal.of(Intent))
    tenants = {intent.tenant for intent in intents}
    lines = [f"{intent.intent} is of tenant {intent.tenant}" for intent in intents if len(tenants) > 1]
    return (*lines, *map(_approval_words, journal.of(Approval)))


def _approval_words(approval: Approval) -> str:
    to_whom = f" to {approval.audience}" if approval.audience else ""
    until = "" if approval.expires_at_s is None else f", until {instant_words(approval.expires_at_s)}"
    use = ", for this wish alone" if approval.is_single_use else ""
    return f"{approval.approval} approves {approval.inputs}{to_whom} for {approval.intent}{use}{until}"


def summary_words(journal: Journal) -> Iterator[str]:
    """A sentence for each intent: its effects, and what the user was told."""
    for intent in journal.of(Intent):
        made = [effect.stage for effect in journal.of(Effect) if effect.intent == intent.intent]
        wanted_count = 1 if intent.wants_effect else 0
        counts = [_count_words(made.count(stage), stage, wanted_count) for stage in dict.fromkeys(made)]
        counts += [f"taken away in {gone.stage}" for gone in journal.of(Deleted) if gone.intent == intent.intent]
        told = [str(report.outcome) for report in journal.of(Report) if report.intent == intent.intent]
        heard = f"the user was told {', then '.join(told) or 'nothing'}"
        yield f"{intent.intent}: {', '.join(counts) or 'no effect'}; {heard}"


def _count_words(count: int, stage: str, wanted_count: int) -> str:
    made = f"{count} effect{'' if count == 1 else 's'} in {stage}"
    return made if count <= wanted_count else f"{made}, {count - wanted_count} too many"
