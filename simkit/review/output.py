"""The page as files: HTML, PDF and PNG beside each other, each whole or not there."""

import os
import tempfile
from collections.abc import Callable, Mapping
from errno import EISDIR
from pathlib import Path, PurePath

from simkit.contract import Review
from simkit.review.html import render_html
from simkit.review.reviewing import EffectResult, ReviewResult, severity
from simkit.review.typeset import Paper, fitted, write_pdf, write_png
from simkit.review.view import page_view
from simkit.study.results import Judgement

__all__ = ["write_page"]


def write_page(review: Review, result: ReviewResult, *, directory: Path, stem: str, paper: Paper) -> tuple[Path, ...]:
    """Write `stem`.html, .pdf and .png into `directory`, which is made if it is missing.

    All three show the same strings: what fits on one sheet of `paper`.

    Raises
    ------
    PageError
        If the page cannot hold what it must hold; then nothing is written.
    OSError
        If a file cannot be written; what was there before is still there.
    """
    shown = _shown(result)
    view = page_view(
        review,
        shown.study,
        judgement=_judgement(result),
        effect_name=shown.effect,
        notes=shown.notes,
        review_digest=result.review_digest,
        file_name=PurePath(result.file).name,
    )
    page = fitted(view, paper=paper)
    directory.mkdir(parents=True, exist_ok=True)
    writers: dict[str, Callable[[Path], object]] = {
        "html": lambda path: path.write_text(render_html(page), encoding="utf-8"),
        "pdf": lambda path: write_pdf(page, path, paper=paper),
        "png": lambda path: write_png(page, path, paper=paper),
    }
    return _written_together({directory / f"{stem}.{ending}": write for ending, write in writers.items()})


def _judgement(result: ReviewResult) -> Judgement:
    """What is said about the tool as a whole."""
    return Judgement(
        design_verdict=result.design_verdict,
        verdict=result.verdict,
        wording=result.wording,
        reasons=result.reasons,
        is_report_unsafe=result.is_report_unsafe,
    )


def _shown(result: ReviewResult) -> EffectResult:
    """The effect that decides the verdict; the others are counted on the page and whole in the JSON."""
    return max(result.effects, key=severity)


def _written_together(writers: Mapping[Path, Callable[[Path], object]]) -> tuple[Path, ...]:
    """Write each file beside its target, and replace the targets only when all are written."""
    beside: dict[Path, Path] = {}
    try:
        for target, write in writers.items():
            if target.is_dir():
                raise IsADirectoryError(EISDIR, "this is a folder, and a file goes there", str(target))
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}.")
            os.close(handle)
            beside[target] = Path(name)
            write(beside[target])
        for target, written in beside.items():
            written.chmod(0o644)
            written.replace(target)
    finally:
        for written in beside.values():
            written.unlink(missing_ok=True)
    return tuple(beside)
