"""All promises at once say what each check says alone, and don't depend on the order of independent parties."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit import checks
from simkit.checks import check_all, verdicts
from simkit.journal import Journal
from simkit.records import (
    Approval,
    Attempt,
    CleanUp,
    Deleted,
    Effect,
    End,
    Fact,
    Fault,
    Intent,
    Promised,
    Readback,
    Receipt,
    Reply,
    Report,
    Settlement,
    Start,
    StateChange,
)
from simkit.terms import LayerName, Outcome, Promise, PromiseVerdict, ReadbackAnswer, Settled, State
from tests.checks.journals import approved, began, effect, fault, reported, run, tried, wanted

CHECKS = {promise: getattr(checks, f"check_{promise.name.lower()}") for promise in Promise}
BROKEN, UNDECIDED, KEPT = PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED, PromiseVerdict.KEPT
SEVERITY = {KEPT: 0, UNDECIDED: 1, BROKEN: 2}
INTENTS = (wanted("order", "red"), wanted("other", "blue"))
DONE = (*tried(State.COMPLETED), effect(), reported(State.COMPLETED))

STAGE_STATES = ((), (("ticket", State.COMPLETED),), (("ticket", State.REJECTED), ("mail", State.COMPLETED)))

worlds = st.sampled_from(
    (
        {"intents": INTENTS},
        {"intents": (wanted("order", tenant="acme"), wanted("other", tenant="zenith")), "handover_completes": True},
        {"intents": (wanted("order", audience="all"), wanted("other", wants_effect=False))},
        {"intents": INTENTS, "attempt_count_max": 1, "time_s_max": 2.0, "deadline_s": 1.0},
        {"intents": INTENTS, "stages": ("ticket", "mail"), "retention_s": 2.0},
    )
)
stages = st.sampled_from(("", "ticket"))
intents = st.sampled_from(("order", "other"))
layers = st.sampled_from((LayerName.AGENT, LayerName.GATEWAY))
states = st.sampled_from(State)
instants = st.sampled_from((0.0, 1.0, 2.0, 5.0))
ids = st.sampled_from(("op", "op/2", ""))
inputs = st.sampled_from(("red", "blue"))
paths = st.sampled_from(("1", "2"))
facts = st.one_of(
    st.builds(
        Attempt,
        at_s=instants,
        layer=layers,
        path=paths,
        attempt_number=st.just(1),
        intent=intents,
        operation_id=ids,
        inputs=inputs,
        stage=stages,
    ),
    st.builds(
        Reply,
        at_s=instants,
        layer=layers,
        path=paths,
        intent=intents,
        operation_id=ids,
        inputs=inputs,
        state=states,
        detail=st.sampled_from(("", "gateway gave up and said failed")),
        stage=stages,
        origin=st.sampled_from(("", "order", "other")),
        result=st.sampled_from(("", "ticket 1", "ticket 2")),
        stages=st.sampled_from(STAGE_STATES),
    ),
    st.builds(
        Effect,
        at_s=instants,
        stage=st.sampled_from(("ticket", "mail")),
        intent=intents,
        operation_id=ids,
        inputs=inputs,
        audience=st.sampled_from(("", "all", "few")),
    ),
    st.builds(approved, intent=intents, expires_at_s=st.sampled_from((None, 2.0)), is_single_use=st.booleans()),
    st.builds(began, st.sampled_from(("", "yes", "no")), at_s=instants, intent=intents, inputs=inputs),
    st.builds(
        CleanUp,
        at_s=instants,
        party=st.sampled_from(("agent", "server")),
        stage=stages,
        intent=intents,
        operation_id=ids,
    ),
    st.builds(
        Settlement,
        at_s=instants,
        party=st.just("agent"),
        intent=intents,
        operation_id=ids,
        settled=st.sampled_from(Settled),
    ),
    st.builds(StateChange, at_s=instants, party=st.just("record store"), operation_id=ids, state=states),
    st.builds(
        Readback,
        at_s=instants,
        party=st.sampled_from(("agent", "server")),
        intent=intents,
        operation_id=ids,
        answer=st.sampled_from(ReadbackAnswer),
        stage=stages,
    ),
    st.builds(
        reported,
        states,
        layer=layers,
        intent=intents,
        owner=st.sampled_from(("ops", "")),
        outcome=st.sampled_from((None, *Outcome)),
        stages=st.sampled_from(STAGE_STATES),
    ),
    st.builds(Fault, at_s=instants, site=st.just("link.request_lost")),
)


def party_of(fact: Fact) -> str:
    """Who wrote the fact: the order of its own facts is known, that among parties is not."""
    match fact:
        case Attempt() | Reply() | Report():
            return fact.layer
        case Readback() | StateChange() | Receipt() | Start() | CleanUp() | Settlement():
            return fact.party
        case Effect() | Deleted():
            return "system of record"
        case Fault():
            return fact.site
        case Intent() | Approval() | Promised() | End():
            return "frame"


def interleaved(told: Sequence[Fact], order: Sequence[int]) -> list[Fact]:
    """The same facts with the parties taking turns in another order, each keeping its own."""
    waiting: dict[str, list[Fact]] = {}
    for fact in told:
        waiting.setdefault(party_of(fact), []).append(fact)
    turns = [party_of(told[index]) for index in order]
    return [waiting[party].pop(0) for party in turns]


@settings(deadline=None)
@given(st.data(), worlds, st.lists(facts, max_size=14), st.sampled_from(("", "late request")))
def test_the_order_of_independent_parties_changes_no_verdict(
    data: st.DataObject, world: dict[str, Any], told: list[Fact], cut_before: str
) -> None:
    order = data.draw(st.permutations(range(len(told))))

    straight = verdicts(run(*told, cut_before=cut_before, **world))
    shuffled = verdicts(run(*interleaved(told, order), cut_before=cut_before, **world))

    assert straight == shuffled


@settings(deadline=None)
@given(worlds, st.lists(facts, max_size=14), st.sampled_from(("", "late request")))
def test_all_at_once_is_each_alone_and_the_verdict_is_the_worst_of_the_intents(
    world: dict[str, Any], told: list[Fact], cut_before: str
) -> None:
    journal = run(*told, cut_before=cut_before, **world)

    together = check_all(journal)

    assert together == tuple(finding for promise in Promise for finding in CHECKS[promise](journal))
    assert [finding.promise for finding in together] == [promise for promise in Promise for _ in INTENTS]
    assert all(bool(finding.evidence) == (finding.verdict is not KEPT) for finding in together)
    worst = {
        promise: max((finding.verdict for finding in together if finding.promise is promise), key=SEVERITY.__getitem__)
        for promise in Promise
    }
    assert verdicts(journal) == worst


@settings(deadline=None)
@given(st.lists(facts, max_size=14), st.lists(facts, max_size=6))
def test_what_a_cut_run_decides_about_effects_holds_however_it_goes_on(told: list[Fact], later: list[Fact]) -> None:
    cut = verdicts(run(*told, intents=INTENTS, cut_before="the rest"))
    whole = verdicts(run(*told, *later, intents=INTENTS))

    final = (
        Promise.AT_MOST_ONE_EFFECT,
        Promise.EFFECT_HAPPENS,
        Promise.COMPLETED_MEANS_DONE,
        Promise.DISTINCT_INTENTS,
        Promise.NOTHING_AFTER_SETTLEMENT,
        Promise.WORK_IN_BUDGET,
    )
    assert [promise for promise in final if cut[promise] is not UNDECIDED and cut[promise] is not whole[promise]] == []


def test_one_broken_intent_outweighs_the_others() -> None:
    second = (*tried(State.COMPLETED, "2:1", intent="other", operation_id="op/2"), effect(intent="other"))
    journal = run(*DONE, *second, effect(intent="other", at_s=9.0), intents=INTENTS)

    assert verdicts(journal)[Promise.AT_MOST_ONE_EFFECT] is BROKEN


def test_a_run_in_which_everything_went_well_keeps_every_promise() -> None:
    journal = run(*DONE)

    assert set(verdicts(journal).values()) == {KEPT}
    assert list(verdicts(journal)) == list(Promise) == list(checks.JUDGED)


def test_a_journal_without_an_end_is_taken_for_cut() -> None:
    whole = list(run(fault(), *DONE))

    found = verdicts(Journal(whole[:-1]))

    assert found[Promise.AT_MOST_ONE_EFFECT] is UNDECIDED


def test_a_journal_that_does_not_say_what_was_promised_is_refused() -> None:
    journal = Journal(fact for fact in run(*DONE) if not isinstance(fact, Promised))

    with pytest.raises(ValueError, match="holds none"):
        verdicts(journal)
