"""Answers that exclude each other are found; answers that are merely unwise are not."""

import pytest

from tests.contract.ticket_review import review_with

NO_REASON = {"not_applicable": "because it is so"}


@pytest.mark.parametrize(
    ("answers", "sentences"),
    (
        (
            {"tool__annotations__read_only_hint": True},
            ["tool.annotations.read_only_hint is true, but effects lists what the tool changes"],
        ),
        (
            {"effects__0__kind": "delete"},
            ["tool.annotations.destructive_hint is false, but the effect 'ticket' deletes"],
        ),
        (
            {"tool__annotations__idempotent_hint": True, "identity__span": "per attempt"},
            [
                (
                    "tool.annotations.idempotent_hint is true, but identity.span is 'per attempt' and the effect "
                    "'ticket' (create) happens again with every repeat"
                )
            ],
        ),
        (
            {"effects__0__downstream_key": NO_REASON},
            [
                (
                    "effects.0.readback.by is 'operation ID', but no operation ID reaches the system of record "
                    "(if it is written into the content, the readback is by 'client reference')"
                )
            ],
        ),
        ({"identity__made_by": "nobody"}, ["identity.made_by is 'nobody', but identity.span is 'per intent'"]),
        (
            {"identity__scope": ["tenant", "action"]},
            ["record.claim looks up an operation ID, but identity.scope does not contain 'operation ID'"],
        ),
        (
            {"binding__excluded_fields": ["title"]},
            ["binding.bound_fields and binding.excluded_fields both name 'title'"],
        ),
        (
            {"binding__bound_fields": []},
            ["binding.on_mismatch is 'conflict', but binding.bound_fields is empty: nothing is compared"],
        ),
        (
            {"record": NO_REASON, "effects__0__downstream_key": NO_REASON, "effects__0__readback__by": "list"},
            ["binding is given, but there is neither a record nor a downstream key that could compare inputs"],
        ),
        (
            {"record__claim": "check then act", "record__stale": "hold"},
            ["record.lease is given, but record.claim is 'check then act', which makes no reservation"],
        ),
        (
            {"record__lease": NO_REASON},
            ["record.stale is 'read back', but record.lease is not applicable: nothing ever gets stale"],
        ),
        (
            {"record__stale": NO_REASON},
            ["record.lease is 15 min, but record.stale is not applicable: a lease can run out"],
        ),
        ({"effects__0__readback": NO_REASON}, ["record.stale is 'read back', but no effect has a readback"]),
        (
            {"record__store": "process memory", "record__retention__lasts": "for ever"},
            ["record.retention.lasts is 'for ever', but record.store is 'process memory', which a restart empties"],
        ),
        (
            {"layers__gateway": NO_REASON},
            ["requested.automatic_retries.gateway is 'on', but layers.gateway does not exist"],
        ),
        (
            {"requested__automatic_retries__client_sdk": "on"},
            ["requested.automatic_retries.client_sdk is 'on', but layers.client_sdk.attempts is 1: it never repeats"],
        ),
        (
            {"layers__agent__backoff": NO_REASON},
            ["layers.agent.backoff is not applicable, but layers.agent.attempts is 2"],
        ),
        (
            {"layers__client_sdk__backoff": {"least": "1 s", "most": "2 s"}},
            ["layers.client_sdk.backoff is given, but layers.client_sdk.attempts is 1: there is nothing to wait for"],
        ),
        (
            {"layers__agent__budget": "25 h"},
            [
                (
                    "layers.agent.budget is 25 h, past conditions.retry_horizon (24 h): "
                    "the layer may repeat later than anything does"
                )
            ],
        ),
        (
            {"conditions__latest_landing__agent_to_gateway": "1 s"},
            [
                (
                    "latencies.agent_to_gateway.slowest is 2 s, past conditions.latest_landing.agent_to_gateway (1 s): "
                    "a usual message would arrive after the latest landing"
                )
            ],
        ),
    ),
)
def test_answers_that_exclude_each_other_are_named_in_one_sentence(
    answers: dict[str, object], sentences: list[str]
) -> None:
    review = review_with(**answers)

    assert list(review.contradictions()) == sentences


def test_without_any_operation_id_everything_that_needs_one_is_contradicted() -> None:
    review = review_with(identity__made_by="nobody", identity__span="none")

    assert [sentence.partition(", but ")[0] for sentence in review.contradictions()] == [
        "effects.0.downstream_key.sent is 'operation ID'",
        "effects.0.readback.by is 'operation ID'",
        "identity.span is 'none'",
        "record.claim looks up an operation ID",
    ]


def test_an_identity_of_no_span_is_made_by_nobody() -> None:
    review = review_with(identity__span="none")

    assert "identity.span is 'none', but identity.made_by is 'agent'" in review.contradictions()


@pytest.mark.parametrize(
    "answers",
    (
        {"identity__span": "per attempt"},
        {"record__stale": "run again"},
        {"record__retention__lasts": "1 h"},
        {"record__retention__after_expiry": "refuse"},
        {"effects__0__readback__on_uncertain": "treat as absent"},
        {"binding__on_mismatch": "replay the first result"},
        {"identity__persisted": "never"},
        {"tool__annotations__idempotent_hint": True},
        {"tool__annotations__idempotent_hint": True, "identity__span": "per attempt", "effects__0__kind": "set"},
        {"requested__automatic_retries__agent": "off"},
    ),
)
def test_what_is_merely_unwise_is_left_to_be_run_and_judged(answers: dict[str, object]) -> None:
    review = review_with(**answers)

    assert review.contradictions() == ()


@pytest.mark.parametrize(
    "answers",
    (
        {"identity": "unknown"},
        {"binding": "unknown"},
        {"record": "unknown"},
        {"effects__0__downstream_key": "unknown"},
        {"layers__agent": "unknown"},
        {"conditions__retry_horizon": "unknown"},
        {"latencies__agent_to_gateway": "unknown"},
    ),
)
def test_an_unknown_answer_contradicts_nothing(answers: dict[str, object]) -> None:
    review = review_with(**answers)

    assert review.contradictions() == ()
