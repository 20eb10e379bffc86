"""From a review file to its result: every effect studied, one verdict for the tool.

The verdict of a tool is the worst of its effects. The same function serves the command, the notebook
and the page, so that they cannot disagree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from simkit import __version__
from simkit.contract import Review, Taken, parse_review, review_digest, scenario_of
from simkit.errors import InputError, Problem, ScenarioError
from simkit.study import StudyResult, judge_without_simulation, study
from simkit.study.results import Judgement
from simkit.terms import Verdict

__all__ = ["EffectResult", "ReviewResult", "review_content", "severity"]

RESULT_SCHEMA_VERSION = 1

_SEVERITY = (Verdict.ALLOW, Verdict.HOLD, Verdict.DISABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectResult:
    """What was found about one effect.

    Parameters
    ----------
    study
        None where required answers are unknown, so that there is nothing to simulate.
    notes
        What stands in for a declaration that the simulated world does not know.
    """

    effect: str
    judgement: Judgement
    study: StudyResult | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewResult:
    """The result of a review, whole; the page shows what fits of it.

    Parameters
    ----------
    gaps
        Unknown answers, unknown rates, contradictions, and that nothing was observed; in words.
    taken
        The entries of the catalog that the review names, with what it overrides and what they guess.
    """

    schema_version: int
    simkit_version: str
    file: str
    review_digest: str
    tool: str
    tool_version: str
    design_verdict: Verdict
    verdict: Verdict
    wording: str
    reasons: tuple[str, ...]
    is_report_unsafe: bool
    gaps: tuple[str, ...]
    effects: tuple[EffectResult, ...]
    taken: tuple[Taken, ...] = ()


def review_content(
    content: bytes,
    *,
    file: str,
    seed: int,
    intent_count: int,
    has_margins: bool = False,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[Review, ReviewResult]:
    """Read, study and judge the content of a review file.

    Parameters
    ----------
    file
        Name of the file for messages and for the page.
    seed, intent_count
        Of the sample.
    has_margins
        Whether margins are sought, of each effect.
    is_over
        Asked often; True ends the exploration, and what was not seen is not proved.
    tell
        Is told what is being done, one line each.

    Raises
    ------
    InputError
        If the content is no review, or its answers amount to no world.
    """
    review = parse_review(content, file=file)
    contradictions, unknown = review.contradictions(), review.unknown_fields()
    effects = []
    unsimulated = judge_without_simulation(review.unknown_in_words(), contradictions)
    for effect in review.effects:
        if unknown:
            effects.append(EffectResult(effect=effect.name, judgement=unsimulated, study=None, notes=()))
            continue
        try:
            translation = scenario_of(review, effect)
        except ScenarioError as error:
            if contradictions:
                effects.append(EffectResult(effect=effect.name, judgement=unsimulated, study=None, notes=()))
                continue
            problem = Problem(
                file=file, line=0, field=f"effects.{effect.name}", value="", message=str(error), allowed=""
            )
            raise InputError((problem,)) from error
        found = study(
            translation.scenario,
            seed=seed,
            intent_count=intent_count,
            contradictions=contradictions,
            unjudged=translation.unjudged,
            has_margins=has_margins,
            is_over=is_over,
            tell=partial(_tell_of, tell, effect.name),
        )
        effects.append(
            EffectResult(effect=effect.name, judgement=found.judgement, study=found, notes=translation.notes)
        )
    worst = max(effects, key=severity).judgement
    return review, ReviewResult(
        schema_version=RESULT_SCHEMA_VERSION,
        simkit_version=__version__,
        file=file,
        review_digest=review_digest(content),
        tool=str(review.tool.name),
        tool_version=str(getattr(review.tool.version, "value", review.tool.version)),
        design_verdict=max((result.judgement.design_verdict for result in effects), key=_SEVERITY.index),
        verdict=worst.verdict,
        wording=worst.wording,
        reasons=_reasons(effects),
        is_report_unsafe=any(result.judgement.is_report_unsafe for result in effects),
        gaps=_gaps(review),
        effects=tuple(effects),
        taken=review.from_catalog.taken,
    )


def _reasons(effects: list[EffectResult]) -> tuple[str, ...]:
    """The reasons of all effects, the worst effect's first; with several, each says whose it is."""
    ordered = sorted(effects, key=severity, reverse=True)
    if len({effect.judgement.reasons for effect in effects}) == 1:
        return ordered[0].judgement.reasons
    return tuple(f"{effect.effect}: {reason}" for effect in ordered for reason in effect.judgement.reasons)


def severity(effect: EffectResult) -> tuple[int, int, int]:
    """How much an effect decides: by its verdict, its design verdict, then by whether a promise is broken."""
    judgement = effect.judgement
    promises = () if effect.study is None else effect.study.as_requested.promises
    broken_count = sum(result.fewest_faults is not None for result in promises if result.promise.is_about_effects)
    return _SEVERITY.index(judgement.verdict), _SEVERITY.index(judgement.design_verdict), broken_count


def _tell_of(tell: Callable[[str], None], effect: str, text: str) -> None:
    tell(f"{effect}: {text}")


def _gaps(review: Review) -> tuple[str, ...]:
    return (
        *(f"unknown: {field}" for field in review.unknown_in_words()),
        *(f"unknown rate: {field}" for field in review.unknown_rates()),
        *(f"contradiction: {contradiction}" for contradiction in review.contradictions()),
        "not observed: no failure case was run against this version",
    )
