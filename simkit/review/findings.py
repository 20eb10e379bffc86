"""Probabilities and counts, each with its kind; and on which kinds of evidence the page rests."""

from simkit.review.numbers import bounds_words, exact_words, lower_words, upper_words
from simkit.review.page import Block, Row, Text, Tone, plain, row
from simkit.review.wording import count_words, list_words
from simkit.study.results import Bounds, Probability, Sampling, StudyResult
from simkit.study.story import site_in_words
from simkit.terms import EvidenceKind

__all__ = ["evidence_block", "no_simulation_block", "probability_block"]


def probability_block(result: StudyResult, risk_limit_probability: float) -> Block:
    """Probabilities with both ends, and counts with their intervals."""
    probability = result.probability
    rows = [
        row("Independent", _bounds_text(probability.independent, probability, risk_limit_probability)),
        row(
            "Common cause",
            _bounds_text(probability.common_cause, probability, risk_limit_probability),
        ),
        row("Method", f"{probability.method}; {count_words(probability.leaf_count, 'schedule', 'schedules')}"),
    ]
    if result.sampling is None:
        rows.append(row("Sampled", plain("nothing was sampled", Tone.OPEN)))
    else:
        rows.extend(_sampling_rows(result.sampling, risk_limit_probability))
    return Block(
        name="probability",
        title="Probability of a broken effect promise",
        evidence=EvidenceKind.SIMULATED,
        columns=(),
        rows=tuple(rows),
        noun="line",
        nouns="lines",
    )


def _bounds_text(bounds: Bounds | None, probability: Probability, risk_limit_probability: float) -> Text:
    if bounds is None:
        sites = list_words(site_in_words(site) for site in probability.unknown_sites)
        return plain(f"unknown: no rate for {sites}" if sites else "unknown", Tone.OPEN)
    limit = exact_words(risk_limit_probability)
    text = bounds_words(bounds)
    if bounds.upper <= risk_limit_probability:
        return plain(f"{text}, within the limit of {limit}", Tone.GOOD)
    if bounds.lower > risk_limit_probability:
        return plain(f"{text}, above the limit of {limit}", Tone.BAD)
    return plain(f"{text}; its upper end is above the limit of {limit}", Tone.OPEN)


def _sampling_rows(sampling: Sampling, risk_limit_probability: float) -> list[Row]:
    of = f"in {count_words(sampling.intent_count, 'intent', 'intents')}"
    found = count_words(sampling.duplicate_count, "duplicate", "duplicates")
    if sampling.duplicate_count:
        ends = f"{lower_words(sampling.lower_probability)} to {upper_words(sampling.upper_probability)}"
        duplicates = f"{found} {of}: {ends} ({sampling.interval_kind})"
    else:
        duplicates = f"{found} {of}: at most {upper_words(sampling.upper_probability)} ({sampling.interval_kind})"
        if sampling.needed_count is not None and sampling.upper_probability > risk_limit_probability:
            duplicates += f"; the limit needs {sampling.needed_count:,} without a hit"
    return [
        row("Sampled", duplicates),
        row(
            "Also sampled",
            f"lost {sampling.lost_count:,}, reported unknown {sampling.open_count:,}; "
            f"{sampling.mean_attempt_count:.2f} calls reach the server per intent, mean",
        ),
    ]


def no_simulation_block() -> Block:
    """What stands in the place of every finding where nothing could be simulated."""
    return Block(
        name="simulation",
        title="Simulation",
        evidence=EvidenceKind.SIMULATED,
        columns=(),
        rows=(row(plain("none", Tone.BAD), "required answers are unknown, so there is nothing to simulate"),),
        noun="line",
        nouns="lines",
    )


def evidence_block(result: StudyResult | None) -> Block:
    """The kinds of evidence on this page. One never stands for another."""
    return Block(
        name="evidence",
        title="Evidence used",
        evidence="",
        columns=(),
        rows=(
            row(EvidenceKind.DECLARED, "the review file; not checked against the real server"),
            row(EvidenceKind.SIMULATED, plain("none", Tone.OPEN) if result is None else _simulated(result)),
            row(EvidenceKind.OBSERVED, plain("none", Tone.OPEN)),
        ),
        noun="kind",
        nouns="kinds",
    )


def _simulated(result: StudyResult) -> str:
    run_count = result.as_requested.run_count + result.one_attempt.run_count + result.cell_run_count
    runs = count_words(run_count, "run", "runs")
    ends = "to the end" if result.as_requested.is_complete and result.one_attempt.is_complete else "not to the end"
    if result.sampling is None:
        return f"{runs} explored {ends}"
    return f"{runs} explored {ends}; {count_words(result.sampling.intent_count, 'intent', 'intents')} sampled"
