"""The two renderings of a sequence diagram tell the same, to people who see pictures and to those who do not."""

import itertools
import os
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from simkit.journal import Journal
from simkit.plots.sequence import sequence_of
from simkit.plots.sequence_svg import sequence_svg
from simkit.plots.sequence_text import sequence_text
from simkit.plots.sequence_words import instant_words
from simkit.records import Intent
from tests.plots.sequence_journals import (
    OPENING,
    attempt,
    crash_then_retry_hours_later,
    late_request,
    lost_answer,
    lost_request,
    report,
    twenty_attempts,
)

__all__: list[str] = []

SVG = "{http://www.w3.org/2000/svg}"
JOURNALS = {
    "lost request": lost_request(),
    "lost answer": lost_answer(),
    "late request": late_request(),
    "crash": crash_then_retry_hours_later(),
    "twenty attempts": twenty_attempts(),
}


def words(text: str) -> str:
    """The letters of a text, without the breaks and lifelines between them."""
    return re.sub(r"[\s│┊]+", "", text)


def line_with(text: str, sentence: str) -> str:
    """The line of a drawing on which a sentence begins."""
    return next(line for line in text.splitlines() if sentence in line)


@pytest.mark.parametrize("name", JOURNALS)
def test_text_and_picture_say_the_same_happenings(name: str) -> None:
    sequence = sequence_of(JOURNALS[name])

    text = sequence_text(JOURNALS[name])
    svg = ET.fromstring(sequence_svg(JOURNALS[name]))  # noqa: S314  our own output
    drawn = words("".join(node.text or "" for node in svg.iter(f"{SVG}text")))
    described = svg.findtext(f"{SVG}desc") or ""

    for happening in sequence.happenings:
        instant = instant_words(happening.at_s)
        assert words(happening.text) in words(text)
        assert words(happening.text) in drawn
        assert f"{instant} {happening.text}" in described
        assert any(line.startswith(instant) for line in text.splitlines())
    assert len(re.findall(r"^\d+:\d\d:\d\d\.\d{3}", text, re.MULTILINE)) == len(sequence.happenings)


def test_a_lost_request_ends_in_a_cross_between_the_two_columns() -> None:
    line = line_with(sequence_text(lost_request()), "gateway sends 1/1 to server; LOST")

    assert re.search(r"│─+(1/1)?─*✕ +│ +gateway sends", line)
    assert "▶" not in line


def test_a_late_request_leaves_on_one_line_and_has_its_head_on_another() -> None:
    text = sequence_text(late_request())

    assert "▶" not in line_with(text, "gateway sends 1/1 to server; late")
    assert "~▶│" in line_with(text, "late request 1/1 has reached server")


def test_effects_crashes_and_gaps_are_seen_in_the_text() -> None:
    text = sequence_text(crash_then_retry_hours_later())

    assert "■1" in line_with(text, "EFFECT 1 in ticket")
    assert "✸" in line_with(text, "server CRASHES after the effect, during 1")
    assert "… 3 h later" in text
    assert "✸ crash" in text
    assert "✕" not in text


@pytest.mark.parametrize("width", (80, 100, 140))
@pytest.mark.parametrize("name", JOURNALS)
def test_no_line_of_the_text_is_wider_than_the_terminal(name: str, width: int) -> None:
    text = sequence_text(JOURNALS[name], width=width)

    assert max(map(len, text.splitlines())) <= width


def test_a_lost_arrow_stops_short_of_its_receiver_in_the_picture() -> None:
    svg = ET.fromstring(sequence_svg(lost_request()))  # noqa: S314  our own output
    lifelines = sorted(
        {float(line.get("x1", 0)) for line in svg.iter(f"{SVG}line") if line.get("x1") == line.get("x2")}
    )
    arrows = [line for line in svg.findall(f"{SVG}line") if line.get("y1") == line.get("y2")]

    gateway_x, server_x = lifelines[-2:]
    (lost,) = [arrow for arrow in arrows if float(arrow.get("x1", 0)) == gateway_x and arrow.get("stroke") == "#b03a00"]

    assert gateway_x < float(lost.get("x2", 0)) < server_x - 10


def test_a_late_arrow_slopes_and_others_are_level() -> None:
    svg = ET.fromstring(sequence_svg(late_request()))  # noqa: S314  our own output

    sloped = [
        line
        for line in svg.findall(f"{SVG}line")
        if line.get("y1") != line.get("y2") and line.get("x1") != line.get("x2")
    ]

    assert len(sloped) == 1
    assert sloped[0].get("stroke-dasharray") == "9 3 2 3"


def test_markup_and_control_characters_in_a_journal_are_shown_and_not_obeyed() -> None:
    nasty = '</text><script>alert(1)</script>&"\x1b[31m\n\x00'
    intent = Intent(intent=nasty, tenant="t", inputs="x")
    journal = Journal([OPENING[0], intent, attempt(0.0, "1", operation_id=nasty), report(1.0)])

    svg, text = sequence_svg(journal, title=nasty), sequence_text(journal)

    root = ET.fromstring(svg)  # noqa: S314  our own output
    assert {node.tag.removeprefix(SVG) for node in root.iter()} <= {
        "svg", "title", "desc", "rect", "text", "line", "polygon", "circle", "g"
    }  # fmt: skip
    assert "<script>alert(1)</script>" in words("".join(node.text or "" for node in root.iter(f"{SVG}text")))
    assert all(line.isprintable() for line in text.splitlines())


def test_the_picture_has_a_name_and_a_description_for_screen_readers() -> None:
    svg = ET.fromstring(sequence_svg(lost_answer(), title="create_ticket"))  # noqa: S314  our own output

    assert svg.get("role") == "img"
    assert svg.get("aria-labelledby") == "sequence-title sequence-desc"
    assert svg.findtext(f"{SVG}title") == "create_ticket"
    assert (svg.findtext(f"{SVG}desc") or "").startswith("i1: 2 effects in ticket, 1 too many; the user was told OK. ")


def test_a_run_of_twenty_attempts_fits_and_repeats_its_heads() -> None:
    svg = ET.fromstring(sequence_svg(twenty_attempts(), title="Twenty attempts"))  # noqa: S314  our own output

    height_px = float(svg.get("height", 0))
    texts = [(float(node.get("x", 0)), float(node.get("y", 0)), node.text or "") for node in svg.iter(f"{SVG}text")]

    assert float(svg.get("width", 0)) <= 900
    assert all(0 <= x <= 900 and 0 < y < height_px for x, y, _ in texts)
    assert [text for *_, text in texts].count("agent") == 4  # over lines 1, 31, 61 and 91 of 121
    assert min(float(node.get("font-size", 0)) for node in svg.iter(f"{SVG}text")) >= 8


def test_sentences_of_a_long_run_do_not_touch_each_other() -> None:
    svg = ET.fromstring(sequence_svg(twenty_attempts()))  # noqa: S314  our own output
    baselines_px = [
        float(node.get("y", 0))
        for node in svg.iter(f"{SVG}text")
        if node.get("font-size") == "11" and node.get("text-anchor") is None
    ]

    gaps_px = [later - earlier for earlier, later in itertools.pairwise(baselines_px)]

    assert len(baselines_px) > 120
    assert min(gaps_px) >= 13


def test_the_drawings_have_the_same_bytes_in_every_process() -> None:
    program = (
        "from tests.plots.sequence_journals import crash_then_retry_hours_later as run\n"
        "from simkit.plots.sequence_svg import sequence_svg\n"
        "from simkit.plots.sequence_text import sequence_text\n"
        "import sys\n"
        "sys.stdout.buffer.write((sequence_svg(run(), title='t') + sequence_text(run())).encode())\n"
    )

    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("0", "7")
    }

    run = crash_then_retry_hours_later()
    assert outputs == {(sequence_svg(run, title="t") + sequence_text(run)).encode()}


def test_a_journal_in_which_nothing_happened_is_drawn_all_the_same() -> None:
    assert "Nothing happened." in sequence_text(Journal())
    assert ET.fromstring(sequence_svg(Journal())).get("role") == "img"  # noqa: S314  our own output
