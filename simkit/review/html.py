"""The page as one HTML file that fetches nothing: for a screen, a browser's printer, and a screen reader."""

from importlib.resources import files

from simkit.review.page import Block, PageView
from simkit.review.typeset import FittedPage

__all__ = ["render_html"]


def render_html(page: PageView | FittedPage) -> str:
    """Fill the template; every text is escaped, and a name that the template misspells is an error.

    Parameters
    ----------
    page
        As fitted to a sheet of paper, so that a browser prints it on one page too; or a whole view.

    Returns
    -------
    str
        A whole document.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((files("simkit.review") / "templates/page.html.j2").read_text(encoding="utf-8"))
    view = page.view if isinstance(page, FittedPage) else page
    paper = page.paper if isinstance(page, FittedPage) else ""
    sides = page.sides if isinstance(page, FittedPage) else tuple(index % 2 for index in range(len(view.parts)))
    drawing = Markup(view.figure.svg) if view.figure is not None else Markup("")  # noqa: S704 - drawn by simkit.plots
    return template.render(view=view, drawing=drawing, columns=_columns(view, sides), paper=paper)


def _columns(view: PageView, sides: tuple[int, ...]) -> tuple[list[Block], list[Block]]:
    columns: tuple[list[Block], list[Block]] = ([], [])
    for block, side in zip(view.parts, sides, strict=True):
        columns[side].append(block)
        if block is view.permissions and (view.refusals.rows or view.refusals.more):
            columns[side].append(view.refusals)
    return columns
