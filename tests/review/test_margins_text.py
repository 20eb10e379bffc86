"""Margins in words: the tightest first, each flip with its verdict, and what was not sought is said."""

from typing import Any

from simkit.review.margins_text import margin_lines, margins_block, tightest
from simkit.study.margin_results import Lift, Margin, Margins
from simkit.terms import Verdict

__all__: list[str] = []


def a_margin(called: str, value_s: float, flips_at_s: float | None, **changes: Any) -> Margin:
    """A margin beyond which what is held is disabled, or one without a flip."""
    is_less = flips_at_s is not None and flips_at_s < value_s
    fields: dict[str, Any] = {
        "number": called,
        "called": called,
        "is_given": False,
        "value_s": value_s,
        "direction": "less" if is_less else "more",
        "flips_at_s": flips_at_s,
        "kept_to_s": 1e6,
        "verdict_before": Verdict.HOLD,
        "verdict_beyond": None if flips_at_s is None else Verdict.DISABLE,
        "is_verified": flips_at_s is not None,
        "is_exhaustive": True,
    }
    return Margin(**{**fields, **changes})


# Factors 1.5, 4 and 1.25; then two from 0, of which the nearer one is tighter.
SHORT = a_margin("agent: timeout", 60.0, 40.0)
LONG = a_margin("server: retention", 43_200.0, 10_800.0)
TIGHT = a_margin("ticket: work, at most", 4.0, 5.0)
FROM_0 = a_margin("ticket: rejects until", 0.0, 0.015001)
FAR_FROM_0 = a_margin("server: after effect", 0.0, 5.0)
LIFTING = a_margin("retry horizon", 172_800.0, 80_000.07, verdict_beyond=Verdict.ALLOW)
NEVER = (
    a_margin("server: wait", 0.0, None, direction="less"),
    a_margin("server: wait", 0.0, None, direction="more"),
)
OPEN = a_margin("server: lease", 900.0, None, kept_to_s=1_234.5, is_exhaustive=False)
ONCE = Lift(change="agent: attempts 2 to 1", verdict=Verdict.ALLOW)
SMALLEST = Lift(change="retry horizon 172,800 s to 80,000.07 s", verdict=Verdict.ALLOW)

ALL = Margins(numbers=(FAR_FROM_0, SHORT, LIFTING, LONG, *NEVER, TIGHT, OPEN, FROM_0), lifts=(ONCE,), smallest=SMALLEST)


def test_the_tightest_margin_is_the_one_with_the_smallest_factor() -> None:
    assert tightest(ALL) == (TIGHT, SHORT, LONG, FROM_0, FAR_FROM_0)


def test_the_page_has_the_four_tightest_and_what_would_lift_it() -> None:
    block = margins_block(ALL)

    rows = [tuple(cell.text for cell in line.cells) for line in block.rows]
    assert rows == [
        ("lifted by", "retry horizon 172,800 s to 80,000.07 s, then allow"),
        ("disable", "at 5 s instead of 4 s for ticket: work, at most"),
        ("disable", "at 40 s instead of 60 s for agent: timeout"),
        ("disable", "at 10,800 s instead of 43,200 s for server: retention"),
        ("disable", "at 0.015001 s instead of 0 s for ticket: rejects until"),
    ]
    assert block.more == "and 1 more margin"


def test_the_page_says_where_nothing_flips_and_where_that_is_not_known() -> None:
    def said(*numbers: Margin) -> str:
        block = margins_block(Margins(numbers=numbers, lifts=(), smallest=None))
        return block.rows[0].cells[1].text

    assert said(*NEVER) == "no time flips it, as far as was looked"
    assert said(*NEVER, OPEN) == "no flip found; 1 search not ended"
    assert said() == "not sought: no time was left"


def test_a_terminal_gets_all_of_it() -> None:
    lines = list(margin_lines(ALL))

    assert lines[0] == "margins of the verdict by structure, hold:"
    assert lines[1:7] == [
        "  ticket: work, at most: 4 s; at 5 s disable",
        "  agent: timeout: 60 s; at 40 s disable",
        "  server: retention: 43,200 s; at 10,800 s disable",
        "  ticket: rejects until: 0 s; at 0.015001 s disable",
        "  server: after effect: 0 s; at 5 s disable",
        "  retry horizon: 172,800 s; at 80,000.07 s allow",
    ]
    assert lines[7:] == [
        "  server: lease: no flip up to 1,234.5 s; not sought any further",
        "  no flip in either direction, as far as was looked: server: wait",
        "  would lift it to allow: agent: attempts 2 to 1",
        "  smallest single change that would: retry horizon 172,800 s to 80,000.07 s, then allow",
    ]


def test_a_time_that_was_not_moved_is_named_on_the_page_and_in_a_terminal() -> None:
    margins = Margins(
        numbers=NEVER, lifts=(), smallest=None, not_moved=("gateway: backoff first", "gateway: backoff cap")
    )

    last_row = margins_block(margins).rows[-1]
    lines = list(margin_lines(margins))

    assert [cell.text for cell in last_row.cells] == ["not moved", "gateway: backoff first; gateway: backoff cap"]
    assert lines[-1] == (
        "  not moved, since waits are no whole multiples of it: gateway: backoff first; gateway: backoff cap"
    )


def test_a_flip_that_may_not_be_the_nearest_is_said_to_be_none_such() -> None:
    unsure = a_margin("agent: timeout", 60.0, 40.0, is_exhaustive=False, verdict_beyond=None)

    lines = list(margin_lines(Margins(numbers=(unsure,), lifts=(), smallest=None)))

    assert lines[1] == "  agent: timeout: 60 s; at 40 s another verdict, or nearer: not proved"


def test_margins_that_were_not_sought_are_no_margins() -> None:
    lines = list(margin_lines(Margins(numbers=(), lifts=(), smallest=None)))

    assert lines == ["margins: not sought, the time was over before the verdict by structure was known"]
