"""How a system of record treats a first request, a repeat and a competitor, on the clock.

Its work takes 1 s. A request that arrives half a second after another meets it at work; one that arrives
after 5 s is a later repeat; the plain system remembers a key for 100 s.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from simkit.choices import Deduplication, FailuresStored, KeyRecorded, OnConcurrent
from simkit.records import Fault
from simkit.terms import ErrorClass, OnExpired, OnMismatch, RetentionKind, State
from tests.builders import a_retention
from tests.world.system_requests import Asked, a_request, asked

__all__: list[str] = []

FIRST, REPEAT, LATER = (0.0, a_request()), (5.0, a_request()), (200.0, a_request())
COMPETITOR = (0.5, a_request())
OTHER_INPUTS = (5.0, a_request(inputs="y"))
OTHERS_INTENT = (5.0, a_request("k2", intent="i2"))
"""Another intent with the same inputs, under its own key."""

RESUME = MappingProxyType({"deduplication": Deduplication.INTENT_RESUME})
DROP = MappingProxyType({"deduplication": Deduplication.WINDOW_DROP, "key_recorded": KeyRecorded.ON_ACCEPT})

RECOGNISING = tuple(kind for kind in Deduplication if kind is not Deduplication.NONE)


@pytest.mark.parametrize(
    ("kind", "state"),
    (
        (Deduplication.RESPONSE_CACHE, State.COMPLETED),
        (Deduplication.LEASE_THEN_CACHE, State.COMPLETED),
        (Deduplication.INTENT_RESUME, State.COMPLETED),
        (Deduplication.INTENT_LATEST_STATUS, State.COMPLETED),
        (Deduplication.SEMANTIC_EQUIVALENT, State.COMPLETED),
        (Deduplication.RESOURCE_REGISTRY, State.COMPLETED),
        (Deduplication.NATURAL_KEY_UPSERT, State.COMPLETED),
        (Deduplication.WINDOW_DROP, State.COMPLETED),
        (Deduplication.WINDOW_MERGE, State.COMPLETED),
        (Deduplication.SEQUENCE, State.COMPLETED),
        (Deduplication.NATURAL_KEY_REJECT, State.CONFLICT),
        (Deduplication.CONDITIONAL_PUT, State.CONFLICT),
        (Deduplication.HEURISTIC, State.CONFLICT),
    ),
)
def test_a_repeat_inside_the_window_makes_nothing_and_one_after_it_is_new(kind: Deduplication, state: State) -> None:
    answers, system = asked(FIRST, REPEAT, LATER, deduplication=kind)

    assert [answer.state for answer in answers] == [State.COMPLETED, state, State.COMPLETED]
    assert [effect.result for effect in system.effects] == ["ticket 1", "ticket 2"]
    # The repeat is told of the first one's ticket, whatever else it is told.
    assert (answers[1].origin, answers[1].result) == ("i1", "ticket 1")


def test_a_system_that_recognises_nothing_makes_every_repeat() -> None:
    _, by_kind = asked(FIRST, REPEAT, deduplication=Deduplication.NONE)
    _, without_memory = asked(FIRST, REPEAT, key_retention=None)
    _, without_key = asked((0.0, a_request("")), (5.0, a_request("", path="other")))

    assert [len(system.effects) for system in (by_kind, without_memory, without_key)] == [2, 2, 2]


@pytest.mark.parametrize("kind", RECOGNISING)
def test_another_key_is_another_request_unless_the_object_or_the_content_decides(kind: Deduplication) -> None:
    _, system = asked(FIRST, OTHERS_INTENT, deduplication=kind)

    # Both are about no named object, so only who compares content takes one for the other.
    assert len(system.effects) == (1 if kind is Deduplication.HEURISTIC else 2)


@pytest.mark.parametrize(
    ("kind", "effect_count"),
    (
        (Deduplication.RESOURCE_REGISTRY, 1),
        (Deduplication.NATURAL_KEY_REJECT, 1),
        (Deduplication.NATURAL_KEY_UPSERT, 1),  # the same content is there already
        (Deduplication.CONDITIONAL_PUT, 1),
        (Deduplication.RESPONSE_CACHE, 2),  # two keys, whatever they are about
    ),
)
def test_whoever_knows_objects_knows_them_under_any_key(kind: Deduplication, effect_count: int) -> None:
    first, second = (a_request(key, target="invoice", intent=f"of {key}") for key in ("k1", "k2"))

    answers, system = asked((0.0, first), (5.0, second), deduplication=kind)

    assert len(system.effects) == effect_count
    assert answers[1].origin == ("of k1" if effect_count == 1 else "of k2")


def test_tenants_do_not_meet_each_others_keys() -> None:
    _, system = asked(FIRST, (5.0, a_request(tenant="t2", path="other")))

    assert len(system.effects) == 2


@pytest.mark.parametrize(
    ("on_mismatch", "state", "inputs"),
    (
        (OnMismatch.CONFLICT, State.CONFLICT, ["x"]),
        (OnMismatch.REPLAY, State.COMPLETED, ["x"]),
        (OnMismatch.DROP, State.COMPLETED, ["x"]),
        (OnMismatch.RUN_AS_NEW, State.COMPLETED, ["x", "y"]),
        (OnMismatch.OVERWRITE, State.COMPLETED, ["x", "y"]),
    ),
)
def test_a_key_with_other_inputs_meets_what_the_system_says(
    on_mismatch: OnMismatch, state: State, inputs: list[str]
) -> None:
    answers, system = asked(FIRST, OTHER_INPUTS, on_mismatch=on_mismatch)

    assert answers[1].state is state
    assert [effect.inputs for effect in system.effects] == inputs


def test_what_is_overwritten_keeps_its_name_and_what_runs_as_new_gets_one() -> None:
    _, overwriting = asked(FIRST, OTHER_INPUTS, on_mismatch=OnMismatch.OVERWRITE)
    _, running = asked(FIRST, OTHER_INPUTS, on_mismatch=OnMismatch.RUN_AS_NEW)

    assert [effect.result for effect in overwriting.effects] == ["ticket 1", "ticket 1"]
    assert [effect.result for effect in running.effects] == ["ticket 1", "ticket 2"]


def test_a_late_repeat_of_an_upsert_puts_back_what_somebody_else_has_changed() -> None:
    mine = a_request(target="contact")
    others = a_request("k2", target="contact", inputs="y", intent="i2")

    _, system = asked((0.0, mine), (5.0, others), (10.0, mine), deduplication=Deduplication.NATURAL_KEY_UPSERT)

    assert [(effect.intent, effect.inputs) for effect in system.effects] == [("i1", "x"), ("i2", "y"), ("i1", "x")]


@pytest.mark.parametrize(
    ("on_concurrent", "states", "effect_count"),
    (
        (OnConcurrent.CONFLICT_ERROR, [State.COMPLETED, State.CONFLICT], 1),
        (OnConcurrent.ONE_WINS_REPLAY, [State.COMPLETED, State.COMPLETED], 1),
        (OnConcurrent.ONE_WINS_REJECTED, [State.COMPLETED, State.CONFLICT], 1),
        (OnConcurrent.BLOCK_THEN_REJECT, [State.COMPLETED, State.CONFLICT], 1),
        (OnConcurrent.ACCEPTED_DEDUPED, [State.COMPLETED, State.ACCEPTED], 1),
        (OnConcurrent.MAY_FAIL_SECOND, [State.COMPLETED, State.COMPLETED], 1),  # the pick's first option: it may not
        (OnConcurrent.BOTH_EXECUTE, [State.COMPLETED, State.COMPLETED], 2),
        (OnConcurrent.FENCED, [State.CONFLICT, State.COMPLETED], 1),  # the older one is fenced off
    ),
)
def test_a_competitor_meets_what_the_system_says(
    on_concurrent: OnConcurrent, states: list[State], effect_count: int
) -> None:
    answers, system = asked(FIRST, COMPETITOR, on_concurrent=on_concurrent, key_recorded=KeyRecorded.BEFORE_EFFECT)

    assert [answer.state for answer in answers] == states
    assert len(system.effects) == effect_count


def test_who_blocks_is_answered_as_soon_as_the_first_is_done() -> None:
    _, system = asked(FIRST, COMPETITOR, on_concurrent=OnConcurrent.BLOCK_THEN_REJECT)

    assert system.answered_at_s == [1.0, 1.0]


def test_who_blocks_runs_if_the_first_one_fails() -> None:
    answers, system = asked(
        FIRST,
        (0.5, a_request(path="second")),
        sites=("downstream.error_of_unknown_outcome@k1",),
        on_concurrent=OnConcurrent.BLOCK_THEN_REJECT,
    )

    assert [answer.state for answer in answers] == [State.UNKNOWN, State.COMPLETED]
    assert len(system.effects) == 1


def test_a_lease_says_pending_while_it_runs() -> None:
    answers, _ = asked(FIRST, COMPETITOR, REPEAT, deduplication=Deduplication.LEASE_THEN_CACHE)

    assert [answer.state for answer in answers] == [State.COMPLETED, State.PENDING, State.COMPLETED]


@pytest.mark.parametrize(("arrives_s", "effect_count"), ((0.5, 2), (1.5, 1), (0.99, 2)))
def test_a_key_recorded_on_success_leaves_a_window_as_long_as_the_recording(
    arrives_s: float, effect_count: int
) -> None:
    # The first makes its effect at 1 s and records its key at 2 s; a repeat looks as it makes its own, 1 s in.
    repeat = a_request(path="second")

    _, system = asked(FIRST, (arrives_s, repeat), key_recorded=KeyRecorded.ON_SUCCESS)

    assert len(system.effects) == effect_count


def test_a_number_below_the_highest_is_dropped_although_it_was_never_applied() -> None:
    # k1 was handed over first and came to nothing; k2 has been applied when its repeat arrives.
    system = Asked("downstream.error_of_unknown_outcome@k1", deduplication=Deduplication.SEQUENCE)
    system.send(0.0, a_request())
    system.send(2.0, a_request("k2", intent="i2"))
    system.send(5.0, a_request(path="late"))

    answers = system.run()

    assert [effect.intent for effect in system.effects] == ["i2"]
    assert (answers[2].state, answers[2].detail) == (State.COMPLETED, "an older number, dropped")


def test_an_older_token_is_refused_for_its_own_operation_alone() -> None:
    answers, system = asked(
        (0.0, a_request(token=2)),
        (5.0, a_request(token=1, path="older")),
        (10.0, a_request("k2", token=1)),
        deduplication=Deduplication.NONE,
    )

    assert [answer.state for answer in answers] == [State.COMPLETED, State.CONFLICT, State.COMPLETED]
    assert [effect.operation_id for effect in system.effects] == ["k1", "k2"]


@pytest.mark.parametrize(
    ("after", "state", "effect_count"),
    (
        (OnExpired.RUN_AS_NEW, State.COMPLETED, 2),
        (OnExpired.REFUSE, State.EXPIRED, 1),
        (OnExpired.HOLD, State.UNKNOWN, 1),
    ),
)
@pytest.mark.parametrize("key_recorded", (KeyRecorded.WITH_EFFECT, KeyRecorded.AT_START))
def test_what_follows_a_retention(after: OnExpired, state: State, effect_count: int, key_recorded: KeyRecorded) -> None:
    answers, system = asked(FIRST, LATER, key_retention=a_retention(100.0, after=after), key_recorded=key_recorded)

    assert answers[1].state is state
    assert len(system.effects) == effect_count


@pytest.mark.parametrize("is_with_object", (True, False))
def test_a_key_that_lives_with_its_object_goes_with_it(is_with_object: bool) -> None:  # noqa: FBT001
    kind = RetentionKind.WITH_OBJECT if is_with_object else RetentionKind.EXACT
    system = Asked(deduplication=Deduplication.NATURAL_KEY_REJECT, key_retention=a_retention(100.0, kind))
    system.send(0.0, a_request(target="pod"))
    system.delete(3.0, "i1")
    system.send(5.0, a_request(target="pod"))

    answers = system.run()

    # Kubernetes frees the name; a calendar keeps the ID of a deleted entry taken.
    assert answers[1].state is (State.COMPLETED if is_with_object else State.CONFLICT)


def test_what_lives_with_its_object_outlives_every_duration() -> None:
    _, system = asked(FIRST, LATER, key_retention=a_retention(0.0, RetentionKind.WITH_OBJECT))

    assert len(system.effects) == 1


@pytest.mark.parametrize(
    ("site", "state", "error"),
    (
        ("downstream.error", State.REJECTED, None),
        ("downstream.error_of_unknown_outcome", State.UNKNOWN, ErrorClass.SERVER_ERROR),
        ("downstream.error_after_effect", State.UNKNOWN, ErrorClass.UNAVAILABLE),
        ("downstream.overloaded", State.REFUSED, ErrorClass.OVERLOADED),
        ("downstream.unavailable", State.UNKNOWN, ErrorClass.UNAVAILABLE),
        ("downstream.conflict", State.CONFLICT, ErrorClass.CONFLICT),
        ("downstream.credential_refused", State.REFUSED, None),
    ),
)
def test_what_each_fault_answers(site: str, state: State, error: ErrorClass | None) -> None:
    answers, system = asked(FIRST, sites=(f"{site}@k1",), retry_after_s=7.0)

    assert (answers[0].state, answers[0].error) == (state, error)
    # A 429 and a 503 ask for a wait.
    assert answers[0].retry_after_s == (7.0 if error in (ErrorClass.OVERLOADED, ErrorClass.UNAVAILABLE) else 0.0)
    assert len(system.effects) == (1 if site == "downstream.error_after_effect" else 0)
    assert len(system.journal.of(Fault)) == 1


@pytest.mark.parametrize(
    ("site", "failures_stored", "changes", "state", "effect_count"),
    (
        # A stored 500 is replayed for ever: the effect never comes, or is never confirmed.
        ("error_of_unknown_outcome", FailuresStored.ALL, {}, State.UNKNOWN, 0),
        ("error_after_effect", FailuresStored.ALL, {}, State.UNKNOWN, 1),
        ("error", FailuresStored.ALL, {}, State.REJECTED, 0),
        ("error", FailuresStored.DEFINITE, {}, State.REJECTED, 0),
        ("error", FailuresStored.NONE, {}, State.COMPLETED, 1),
        ("error_of_unknown_outcome", FailuresStored.DEFINITE, {}, State.COMPLETED, 1),
        # The key came with the effect, so the repeat finds it.
        ("error_after_effect", FailuresStored.NONE, {}, State.COMPLETED, 1),
        # A cache of responses has none to remember, so the repeat is a duplicate.
        ("error_after_effect", FailuresStored.NONE, {"key_recorded": KeyRecorded.AT_START}, State.COMPLETED, 2),
        ("error_after_effect", FailuresStored.NONE, {"key_recorded": KeyRecorded.ON_SUCCESS}, State.COMPLETED, 2),
        # What is resumed is driven on until it is done, and never beyond.
        ("error_of_unknown_outcome", FailuresStored.ALL, RESUME, State.COMPLETED, 1),
        ("error_after_effect", FailuresStored.ALL, RESUME, State.COMPLETED, 1),
        # An ID that was taken before anything was made swallows the repeat.
        ("error_of_unknown_outcome", FailuresStored.NONE, DROP, State.COMPLETED, 0),
        # In front of the key layer nothing is stored.
        ("overloaded", FailuresStored.ALL, {}, State.COMPLETED, 1),
    ),
)
def test_what_a_repeat_after_a_fault_meets(
    site: str, failures_stored: FailuresStored, changes: Mapping[str, Any], state: State, effect_count: int
) -> None:
    repeat = (5.0, a_request(path="second"))

    answers, system = asked(FIRST, repeat, sites=(f"downstream.{site}@k1",), failures_stored=failures_stored, **changes)

    assert answers[1].state is state
    assert len(system.effects) == effect_count


@pytest.mark.parametrize(
    ("failures_stored", "states"),
    (
        (FailuresStored.NONE, [State.REJECTED, State.COMPLETED]),
        (FailuresStored.DEFINITE, [State.REJECTED, State.REJECTED]),  # the cause has gone, the answer stays
    ),
)
def test_what_is_rejected_for_a_while_is_rejected_for_ever_where_that_is_stored(
    failures_stored: FailuresStored, states: list[State]
) -> None:
    answers, _ = asked(FIRST, (3.0, a_request()), rejects_until_s=3.0, failures_stored=failures_stored)

    # At the very instant at which it stops rejecting, it takes what arrives.
    assert [answer.state for answer in answers] == states


def test_a_question_makes_nothing_and_leaves_no_key() -> None:
    answers, system = asked((0.0, a_request(wants_effect=False)), REPEAT, on_concurrent=OnConcurrent.CONFLICT_ERROR)

    assert [answer.state for answer in answers] == [State.COMPLETED, State.COMPLETED]
    assert [effect.at_s for effect in system.effects] == [6.0]


@pytest.mark.parametrize(
    ("key_recorded", "gives_up_at_s", "repeat", "effect_count"),
    (
        (KeyRecorded.WITH_EFFECT, 0.7, State.COMPLETED, 1),  # nothing was left, so the repeat runs
        (KeyRecorded.BEFORE_EFFECT, 0.7, State.CONFLICT, 0),  # the key says "at work" for ever
        (KeyRecorded.ON_SUCCESS, 1.5, State.COMPLETED, 2),  # the effect is made, its key never recorded
    ),
)
def test_what_an_interruption_leaves_behind(
    key_recorded: KeyRecorded, gives_up_at_s: float, repeat: State, effect_count: int
) -> None:
    system = Asked(key_recorded=key_recorded, on_concurrent=OnConcurrent.CONFLICT_ERROR)
    system.send(0.0, a_request(), gives_up_at_s=gives_up_at_s)
    system.send(5.0, a_request(path="second"))

    answers = system.run()

    assert answers[-1].state is repeat
    assert len(system.effects) == effect_count


def test_a_repeat_with_an_equal_token_is_no_older_one() -> None:
    answers, _ = asked((0.0, a_request(token=2)), (5.0, a_request(token=2)), deduplication=Deduplication.NONE)

    assert [answer.state for answer in answers] == [State.COMPLETED, State.COMPLETED]


def test_what_was_known_only_while_it_was_at_work_goes_with_it_when_it_is_lost() -> None:
    changes = {"accepts_first": True, "on_concurrent": OnConcurrent.CONFLICT_ERROR}
    repeat = (5.0, a_request(path="second"))

    answers, system = asked(FIRST, repeat, sites=("downstream.lost_after_acceptance@k1",), **changes)

    assert [answer.state for answer in answers] == [State.ACCEPTED, State.ACCEPTED]
    assert [effect.at_s for effect in system.effects] == [6.0]


def test_a_retention_shorter_than_the_work_refuses_nobody_its_own_effect() -> None:
    retention = a_retention(0.5, after=OnExpired.REFUSE)

    answers, _ = asked(FIRST, key_retention=retention, key_recorded=KeyRecorded.AT_START)

    assert answers[0].state is State.COMPLETED


def test_an_arrival_is_local_only_where_nothing_is_compared_then() -> None:
    assert Asked().system.takes_calls_locally
    assert not Asked(key_recorded=KeyRecorded.AT_START).system.takes_calls_locally
