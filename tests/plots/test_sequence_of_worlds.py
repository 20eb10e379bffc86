"""Sequence diagrams of runs of the world in all its variety: whatever happens is drawn once, in its place."""

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import pytest
from allpairspy import AllPairs

from simkit.catalog import scenario_content
from simkit.chance import Sampled
from simkit.contract import read_scenario
from simkit.journal import Journal
from simkit.plots.sequence import sequence_of
from simkit.plots.sequence_parts import ArrowKind, MarkKind
from simkit.plots.sequence_svg import sequence_svg
from simkit.plots.sequence_text import sequence_text
from simkit.records import Attempt, Effect, Fault, Readback, Report
from simkit.study import run_story
from simkit.world import run_concrete
from tests.builders import conditions_with, rates_at
from tests.world.axes import AXES, applied

__all__: list[str] = []

SVG = "{http://www.w3.org/2000/svg}"
ROW_STEP = 4
"""Every fourth row of the covering array is enough to meet every value of every axis."""


@pytest.fixture(scope="module")
def journals() -> tuple[Journal, ...]:
    """Two runs of each row, with faults drawn everywhere."""
    return tuple(_runs())


def _runs() -> Iterator[Journal]:
    rows = list(AllPairs([list(range(len(values))) for values in AXES.values()]))[::ROW_STEP]
    for number, row in enumerate(rows):
        scenario = applied([values[index] for values, index in zip(AXES.values(), row, strict=True)])
        tried = conditions_with(scenario, rates=rates_at(0.1, *scenario.sites()))
        yield from (run_concrete(tried, Sampled(number, index)).journal for index in range(2))


def of_catalog(name: str) -> Journal:
    return run_story(read_scenario(scenario_content(name), file=name)).journal


def test_each_attempt_effect_question_and_report_is_drawn_once(journals: tuple[Journal, ...]) -> None:
    for journal in journals:
        sequence = sequence_of(journal)
        arrows = Counter(arrow.kind for arrow in sequence.arrows)
        marks = Counter(mark.kind for mark in sequence.marks)

        assert arrows[ArrowKind.REQUEST] == len(journal.of(Attempt))
        assert arrows[ArrowKind.READBACK] == len(journal.of(Readback))
        assert arrows[ArrowKind.REPORT] == len(journal.of(Report))
        assert marks[MarkKind.EFFECT] == len(journal.of(Effect))


def test_before_each_effect_something_has_come_to_its_system_of_record(journals: tuple[Journal, ...]) -> None:
    """Every effect is made by a request of its own, which landed at the same instant or before."""
    for journal in journals:
        sequence = sequence_of(journal)
        for effect_count, mark in enumerate((mark for mark in sequence.marks if mark.kind is MarkKind.EFFECT), 1):
            arrivals = [
                arrow
                for arrow in sequence.arrows
                if arrow.kind in (ArrowKind.REQUEST, ArrowKind.DELIVERY)
                and arrow.receiver.startswith("system of")
                and arrow.end_at_s is not None
                and arrow.end_at_s <= mark.at_s
            ]

            assert len(arrivals) >= effect_count


def test_nobody_sends_to_itself_and_everybody_has_a_lifeline(journals: tuple[Journal, ...]) -> None:
    for journal in journals:
        sequence = sequence_of(journal)
        names = {line.name for line in sequence.lifelines}

        assert all(arrow.sender != arrow.receiver for arrow in sequence.arrows)
        assert {name for arrow in sequence.arrows for name in (arrow.sender, arrow.receiver)} <= names
        assert {mark.lifeline for mark in sequence.marks} <= names


def test_every_fault_has_a_word_in_the_text(journals: tuple[Journal, ...]) -> None:
    """A fault of a request is told with it, all others have a line at their own instant."""
    for journal in journals:
        texts = [happening.text for happening in sequence_of(journal).happenings]
        for fault in journal.of(Fault):
            path = fault.site.partition("@")[2].removeprefix("reconciler:").rstrip(":")

            assert any(path in text for text in texts), fault.site


def test_the_text_says_every_sentence_of_the_picture(journals: tuple[Journal, ...]) -> None:
    for journal in journals[::4]:
        said = re.sub(r"[\s│┊]+", "", sequence_text(journal))
        described = ET.fromstring(sequence_svg(journal)).findtext(f"{SVG}desc") or ""  # noqa: S314  our own output
        for happening in sequence_of(journal).happenings:
            assert happening.text in described
            assert re.sub(r"\s+", "", happening.text) in said


@pytest.mark.parametrize("name", ("publish-schedule", "layered-retries-unprotected"))
def test_no_word_of_a_head_is_broken(name: str) -> None:
    journal = of_catalog(name)
    words = {word for line in sequence_of(journal).lifelines for word in line.title.split()}

    heads = re.split(r"\n\d:\d\d:\d\d", sequence_text(journal), maxsplit=1)[0]
    svg = ET.fromstring(sequence_svg(journal))  # noqa: S314  our own output
    drawn = {word for node in svg.iter(f"{SVG}text") for word in (node.text or "").split()}

    assert words <= set(heads.split())
    assert words <= drawn


def test_heads_lie_side_by_side_within_the_picture() -> None:
    svg = ET.fromstring(sequence_svg(of_catalog("publish-schedule")))  # noqa: S314  our own output
    heads = [
        (float(node.get("x", 0)), float(node.get("width", 0)))
        for node in svg.iter(f"{SVG}rect")
        if node.get("fill") == "#e8edf2"
    ]

    ends = [x_px + width_px for x_px, width_px in heads]

    assert all(end_px <= next_px for end_px, (next_px, _) in zip(ends, heads[1:], strict=False))
    assert ends[-1] < float(svg.get("width", 0))
