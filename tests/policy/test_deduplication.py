"""What a repeat meets at a system of record, kind by kind, with the real system that each row stands for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.choices import Deduplication, FailuresStored, KeyRecorded, OnConcurrent
from simkit.policy import AfterError, KnownBy, Met, Progress, Recognition, Remembered, known_by
from simkit.terms import OnMismatch

__all__: list[str] = []

KINDS = tuple(kind for kind in Deduplication if kind is not Deduplication.NONE)
GOES_ON = {Met.RUN, Met.OVERWRITE, Met.RUN_BESIDE, Met.RACE, Met.FENCE}


def recognition(kind: Deduplication, **changes: Any) -> Recognition:
    """A kind that conflicts on other inputs, lets both execute, records with the effect and stores no failure."""
    fields: dict[str, Any] = {
        "on_mismatch": OnMismatch.CONFLICT,
        "on_concurrent": OnConcurrent.BOTH_EXECUTE,
        "key_recorded": KeyRecorded.WITH_EFFECT,
        "failures_stored": FailuresStored.NONE,
    }
    return Recognition(kind=kind, **(fields | changes))


def a_first(progress: Progress, inputs: str = "x") -> Remembered:
    """What is remembered of the first request."""
    return Remembered(inputs=inputs, progress=progress)


@pytest.mark.parametrize(
    ("kind", "repeat", "other_inputs", "while_at_work", "after_stored_failure"),
    (
        # Stripe v1: the stored response, a 500 too; parameters are compared; 409 while the first executes.
        (Deduplication.RESPONSE_CACHE, Met.REPLAY, Met.MISMATCH, Met.BUSY, Met.REPLAY),
        # Stripe v2, Braintree: a success is never repeated, a failure is driven on.
        (Deduplication.INTENT_RESUME, Met.CURRENT, Met.MISMATCH, Met.BUSY, Met.RUN),
        # PayPal, Shopify: the latest status, of a failed attempt too.
        (Deduplication.INTENT_LATEST_STATUS, Met.CURRENT, Met.MISMATCH, Met.BUSY, Met.REPLAY),
        # EC2 RunInstances: the same instance IDs, as they are now.
        (Deduplication.SEMANTIC_EQUIVALENT, Met.CURRENT, Met.MISMATCH, Met.BUSY, Met.REPLAY),
        # Increase: the created object for equal arguments, 409 for others.
        (Deduplication.RESOURCE_REGISTRY, Met.CURRENT, Met.MISMATCH, Met.BUSY, Met.REPLAY),
        # Kubernetes, Linear: the name is taken, whoever took it.
        (Deduplication.NATURAL_KEY_REJECT, Met.EXISTS, Met.MISMATCH, Met.BUSY, Met.REPLAY),
        # Salesforce, HubSpot: equal content changes nothing, other content is written over what is there.
        (Deduplication.NATURAL_KEY_UPSERT, Met.CURRENT, Met.OVERWRITE, Met.BUSY, Met.REPLAY),
        # S3 If-None-Match: refused whatever the content.
        (Deduplication.CONDITIONAL_PUT, Met.EXISTS, Met.EXISTS, Met.BUSY, Met.REPLAY),
        # SQS FIFO (there other content under one ID is dropped: OnMismatch.DROP).
        (Deduplication.WINDOW_DROP, Met.DROP, Met.MISMATCH, Met.BUSY, Met.REPLAY),
        # PagerDuty: merged into the open alert.
        (Deduplication.WINDOW_MERGE, Met.DROP, Met.MISMATCH, Met.BUSY, Met.REPLAY),
        # Kafka: the broker looks at the number alone.
        (Deduplication.SEQUENCE, Met.DROP, Met.DROP, Met.BUSY, Met.REPLAY),
        # Powertools: INPROGRESS until the result is cached.
        (Deduplication.LEASE_THEN_CACHE, Met.REPLAY, Met.MISMATCH, Met.PENDING, Met.REPLAY),
        # Braintree's duplicate check: rejected by the gateway because amount and order look the same.
        (Deduplication.HEURISTIC, Met.LOOKALIKE, Met.LOOKALIKE, Met.BUSY, Met.REPLAY),
    ),
)
def test_each_kind_treats_a_repeat_as_its_real_systems_do(
    kind: Deduplication, repeat: Met, other_inputs: Met, while_at_work: Met, after_stored_failure: Met
) -> None:
    strict = recognition(kind, on_concurrent=OnConcurrent.CONFLICT_ERROR, failures_stored=FailuresStored.ALL)

    assert strict.meet(a_first(Progress.DONE), "x") is repeat
    assert strict.meet(a_first(Progress.DONE), "y") is other_inputs
    assert strict.meet(a_first(Progress.AT_WORK), "x") is while_at_work
    assert strict.meet(a_first(Progress.FAILED), "x") is after_stored_failure
    assert strict.meet(a_first(Progress.REJECTED), "x") is after_stored_failure


@pytest.mark.parametrize("kind", Deduplication)
def test_what_is_not_remembered_runs(kind: Deduplication) -> None:
    # A first request, and one after the window, look alike.
    assert recognition(kind).meet(None, "x") is Met.RUN


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_accepted_is_a_repeat_as_much_as_what_was_made(kind: Deduplication) -> None:
    met = recognition(kind).meet(a_first(Progress.ACCEPTED), "x")

    assert met is recognition(kind).meet(a_first(Progress.DONE), "x")


@pytest.mark.parametrize(
    ("on_mismatch", "expected"),
    (
        (OnMismatch.CONFLICT, Met.MISMATCH),  # Stripe: idempotency_error
        (OnMismatch.REPLAY, Met.REPLAY),  # Qonto: the cached response even if the body differs
        (OnMismatch.RUN_AS_NEW, Met.RUN),  # a cache whose key covers the body
        (OnMismatch.DROP, Met.DROP),  # SQS: only the ID is looked at
        (OnMismatch.OVERWRITE, Met.OVERWRITE),  # PagerDuty: the event is applied to the open alert
    ),
)
def test_other_inputs_meet_what_the_system_says(on_mismatch: OnMismatch, expected: Met) -> None:
    system = recognition(Deduplication.RESPONSE_CACHE, on_mismatch=on_mismatch)

    assert system.meet(a_first(Progress.DONE), "y") is expected


@pytest.mark.parametrize(
    ("on_concurrent", "expected"),
    (
        (OnConcurrent.CONFLICT_ERROR, Met.BUSY),  # Stripe: idempotency_key_in_use
        (OnConcurrent.ONE_WINS_REPLAY, Met.RACE),  # EC2: both get the same instances
        (OnConcurrent.ONE_WINS_REJECTED, Met.RACE),  # Kubernetes: one 201, the others 409
        (OnConcurrent.BLOCK_THEN_REJECT, Met.WAIT),  # PostgreSQL: waits for the first transaction
        (OnConcurrent.ACCEPTED_DEDUPED, Met.DEDUPED),  # SQS: accepted, delivered once
        (OnConcurrent.MAY_FAIL_SECOND, Met.MAY_FAIL),  # PayPal: the second may fail
        (OnConcurrent.BOTH_EXECUTE, Met.RUN_BESIDE),  # Braintree's duplicate check
        (OnConcurrent.FENCED, Met.FENCE),  # Kafka transactions: the older instance is fenced
    ),
)
def test_a_repeat_while_the_first_is_at_work_meets_what_the_system_says(
    on_concurrent: OnConcurrent, expected: Met
) -> None:
    system = recognition(Deduplication.RESPONSE_CACHE, on_concurrent=on_concurrent)

    assert system.meet(a_first(Progress.AT_WORK), "x") is expected


@pytest.mark.parametrize("on_concurrent", (OnConcurrent.ONE_WINS_REJECTED, OnConcurrent.BLOCK_THEN_REJECT))
def test_the_slower_of_two_is_rejected_although_a_later_repeat_is_replayed(on_concurrent: OnConcurrent) -> None:
    system = recognition(Deduplication.RESPONSE_CACHE, on_concurrent=on_concurrent)

    assert system.meet(a_first(Progress.DONE), "x", is_concurrent=True) is Met.LOST
    assert system.meet(a_first(Progress.DONE), "x") is Met.REPLAY


def test_the_latest_status_of_what_is_at_work_is_pending() -> None:
    system = recognition(Deduplication.INTENT_LATEST_STATUS, on_concurrent=OnConcurrent.ONE_WINS_REPLAY)

    assert system.meet(a_first(Progress.AT_WORK), "x") is Met.PENDING


def test_an_upsert_of_other_content_is_concurrent_before_it_overwrites() -> None:
    # Salesforce: the second upsert fails while the first is uncommitted; a retry then updates.
    system = recognition(Deduplication.NATURAL_KEY_UPSERT, on_concurrent=OnConcurrent.CONFLICT_ERROR)

    assert system.meet(a_first(Progress.AT_WORK), "y") is Met.BUSY
    assert system.meet(a_first(Progress.DONE), "y") is Met.OVERWRITE


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_still_at_work_stops_nobody_from_making_an_effect(kind: Deduplication) -> None:
    first = a_first(Progress.AT_WORK)

    met = recognition(kind).meet_with_effect(first, "x", is_concurrent=True, runs_beside=False)

    assert met is Met.RUN


@pytest.mark.parametrize(
    ("key_recorded", "expected"),
    (
        (KeyRecorded.WITH_EFFECT, Met.REPLAY),  # the key is unique in the transaction of the effect
        (KeyRecorded.BEFORE_EFFECT, Met.RUN),  # both passed the check on arrival, and nothing checks again
        (KeyRecorded.ON_SUCCESS, Met.RUN),
    ),
)
def test_only_a_key_recorded_with_the_effect_stops_one_that_runs_beside(
    key_recorded: KeyRecorded, expected: Met
) -> None:
    system = recognition(Deduplication.RESPONSE_CACHE, key_recorded=key_recorded)

    met = system.meet_with_effect(a_first(Progress.DONE), "x", is_concurrent=True, runs_beside=True)

    assert met is expected


@pytest.mark.parametrize(
    ("kind", "key_recorded", "failures_stored", "is_effect_made", "expected"),
    (
        # Stripe stores the 500 and replays it for ever, whether or not the effect exists.
        (Deduplication.RESPONSE_CACHE, KeyRecorded.AT_START, FailuresStored.ALL, False, AfterError.ERROR),
        (Deduplication.RESPONSE_CACHE, KeyRecorded.AT_START, FailuresStored.ALL, True, AfterError.ERROR),
        # Azure repeatability: a 5xx original is executed again, so an effect behind it is made twice.
        (Deduplication.RESPONSE_CACHE, KeyRecorded.AT_START, FailuresStored.DEFINITE, True, AfterError.NOTHING),
        # DynamoDB: the token is part of the transaction, so it is there exactly if the effect is.
        (Deduplication.RESPONSE_CACHE, KeyRecorded.WITH_EFFECT, FailuresStored.NONE, True, AfterError.KEY),
        (Deduplication.RESPONSE_CACHE, KeyRecorded.WITH_EFFECT, FailuresStored.NONE, False, AfterError.NOTHING),
        # Resend keeps successes only.
        (Deduplication.RESPONSE_CACHE, KeyRecorded.ON_SUCCESS, FailuresStored.NONE, True, AfterError.NOTHING),
        # Powertools deletes the record when the handler raises.
        (Deduplication.LEASE_THEN_CACHE, KeyRecorded.BEFORE_EFFECT, FailuresStored.NONE, True, AfterError.NOTHING),
        # Stripe v2 knows what its intent has made.
        (Deduplication.INTENT_RESUME, KeyRecorded.AT_START, FailuresStored.NONE, True, AfterError.KEY),
        # An ID that was taken on acceptance stays taken, with or without a message behind it.
        (Deduplication.WINDOW_DROP, KeyRecorded.ON_ACCEPT, FailuresStored.NONE, False, AfterError.KEY),
        (Deduplication.WINDOW_DROP, KeyRecorded.WITH_EFFECT, FailuresStored.NONE, False, AfterError.NOTHING),
    ),
)
def test_what_is_remembered_after_an_error(
    kind: Deduplication,
    key_recorded: KeyRecorded,
    failures_stored: FailuresStored,
    is_effect_made: bool,  # noqa: FBT001
    expected: AfterError,
) -> None:
    system = recognition(kind, key_recorded=key_recorded, failures_stored=failures_stored)

    assert system.after_error(is_effect_made=is_effect_made) is expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    (
        ({}, False),  # the key is compared in the step of the effect alone
        ({"key_recorded": KeyRecorded.ON_SUCCESS}, False),
        ({"key_recorded": KeyRecorded.AT_START}, True),
        ({"on_concurrent": OnConcurrent.CONFLICT_ERROR}, True),
        ({"failures_stored": FailuresStored.DEFINITE}, True),
    ),
)
def test_requests_are_compared_on_arrival_where_anything_depends_on_it(
    changes: dict[str, Any],
    expected: bool,  # noqa: FBT001
) -> None:
    assert recognition(Deduplication.RESPONSE_CACHE, **changes).looks_on_arrival is expected
    assert recognition(Deduplication.NONE, **changes).looks_on_arrival is False


def test_a_kind_that_knows_nothing_is_the_only_one_that_is_known_by_nothing() -> None:
    by_kind = {kind: known_by(kind) for kind in Deduplication}

    assert [kind for kind, by in by_kind.items() if by is KnownBy.NOTHING] == [Deduplication.NONE]
    assert [kind for kind, by in by_kind.items() if by is KnownBy.CONTENT] == [Deduplication.HEURISTIC]


@given(
    kind=st.sampled_from(KINDS),
    on_concurrent=st.sampled_from(OnConcurrent),
    key_recorded=st.sampled_from(KeyRecorded),
    failures_stored=st.sampled_from(FailuresStored),
    is_concurrent=st.booleans(),
)
def test_no_repeat_with_equal_inputs_of_what_was_made_is_made_again(
    kind: Deduplication,
    on_concurrent: OnConcurrent,
    key_recorded: KeyRecorded,
    failures_stored: FailuresStored,
    is_concurrent: bool,  # noqa: FBT001
) -> None:
    system = recognition(kind, on_concurrent=on_concurrent, key_recorded=key_recorded, failures_stored=failures_stored)

    assert system.meet(a_first(Progress.DONE), "x", is_concurrent=is_concurrent) not in GOES_ON
