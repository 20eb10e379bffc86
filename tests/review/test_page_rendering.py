"""The page as HTML, PDF and PNG: one sheet, the same strings, nothing fetched, nothing executed."""

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from simkit.contract import parse_review
from simkit.errors import PageError
from simkit.review import FittedPage, PageView, Paper, fitted, page_view, render_html, write_pdf, write_png
from simkit.review.page import Tone
from simkit.review.typeset import SIZES_PT
from tests.contract.ticket_review import document
from tests.review.crowded_studies import crowded, crowded_review, ignorant_review, unbroken_review
from tests.review.page_studies import EXAMPLES, STUDIES, create_ticket, view_of

__all__: list[str] = []

SIZES_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARKUP = '<script>alert(1)</script> #sys.inputs *bold* _it_ $x^2$ @a <b> // \\ "q" `c` [d] {{ view }} {% if %} &amp;'


def crowded_view(name: str) -> PageView:
    reviews = {"crowded": crowded_review, "unbroken": unbroken_review, "ignorant": ignorant_review}
    if name in reviews:
        return page_view(reviews[name](), crowded(), review_digest="ab" * 32, file_name="review.yaml")
    return view_of(name)


ALL = (*STUDIES, "crowded", "unbroken", "ignorant")


@pytest.fixture(scope="module", params=[(name, paper) for name in ALL for paper in SIZES_MM], ids=str)
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[FittedPage, Path, str]:
    name, paper = request.param
    folder = tmp_path_factory.mktemp("page")
    page = write_pdf(crowded_view(name), folder / "page.pdf", paper=paper)
    return page, folder / "page.pdf", render_html(page)


class Words(HTMLParser):
    """Collects what a reader sees, and every attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self._open):
            self.words.append(data)


def read(html: str) -> Words:
    words = Words()
    words.feed(html)
    return words


def squeezed(text: str) -> str:
    """The text without spaces of any kind, with ligatures written out."""
    text = text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff").replace("ﬃ", "ffi")
    return re.sub(r"[\s\u200b\u00ad\ufeff]+", "", text)


def strings_of(view: PageView) -> list[str]:
    parts = (view.effects, *view.parts, view.refusals)
    cells = [cell for part in parts for entry in part.rows for cell in (*entry.cells, entry.detail) if cell is not None]
    verdict = view.verdict
    return [
        view.title,
        view.summary,
        *view.subtitle,
        *view.footer,
        *(part.title for part in parts if part.rows or part.more),
        *(part.more for part in parts),
        *(note for part in parts for note in part.notes),
        *(cell.text for cell in cells),
        verdict.wording,
        f"{verdict.shape} {verdict.word}",
        f"{verdict.design_shape} {verdict.design_word}",
        verdict.unsafe,
    ]


def font_sizes_pt(path: Path) -> set[float]:
    sizes: set[float] = set()

    def visit(text: str, cm: Any, tm: Any, _font: Any, size_pt: float) -> None:
        if text.strip():
            sizes.add(round(abs(size_pt * tm[3] * cm[3]), 2))

    PdfReader(path).pages[0].extract_text(visitor_text=visit)
    return sizes


def test_it_is_one_page_of_the_asked_paper(drawn: tuple[FittedPage, Path, str]) -> None:
    page, path, _ = drawn

    pages = PdfReader(path).pages

    width_mm, height_mm = SIZES_MM[page.paper]
    assert len(pages) == 1
    assert float(pages[0].mediabox.width) == pytest.approx(width_mm / 25.4 * 72, abs=0.1)
    assert float(pages[0].mediabox.height) == pytest.approx(height_mm / 25.4 * 72, abs=0.1)


def test_nothing_is_smaller_than_seven_and_a_half_points(drawn: tuple[FittedPage, Path, str]) -> None:
    page, path, _ = drawn

    sizes_pt = font_sizes_pt(path)

    assert len(sizes_pt) > 1
    assert min(sizes_pt) >= 7.5
    assert min(sizes_pt) == pytest.approx(page.size_pt, abs=0.01)


def test_pdf_and_html_hold_the_same_strings(drawn: tuple[FittedPage, Path, str]) -> None:
    page, path, html = drawn

    in_pdf = squeezed("".join(sheet.extract_text() for sheet in PdfReader(path).pages))
    in_html = squeezed("".join(read(html).words))

    wanted = [squeezed(text) for text in strings_of(page.view)]
    assert [text for text in wanted if text not in in_html] == []
    assert [text for text in wanted if text not in in_pdf and not is_split(text, in_pdf)] == []


def is_split(text: str, whole: str) -> bool:
    """Whether pypdf found a long text cut by a neighbouring column: all its runs of twelve letters are there."""
    return len(text) > 12 and all(text[start : start + 12] in whole for start in range(0, len(text) - 12, 12))


def test_the_html_is_small_and_fetches_nothing(drawn: tuple[FittedPage, Path, str]) -> None:
    _, _, html = drawn

    words = read(html)

    fetching = {"src", "href", "xlink:href", "action", "data", "poster", "srcset", "background"}
    targets = [value for _, name, value in words.attributes if name in fetching]
    assert len(html.encode()) < 300_000
    assert [target for target in targets if not target.startswith("#")] == []
    assert re.findall(r"url\((?!#)|@import", html) == []
    assert {"script", "link", "iframe", "object", "embed", "base", "img"} & set(words.tags) == set()


def test_the_html_says_its_language_and_has_headings_in_order_and_scopes(drawn: tuple[FittedPage, Path, str]) -> None:
    _, _, html = drawn

    words = read(html)

    headings = [tag for tag in words.tags if re.fullmatch(r"h[1-6]", tag)]
    assert ("html", "lang", "en") in words.attributes
    assert headings[0] == "h1"
    assert set(headings[1:]) == {"h2"}
    assert words.tags.count("th") == sum(tag == "th" and name == "scope" for tag, name, _ in words.attributes)
    assert words.tags.count("svg") == sum(tag == "figure" and name == "aria-label" for tag, name, _ in words.attributes)


def test_the_pdf_is_tagged_and_names_its_language_and_title(drawn: tuple[FittedPage, Path, str]) -> None:
    page, path, _ = drawn

    reader = PdfReader(path)
    root: Any = reader.root_object

    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert reader.metadata is not None
    assert reader.metadata.title == f"Tool review: {page.view.title}"
    assert b"pdfuaid:part" in path.read_bytes() or "pdfuaid" in str(reader.xmp_metadata and reader.xmp_metadata.stream)


def marked_up_view() -> PageView:
    """The ticket example with markup in every text that is no name of a tool and no choice."""
    declared = document(EXAMPLES / "create_ticket.yaml")
    declared["tool"] |= {
        "version": MARKUP,
        "server": MARKUP,
        "server_version": MARKUP,
        "owner": MARKUP,
        "summary": MARKUP,
    }
    effect = declared["effects"][0]
    effect |= {"name": MARKUP, "description": MARKUP, "system": MARKUP, "evidence_text": MARKUP}
    effect["readback"]["when_unavailable"] = MARKUP
    declared["binding"] |= {"bound_fields": [MARKUP[:60]], "excluded_fields": [MARKUP[60:]]}
    declared["record"]["store_name"] = MARKUP
    declared["unknown_outcome"]["owner"] = MARKUP
    declared["approval"] = {"not_applicable": MARKUP}
    declared["latencies"]["readback"]["source"] = MARKUP
    declared["rates"]["readback_cannot_tell"]["source"] = MARKUP
    review = parse_review(json.dumps(declared, indent=1).encode(), file="review.yaml")
    return page_view(review, create_ticket(), review_digest="ab" * 32, file_name=MARKUP[:50], notes=(MARKUP,))


def test_markup_in_every_text_comes_out_as_text(tmp_path: Path) -> None:
    view = marked_up_view()

    write_pdf(view, tmp_path / "page.pdf", paper="a4")
    words = read(render_html(view))

    in_pdf = squeezed(PdfReader(tmp_path / "page.pdf").pages[0].extract_text())
    in_html = squeezed("".join(words.words))
    assert len(MARKUP) <= 120
    assert "script" not in words.tags
    assert in_html.count(squeezed(MARKUP)) >= 10
    assert in_pdf.count("#sys.inputs*bold*_it_$x^2$") >= 8
    assert in_pdf.count("<script>alert(1)</script>") >= 8


@pytest.mark.parametrize("paper", ("a4", "letter"))
def test_what_cannot_fit_is_refused_and_nothing_is_written(paper: Paper, tmp_path: Path) -> None:
    view = view_of("create_ticket")
    impossible = replace(view, verdict=replace(view.verdict, wording="word " * 3_000))

    with pytest.raises(PageError, match="shorten"):
        write_pdf(impossible, tmp_path / "page.pdf", paper=paper)

    assert list(tmp_path.iterdir()) == []


def test_the_picture_of_the_page_has_at_least_a_hundred_dots_per_inch(tmp_path: Path) -> None:
    write_png(view_of("create_ticket"), tmp_path / "page.png", paper="a4")

    header = (tmp_path / "page.png").read_bytes()[:24]
    width_px, height_px = int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big")
    assert width_px >= 827
    assert height_px >= 1169


def test_a_roomy_page_is_set_larger_than_a_crowded_one() -> None:
    roomy = fitted(view_of("disabled"), paper="a4")
    full = fitted(crowded_view("ignorant"), paper="a4")

    assert roomy.size_pt > full.size_pt
    assert {roomy.size_pt, full.size_pt} <= set(SIZES_PT)


def test_the_same_page_has_the_same_bytes_in_two_processes(tmp_path: Path) -> None:
    program = (
        "import hashlib, pathlib, sys\n"
        "from simkit.review import fitted, render_html, write_pdf, write_png\n"
        "from tests.review.page_studies import view_of\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "page = fitted(view_of('create_ticket'), paper='a4')\n"
        "write_pdf(page, folder / 'a.pdf', paper='a4')\n"
        "write_png(page, folder / 'a.png', paper='a4')\n"
        "(folder / 'a.html').write_text(render_html(page), encoding='utf-8')\n"
    )
    digests = []

    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = os.environ | {"PYTHONHASHSEED": seed}
        root = Path(__file__).resolve().parents[2]
        subprocess.run([sys.executable, "-c", program, str(folder)], cwd=root, env=environment, check=True)
        digests.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())])

    assert len(digests[0]) == 3
    assert digests[0] == digests[1]


def relative_luminance(colour: str) -> float:
    """As WCAG 2.2 defines it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    light, dark = sorted((relative_luminance(first), relative_luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("template", ("page.html.j2", "page.typ"))
def test_text_stands_out_from_what_is_behind_it(template: str) -> None:
    source = (EXAMPLES.parents[1] / "simkit/review/templates" / template).read_text(encoding="utf-8")
    found = re.findall(
        r"(?:--|#let )?(ink|muted|accent|good|open|bad|soft)\b(?: = rgb\(\"|: rgb\(\"|: )(#[0-9a-f]{6})", source
    )
    colours = dict(found)

    assert set(colours) == {"ink", "muted", "accent", "good", "open", "bad", "soft"}
    for name in ("ink", "muted", "accent", "good", "open", "bad"):
        assert contrast(colours[name], "#ffffff") >= 4.5
        assert contrast(colours[name], colours["soft"]) >= 4.5


def test_each_tone_has_a_colour_in_both_templates() -> None:
    folder = EXAMPLES.parents[1] / "simkit/review/templates"
    html, typ = ((folder / name).read_text(encoding="utf-8") for name in ("page.html.j2", "page.typ"))

    assert [tone for tone in Tone if f".{tone} {{ color:" not in html] == []
    assert [tone for tone in Tone if not re.search(rf"tones = \(.*\b{tone}:", typ)] == []
