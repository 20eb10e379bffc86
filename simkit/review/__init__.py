"""The one page: what a director, an owner and an on-call engineer read about a tool.

`page_view` says everything once, as strings; `fitted` finds what one sheet of paper holds; `render_html`,
`write_pdf` and `write_png` draw the same strings.
"""

from simkit.review.catalog_documents import catalog_entry, catalog_list
from simkit.review.documents import (
    CheckedFile,
    CheckResult,
    ExploreResult,
    ReplayResult,
    RunResult,
    document_of,
    document_schema,
    explore_result,
    replay_result,
    run_result,
)
from simkit.review.exploration_text import exploration_lines
from simkit.review.html import render_html
from simkit.review.output import write_page
from simkit.review.page import PageView
from simkit.review.replay_text import replay_head, replay_lines, unknown_schedule_lines
from simkit.review.reviewing import EffectResult, ReviewResult, review_content
from simkit.review.typeset import FittedPage, Paper, fitted, write_pdf, write_png
from simkit.review.view import page_view

__all__ = [
    "CheckResult",
    "CheckedFile",
    "EffectResult",
    "ExploreResult",
    "FittedPage",
    "PageView",
    "Paper",
    "ReplayResult",
    "ReviewResult",
    "RunResult",
    "catalog_entry",
    "catalog_list",
    "document_of",
    "document_schema",
    "exploration_lines",
    "explore_result",
    "fitted",
    "page_view",
    "render_html",
    "replay_head",
    "replay_lines",
    "replay_result",
    "review_content",
    "run_result",
    "unknown_schedule_lines",
    "write_page",
    "write_pdf",
    "write_png",
]
