"""Where something can go wrong and how often, each with its source; and what is not known."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from simkit.contract import NotApplicable, Review
from simkit.contract.rates import CrashRates, LossRates, Rate, Rates
from simkit.review.numbers import exact_words
from simkit.review.page import Block, Row, Text, Tone, plain, row
from simkit.review.wording import hop_words
from simkit.terms import EvidenceKind

__all__ = ["gaps_block", "rates_block"]

SHORT_SOURCE_LENGTH_MAX: Final = 30


def rates_block(review: Review) -> Block:
    """One row for each place and source; a rate that nobody measured is marked as assumed."""
    rows: tuple[Row, ...] = (row("everywhere", plain("unknown", Tone.OPEN)),)
    if isinstance(review.rates, Rates):
        rows = tuple(rate_row for place, answers in _places(review.rates) for rate_row in _rows_of(place, answers))
    sources = {entry.detail.text for entry in rows if entry.detail is not None}
    has_one_source = len(sources) == 1
    return Block(
        name="rates",
        title="Sites and rates",
        evidence=EvidenceKind.DECLARED,
        columns=() if has_one_source else ("Where", "Chance of a fault, each time"),
        rows=tuple(replace(entry, detail=None) if has_one_source else _with_short_source(entry) for entry in rows),
        noun="rate",
        nouns="rates",
        notes=(f"Chance of a fault each time. For all rates, {sources.pop()}.",) if has_one_source else (),
    )


def _places(rates: Rates) -> Iterator[tuple[str, tuple[tuple[str, object], ...]]]:
    for hop in ("agent_to_gateway", "gateway_to_server", "server_to_downstream"):
        yield hop_words(hop), _fields_of(getattr(rates, hop))
    yield "server crash", _fields_of(rates.crash)
    yield "readback", (("cannot tell", rates.readback_cannot_tell),)
    yield "system of record", (("error", rates.downstream_error),)


def _fields_of(answer: object) -> tuple[tuple[str, object], ...]:
    if isinstance(answer, LossRates | CrashRates):
        return tuple((name.replace("_", " "), value) for name, value in answer)
    return (("every fault", answer),)


def _rows_of(place: str, answers: tuple[tuple[str, object], ...]) -> Iterator[Row]:
    by_source: dict[str, list[str]] = {}
    rates = [answer for _, answer in answers if isinstance(answer, Rate)]
    if len(rates) == len(answers) > 2 and len({(rate.probability, rate.source) for rate in rates}) == 1:
        text = f"{exact_words(rates[0].probability)} for each: {', '.join(name for name, _ in answers)}"
        yield row(place, text, detail=_source(rates[0].source), item_count=len(rates))
        return
    for name, answer in answers:
        if isinstance(answer, Rate):
            by_source.setdefault(answer.source, []).append(f"{name} {exact_words(answer.probability)}")
        elif not isinstance(answer, NotApplicable):
            by_source.setdefault("unknown", []).append(f"{name} unknown")
    for source, texts in by_source.items():
        yield row(place, ", ".join(texts), detail=_source(source), item_count=len(texts))


def _with_short_source(entry: Row) -> Row:
    """The row with a source of a word or two behind its rates instead of beneath them."""
    detail = entry.detail
    if detail is None or len(detail.text) > SHORT_SOURCE_LENGTH_MAX:
        return entry
    place, rates = entry.cells
    return replace(entry, cells=(place, replace(rates, text=f"{rates.text}; {detail.text}")), detail=None)


def _source(source: str) -> Text:
    return plain(f"source: {source}", Tone.OPEN if source in ("assumed", "unknown") else Tone.MUTED)


def gaps_block(review: Review, *, unexplored: tuple[str, ...], notes: tuple[str, ...]) -> Block:
    """Contradictions, unknown answers and rates, stand-ins, and the kinds of evidence that are missing.

    Parameters
    ----------
    unexplored
        Which explorations were not carried to the fault budget.
    notes
        What stands in for a declaration that the simulated world does not know.
    """
    rows = [
        *(row(plain("contradicted", Tone.BAD), text) for text in review.contradictions()),
        *(row(plain("not explored", Tone.BAD), text) for text in unexplored),
        row(plain("not observed", Tone.OPEN), "no test of the running server, of this or another version"),
        *(row(plain("stand-in", Tone.OPEN), note) for note in notes),
        *(row(plain("unknown", Tone.OPEN), path) for path in review.unknown_in_words()),
        *(row(plain("unknown rate", Tone.OPEN), path) for path in review.unknown_rates()),
    ]
    return Block(
        name="gaps",
        title="Gaps",
        evidence="",
        columns=(),
        rows=tuple(rows),
        noun="gap",
        nouns="gaps",
    )
