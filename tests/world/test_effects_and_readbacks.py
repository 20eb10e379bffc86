"""What counts as an effect, what is accepted before it is made, and what a readback can and cannot tell."""

import itertools

import pytest

from simkit.chance import Sampled
from simkit.choices import (
    Deduplication,
    EffectKind,
    FailuresStored,
    KeyRecorded,
    OnConcurrent,
    ReadbackBy,
)
from simkit.records import Deleted, Effect, End
from simkit.scenario.sites import DOWNSTREAM_SITES
from simkit.terms import ClaimKind, OnExpired, OnMismatch, ReadbackAnswer, RetentionKind, State
from simkit.world import run_concrete
from tests.builders import a_call, a_retention, a_scenario, conditions_with, downstream_with, rates_at, server_with
from tests.world.system_requests import Asked, a_request, asked

__all__: list[str] = []

FOUND, NOT_SEEN, CANNOT_TELL = ReadbackAnswer


@pytest.mark.parametrize(
    ("kind", "states"),
    (
        (EffectKind.CREATE, ["x", "x"]),
        (EffectKind.MESSAGE, ["sent", "sent"]),
        (EffectKind.ADD, ["added", "added"]),
        (EffectKind.TOGGLE, ["on", "off"]),  # the duplicate cancels out, and is one all the same
        (EffectKind.SET, ["x"]),  # it is set already
        (EffectKind.DELETE, ["gone"]),  # it is gone already
    ),
)
def test_a_repeat_that_nobody_recognises_is_an_effect_unless_it_changes_nothing(
    kind: EffectKind, states: list[str]
) -> None:
    call = a_request(target="lamp")

    answers, system = asked((0.0, call), (5.0, call), deduplication=Deduplication.NONE, effect=kind)

    assert [effect.state for effect in system.effects] == states
    assert [answer.state for answer in answers] == [State.COMPLETED, State.COMPLETED]
    assert answers[1].result == f"ticket {len(states)}"


def test_a_late_repeat_sets_back_what_somebody_else_has_set_meanwhile() -> None:
    mine, others = a_request(target="lamp"), a_request("k2", target="lamp", inputs="y", intent="i2")

    _, system = asked((0.0, mine), (5.0, others), (10.0, mine), deduplication=Deduplication.NONE, effect=EffectKind.SET)

    assert [(effect.intent, effect.state) for effect in system.effects] == [("i1", "x"), ("i2", "y"), ("i1", "x")]


def test_an_answer_about_what_was_set_by_another_says_whose_it_is() -> None:
    first, second = a_request(target="lamp"), a_request("k2", target="lamp", intent="i2")

    answers, _ = asked((0.0, first), (5.0, second), effect=EffectKind.SET)

    assert (answers[1].origin, answers[1].result) == ("i1", "ticket 1")


def test_other_targets_and_other_tenants_have_other_objects() -> None:
    calls = [a_request("k1", target="a"), a_request("k2", target="b"), a_request("k3", target="a", tenant="t2")]

    _, system = asked(*((5.0 * index, call) for index, call in enumerate(calls)), effect=EffectKind.SET)

    assert len(system.effects) == 3


def test_an_effect_bears_its_audience() -> None:
    _, system = asked((0.0, a_request(audience="everybody")), effect=EffectKind.MESSAGE)

    assert system.effects[0].audience == "everybody"


@pytest.mark.parametrize(
    ("kind", "repeat"),
    (
        (Deduplication.RESPONSE_CACHE, State.ACCEPTED),  # the response was: accepted
        (Deduplication.INTENT_LATEST_STATUS, State.COMPLETED),  # meanwhile it is made
        (Deduplication.WINDOW_DROP, State.COMPLETED),
    ),
)
def test_what_is_accepted_first_is_made_later(kind: Deduplication, repeat: State) -> None:
    answers, system = asked(
        (0.0, a_request()),
        (0.5, a_request(path="early")),
        (5.0, a_request(path="late")),
        accepts_first=True,
        deduplication=kind,
        key_recorded=KeyRecorded.ON_ACCEPT,
    )

    assert [answer.state for answer in answers] == [State.ACCEPTED, State.ACCEPTED, repeat]
    assert system.answered_at_s == [0.0, 0.5, 5.0]
    assert [effect.at_s for effect in system.effects] == [1.0]


@pytest.mark.parametrize(
    ("key_recorded", "effect_count"),
    (
        (KeyRecorded.ON_ACCEPT, 0),  # the repeat is taken for one that is under way
        (KeyRecorded.WITH_EFFECT, 1),  # nothing was remembered, so the repeat heals it
    ),
)
def test_what_is_lost_after_acceptance_is_made_by_a_repeat_only_where_no_key_was_left(
    key_recorded: KeyRecorded, effect_count: int
) -> None:
    answers, system = asked(
        (0.0, a_request()),
        (5.0, a_request(path="second")),
        sites=("downstream.lost_after_acceptance@k1",),
        accepts_first=True,
        key_recorded=key_recorded,
    )

    assert [answer.state for answer in answers] == [State.ACCEPTED, State.ACCEPTED]
    assert len(system.effects) == effect_count


@pytest.mark.parametrize(("site", "effect_count"), (("error_of_unknown_outcome", 0), ("error_after_effect", 1)))
def test_an_error_instead_of_an_acceptance_may_or_may_not_hide_one(site: str, effect_count: int) -> None:
    answers, system = asked((0.0, a_request()), sites=(f"downstream.{site}@k1",), accepts_first=True)

    assert answers[0].state is State.UNKNOWN
    assert len(system.effects) == effect_count


@pytest.mark.parametrize(
    ("by", "alone", "beside_another"),
    (
        (ReadbackBy.OPERATION_ID, FOUND, FOUND),
        (ReadbackBy.CLIENT_REFERENCE, FOUND, FOUND),
        (ReadbackBy.NATURAL_KEY, FOUND, CANNOT_TELL),  # two things bear the name
        (ReadbackBy.CONTENT, CANNOT_TELL, CANNOT_TELL),  # equal content may be anybody's
        (ReadbackBy.LIST, CANNOT_TELL, CANNOT_TELL),
        (ReadbackBy.SEARCH, CANNOT_TELL, CANNOT_TELL),
    ),
)
def test_only_an_identity_of_its_own_finds_an_operation(
    by: ReadbackBy, alone: ReadbackAnswer, beside_another: ReadbackAnswer
) -> None:
    call = a_request(target="lamp")
    system = Asked()
    system.send(0.0, call)
    system.send(5.0, a_request("k2", target="lamp", intent="i2"))
    for at_s in (0.5, 2.0, 10.0):
        system.look_up(at_s, call, by)

    system.run()

    assert system.readbacks == [NOT_SEEN, alone, beside_another]


def test_a_name_with_other_content_may_be_anybodys() -> None:
    system = Asked()
    system.send(0.0, a_request("k2", target="lamp", inputs="y", intent="i2"))
    system.look_up(2.0, a_request(target="lamp"), ReadbackBy.NATURAL_KEY)
    system.look_up(2.0, a_request(target="lamp"))

    system.run()

    assert system.readbacks == [CANNOT_TELL, NOT_SEEN]


def test_nobody_can_ask_for_an_operation_that_has_no_id() -> None:
    system = Asked()
    system.send(0.0, a_request(""))
    system.look_up(2.0, a_request(""))

    system.run()

    assert system.readbacks == [CANNOT_TELL]


def test_what_was_deleted_is_not_seen_and_the_deletion_is_a_fact() -> None:
    system = Asked()
    system.send(0.0, a_request())
    system.delete(3.0, "i1")
    system.delete(4.0, "i1")
    system.look_up(5.0, a_request())

    system.run()

    assert system.readbacks == [NOT_SEEN]
    assert list(system.journal.of(Deleted)) == [Deleted(at_s=3.0, stage="ticket", intent="i1")]


def test_a_clean_up_takes_away_what_one_operation_made_and_is_no_deletion() -> None:
    system = Asked()
    system.send(0.0, a_request())
    system.send(0.0, a_request("k2"))
    system.undo(3.0, a_request())
    for key in ("k1", "k2"):
        system.look_up(5.0, a_request(key))

    system.run()

    assert system.readbacks == [NOT_SEEN, FOUND]
    assert not system.journal.of(Deleted)


def test_what_was_undone_is_set_again_by_a_late_repeat() -> None:
    call = a_request(target="lamp")
    system = Asked(effect=EffectKind.SET, deduplication=Deduplication.NONE)
    system.send(0.0, call)
    system.undo(3.0, call)
    system.send(5.0, call)

    system.run()

    assert [effect.state for effect in system.effects] == ["x", "x"]


@pytest.mark.parametrize("kind", Deduplication)
def test_every_kind_runs_with_every_kind_of_effect_at_every_site(kind: Deduplication) -> None:
    # Two calls at once under one ID, a later one with equal inputs, and one that reuses the ID with others.
    others = (a_call(start_s=0.005), a_call(intent="i2", operation="op2", start_s=3.0), a_call(intent="i3", inputs="y"))
    plain = server_with(a_scenario(calls=(a_call(), *others)), claim=ClaimKind.NONE)
    plain = conditions_with(plain, rates=rates_at(0.2, *DOWNSTREAM_SITES, "gateway_to_server.response_lost"))
    axes = itertools.product(EffectKind, OnConcurrent, KeyRecorded, FailuresStored, (False, True))
    counts = set()

    for number, (effect, on_concurrent, key_recorded, failures_stored, accepts_first) in enumerate(axes):
        if number % 7:  # a stride that is coprime to the size of every axis meets every pair of values
            continue
        retention = a_retention(2.0, tuple(RetentionKind)[number % 4], after=tuple(OnExpired)[number % 3])
        scenario = downstream_with(
            plain,
            deduplication=kind,
            effect=effect,
            on_concurrent=on_concurrent,
            key_recorded=key_recorded,
            failures_stored=failures_stored,
            accepts_first=accepts_first,
            on_mismatch=tuple(OnMismatch)[number % 5],
            key_retention=None if kind is Deduplication.NONE else retention,
        )
        journal = run_concrete(scenario, Sampled(number, 0)).journal
        assert journal.of(End)[-1].is_quiescent
        counts.add(len(journal.of(Effect)))

    assert {0, 1, 2} <= counts
