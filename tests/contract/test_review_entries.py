"""Entries of the catalog in a review: what they answer, what is overridden, and that a guess stays unknown."""

from pathlib import Path

import pytest

from simkit.catalog import policy_content, system_content
from simkit.choices import Deduplication, KeyRecorded
from simkit.contract import Duration, Review, parse_review, scenario_of
from simkit.contract.catalog_file import parse_system
from simkit.contract.effects import DownstreamKey, Readback
from simkit.contract.layers import Layer
from simkit.distributions import Backoff
from simkit.study.probability.situation import has_continuous_latencies
from simkit.terms import ErrorClass, LayerName
from tests.contract.ticket_review import TICKET_TEXT, problems_in, text_with

__all__: list[str] = []

ENTRY = parse_system(system_content("stripe-v1"), file="stripe-v1.yaml")
SDK = TICKET_TEXT[TICKET_TEXT.index("  downstream_sdk:\n    attempts") : TICKET_TEXT.index("# What this review asks")]
EFFECT = TICKET_TEXT[TICKET_TEXT.index("    system: the") : TICKET_TEXT.index("# The identity that survives")]
STRIPE = """    like: stripe-v1
    evidence_text: 201 with the number of the ticket.
    downstream_key:
      sent: operation ID
      retention: {counted_from: first attempt}
    readback: {lag: 1 h, attempts: 2, on_uncertain: hold, when_unavailable: it stays unknown}

"""


def with_sdk(text: str, whole: str = TICKET_TEXT) -> str:
    return text_with(SDK, f"  downstream_sdk: {text}\n\n", whole)


def with_effect(text: str) -> str:
    return text_with(EFFECT, text)


def read(text: str) -> Review:
    return parse_review(text.encode(), file="review.yaml")


def test_a_layer_takes_its_answers_from_the_policy_that_it_names() -> None:
    layer = read(with_sdk("{like: botocore-standard-v2, attempts: 2}")).layers.downstream_sdk

    assert isinstance(layer, Layer)
    assert (layer.attempts, layer.timeout_s, str(layer.budget)) == (2, 60.0, "none")


def test_formula_and_rules_of_the_policy_reach_the_world() -> None:
    text = with_sdk("{like: botocore-standard-v2, attempts: 2}").replace("downstream_sdk: off", "downstream_sdk: on")
    review = read(text)

    layer = scenario_of(review, review.effects[0]).scenario.layer(LayerName.DOWNSTREAM_SDK)

    assert layer is not None
    assert layer.attempts == 2
    assert isinstance(layer.backoff, Backoff)
    assert ErrorClass.OVERLOADED in layer.retries_on
    assert layer.token_bucket is not None


def test_a_layer_whose_retries_are_off_sends_once_whatever_its_policy_says() -> None:
    review = read(with_sdk("{like: botocore-standard-v2}"))

    layer = scenario_of(review, review.effects[0]).scenario.layer(LayerName.DOWNSTREAM_SDK)

    assert layer is not None
    assert layer.attempts == 1


def test_what_was_taken_is_said_with_its_overrides() -> None:
    (taken,) = read(with_sdk("{like: botocore-standard-v2, attempts: 2, timeout: 5 s}")).from_catalog.taken

    assert (taken.entry_id, taken.place) == ("botocore-standard-v2", "layers.downstream_sdk")
    assert taken.overridden == ("attempts", "timeout")


def test_an_effect_takes_key_and_readback_from_the_system_that_it_names() -> None:
    effect = read(with_effect(STRIPE)).effects[0]

    assert effect.system == "Stripe API v1"
    assert isinstance(effect.downstream_key, DownstreamKey)
    assert isinstance(effect.readback, Readback)
    assert ENTRY.readback_offer is not None
    assert effect.readback.by is ENTRY.readback_offer.by
    assert isinstance(effect.readback.lag, Duration)


def test_what_no_review_asks_reaches_the_world_too() -> None:
    review = read(with_effect(STRIPE))

    (system,) = scenario_of(review, review.effects[0]).scenario.downstreams

    assert (system.deduplication, system.key_recorded) == (Deduplication.RESPONSE_CACHE, KeyRecorded.AT_START)


def test_a_guess_of_an_entry_is_unknown_until_the_owner_says_the_value() -> None:
    guessing = STRIPE.replace("      retention: {counted_from: first attempt}\n", "").replace("lag: 1 h, ", "")

    said, guessed = read(with_effect(STRIPE)), read(with_effect(guessing))

    assert said.unknown_fields() == ()
    assert set(guessed.unknown_fields()) == {
        "effects.0.downstream_key.retention.counted_from",
        "effects.0.readback.lag",
    }
    assert "effects.0.readback.lag (only guessed by stripe-v1: say the value itself)" in guessed.unknown_in_words()


def test_a_guess_that_no_answer_stands_for_is_not_judged_so_it_cannot_carry_an_allow(tmp_path: Path) -> None:
    own = system_content("stripe-v1").replace(b"guessed:\n", b"guessed:\n  - behaviour.on_concurrent\n")
    (tmp_path / "own.yaml").write_bytes(own)
    text = with_effect(STRIPE.replace("stripe-v1", "own.yaml"))
    review = parse_review(text.encode(), file=str(tmp_path / "review.yaml"))

    unjudged = scenario_of(review, review.effects[0]).unjudged

    assert "ticket: stripe-v1 only guesses on_concurrent; write it into downstream_key" in unjudged


def test_a_system_that_recognises_no_repeat_answers_for_itself_that_there_is_no_key() -> None:
    effect = read(
        with_effect(
            "    like: slack\n    evidence_text: ok\n"
            "    readback: {by: list, lag: 10 s, attempts: 1, on_uncertain: hold, when_unavailable: wait}\n\n"
        )
    ).effects[0]

    assert str(effect.downstream_key) == "not applicable, because slack recognises no repeat"


@pytest.mark.parametrize(
    ("text", "line", "field", "message"),
    (
        (
            with_sdk("{like: botocore-standard-v3}"),
            112,
            "layers.downstream_sdk.like",
            "the catalog has no retry policy",
        ),
        (with_sdk("{like: stripe-v1}"), 112, "layers.downstream_sdk.like", "this is a system of record"),
        (
            with_sdk("{like: botocore-standard-v2, circuit_breaker: {failure_count: 2, open: 1 s}}"),
            112,
            "layers.downstream_sdk.circuit_breaker",
            "botocore-standard-v2 has none to override",
        ),
        (
            with_sdk("{like: botocore-standard-v2, attempt: 2}"),
            112,
            "layers.downstream_sdk.attempt",
            "there is no such",
        ),
        (
            with_effect(STRIPE.replace("lag: 1 h", "by: natural key, lag: 1 h")),
            33,
            "effects.0.readback.by",
            "stripe-v1 cannot be asked by this",
        ),
        (
            with_effect("    like: slack\n    evidence_text: ok\n    downstream_key: {sent: operation ID}\n\n"),
            30,
            "effects.0.downstream_key",
            "slack recognises no repeat by a key",
        ),
        (
            with_effect(STRIPE.replace("      sent: operation ID\n", "")),
            30,
            "effects.0.downstream_key.sent",
            "the field is missing",
        ),
    ),
)
def test_what_does_not_fit_is_refused_by_line_and_field(text: str, line: int, field: str, message: str) -> None:
    (problem,) = problems_in(text)

    assert (problem.line, problem.field) == (line, field)
    assert problem.message.startswith(message)


def test_a_policy_without_an_end_has_none_in_the_review_either() -> None:
    text = with_sdk("{like: google-api-core-default}").replace("downstream_sdk: off", "downstream_sdk: on")
    review = read(text)

    layer = review.layers.downstream_sdk
    assert isinstance(layer, Layer)
    assert str(layer.attempts) == "none"
    acted = scenario_of(review, review.effects[0]).scenario.layer(LayerName.DOWNSTREAM_SDK)
    assert acted is not None
    assert acted.attempts is None


def test_a_guess_of_a_policy_is_unknown_or_not_judged_until_the_owner_says_the_value(tmp_path: Path) -> None:
    guesses = b"guessed:\n  - behaviour.timeout\n  - behaviour.retries_on\nnot_simulated:"
    own = policy_content("botocore-standard-v2").replace(b"guessed: []\nnot_simulated:", guesses)
    (tmp_path / "own.yaml").write_bytes(own)
    text = with_sdk("{like: own.yaml}").replace("downstream_sdk: off", "downstream_sdk: on")
    said = text.replace("{like: own.yaml}", "{like: own.yaml, timeout: 8 s}")
    guessed, judged = (parse_review(one.encode(), file=str(tmp_path / "review.yaml")) for one in (text, said))

    assert guessed.unknown_fields() == ("layers.downstream_sdk.timeout",)
    assert judged.unknown_fields() == ()
    assert (
        "layers.downstream_sdk: botocore-standard-v2 only guesses retries_on; write it beside the ID"
        in scenario_of(judged, judged.effects[0]).unjudged
    )


@pytest.mark.parametrize(("backoff", "is_drawn"), (("", True), (", backoff: {least: 0 s, most: 1 s}", False)))
def test_a_backoff_by_its_bounds_is_not_drawn_by_the_formula_of_the_policy(backoff: str, *, is_drawn: bool) -> None:
    text = with_sdk(f"{{like: botocore-standard-v2, attempts: 2{backoff}}}")
    review = read(text.replace("downstream_sdk: off", "downstream_sdk: on"))

    scenario = scenario_of(review, review.effects[0]).scenario

    assert has_continuous_latencies(scenario) is is_drawn
