"""The top of the page: what the tool is, what is asked for, and what to do at three in the morning."""

from simkit.contract import Duration, NotApplicable, Review
from simkit.contract.choices import MadeBy, NoLimit, OnOff
from simkit.contract.effects import DownstreamKey, Effect, Readback
from simkit.contract.layers import Layer
from simkit.contract.record import OperationIdentity
from simkit.review.page import Block, Row, Tone, plain, row
from simkit.review.wording import LABEL_LENGTH_MAX, answer_words, count_words, effect_words, layer_words
from simkit.terms import EvidenceKind, Identity, LayerName, Verdict

__all__ = ["effects_block", "on_call_block", "requested_block", "subtitle", "summary"]


def subtitle(review: Review) -> tuple[str, ...]:
    """Version, server and owner."""
    tool = review.tool
    return (
        f"version {answer_words(tool.version)}",
        f"server {answer_words(tool.server)} {answer_words(tool.server_version)}",
        f"owner {answer_words(tool.owner)}",
    )


def summary(review: Review) -> str:
    """What the tool does, as its owner says it."""
    return "What it does is unknown." if not isinstance(review.tool.summary, str) else review.tool.summary


def effects_block(review: Review, shown: str) -> Block:
    """Each effect, the system that confirms it, and what counts as done.

    Parameters
    ----------
    shown
        Name of the effect that the rest of the page is about, if there are several; else empty.
    """
    others = len(review.effects) - 1
    names = [effect.name for effect in review.effects]
    is_named = bool(others) and shown in names
    about = f"Below: {effect_words(shown, names.index(shown) + 1)}, which decides. " if is_named else ""
    return Block(
        name="effects",
        title="Effects",
        evidence=EvidenceKind.DECLARED,
        columns=("Effect", "Confirmed by", "Counts as done"),
        rows=tuple(_effect_row(effect) for effect in review.effects),
        noun="effect",
        nouns="effects",
        notes=(f"{about}Of the other {count_words(others, 'effect', 'effects')}, the results are in the JSON.",)
        if is_named
        else (),
    )


def _effect_row(effect: Effect) -> Row:
    kind = answer_words(effect.kind)
    return row(
        f"{effect.name} ({kind}): {answer_words(effect.description)}",
        answer_words(effect.system),
        f"{answer_words(effect.completion_evidence)}: {answer_words(effect.evidence_text)}",
    )


def requested_block(review: Review) -> Block:
    """Which layers ask to repeat by themselves, and how often each tries."""
    return Block(
        name="requested",
        title="Automatic retries requested",
        evidence=EvidenceKind.DECLARED,
        columns=("Layer", "Retries", "Attempts", "Timeout", "If all fail"),
        rows=tuple(_layer_row(review, name) for name in LayerName),
        noun="layer",
        nouns="layers",
    )


def _layer_row(review: Review, name: LayerName) -> Row:
    layer = review.layers.of(name)
    asked = review.requested.automatic_retries.of(name)
    words = plain(str(asked), Tone.PLAIN if asked is OnOff.ON else Tone.MUTED)
    if not isinstance(layer, Layer):
        missing = "no such layer" if isinstance(layer, NotApplicable) else "unknown"
        return row(layer_words(name), words, missing, "", "")
    return row(
        layer_words(name),
        words,
        "no end" if layer.attempts is NoLimit.NONE else answer_words(layer.attempts),
        answer_words(layer.timeout),
        answer_words(layer.when_exhausted),
    )


def on_call_block(review: Review, verdict: Verdict) -> Block:
    """Owner, deadline, the question that may be asked, and what never to do."""
    unknown = review.unknown_outcome
    rows = [
        row("Owner", answer_words(unknown.owner)),
        row("Settle within", f"{answer_words(unknown.deadline)} of the last attempt"),
        row("Never", plain(_never(review), Tone.BAD)),
        *(_readback_row(effect, number) for number, effect in enumerate(review.effects, start=1)),
        row("Not seen", _not_seen(review)),
        *_unavailable_rows(review),
    ]
    if verdict is not Verdict.ALLOW:
        rows.insert(2, row("Until settled", "Automatic write retries stay off; nobody calls again by hand."))
    return Block(
        name="on call",
        title="On call: the outcome is unknown",
        evidence=EvidenceKind.DECLARED,
        columns=(),
        rows=tuple(rows),
        noun="line",
        nouns="lines",
    )


def _readback_row(effect: Effect, number: int) -> Row:
    label = f"Ask ({effect_words(effect.name, number)})"
    readback = effect.readback
    if not isinstance(readback, Readback):
        why = "it is unknown how to ask" if not isinstance(readback, NotApplicable) else f"nobody, {readback}"
        return row(label, plain(why, Tone.OPEN))
    times = (
        count_words(readback.attempts, "time", "times")
        if isinstance(readback.attempts, int)
        else "an unknown number of times"
    )
    return row(
        label,
        f"{answer_words(effect.system)}, by {answer_words(readback.by)}, {times}. "
        f"An effect shows after at most {answer_words(readback.lag)}.",
    )


def _not_seen(review: Review) -> str:
    landings = [value for _, value in review.conditions.latest_landing]
    known = [value for value in landings if isinstance(value, Duration)]
    latest = max(known, key=lambda value: value.length_s).text if len(known) == len(landings) else "an unknown time"
    return f"Is not absent: a copy of the call may land up to {latest} after it was sent, on each hop, and shows later."


def _unavailable_rows(review: Review) -> tuple[Row, ...]:
    texts: dict[str, None] = {}
    for effect in review.effects:
        if isinstance(effect.readback, Readback):
            texts.setdefault(answer_words(effect.readback.when_unavailable))
    return tuple(row("No clear answer", text) for text in texts)


def _never(review: Review) -> str:
    identity = review.identity
    name = review.effects[0].name
    what = name if len(review.effects) == 1 and len(name) <= LABEL_LENGTH_MAX else "effect"
    keeps_one_id = (
        isinstance(identity, OperationIdentity)
        and identity.span is Identity.PER_INTENT
        and identity.made_by is not MadeBy.NOBODY
    )
    has_key = any(isinstance(effect.downstream_key, DownstreamKey) for effect in review.effects)
    if keeps_one_id:
        first = f"Call again under a new operation ID: it can make a second {what}."
    elif has_key:
        first = f"Call again: no call is known to keep its operation ID, so each can make another {what}."
    else:
        first = f"Call again: nothing recognises the repeat, so each call can make another {what}."
    return f"{first} Take a timeout, an error or 'not seen' for 'nothing happened'."
