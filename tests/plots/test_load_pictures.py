"""Pictures of worlds under load: the same bytes each time, and their finding as text for those who do not see them."""

import pandas as pd
import pytest

from simkit.plots import backoff_picture, collapse_picture, hysteresis_picture, outage_picture
from simkit.plots.load_drawing import wrapped
from simkit.study.load import CollapsedRuns, LoadStep, backoff_frame

__all__: list[str] = []


def _course(*goodput: float) -> pd.DataFrame:
    columns = {"begun": 100.0, "offered": 200.0, "goodput": goodput, "in_flight": 7}
    return pd.DataFrame(columns, index=[1.0 + 2 * index for index in range(len(goodput))])


def test_a_picture_is_the_same_bytes_each_time_and_says_what_it_shows() -> None:
    first, second = backoff_picture(backoff_frame()), backoff_picture(backoff_frame())

    assert first == second
    assert 'aria-label="Five ways to wait against the number of clients. 190 clients with jitter send' in first


def test_the_way_up_and_the_way_down_are_drawn_apart() -> None:
    rates = (100.0, 320.0, 100.0)

    picture = hysteresis_picture(tuple(LoadStep(calls_per_s=rate, goodput_per_s=rate) for rate in rates))

    assert picture.startswith("<svg ")
    assert "As the load rises 320/s is borne" in picture


def test_an_outage_is_told_panel_by_panel() -> None:
    picture = outage_picture({"own-up": _course(100, 0, 100), "own-down": _course(100, 0, 0)}, outage_s=(2.0, 4.0))

    assert 'aria-label="Around an outage: up: it is back 0 s after the outage; down: it stays down' in picture


def test_collapse_is_told_with_the_interval_of_all_runs() -> None:
    names = ("own-one", "own-two")
    found = CollapsedRuns(collapsed_count=1, trial_count=2, lower=0.1, upper=0.9)

    picture = collapse_picture(
        {name: [_course(1, 2), _course(3, 4)] for name in names}, dict.fromkeys(names, found), spike_s=(1.0, 2.0)
    )

    assert "one: 1 of 2 runs stay collapsed (10% to 90%)" in picture


@pytest.mark.parametrize("line_count", (1, 2, 3))
def test_a_title_keeps_its_words_and_takes_no_more_lines_than_it_is_given(line_count: int) -> None:
    title = "At most so many lines, whatever the words are"

    lines = wrapped(title, line_count).split("\n")

    assert len(lines) <= line_count
    assert " ".join(lines) == title
