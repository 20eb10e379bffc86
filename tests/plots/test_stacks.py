"""Both risks of a stack in one picture, checked by what is drawn."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from simkit.plots import layered_figure, layered_svg, write_layered
from simkit.study.stacks import LayeredResult, Stack, WritePath, layered

__all__: list[str] = []


@pytest.fixture(scope="module")
def result() -> LayeredResult:
    stack = Stack(downstream="jira", path=WritePath.NO_KEY, sdk="botocore-standard-v2")
    return layered(stack, failure_probabilities=(0.0, 0.5, 1.0), failures=("503", "read timeout"))


def test_the_upper_panels_draw_the_counts_and_the_lower_ones_the_budget_and_the_outage(result: LayeredResult) -> None:
    counts, twice, times, course = layered_figure(result).axes

    rows = result.counts[result.counts["failure"] == "503"]
    assert list(counts.lines[0].get_ydata()) == list(rows["downstream_sdk_attempts"])
    assert list(twice.lines[0].get_ydata()) == [0.0, 0.0, 0.0]
    # Agent and SDK each have a bar for what they wait, and the agent one more for what runs on below.
    assert len(times.patches) == 3
    assert list(course.lines[1].get_ydata()) == list(result.outages["503"].course["offered"])


def test_nothing_is_said_to_be_done_never_twice_where_some_of_it_is_unknown(result: LayeredResult) -> None:
    counts = result.counts.assign(duplicate_probability=[0.0] * (len(result.counts) - 1) + [math.nan])

    requests, twice, *_ = layered_figure(replace(result, counts=counts)).axes

    assert [text.get_text() for text in twice.texts] == []
    assert requests.texts[0].get_text().endswith("at most, as far as followed")


def test_a_stack_that_makes_nothing_twice_says_so_in_the_picture() -> None:
    stack = Stack(downstream="s3-if-none-match", path=WritePath.NO_KEY)
    safe = layered(stack, failure_probabilities=(0.0, 0.5), failures=("read timeout",))

    twice = layered_figure(safe).axes[1]

    assert "none, whatever the rate" in [text.get_text() for text in twice.texts]


def test_the_picture_says_its_finding_to_those_who_do_not_see_it(result: LayeredResult) -> None:
    silent = result.outages["read timeout"]

    picture = layered_svg(result)

    assert picture.startswith('<svg role="img" aria-label="')
    assert f"with a silent outage {silent.duplicated_count:,} of {silent.operation_count:,} operations" in picture


def test_the_same_result_gives_the_same_picture(result: LayeredResult) -> None:
    assert layered_svg(result) == layered_svg(result)


def test_a_picture_is_written_by_the_end_of_its_name(result: LayeredResult, tmp_path: Path) -> None:
    write_layered(result, tmp_path / "stack.png")

    assert (tmp_path / "stack.png").read_bytes().startswith(b"\x89PNG")
