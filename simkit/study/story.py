"""A run in words: one line for each thing that happened, with its instant."""

from simkit.journal import Journal
from simkit.records import (
    Approval,
    Attempt,
    Effect,
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
from simkit.terms import LayerName

__all__ = ["site_in_words", "story"]

_TIMELESS = (Intent, Approval, Promised)


def story(journal: Journal) -> tuple[str, ...]:
    """Lines for the facts that somebody who follows a run needs, in order."""
    happened = (fact for fact in journal if not isinstance(fact, _TIMELESS))
    return tuple(_line(fact.at_s, text) for fact in happened if (text := _text(fact)))


def site_in_words(site: str) -> str:
    """A site with its attempt path as people say it, for instance `crash after the effect (attempt 1/1)`."""
    name, _, path = site.partition("@")
    party, _, what = name.partition(".")
    place = party.replace("_", " ")
    happening = what.replace("_", " ")
    if what.startswith(("before_", "after_")):
        text = f"{place} crashes {happening}"
    elif party == "readback":
        text = "readback cannot tell"
    elif party == "downstream":
        text = "the system of record answers with an error"
    else:
        text = f"{happening}, {place}"
    return f"{text} (attempt {path})" if path else text


def _line(at_s: float, text: str) -> str:
    return f"{at_s:12.3f} s  {text}"


def _text(fact: Fact) -> str:
    match fact:
        case Attempt(layer=LayerName.AGENT):
            return f"agent calls, attempt {fact.attempt_number}, ID {fact.operation_id or 'none'}"
        case Attempt():
            return f"{fact.layer.replace('_', ' ')} sends attempt {fact.path}"
        case Reply():
            return f"{fact.layer.replace('_', ' ')} gets {fact.state} for {fact.path}: {fact.detail}"
        case Effect():
            return f"EFFECT in {fact.stage}, ID {fact.operation_id or 'none'}"
        case Receipt():
            return f"receipt written for {fact.operation_id}"
        case StateChange():
            return f"{fact.party}: {fact.operation_id} is {fact.state}"
        case Readback():
            return f"{fact.party} reads back {fact.operation_id}: {fact.answer}"
        case Fault():
            return f"FAULT: {site_in_words(fact.site)}"
        case Report():
            to_whom = f", left to {fact.owner}" if fact.owner else ""
            return f"agent reports {fact.outcome}{to_whom}"
        case _:
            return ""
