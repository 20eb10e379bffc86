"""The picture of the page: intervals against a limit, on a logarithmic axis."""

import re
import xml.etree.ElementTree as ET

import pytest

from simkit.plots import Interval, interval_picture, intervals_of
from tests.review.page_studies import create_ticket, disabled

__all__: list[str] = []

LIMIT = 1e-4


def intervals(*ends: tuple[float, float]) -> tuple[Interval, ...]:
    return tuple(
        Interval(label=f"row {index}", lower_probability=lower, upper_probability=upper)
        for index, (lower, upper) in enumerate(ends)
    )


def texts(svg: str) -> list[str]:
    """What is written in the picture: matplotlib puts it into a comment before the outlines of its letters."""
    return re.findall(r"<!-- (.*?) -->", svg)


def test_every_known_result_of_a_study_is_an_interval() -> None:
    assert [interval.label for interval in intervals_of(create_ticket())] == [
        "faults independent",
        "common cause",
        "sampled duplicates",
    ]
    assert intervals_of(disabled()) == ()


def test_the_title_states_how_many_lie_within_the_limit() -> None:
    svg = interval_picture(intervals((0.0, 1e-5), (1e-6, 1e-4), (0.0, 2e-4)), risk_limit_probability=LIMIT)

    assert "Upper ends within the risk limit (dashed): 2 of 3" in texts(svg)


@pytest.mark.parametrize(
    "ends",
    (((0.0, 0.0),), ((1.0, 1.0),), ((0.0, 1.0),), ((1e-300, 1e-299),), ((0.0, 1e-9), (0.4, 0.6))),
)
@pytest.mark.parametrize("limit_probability", (0.0, 1e-12, 1.0))
def test_it_draws_whatever_probabilities_there_are(
    ends: tuple[tuple[float, float], ...], limit_probability: float
) -> None:
    svg = interval_picture(intervals(*ends), risk_limit_probability=limit_probability)

    assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 - what is parsed is drawn by the test itself


def test_the_same_intervals_give_the_same_bytes_without_a_date() -> None:
    first, second = (interval_picture(intervals((0.0, 1e-5)), risk_limit_probability=LIMIT) for _ in range(2))

    assert first == second
    assert "<dc:date>" not in first
    assert first.startswith("<svg")


def test_nothing_in_the_picture_is_smaller_than_the_text_of_the_page() -> None:
    svg = interval_picture(intervals((0.0, 1e-5)), risk_limit_probability=LIMIT)

    scales = [float(scale) for scale in re.findall(r"scale\(([0-9.]+) -", svg)]
    assert len(scales) > 3
    assert min(scales) == pytest.approx(0.075)
    assert float(re.findall(r'width="([0-9.]+)pt"', svg)[0]) == 256.0
