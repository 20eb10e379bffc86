"""The verdict, branch by branch, on explorations written by hand."""

import pytest

from simkit.study import judge, judge_without_simulation
from simkit.study.results import Bounds, Exploration, Judgement, Probability, PromiseResult, Schedule
from simkit.terms import Promise, Verdict

__all__: list[str] = []

LIMIT = 1e-4
DUPLICATE = Promise.AT_MOST_ONE_EFFECT


def result(
    promise: Promise, *, fewest_faults: int | None = None, undecided_count: int = 0, is_proved: bool = True
) -> PromiseResult:
    """What an exploration says about one promise; broken ones by a crash in each attempt."""
    faults = tuple(f"server.after_effect@{number + 1}" for number in range(fewest_faults or 0))
    schedule = Schedule(schedule_id="abcdef", faults=faults, story=())
    return PromiseResult(
        promise=promise,
        fewest_faults=fewest_faults,
        is_proved=is_proved and fewest_faults is None and not undecided_count,
        undecided_count=undecided_count,
        schedules=() if fewest_faults is None else (schedule,),
    )


def exploration(*results: PromiseResult, policy: str = "as requested", explored_faults: int = 2) -> Exploration:
    """An exploration to two faults that proves every promise but the ones given."""
    given = {result.promise: result for result in results}
    is_complete = explored_faults == 2
    return Exploration(
        policy=policy,
        fault_budget=2,
        explored_faults=explored_faults,
        is_complete=is_complete,
        run_count=1234,
        promises=tuple(given.get(promise, result(promise, is_proved=is_complete)) for promise in Promise),
    )


def weighed(independent: float | None = 1e-6, common_cause: float | None = 1e-6) -> Probability:
    return Probability(
        independent=None if independent is None else Bounds(lower=0.0, upper=independent),
        common_cause=None if common_cause is None else Bounds(lower=0.0, upper=common_cause),
        common_cause_share=0.1,
        leaf_count=10,
        method="enumerated up to 2 faults",
        unknown_sites=(),
    )


PROVED = exploration()
PROVED_ONCE = exploration(policy="one attempt")
BROKEN = exploration(result(DUPLICATE, fewest_faults=2))


def judged(
    as_requested: Exploration = PROVED,
    one_attempt: Exploration = PROVED_ONCE,
    probability: Probability | None = None,
    contradictions: tuple[str, ...] = (),
    unjudged: tuple[str, ...] = (),
) -> Judgement:
    return judge(
        as_requested=as_requested,
        one_attempt=one_attempt,
        probability=probability or weighed(),
        risk_limit_probability=LIMIT,
        contradictions=contradictions,
        unjudged=unjudged,
    )


def test_a_design_that_is_proved_and_seldom_fails_would_allow_but_was_not_observed() -> None:
    found = judged()

    assert (found.design_verdict, found.verdict) == (Verdict.ALLOW, Verdict.HOLD)
    assert found.wording == "the design would allow; not observed"
    assert "proved up to 2 faults (1,234 runs" in found.reasons[0]
    assert any(reason.startswith("observed: nothing") for reason in found.reasons)


def test_every_reason_names_its_kind_of_evidence() -> None:
    reasons = (*judged().reasons, *judged(BROKEN).reasons, *judged(contradictions=("a excludes b",)).reasons)

    assert all(reason.split(":")[0].split(" ")[0] in {"declared", "simulated", "observed"} for reason in reasons)


def test_what_was_declared_and_not_acted_out_rules_out_allow_and_is_called_not_judged() -> None:
    """It does not disable: with one attempt nothing is known to break."""
    found = judged(unjudged=("what happens after the handover", "a scope without tenant"))

    assert (found.design_verdict, found.verdict) == (Verdict.HOLD, Verdict.HOLD)
    assert found.reasons == ("not judged: what happens after the handover", "not judged: a scope without tenant")


def test_what_breaks_comes_before_what_was_not_judged() -> None:
    found = judged(BROKEN, probability=weighed(1.0, 1.0), unjudged=("what happens after the handover",))

    assert [reason.split(":")[0] for reason in found.reasons] == [
        "simulated (as requested)",
        "simulated",
        "not judged",
    ]


def test_what_was_not_judged_stays_beside_a_contradiction() -> None:
    found = judged(contradictions=("a excludes b",), unjudged=("what happens after the handover",))

    assert found.design_verdict is Verdict.DISABLE
    assert found.reasons == ("declared: a excludes b", "not judged: what happens after the handover")


def test_what_was_not_judged_does_not_soften_what_breaks_with_one_attempt() -> None:
    once = exploration(result(DUPLICATE, fewest_faults=1), policy="one attempt")

    found = judged(BROKEN, once, unjudged=("what happens after the handover",))

    assert found.design_verdict is Verdict.DISABLE
    assert "(one attempt)" in found.reasons[0]


@pytest.mark.parametrize(
    ("probability", "words"),
    (
        (2.524e-07, "at most 2.6e-07"),
        (2.5e-07, "at most 2.5e-07"),
        (2.5000001e-07, "at most 2.6e-07"),
        (9.91e-05, "at most 0.0001"),
        (0.0, "at most 0"),
    ),
)
def test_an_upper_end_is_rounded_up_so_that_it_still_bounds(probability: float, words: str) -> None:
    found = judged(probability=weighed(probability, 0.0))

    assert f"{words} per operation" in found.reasons[1]


@pytest.mark.parametrize(("probability", "words"), ((1.001e-4, "up to 0.00011 "), (0.0039895, "up to 0.004 ")))
def test_a_probability_above_the_limit_does_not_look_like_the_limit(probability: float, words: str) -> None:
    found = judged(probability=weighed(probability, 0.0))

    assert words in found.reasons[0]
    assert found.reasons[0].endswith("the limit is 0.0001")


def test_a_promise_that_breaks_as_requested_but_not_with_one_attempt_holds() -> None:
    found = judged(BROKEN)

    assert (found.design_verdict, found.verdict) == (Verdict.HOLD, Verdict.HOLD)
    assert "nobody repeats by itself" in found.wording
    assert len(found.reasons) == 1
    assert "'at most one effect' is broken by 2 faults" in found.reasons[0]
    assert "(attempt 1) and server crashes after the effect (attempt 2)" in found.reasons[0]


def test_a_promise_that_breaks_with_one_attempt_too_disables() -> None:
    once = exploration(result(DUPLICATE, fewest_faults=1), policy="one attempt")

    found = judged(BROKEN, once)

    assert (found.design_verdict, found.verdict) == (Verdict.DISABLE, Verdict.DISABLE)
    assert found.wording.startswith("automatic write retries stay off")
    assert "(one attempt)" in found.reasons[0]
    assert "by 1 fault:" in found.reasons[0]


def test_what_breaks_comes_first_and_fewest_faults_before_more() -> None:
    """A promise that was merely not explored to the end comes after those that are known to break, or not at all."""
    one, two = result(DUPLICATE, fewest_faults=1), result(Promise.EFFECT_HAPPENS, fewest_faults=2)

    reasons = judged(exploration(two, one, explored_faults=1)).reasons

    assert "'at most one effect' is broken by 1 fault" in reasons[0]
    assert "'the effect happens' is broken by 2 faults" in reasons[1]


def test_what_breaks_without_any_fault_is_called_broken_by_construction() -> None:
    found = judged(exploration(result(DUPLICATE, fewest_faults=0)))

    assert "broken by construction" in found.reasons[0]


@pytest.mark.parametrize("both", (False, True))
def test_an_undecided_promise_is_not_proved(*, both: bool) -> None:
    """Undecided as requested is not allowed; undecided with one attempt is not even held."""
    undecided = result(Promise.EFFECT_HAPPENS, undecided_count=3)

    found = judged(exploration(undecided), exploration(undecided, policy="one attempt") if both else PROVED_ONCE)

    assert found.design_verdict is (Verdict.DISABLE if both else Verdict.HOLD)
    assert "'the effect happens' is undecided in 3 runs" in found.reasons[0]


@pytest.mark.parametrize(
    ("explored_faults", "words"), ((1, "explored up to 1 fault only"), (0, "0 faults only"), (-1, "not explored"))
)
def test_an_exploration_that_was_cut_says_how_far_it_came(explored_faults: int, words: str) -> None:
    found = judged(exploration(explored_faults=explored_faults))

    assert found.design_verdict is Verdict.HOLD
    assert all(words in reason for reason in found.reasons)


def test_a_cut_exploration_of_one_attempt_disables() -> None:
    found = judged(BROKEN, exploration(policy="one attempt", explored_faults=-1))

    assert found.design_verdict is Verdict.DISABLE


@pytest.mark.parametrize(
    ("independent", "common_cause", "verdict"),
    (
        (LIMIT, LIMIT, Verdict.ALLOW),
        (1.1 * LIMIT, 0.0, Verdict.HOLD),
        (0.0, 1.1 * LIMIT, Verdict.HOLD),
    ),
)
def test_the_greater_upper_end_is_held_against_the_limit(
    independent: float, common_cause: float, verdict: Verdict
) -> None:
    found = judged(probability=weighed(independent, common_cause))

    assert found.design_verdict is verdict
    assert any("limit is 0.0001" in reason for reason in found.reasons) == (verdict is Verdict.HOLD)


def test_a_probability_that_is_not_resolved_cannot_be_allowed_and_does_not_disable() -> None:
    found = judged(probability=weighed(None, None))

    assert found.design_verdict is Verdict.HOLD
    assert "not resolved" in found.reasons[0]


def test_a_small_probability_does_not_outweigh_a_broken_promise() -> None:
    """Rates are assumptions, structure is not."""
    found = judged(BROKEN, probability=weighed(1e-12, 1e-12))

    assert found.design_verdict is Verdict.HOLD


@pytest.mark.parametrize("as_requested", (PROVED, BROKEN))
def test_a_contradiction_disables_whatever_was_proved(as_requested: Exploration) -> None:
    found = judged(as_requested, contradictions=("a excludes b", "c excludes d"))

    assert (found.design_verdict, found.verdict) == (Verdict.DISABLE, Verdict.DISABLE)
    assert found.reasons[:2] == ("declared: a excludes b", "declared: c excludes d")


@pytest.mark.parametrize("promise", tuple(promise for promise in Promise if promise.is_about_reports))
def test_a_broken_report_promise_is_said_and_costs_nothing_by_itself(promise: Promise) -> None:
    found = judged(exploration(result(promise, fewest_faults=1)))

    assert found.is_report_unsafe
    assert found.design_verdict is Verdict.ALLOW


@pytest.mark.parametrize("promise", tuple(promise for promise in Promise if promise.is_about_effects))
def test_a_broken_effect_promise_is_no_report_and_costs_the_allow(promise: Promise) -> None:
    found = judged(exploration(result(promise, fewest_faults=1)))

    assert not found.is_report_unsafe
    assert found.design_verdict is Verdict.HOLD


def test_work_that_exceeds_its_budget_rules_out_allow_with_its_reason_and_is_neither_effect_nor_report() -> None:
    found = judged(exploration(result(Promise.WORK_IN_BUDGET, fewest_faults=1)))

    assert found.design_verdict is Verdict.HOLD
    assert not found.is_report_unsafe
    assert len(found.reasons) == 1
    assert "(as requested): 'work stays in budget' is broken by 1 fault" in found.reasons[0]


def test_work_that_is_not_proved_to_stay_in_budget_rules_out_allow() -> None:
    found = judged(exploration(result(Promise.WORK_IN_BUDGET, undecided_count=2)))

    assert found.design_verdict is Verdict.HOLD
    assert "'work stays in budget' is undecided in 2 runs" in found.reasons[0]


@pytest.mark.parametrize(
    "budget", (result(Promise.WORK_IN_BUDGET, fewest_faults=0), result(Promise.WORK_IN_BUDGET, undecided_count=1))
)
def test_the_budget_of_one_attempt_does_not_matter_for_hold(budget: PromiseResult) -> None:
    """One attempt each is as little work as a call can make."""
    once = exploration(budget, policy="one attempt")

    found = judged(BROKEN, once)

    assert found.design_verdict is Verdict.HOLD
    assert not any("budget" in reason for reason in found.reasons)


def test_missing_answers_disable_and_are_named() -> None:
    found = judge_without_simulation(("record.lease", "identity.span"), ("a excludes b",))

    assert (found.design_verdict, found.verdict) == (Verdict.DISABLE, Verdict.DISABLE)
    assert found.reasons == (
        "declared: record.lease is unknown",
        "declared: identity.span is unknown",
        "declared: a excludes b",
    )
    assert "unknown" in found.wording
    assert not found.is_report_unsafe
