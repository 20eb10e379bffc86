"""From a review and what the study found to everything that stands on the page."""

from types import MappingProxyType
from typing import Final

from simkit import __version__
from simkit.contract import Review
from simkit.review.catalog_block import catalog_blocks
from simkit.review.contract_block import conditions_block, contract_block
from simkit.review.findings import evidence_block, no_simulation_block, probability_block
from simkit.review.header import effects_block, on_call_block, requested_block, subtitle, summary
from simkit.review.margins_text import margins_block
from simkit.review.page import Block, Figure, PageView, Tone, VerdictView, row
from simkit.review.permissions import permission_blocks
from simkit.review.promises import promises_block, windows_block
from simkit.review.rates_block import gaps_block, rates_block
from simkit.review.shortening import shortened_text
from simkit.review.wording import count_words
from simkit.study.results import Judgement, StudyResult
from simkit.terms import Verdict

__all__ = ["page_view"]

FILE_NAME_LENGTH_MAX: Final = 60

_SHAPES = MappingProxyType(
    {Verdict.ALLOW: ("✓", Tone.GOOD), Verdict.HOLD: ("▲", Tone.OPEN), Verdict.DISABLE: ("✕", Tone.BAD)}
)


def page_view(
    review: Review,
    result: StudyResult | None,
    *,
    review_digest: str,
    file_name: str,
    judgement: Judgement | None = None,
    effect_name: str = "",
    notes: tuple[str, ...] = (),
) -> PageView:
    """Say everything that a study found about a review, in the order in which people need it.

    Parameters
    ----------
    result
        None where required answers are unknown, so that nothing was simulated; then `judgement` is given.
    review_digest
        SHA-256 of the review file, in hex.
    file_name
        Name of the review file.
    judgement
        Of the tool as a whole, where it is another one than that of the study.
    effect_name
        The effect that was studied, if there are several.
    notes
        What stands in for a declaration that the simulated world does not know.

    Returns
    -------
    PageView
        With every list whole; `simkit.review.shortening` cuts what does not fit on a page.

    Raises
    ------
    ValueError
        If there is neither a result nor a judgement.
    """
    judged = judgement if judgement is not None or result is None else result.judgement
    if judged is None:
        message = "a page needs a study, or a judgement without one"
        raise ValueError(message)
    cells, are_complete = (result.cells, result.are_cells_complete) if result is not None else ((), True)
    grid, refusals = permission_blocks(cells, is_complete=are_complete)
    limit_probability = review.conditions.risk_limit
    return PageView(
        title=review.tool.name,
        subtitle=subtitle(review),
        summary=summary(review),
        verdict=_verdict(judged),
        effects=effects_block(review, effect_name),
        reasons=_reasons(judged),
        requested=requested_block(review),
        on_call=on_call_block(review, judged.verdict),
        permissions=grid,
        refusals=refusals,
        blocks=(
            *_findings(result, limit_probability),
            gaps_block(review, unexplored=_unexplored(result), notes=notes),
            contract_block(review),
            *catalog_blocks(review),
            conditions_block(review, result.excluded if result is not None else ("everything: nothing was simulated",)),
            rates_block(review),
            evidence_block(result),
            *(() if result is None or result.margins is None else (margins_block(result.margins),)),
        ),
        figure=_figure(result, limit_probability) if result is not None else None,
        footer=(
            f"{shortened_text(file_name, FILE_NAME_LENGTH_MAX)}, SHA-256 {review_digest[:12]}",
            f"review schema {review.schema_version}",
            f"simkit {__version__}",
            f"seed {result.seed}" if result is not None else "no seed: nothing was simulated",
        ),
    )


def _unexplored(result: StudyResult | None) -> tuple[str, ...]:
    parts = () if result is None else (result.as_requested, result.one_attempt)
    return tuple(
        f"{part.policy}: seen up to {part.explored_faults} of {count_words(part.fault_budget, 'fault', 'faults')}"
        if part.explored_faults >= 0
        else f"{part.policy}: nothing was seen to its end"
        for part in parts
        if not part.is_complete
    )


def _findings(result: StudyResult | None, limit_probability: float) -> tuple[Block, ...]:
    if result is None:
        return (no_simulation_block(),)
    return promises_block(result), windows_block(result), probability_block(result, limit_probability)


def _verdict(judgement: Judgement) -> VerdictView:
    shape, tone = _SHAPES[judgement.verdict]
    design_shape, design_tone = _SHAPES[judgement.design_verdict]
    return VerdictView(
        word=str(judgement.verdict),
        shape=shape,
        tone=tone,
        wording=judgement.wording,
        design_word=str(judgement.design_verdict),
        design_shape=design_shape,
        design_tone=design_tone,
        unsafe="report-unsafe: a reply can say something else than what is true" if judgement.is_report_unsafe else "",
    )


def _reasons(judgement: Judgement) -> Block:
    return Block(
        name="reasons",
        title="Why",
        evidence="",
        columns=(),
        rows=tuple(row(f"{number}.", reason) for number, reason in enumerate(judgement.reasons, start=1)),
        noun="reason",
        nouns="reasons",
    )


def _figure(result: StudyResult, risk_limit_probability: float) -> Figure | None:
    from simkit.plots import interval_picture, intervals_of

    intervals = intervals_of(result)
    if not intervals:
        return None
    svg = interval_picture(intervals, risk_limit_probability=risk_limit_probability)
    over_count = sum(interval.upper_probability > risk_limit_probability for interval in intervals)
    alt = (
        f"Probability per operation on a logarithmic axis, one interval for each of {len(intervals)} results, "
        f"against the risk limit: {over_count} reach above it."
    )
    return Figure(svg=svg, alt=alt)
