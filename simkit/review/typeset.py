"""The page as PDF and PNG, by typst from its wheel: always one page, never smaller than 7.5 pt.

Texts travel to the template as JSON and are set as text; none of them is ever read as markup. The fonts
are those of the wheels, so the same view gives the same bytes on every machine.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

from simkit.errors import PageError
from simkit.review.page import PageView
from simkit.review.page_document import page_document
from simkit.review.shortening import LEVEL_COUNT, longest_texts, shortened

__all__ = ["SIZES_PT", "FittedPage", "Paper", "fitted", "write_pdf", "write_png"]

T = TypeVar("T")

Paper = Literal["a4", "letter"]

SIZES_PT: Final = (9.0, 8.75, 8.5, 8.25, 8.0, 7.75, 7.5)
"""Sizes of text that are tried, largest first; nothing on the page is smaller than its size of text."""

PNG_DOTS_PER_INCH: Final = 120.0

_PAPERS: Final = MappingProxyType({"a4": "a4", "letter": "us-letter"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPage:
    """What fits on one page.

    Parameters
    ----------
    sides
        Column of each part of the view, in their order: 0 left, 1 right.
    """

    view: PageView
    size_pt: float
    paper: Paper
    sides: tuple[int, ...]


def fitted(view: PageView, *, paper: Paper) -> FittedPage:
    """Find the largest size at which the view fits on one page; shorten lists only where none does.

    Raises
    ------
    PageError
        If it does not fit at the smallest size with every list at its shortest.
    """
    smallest_pt = SIZES_PT[-1]

    @cache
    def laid_out(level: int, size_pt: float) -> tuple[int, tuple[int, ...]]:
        return _laid_out(shortened(view, level), paper, size_pt)

    def fits(level: int, size_pt: float) -> bool:
        return laid_out(level, size_pt)[0] == 1

    level = 0 if fits(0, smallest_pt) else 1 + _first(range(1, LEVEL_COUNT), lambda tried: fits(tried, smallest_pt))
    if level == LEVEL_COUNT:
        message = f"the page does not fit on {paper} at {smallest_pt} pt; shorten {'; '.join(longest_texts(view))}"
        raise PageError(message)
    size_pt = SIZES_PT[_first(SIZES_PT[:-1], lambda tried_pt: fits(level, tried_pt))]
    return FittedPage(view=shortened(view, level), size_pt=size_pt, paper=paper, sides=laid_out(level, size_pt)[1])


def _first(options: Sequence[T], is_enough: Callable[[T], bool]) -> int:
    """Index of the first option that is enough, if all after it are too; their number if none is."""
    low, high = 0, len(options)
    while low < high:
        middle = (low + high) // 2
        if is_enough(options[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def write_pdf(view: PageView | FittedPage, path: Path, *, paper: Paper) -> FittedPage:
    """Write one page as tagged PDF (PDF/UA-1), and say what fitted."""
    page = _fitted_once(view, paper)
    path.write_bytes(_drawn(page, "pdf"))
    return page


def write_png(view: PageView | FittedPage, path: Path, *, paper: Paper) -> FittedPage:
    """Write the same page as a picture, and say what fitted."""
    page = _fitted_once(view, paper)
    path.write_bytes(_drawn(page, "png"))
    return page


def _fitted_once(view: PageView | FittedPage, paper: Paper) -> FittedPage:
    if isinstance(view, FittedPage) and view.paper == paper:
        return view
    return fitted(view.view if isinstance(view, FittedPage) else view, paper=paper)


def _laid_out(view: PageView, paper: Paper, size_pt: float) -> tuple[int, tuple[int, ...]]:
    """How many pages there are, and in which column each part stands; nothing is drawn."""
    import typst

    answer = typst.query(_template(), "<report>", field="value", **_settings(view, paper, size_pt))
    *sides, page_count = json.loads(answer)
    return page_count, tuple(sides[0])


def _drawn(page: FittedPage, form: Literal["pdf", "png"]) -> bytes:
    import typst

    drawn = typst.compile(
        _template(),
        format=form,
        ppi=PNG_DOTS_PER_INCH,
        pdf_standards=["ua-1"] if form == "pdf" else [],
        timestamp=0,
        **_settings(page.view, page.paper, page.size_pt),
    )
    if not isinstance(drawn, bytes):
        message = f"the page takes more than one sheet of {page.paper} at {page.size_pt} pt"
        raise PageError(message)
    return drawn


def _template() -> bytes:
    return (files("simkit.review") / "templates/page.typ").read_bytes()


def _settings(view: PageView, paper: Paper, size_pt: float) -> dict[str, Any]:
    spec = find_spec("matplotlib")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    return {
        "font_paths": [str(Path(folder) / "mpl-data/fonts/ttf") for folder in folders],
        "ignore_system_fonts": True,
        "sys_inputs": {
            "page": json.dumps(page_document(view), ensure_ascii=False),
            "figure": view.figure.svg if view.figure is not None else "",
            "paper": _PAPERS[paper],
            "size": str(size_pt),
        },
    }
