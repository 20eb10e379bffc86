"""Durations: every unit means what the world means by it, and nothing without a unit gets through."""

from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.contract import UNKNOWN, Duration, NotApplicable, seconds
from simkit.contract.choices import ForEver, NoLimit
from simkit.contract.durations import UNIT_S, parse_duration
from simkit.contract.layers import Backoff

WORDS = {"ms": "milliseconds", "s": "seconds", "min": "minutes", "h": "hours", "d": "days"}


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(sorted(WORDS)))
def test_a_duration_is_as_long_as_the_calendar_says(count: int, unit: str) -> None:
    by_the_calendar = timedelta(**{WORDS[unit]: count})

    duration = parse_duration(f"{count} {unit}")

    assert duration.length_s == by_the_calendar / timedelta(seconds=1)


@settings(deadline=None)
@given(st.decimals(0, 999_999, places=3), st.sampled_from(sorted(UNIT_S)))
def test_a_decimal_duration_is_the_nearest_float_of_the_exact_number(number: object, unit: str) -> None:
    units_in_s = {
        "ms": Fraction(1, 1000),
        "s": Fraction(1),
        "min": Fraction(60),
        "h": Fraction(3600),
        "d": Fraction(86400),
    }

    duration = parse_duration(f"{number} {unit}")

    assert duration.length_s == float(Fraction(str(number)) * units_in_s[unit])


@settings(deadline=None)
@given(st.integers(0, 10**9 - 1), st.sampled_from(sorted(UNIT_S)), st.sampled_from(["", " "]))
def test_a_duration_is_shown_as_it_was_written(count: int, unit: str, space: str) -> None:
    text = f"{count}{space}{unit}"

    assert str(parse_duration(text)) == text


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_duration_or_a_value_error(text: str) -> None:
    try:
        duration = parse_duration(text)
    except ValueError:
        return

    assert duration.length_s >= 0


@pytest.mark.parametrize(
    ("text", "why"),
    (
        ("-5 s", "a duration cannot be negative"),
        ("90", "a duration needs a unit"),
        ("1.5", "a duration needs a unit"),
        ("", "this is not a duration"),
        ("5 m", "this is not a duration"),
        ("5 s\n", "this is not a duration"),
        ("5  s", "this is not a duration"),
        ("\u0665 s", "this is not a duration"),
        ("1e3 s", "this is not a duration"),
        ("5 s 3 ms", "this is not a duration"),
        ("inf d", "this is not a duration"),
    ),
)
def test_what_is_no_duration_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        parse_duration(text)


def test_a_part_that_is_built_in_code_takes_durations_as_they_are() -> None:
    least, most = parse_duration("1 s"), parse_duration("10 s")

    backoff = Backoff(least=least, most=most)

    assert (backoff.least, backoff.most_s) == (least, 10.0)


@pytest.mark.parametrize(
    ("answer", "length_s"),
    (
        (Duration(text="2 h", length_s=7200.0), 7200.0),
        (ForEver.FOR_EVER, float("inf")),
        (NoLimit.NONE, float("inf")),
        (UNKNOWN, None),
        (NotApplicable(not_applicable="because there is no lease"), None),
    ),
)
def test_an_answer_without_an_end_is_infinite_and_one_without_a_length_is_none(
    answer: object, length_s: float | None
) -> None:
    assert seconds(answer) == length_s
