"""All promises at once say what each check says alone, and don't depend on the order of independent parties."""

from collections.abc import Sequence

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
from simkit.terms import LayerName, Promise, PromiseVerdict, ReadbackAnswer, State
from tests.checks.journals import effect, fault, reported, run, tried, wanted

CHECKS = {promise: getattr(checks, f"check_{promise.name.lower()}") for promise in Promise}
BROKEN, UNDECIDED, KEPT = PromiseVerdict.BROKEN, PromiseVerdict.UNDECIDED, PromiseVerdict.KEPT
SEVERITY = {KEPT: 0, UNDECIDED: 1, BROKEN: 2}
INTENTS = (wanted("order", "red"), wanted("other", "blue"))
DONE = (*tried(State.COMPLETED), effect(), reported(State.COMPLETED))

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
    ),
    st.builds(Effect, at_s=instants, stage=st.just("ticket"), intent=intents, operation_id=ids, inputs=inputs),
    st.builds(StateChange, at_s=instants, party=st.just("record store"), operation_id=ids, state=states),
    st.builds(
        Readback,
        at_s=instants,
        party=st.sampled_from(("agent", "server")),
        intent=intents,
        operation_id=ids,
        answer=st.sampled_from(ReadbackAnswer),
    ),
    st.builds(reported, states, layer=layers, intent=intents, owner=st.sampled_from(("ops", ""))),
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
@given(st.data(), st.lists(facts, max_size=14), st.sampled_from(("", "late request")))
def test_the_order_of_independent_parties_changes_no_verdict(
    data: st.DataObject, told: list[Fact], cut_before: str
) -> None:
    order = data.draw(st.permutations(range(len(told))))

    straight = verdicts(run(*told, intents=INTENTS, cut_before=cut_before))
    shuffled = verdicts(run(*interleaved(told, order), intents=INTENTS, cut_before=cut_before))

    assert straight == shuffled


@settings(deadline=None)
@given(st.lists(facts, max_size=14), st.sampled_from(("", "late request")))
def test_all_at_once_is_each_alone_and_the_verdict_is_the_worst_of_the_intents(
    told: list[Fact], cut_before: str
) -> None:
    journal = run(*told, intents=INTENTS, cut_before=cut_before)

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

    final = (Promise.AT_MOST_ONE_EFFECT, Promise.EFFECT_HAPPENS, Promise.COMPLETED_MEANS_DONE)
    assert [promise for promise in final if cut[promise] is not UNDECIDED and cut[promise] is not whole[promise]] == []


def test_one_broken_intent_outweighs_the_others() -> None:
    second = (*tried(State.COMPLETED, "2:1", intent="other", operation_id="op/2"), effect(intent="other"))
    journal = run(*DONE, *second, effect(intent="other", at_s=9.0), intents=INTENTS)

    assert verdicts(journal)[Promise.AT_MOST_ONE_EFFECT] is BROKEN


def test_a_run_in_which_everything_went_well_keeps_every_promise() -> None:
    journal = run(*DONE)

    assert set(verdicts(journal).values()) == {KEPT}
    assert list(verdicts(journal)) == list(Promise)


def test_a_journal_without_an_end_is_taken_for_cut() -> None:
    whole = list(run(fault(), *DONE))

    found = verdicts(Journal(whole[:-1]))

    assert found[Promise.AT_MOST_ONE_EFFECT] is UNDECIDED


def test_a_journal_that_does_not_say_what_was_promised_is_refused() -> None:
    journal = Journal(fact for fact in run(*DONE) if not isinstance(fact, Promised))

    with pytest.raises(ValueError, match="holds none"):
        verdicts(journal)
