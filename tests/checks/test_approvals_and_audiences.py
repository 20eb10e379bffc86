"""What was approved is what begins, and whom it reaches, on journals written by hand."""

import pytest

from simkit.checks import check_approval_respected, check_audience_approved
from simkit.journal import Journal
from simkit.records import Fact, Intent
from simkit.terms import PromiseVerdict
from tests.checks.journals import approved, began, effect, run, verdict_of, wanted

KEPT, BROKEN, UNDECIDED = PromiseVerdict.KEPT, PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED
TWO_INTENTS = (wanted("order"), wanted("other"))
OTHERS = approved(approval="theirs", intent="other")


@pytest.mark.parametrize(
    ("facts", "expected"),
    (
        pytest.param((approved(), began(), effect()), KEPT, id="approved, begun, made"),
        pytest.param((approved(),), KEPT, id="approved, never begun"),
        pytest.param((approved(), began(), began(at_s=9.0)), KEPT, id="a retry of the same intent"),
        pytest.param((approved(), began("")), BROKEN, id="begun without the approval that was given"),
        pytest.param((began("no"),), BROKEN, id="under one that nobody gave"),
        pytest.param((began(""), effect()), KEPT, id="none is needed where none was given"),
        pytest.param((OTHERS, began("")), KEPT, id="what another intent needs"),
        pytest.param((approved(expires_at_s=0.2), began(at_s=0.3)), BROKEN, id="expired before"),
        pytest.param(
            (approved(expires_at_s=0.3), began(at_s=0.3)), BROKEN, id="it expires at the instant of the start"
        ),
        pytest.param((approved(expires_at_s=0.4), began(at_s=0.3)), KEPT, id="not expired yet"),
        pytest.param(
            (approved(expires_at_s=0.4), began(at_s=0.3), effect(at_s=0.5)), KEPT, id="begun in time, lands later"
        ),
        pytest.param(
            (approved(expires_at_s=5.0), began(at_s=0.3), began(at_s=6.0)), BROKEN, id="each start is looked at"
        ),
        pytest.param((OTHERS, began("theirs")), BROKEN, id="used up by another intent"),
        pytest.param(
            (approved(approval="theirs", intent="other", is_single_use=False), began("theirs")), KEPT, id="good for all"
        ),
        pytest.param((approved(), began(inputs="blue")), BROKEN, id="begun with other content"),
        pytest.param((approved(), began(), effect(inputs="blue")), BROKEN, id="made with other content"),
        pytest.param((approved(), effect(inputs="blue")), BROKEN, id="made with other content, nobody saw the start"),
        pytest.param((approved(), began(), began(intent="other", approval="")), KEPT, id="the other one's start"),
    ),
)
def test_an_effect_begins_only_as_it_was_approved(facts: tuple[Fact, ...], expected: PromiseVerdict) -> None:
    journal = run(*facts, intents=TWO_INTENTS)

    assert verdict_of(check_approval_respected, journal) is expected


def test_content_is_compared_with_the_approval_under_which_the_stage_began() -> None:
    shared = approved(approval="shared", intent="other", inputs="blue", is_single_use=False)
    under_shared = (approved(), shared, began("shared", inputs="blue"), effect(inputs="blue"))
    other_stage = (approved(), shared, began("shared", inputs="blue", stage="mail"), effect(inputs="blue"))

    assert verdict_of(check_approval_respected, run(*under_shared)) is KEPT
    assert verdict_of(check_approval_respected, run(*other_stage)) is BROKEN


def test_a_replacement_of_the_content_needs_its_own_approval() -> None:
    again = approved(approval="again", inputs="blue")
    renewed = run(approved(), again, began(), began("again", inputs="blue"), effect(inputs="blue"))
    under_the_old = run(approved(), again, began("yes", inputs="blue"))

    assert verdict_of(check_approval_respected, renewed) is KEPT
    assert verdict_of(check_approval_respected, under_the_old) is BROKEN


@pytest.mark.parametrize(
    ("journal", "expected"),
    (
        (run(approved(), began(), cut_before="lease"), UNDECIDED),
        (run(OTHERS, intents=TWO_INTENTS, cut_before="lease"), UNDECIDED),  # it may begin under the other's
        (run(approved(), began(""), cut_before="lease"), BROKEN),
        (run(effect(), cut_before="lease"), KEPT),  # where nobody approves, there is nothing to respect
    ),
)
def test_a_cut_run_leaves_open_what_may_still_begin(journal: Journal, expected: PromiseVerdict) -> None:
    verdict = verdict_of(check_approval_respected, journal)

    assert verdict is expected


def test_the_evidence_says_what_was_wrong_with_the_approval() -> None:
    journal = run(approved(expires_at_s=5.0), began(at_s=6.0), effect(inputs="blue"))

    assert check_approval_respected(journal)[0].evidence == (
        "6 s: server began ticket under 'yes', which had expired at 5 s",
        "0.5 s: effect in ticket with 'blue', approved: red",
    )


FEW, ALL = effect(audience="few"), effect(audience="all", at_s=9.0)
FOR_FEW = (wanted("order", audience="few"),)


@pytest.mark.parametrize(
    ("facts", "intents", "expected"),
    (
        pytest.param((FEW,), FOR_FEW, KEPT, id="whom it was meant for"),
        pytest.param((FEW, ALL), FOR_FEW, BROKEN, id="a repeat reaches more"),
        pytest.param((ALL,), FOR_FEW, BROKEN, id="the first already reaches more"),
        pytest.param((approved(audience="few"), FEW), (wanted("order"),), KEPT, id="as approved"),
        pytest.param((approved(audience="few"), ALL), (wanted("order"),), BROKEN, id="not as approved"),
        pytest.param((approved(audience="all"), ALL), FOR_FEW, KEPT, id="the approval outweighs the wish"),
        pytest.param((approved(audience="all"), FEW), FOR_FEW, BROKEN, id="and the wish alone is no approval"),
        pytest.param((approved(intent="other", audience="all"), ALL), FOR_FEW, BROKEN, id="approved for another"),
        pytest.param((FEW, FEW), (wanted("order"),), KEPT, id="nobody said, and both reach the same"),
        pytest.param((FEW, ALL), (wanted("order"),), BROKEN, id="nobody said, so the first one is the snapshot"),
        pytest.param((ALL, FEW), (wanted("order"),), BROKEN, id="whichever of the two stands first"),
        pytest.param(
            (FEW, effect(audience="all", stage="mail")), (wanted("order"),), KEPT, id="each stage has its own"
        ),
        pytest.param((effect(),), FOR_FEW, KEPT, id="a stage without an audience"),
        pytest.param((effect(),), (wanted("order"),), KEPT, id="no audience anywhere"),
        pytest.param((effect(audience="all", intent="other"),), FOR_FEW, KEPT, id="another intent's"),
    ),
)
def test_a_delivery_reaches_the_approved_audience(
    facts: tuple[Fact, ...], intents: tuple[Intent, ...], expected: PromiseVerdict
) -> None:
    journal = run(*facts, intents=(*intents, wanted("other")))

    assert verdict_of(check_audience_approved, journal) is expected


def test_a_policy_that_works_the_audience_out_anew_may_reach_another() -> None:
    journal = run(FEW, ALL, intents=FOR_FEW, audience_may_change=True)

    assert verdict_of(check_audience_approved, journal) is KEPT


def test_a_cut_run_leaves_the_next_delivery_open() -> None:
    kept, unsaid = run(FEW, intents=FOR_FEW, cut_before="relay"), run(FEW, cut_before="relay")
    broken, without = run(ALL, intents=FOR_FEW, cut_before="relay"), run(effect(), cut_before="relay")

    assert verdict_of(check_audience_approved, kept) is UNDECIDED
    assert verdict_of(check_audience_approved, unsaid) is UNDECIDED
    assert verdict_of(check_audience_approved, broken) is BROKEN
    assert verdict_of(check_audience_approved, without) is KEPT


def test_the_evidence_shows_whom_each_delivery_reached() -> None:
    journal = run(FEW, ALL, intents=FOR_FEW)

    assert check_audience_approved(journal)[0].evidence == (
        "0.5 s: effect in ticket reached 'few'",
        "9 s: effect in ticket reached 'all'",
        "approved: few",
    )
