"""Where margins were sought they stand on the page, and a full page makes room for them by showing fewer."""

from dataclasses import replace
from pathlib import Path

import pytest

from simkit.review.shortening import LEVEL_COUNT, shortened
from simkit.review.typeset import write_pdf
from simkit.review.view import page_view
from simkit.study import study
from simkit.study.margin_results import Lift, Margin, Margins
from simkit.terms import Verdict
from tests.builders import a_scenario, conditions_with, rates_at
from tests.review.crowded_studies import crowded, crowded_review

__all__: list[str] = []

MANY = Margins(
    numbers=tuple(
        Margin(
            number=f"n{index}",
            called=f"server to downstream, a name as long as any: key retention {index}, at most",
            is_given=True,
            value_s=43_200.0,
            direction="less",
            flips_at_s=10_800.123456,
            kept_to_s=10_800.123457,
            verdict_before=Verdict.HOLD,
            verdict_beyond=Verdict.DISABLE,
            is_verified=True,
            is_exhaustive=True,
        )
        for index in range(12)
    ),
    lifts=(),
    smallest=Lift(change="server: stale 'run again' to 'hold'", verdict=Verdict.ALLOW),
)


@pytest.mark.parametrize("paper", ("a4", "letter"))
def test_margins_fit_on_the_fullest_page(paper: str, tmp_path: Path) -> None:
    found = replace(crowded(), margins=MANY)

    page = write_pdf(
        page_view(crowded_review(), found, review_digest="ab" * 32, file_name="review.yaml"),
        tmp_path / "page.pdf",
        paper=paper,  # type: ignore[arg-type]
    )

    assert page is not None


def test_what_a_full_page_leaves_out_of_the_margins_is_counted() -> None:
    view = page_view(crowded_review(), replace(crowded(), margins=MANY), review_digest="ab" * 32, file_name="f")

    blocks = [
        next(block for block in shortened(view, level).blocks if block.name == "margins")
        for level in range(LEVEL_COUNT)
    ]

    # One row says what lifts it, and four of the twelve are shown; further on fewer, and in the end none.
    assert [len(block.rows) for block in blocks] == [5, 5, 5, 4, 4, 3, 3, 2, 1, 0]
    assert all(len(block.rows) + block.hidden_count == 13 for block in blocks)


def test_a_page_without_margins_has_no_block_for_them() -> None:
    view = page_view(crowded_review(), crowded(), review_digest="ab" * 32, file_name="f")

    assert all(block.name != "margins" for block in view.blocks)


@pytest.mark.parametrize("has_margins", (True, False))
def test_a_study_has_margins_where_they_are_asked_for(has_margins: bool) -> None:  # noqa: FBT001 (both ways are tried)
    scenario = conditions_with(a_scenario(), rates=rates_at(1e-3, "gateway_to_server.response_lost"), fault_budget=1)

    found = study(scenario, seed=1, intent_count=10, has_margins=has_margins)

    assert (found.margins is not None) is has_margins
    if found.margins is not None:
        flips = {(margin.number, margin.direction): margin.flips_at_s for margin in found.margins.numbers}
        # A repeat hears the recorded result after 10 ms there and 10 ms back; a deadline at that instant beats it.
        assert flips["layers.agent.timeout_s", "less"] == 0.02
