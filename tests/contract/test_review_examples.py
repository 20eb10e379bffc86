"""The two real inputs and the two templates: they load, and say what they are there to say."""

import json

import pytest

from simkit.contract import UNKNOWN, NotApplicable, load_review, parse_review
from simkit.contract.choices import OnOff
from simkit.contract.effects import DownstreamKey, Readback
from simkit.contract.latencies import LatencyRange
from simkit.contract.layers import Backoff, Layer
from simkit.contract.rates import Rates
from simkit.contract.record import OperationIdentity, Record
from simkit.contract.tool import Approval
from simkit.terms import ClaimKind, FaultKind, Identity, LayerName, OnUncertainReadback, StalePolicy
from tests.contract.ticket_review import TEMPLATES, review_with

EXAMPLES = ("examples/create_ticket.yaml", "examples/github_create_issue.yaml")
FILES = (*EXAMPLES, "full.yaml", "minimal.yaml")


@pytest.mark.parametrize("name", FILES)
def test_a_review_that_is_written_out_and_read_again_is_the_same(name: str) -> None:
    review = load_review(TEMPLATES / name)

    written = json.dumps(review.to_document(), indent=1).encode()

    assert parse_review(written, file="again.yaml") == review


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_leaves_nothing_unknown_and_contradicts_itself_nowhere(name: str) -> None:
    review = load_review(TEMPLATES / name)

    assert review.unknown_fields() == ()
    assert review.unknown_rates() == ()
    assert review.contradictions() == ()


@pytest.mark.parametrize("name", ("full.yaml", "minimal.yaml"))
def test_a_template_asks_for_no_retries_and_says_what_is_unknown(name: str) -> None:
    review = load_review(TEMPLATES / name)

    assert {review.requested.automatic_retries.of(layer) for layer in LayerName} == {OnOff.OFF}
    assert {"tool.owner", "conditions.retry_horizon", "latencies.readback"} <= set(review.unknown_fields())
    assert review.contradictions() == ()


def test_the_ticket_example_declares_what_its_verdict_rests_on() -> None:
    review = load_review(TEMPLATES / "examples/create_ticket.yaml")
    key, readback = review.effects[0].downstream_key, review.effects[0].readback

    assert isinstance(review.identity, OperationIdentity)
    assert review.identity.span is Identity.PER_INTENT
    assert isinstance(review.record, Record)
    assert (review.record.claim, review.record.stale) == (ClaimKind.UNIQUE, StalePolicy.READ_BACK)
    assert review.record.lease_s == 15 * 60
    assert isinstance(key, DownstreamKey)
    assert isinstance(readback, Readback)
    assert (readback.lag_s, readback.on_uncertain) == (30, OnUncertainReadback.HOLD)
    assert review.conditions.retry_horizon_s == 24 * 3600
    assert [*review.conditions.fault_kinds] == [
        FaultKind.REQUEST_LOST,
        FaultKind.RESPONSE_LOST,
        FaultKind.LATE,
        FaultKind.CRASH,
        FaultKind.READBACK_CANNOT_TELL,
        FaultKind.DOWNSTREAM_ERROR,
    ]


def test_the_guaranteed_retentions_are_those_of_the_record_and_of_each_key() -> None:
    review = load_review(TEMPLATES / "examples/create_ticket.yaml")

    found = {retention.field: retention.guaranteed_s for retention in review.guaranteed_retentions()}

    assert found == {"record.retention": 7 * 86400.0, "effects.0.downstream_key.retention": 2 * 3600.0}


@pytest.mark.parametrize(
    ("kind", "guaranteed_s"), (("exact", 7 * 86400.0), ("at least", 7 * 86400.0), ("at most", 0.0), ("not stated", 0.0))
)
def test_only_a_least_time_is_a_guarantee(kind: str, guaranteed_s: float) -> None:
    review = review_with(record__retention__kind=kind)

    assert review.guaranteed_retentions()[0].guaranteed_s == guaranteed_s


def test_the_issue_tracker_has_no_identity_no_record_and_no_key() -> None:
    review = load_review(TEMPLATES / "examples/github_create_issue.yaml")

    assert isinstance(review.identity, OperationIdentity)
    assert review.identity.span is Identity.NONE
    assert isinstance(review.record, NotApplicable)
    assert isinstance(review.effects[0].downstream_key, NotApplicable)
    assert review.guaranteed_retentions() == ()


def test_a_timeout_of_none_never_ends_and_a_backoff_has_seconds() -> None:
    layers = load_review(TEMPLATES / "examples/create_ticket.yaml").layers
    agent, client_sdk = layers.of(LayerName.AGENT), layers.of(LayerName.CLIENT_SDK)

    assert isinstance(agent, Layer)
    assert isinstance(agent.backoff, Backoff)
    assert (agent.timeout_s, agent.backoff.least_s, agent.backoff.most_s) == (60, 2, 23 * 3600)
    assert isinstance(client_sdk, Layer)
    assert client_sdk.timeout_s == client_sdk.budget_s == float("inf")


def test_every_length_of_time_has_its_seconds() -> None:
    review = review_with(approval={"bound_to": "the text", "single_use": "yes", "expires_after": "2 d"})
    landing, latencies = review.conditions.latest_landing, review.latencies.readback

    assert isinstance(review.approval, Approval)
    assert review.approval.expires_after_s == 2 * 86400
    assert review.unknown_outcome.deadline_s == 48 * 3600
    assert review.conditions.common_cause.lasts_s == 5 * 60
    assert (landing.agent_to_gateway_s, landing.gateway_to_server_s, landing.server_to_downstream_s) == (30, 15, 60)
    assert isinstance(latencies, LatencyRange)
    assert (latencies.fastest_s, latencies.typical_s, latencies.slowest_s) == (0.02, 0.1, 2)
    assert latencies.is_assumed


def test_unknown_answers_are_listed_by_path_and_rates_apart_from_them() -> None:
    review = review_with(
        record__lease="unknown",
        effects__0__readback="unknown",
        rates__crash__after_effect="unknown",
        rates__readback_cannot_tell="unknown",
    )

    assert review.unknown_fields() == ("effects.0.readback", "record.lease")
    assert review.unknown_rates() == ("rates.crash.after_effect", "rates.readback_cannot_tell")


def test_all_rates_may_be_unknown_at_once() -> None:
    review = review_with(rates="unknown")

    assert review.rates is UNKNOWN
    assert (review.unknown_fields(), review.unknown_rates()) == ((), ("rates",))


def test_a_reason_is_kept_without_its_because_and_shown_with_it() -> None:
    review = review_with(approval={"not_applicable": "because  nobody is asked"})

    assert isinstance(review.approval, NotApplicable)
    assert review.approval.because == "nobody is asked"
    assert str(review.approval) == "not applicable, because nobody is asked"


def test_a_number_that_nobody_measured_says_so() -> None:
    measured = {"probability": 0.001, "source": "gateway log of October"}
    review = review_with(rates__readback_cannot_tell=measured)

    assert isinstance(review.rates, Rates)
    found = review.rates.readback_cannot_tell
    assumed = review.rates.downstream_error

    assert not isinstance(found, NotApplicable)
    assert found is not UNKNOWN
    assert not found.is_assumed
    assert not isinstance(assumed, NotApplicable)
    assert assumed is not UNKNOWN
    assert assumed.is_assumed
