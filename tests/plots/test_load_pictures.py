"""Pictures of worlds under load: the same bytes each time, with a text for those who do not see them."""

from simkit.plots import backoff_picture, hysteresis_picture
from simkit.study.load import LoadStep, backoff_frame

__all__: list[str] = []


def test_a_picture_is_the_same_bytes_each_time_and_says_what_it_shows() -> None:
    first, second = backoff_picture(backoff_frame()), backoff_picture(backoff_frame())

    assert first == second
    assert 'aria-label="Writes and time against 10 to 190 clients' in first


def test_the_way_up_and_the_way_down_are_drawn_apart() -> None:
    rates = (100.0, 320.0, 100.0)

    picture = hysteresis_picture(tuple(LoadStep(calls_per_s=rate, goodput_per_s=rate / 2) for rate in rates))

    assert picture.startswith("<svg ")
    assert 'role="img"' in picture
