"""What of the declaration was taken from the catalog: which entry where, overridden how, guessed in what."""

from simkit.contract import Review, Taken
from simkit.review.page import Block, Row, Text, Tone, row
from simkit.review.shortening import shortened_text
from simkit.review.wording import effect_words, layer_words, list_words
from simkit.terms import EvidenceKind, LayerName

__all__ = ["catalog_blocks"]

READBACK = ".readback"
ID_LENGTH_MAX = 40


def catalog_blocks(review: Review) -> tuple[Block, ...]:
    """One row for each entry; no block where the review names none."""
    taken = review.from_catalog.taken
    if not taken:
        return ()
    return (
        Block(
            name="catalog",
            title="From the catalog",
            evidence=EvidenceKind.DECLARED,
            columns=(),
            rows=tuple(_row(review, one) for one in taken),
            noun="entry",
            nouns="entries",
        ),
    )


def _row(review: Review, taken: Taken) -> Row:
    parts = [f"{shortened_text(taken.entry_id, ID_LENGTH_MAX)}: {taken.grade}, checked {taken.checked_at}"]
    parts += [f"overridden: {list_words(taken.overridden)}"] if taken.overridden else []
    parts += [f"guessed there: {list_words(taken.guessed)}"] if taken.guessed else []
    tone = Tone.OPEN if taken.guessed else Tone.PLAIN
    return row(_label(review, taken.place), Text(text="; ".join(parts), tone=tone))


def _label(review: Review, place: str) -> str:
    kind, _, name = place.partition(".")
    if kind == "layers":
        return layer_words(LayerName(name))
    index = int(name.removesuffix(READBACK))
    what = effect_words(review.effects[index].name, index + 1)
    return f"{'Readback' if name.endswith(READBACK) else 'System'} ({what})"
