"""A run in words: one line for each thing that happened, with its instant.

The phrases that a picture of the run needs too are public, so that both call everything by one name.
"""

import re
from collections.abc import Iterable, Iterator

from simkit.journal import Journal
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
from simkit.study.site_words import site_in_words
from simkit.terms import LayerName, State

__all__ = [
    "caller_of",
    "identity_in_words",
    "settlement_in_words",
    "site_in_words",
    "stages_in_words",
    "story",
    "timed_lines",
]

_TIMELESS = (Intent, Approval, Promised)

_AGENTS_OWN = re.compile(r"\d+|[cr]\d+")
"""What stands before a colon in the path of an agent's own attempt: the call, the copy of it, the restart."""


def story(journal: Journal) -> tuple[str, ...]:
    """Lines for the facts that somebody who follows a run needs, in order."""
    return tuple(line for _, line in timed_lines(journal))


def timed_lines(journal: Journal) -> Iterator[tuple[int, str]]:
    """The same lines, each with the place of its fact in the journal."""
    for index, fact in enumerate(journal):
        if not isinstance(fact, _TIMELESS) and (text := _text(fact)):
            yield index, f"{fact.at_s:12.3f} s  {text}"


def caller_of(path: str) -> str:
    """Who made the call of an attempt path: the agent, the reconciler, or a path that sends again.

    Examples
    --------
    >>> caller_of("2:r1:1/1"), caller_of("sweep:1/1")
    ('agent', 'sweep')
    """
    name, colon, _ = path.partition("/")[0].partition(":")
    return name if colon and not _AGENTS_OWN.fullmatch(name) else "agent"


def identity_in_words(operation_id: str) -> str:
    """An operation ID, or that there is none."""
    return f"ID {operation_id or 'none'}"


def stages_in_words(stages: Iterable[tuple[str, State]]) -> str:
    """The state of each stage; empty where there are no several stages.

    Examples
    --------
    >>> stages_in_words([("publication", State.COMPLETED), ("notification", State.NOT_STARTED)])
    'publication completed, notification not started'
    """
    return ", ".join(f"{stage} {state}" for stage, state in stages)


def settlement_in_words(fact: Settlement) -> str:
    """What a settlement without an effect says."""
    operation = identity_in_words(fact.operation_id)
    return f"{fact.party} settles {operation} as {fact.settled}: nothing may land from now on"


def _text(fact: Fact) -> str:
    match fact:
        case Attempt():
            return _attempt(fact)
        case Reply():
            return _reply(fact)
        case Start() | Effect():
            return _start_or_effect(fact)
        case Receipt():
            return f"{fact.party}: receipt of {fact.stage} for {fact.operation_id}"
        case StateChange():
            return f"{fact.party}: {fact.operation_id} is {fact.state}"
        case Fault():
            return f"FAULT: {site_in_words(fact.site)}"
        case Readback() | CleanUp() | Deleted() | Settlement():
            return _question_or_end(fact)
        case Report():
            return _report(fact)
        case End(is_quiescent=False):
            return f"the run was cut here; next would be {fact.waiting_for}"
        case _:
            return ""


def _attempt(fact: Attempt) -> str:
    if fact.layer is not LayerName.AGENT:
        return f"{fact.layer.replace('_', ' ')} sends attempt {fact.path}"
    return f"{caller_of(fact.path)} calls, attempt {fact.path}, {identity_in_words(fact.operation_id)}"


def _reply(fact: Reply) -> str:
    result = f", {fact.result}" if fact.result and fact.layer is LayerName.AGENT else ""
    of_another = f", which is of {fact.origin}" if fact.origin and fact.origin != fact.intent else ""
    who = caller_of(fact.path) if fact.layer is LayerName.AGENT else fact.layer.replace("_", " ")
    return f"{who} gets {fact.state} for {fact.path}: {fact.detail}{result}{of_another}"


def _start_or_effect(fact: Start | Effect) -> str:
    if isinstance(fact, Start):
        return f"{fact.party} begins {fact.stage}{f' under {fact.approval}' if fact.approval else ''}"
    to_whom = f" to {fact.audience}" if fact.audience else ""
    return f"EFFECT in {fact.stage}{to_whom}, {identity_in_words(fact.operation_id)}"


def _report(fact: Report) -> str:
    stages = f" ({said})" if (said := stages_in_words(fact.stages)) else ""
    to_whom = f", left to {fact.owner}" if fact.owner else ""
    return f"{fact.layer} reports {fact.outcome}{stages}{to_whom}"


def _question_or_end(fact: Readback | CleanUp | Deleted | Settlement) -> str:
    match fact:
        case Readback():
            stage = f" in {fact.stage}" if fact.stage else ""
            return f"{fact.party} reads back {identity_in_words(fact.operation_id)}{stage}: {fact.answer}"
        case CleanUp():
            return f"{fact.party} begins to undo {identity_in_words(fact.operation_id)} in {fact.stage}"
        case Deleted():
            return f"what {fact.intent} made in {fact.stage} is taken away for good"
        case Settlement():
            return settlement_in_words(fact)
