"""Margins in words: by how much a time may move before the verdict flips, and what would lift it.

The page shows the tightest, a terminal all of them.
"""

from collections.abc import Iterator
from typing import Final

from simkit.review.page import Block, Row, Text, Tone, plain, row
from simkit.review.wording import count_words
from simkit.study.margin_results import Lift, Margin, Margins
from simkit.terms import EvidenceKind

__all__ = ["margin_lines", "margins_block", "tightest"]

SHOWN_COUNT: Final = 4


def tightest(margins: Margins) -> tuple[Margin, ...]:
    """The margins beyond which the verdict gets worse, the one with the smallest factor first.

    Of those from or to 0, for which no factor is said, the smallest number of seconds comes first, after all others.
    """
    flips = [margin for margin in margins.numbers if margin.flips_at_s is not None and not margin.is_lifting]
    return tuple(sorted(flips, key=lambda margin: (margin.factor, margin.distance_s)))


def margins_block(margins: Margins) -> Block:
    """The tightest margins, and the smallest single change that would lift the verdict."""
    narrow = tightest(margins)
    rows = [row(_beyond(margin), f"at {_called(margin)}") for margin in narrow[:SHOWN_COUNT]]
    if not narrow:
        rows.append(row("tightest", _none_found(margins)))
    if margins.not_moved:
        rows.append(row("not moved", plain(f"{'; '.join(margins.not_moved)}", Tone.OPEN)))
    return Block(
        name="margins",
        title="Where the verdict flips",
        evidence=EvidenceKind.SIMULATED,
        columns=(),
        rows=(*_lift_rows(margins), *rows),
        noun="margin",
        nouns="margins",
        hidden_count=len(narrow[SHOWN_COUNT:]),
    )


def margin_lines(margins: Margins) -> Iterator[str]:
    """Every flip, tightest first, what has none, what was not sought to its end, and every change that lifts."""
    if not margins.numbers:
        yield "margins: not sought, the time was over before the verdict by structure was known"
        return
    yield f"margins of the verdict by structure, {margins.numbers[0].verdict_before}:"
    lifting = [margin for margin in margins.numbers if margin.is_lifting]
    for margin in (*tightest(margins), *lifting):
        yield f"  {margin.called}: {_flip(margin)}"
    open_ends = [margin for margin in margins.numbers if margin.flips_at_s is None and not margin.is_exhaustive]
    for margin in open_ends:
        way = "down" if margin.direction == "less" else "up"
        yield f"  {margin.called}: no flip {way} to {_seconds(margin.kept_to_s)}; not sought any further"
    rest = [margin for margin in margins.numbers if margin.flips_at_s is None and margin.is_exhaustive]
    never = {margin.called: None for margin in rest if sum(other.called == margin.called for other in rest) > 1}
    yield f"  no flip in either direction, as far as was looked: {'; '.join(never) or 'none'}"
    if margins.not_moved:
        yield f"  not moved, since waits are no whole multiples of it: {'; '.join(margins.not_moved)}"
    for lift in margins.lifts:
        yield f"  would lift it to {lift.verdict}: {lift.change}"
    if margins.smallest is not None:
        yield f"  smallest single change that would: {_lift(margins.smallest)}"


def _lift_rows(margins: Margins) -> Iterator[Row]:
    if margins.smallest is not None:
        yield row("lifted by", _lift(margins.smallest))


def _lift(lift: Lift) -> str:
    return f"{lift.change}, then {lift.verdict}"


def _none_found(margins: Margins) -> Text:
    open_count = sum(not margin.is_exhaustive for margin in margins.numbers)
    if not margins.numbers:
        return plain("not sought: no time was left", Tone.OPEN)
    if open_count:
        return plain(f"no flip found; {count_words(open_count, 'search', 'searches')} not ended", Tone.OPEN)
    return plain("no time flips it, as far as was looked", Tone.GOOD)


def _flip(margin: Margin) -> str:
    sure = "" if margin.is_exhaustive else ", or nearer: not proved"
    return f"{_seconds(margin.value_s)}; at {_flip_at(margin)} {_beyond(margin)}{sure}"


def _called(margin: Margin) -> str:
    sure = "" if margin.is_exhaustive else ", perhaps nearer"
    return f"{_flip_at(margin)} instead of {_seconds(margin.value_s)} for {margin.called}{sure}"


def _beyond(margin: Margin) -> str:
    return "another verdict" if margin.verdict_beyond is None else margin.verdict_beyond


def _flip_at(margin: Margin) -> str:
    return _seconds(margin.value_s if margin.flips_at_s is None else margin.flips_at_s)


def _seconds(value_s: float) -> str:
    """Seconds to the microsecond, exactly.

    Examples
    --------
    >>> _seconds(86_400.000001), _seconds(1.5), _seconds(0.0)
    ('86,400.000001 s', '1.5 s', '0 s')
    """
    return f"{value_s:,.6f}".rstrip("0").rstrip(".") + " s"
