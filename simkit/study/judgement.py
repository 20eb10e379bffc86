"""The verdict: what the declaration deserves, and what a gate may act on.

=========  =======================================================================================
design     when
=========  =======================================================================================
allow      no gap, every effect promise proved beyond the fault budget as requested, work proved to stay
           in its budget, and the upper probability, where one is asked for, within the risk limit
hold       not allow, and every effect promise proved beyond the budget if everybody tries only once
disable    anything else, and wherever a required answer is missing or contradicted
=========  =======================================================================================

The verdict is the design verdict, except that `allow` needs observed evidence for this version.
"""

from decimal import ROUND_CEILING, Context

from simkit.study.results import Bounds, Exploration, Judgement, Probability, PromiseResult
from simkit.study.story import site_in_words
from simkit.terms import Promise, Verdict

__all__ = ["judge", "judge_without_simulation"]

EXCLUDE = "declared answers exclude each other"

_ABOUT_EFFECTS = frozenset(promise for promise in Promise if promise.is_about_effects)
_FOR_ALLOW = _ABOUT_EFFECTS | {Promise.WORK_IN_BUDGET}
"""Who asks for retries answers for the work that they make; with one attempt each there is none to spare."""


def judge(
    *,
    as_requested: Exploration,
    one_attempt: Exploration,
    probability: Probability | None,
    risk_limit_probability: float,
    contradictions: tuple[str, ...],
    unjudged: tuple[str, ...],
) -> Judgement:
    """Judge one effect of a fully answered review. Nothing was observed.

    Parameters
    ----------
    probability
        None where structure alone is judged, because nobody knows how often anything goes wrong.
    contradictions, unjudged
        Sentences about declared answers that exclude each other, and about such that were not acted out.
    """
    against_allow = (
        *_against_allow(as_requested, probability, risk_limit_probability),
        *(f"not judged: {what}" for what in unjudged),
    )
    against_hold = _unproved(one_attempt, _ABOUT_EFFECTS)
    if contradictions:
        design = Verdict.DISABLE
        reasons = tuple(f"declared: {contradiction}" for contradiction in contradictions) + against_allow
    elif not against_allow:
        design, reasons = Verdict.ALLOW, _for_allow(as_requested, probability)
    elif not against_hold:
        design, reasons = Verdict.HOLD, against_allow
    else:
        design, reasons = Verdict.DISABLE, against_hold + against_allow
    return Judgement(
        design_verdict=design,
        verdict=Verdict.HOLD if design is Verdict.ALLOW else design,
        wording=_wording(design),
        reasons=reasons,
        is_report_unsafe=any(
            result.fewest_faults is not None for result in as_requested.promises if result.promise.is_about_reports
        ),
    )


def judge_without_simulation(unknown_fields: tuple[str, ...], contradictions: tuple[str, ...]) -> Judgement:
    """Judge a review that cannot be simulated, because required answers are missing."""
    missing = tuple(f"declared: {field} is unknown" for field in unknown_fields)
    return Judgement(
        design_verdict=Verdict.DISABLE,
        verdict=Verdict.DISABLE,
        wording=f"automatic write retries stay off: {'required answers are unknown' if unknown_fields else EXCLUDE}",
        reasons=missing + tuple(f"declared: {contradiction}" for contradiction in contradictions),
        is_report_unsafe=False,
    )


def _wording(design: Verdict) -> str:
    match design:
        case Verdict.ALLOW:
            return "the design would allow; not observed"
        case Verdict.HOLD:
            return "nobody repeats by itself; an unknown outcome is settled by readback or by its owner"
        case Verdict.DISABLE:
            return "automatic write retries stay off until the design is fixed"


def _against_allow(
    exploration: Exploration, probability: Probability | None, risk_limit_probability: float
) -> tuple[str, ...]:
    against = list(_unproved(exploration, _FOR_ALLOW))
    if probability is None:
        return tuple(against)
    worst = _worst(probability)
    if worst is None:
        limit = f"the limit of {risk_limit_probability:g}"
        against.append(f"simulated: the probability of a broken promise is not resolved, so {limit} cannot be claimed")
    elif worst > risk_limit_probability:
        against.append(
            f"simulated: an effect promise breaks with probability up to {_rounded_up(worst)} per operation; "
            f"the limit is {risk_limit_probability:g}"
        )
    return tuple(against)


def _unproved(exploration: Exploration, needed: frozenset[Promise]) -> tuple[str, ...]:
    """Why the promises that are needed are not proved: those that break, or, where none does, those left open."""
    unproved = [result for result in exploration.promises if result.promise in needed and not result.is_proved]
    broken = [result for result in unproved if result.fewest_faults is not None]
    broken.sort(key=lambda result: (not result.promise.is_about_effects, result.fewest_faults or 0))
    return tuple(_why(result, exploration) for result in broken or unproved)


def _why(result: PromiseResult, exploration: Exploration) -> str:
    name, policy = _quoted(result.promise), exploration.policy
    if result.fewest_faults is None and result.undecided_count:
        return f"simulated ({policy}): {name} is undecided in {result.undecided_count} runs"
    if result.fewest_faults is None and result.scope:
        return f"simulated ({policy}): {name} is not proved ({result.scope})"
    if result.fewest_faults is None:
        explored = exploration.explored_faults
        seen = f"explored up to {_faults(explored)} only" if explored >= 0 else "not explored"
        return f"simulated ({policy}): {name} is not proved, {seen}"
    if result.fewest_faults == 0:
        return f"simulated ({policy}): {name} is broken by construction, without any fault"
    schedule = " and ".join(site_in_words(site) for site in result.schedules[0].faults)
    return f"simulated ({policy}): {name} is broken by {_faults(result.fewest_faults)}: {schedule}"


def _for_allow(exploration: Exploration, probability: Probability | None) -> tuple[str, ...]:
    if probability is None:
        chance = "simulated: structure alone; how often something goes wrong is not stated"
    else:
        worst = _worst(probability) or 0.0
        chance = (
            f"simulated: an effect promise breaks with probability at most {_rounded_up(worst)} per operation "
            f"({probability.method})"
        )
    return (
        (
            f"simulated: every effect promise is proved up to {_faults(exploration.fault_budget)} "
            f"({exploration.run_count:,} runs, every possible order)"
        ),
        chance,
        "observed: nothing; allow needs the four failure cases run against this version",
    )


def _worst(probability: Probability) -> float | None:
    both: tuple[Bounds | None, ...] = (probability.independent, probability.common_cause)
    return max((bounds.upper for bounds in both if bounds is not None), default=None)


def _rounded_up(probability: float) -> str:
    """Two digits, rounded up: an upper end must not become smaller by being written down."""
    return f"{float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(repr(probability))):g}"


def _quoted(promise: Promise) -> str:
    return f"'{promise}'"


def _faults(count: int) -> str:
    return f"{count} fault" if count == 1 else f"{count} faults"
