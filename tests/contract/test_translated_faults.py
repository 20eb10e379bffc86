"""Which sites a listed kind of fault brings into the world, and which kinds no answer says enough about."""

import pytest

from simkit.choices import OnRestart
from simkit.contract import Translation, scenario_of
from simkit.terms import FaultKind, Identity
from tests.contract.ticket_review import TEMPLATES, document, review_with

__all__: list[str] = []

NOT_APPLICABLE = {"not_applicable": "because it does not exist"}
LISTED: list[str] = document(TEMPLATES / "examples" / "create_ticket.yaml")["conditions"]["fault_kinds"]
HOPS = ("agent_to_gateway", "gateway_to_server", "server_to_downstream")
HOUR_S = 3600.0


def with_kind(kind: FaultKind, **answers: object) -> Translation:
    """The ticket example with one more kind of fault."""
    review = review_with(conditions__fault_kinds=[*LISTED, kind.value], **answers)
    return scenario_of(review, review.effects[0])


def sites_of(translation: Translation, kind: FaultKind) -> dict[str, float | None]:
    return {rate.site: rate.probability for rate in translation.scenario.conditions.rates if rate.kind is kind}


@pytest.mark.parametrize(
    ("kind", "sites"),
    (
        (FaultKind.CONNECTION_REFUSED, [f"{hop}.connection_refused" for hop in HOPS]),
        (FaultKind.RESPONSE_REPLACED, [f"{hop}.response_replaced" for hop in HOPS]),
        (FaultKind.DUPLICATED, [f"{hop}.request_duplicated" for hop in HOPS]),
        (FaultKind.ERROR_OF_UNKNOWN_OUTCOME, ["downstream.error_of_unknown_outcome"]),
        (FaultKind.ERROR_AFTER_EFFECT, ["downstream.error_after_effect"]),
        (FaultKind.OVERLOADED, ["downstream.overloaded"]),
        (FaultKind.CONNECTION_CLOSED, [f"{hop}.response_closed" for hop in HOPS]),
        (FaultKind.UNAVAILABLE, ["downstream.unavailable"]),
        (FaultKind.FALSE_CONFLICT, ["downstream.conflict"]),
        (FaultKind.RESTART, ["agent.before_sending", "agent.after_sending", "agent.after_reply"]),
    ),
)
def test_a_listed_kind_takes_part_at_each_of_its_sites_at_an_unknown_rate(kind: FaultKind, sites: list[str]) -> None:
    """The file asks for no rate of it, so the proof covers it and the probability stays unknown."""
    translation = with_kind(kind)

    assert sites_of(translation, kind) == dict.fromkeys(sites)
    assert translation.unjudged == ()


def test_a_hop_on_which_nothing_can_go_wrong_has_none_of_those_sites_either() -> None:
    translation = with_kind(FaultKind.DUPLICATED, rates__agent_to_gateway=NOT_APPLICABLE)

    assert set(sites_of(translation, FaultKind.DUPLICATED)) == {f"{hop}.request_duplicated" for hop in HOPS[1:]}


@pytest.mark.parametrize(
    ("kind", "words"),
    (
        (FaultKind.PAUSE, "how long a worker may pause"),
        (FaultKind.STORE_OUTAGE, "how long the record store is away"),
        (FaultKind.STORE_FAILOVER, "how much the record store loses"),
        (FaultKind.HUMAN_ERROR, "when somebody reconciles"),
    ),
)
def test_a_kind_that_takes_a_number_which_no_answer_gives_is_not_judged(kind: FaultKind, words: str) -> None:
    translation = with_kind(kind)

    (sentence,) = translation.unjudged
    assert f"'{kind}'" in sentence
    assert words in sentence
    assert sites_of(translation, kind) == {}


@pytest.mark.parametrize("kind", (FaultKind.STORE_OUTAGE, FaultKind.STORE_FAILOVER))
def test_a_tool_without_a_record_has_no_store_that_could_fail(kind: FaultKind) -> None:
    assert with_kind(kind, record=NOT_APPLICABLE).unjudged == ()


def test_what_was_handed_over_can_be_lost_where_that_is_listed_and_then_it_is_judged() -> None:
    kind = FaultKind.LOST_AFTER_ACCEPTANCE

    translation = with_kind(kind, effects__0__completion_evidence="handover")

    assert sites_of(translation, kind) == {"downstream.lost_after_acceptance": None}
    assert translation.unjudged == ()


def test_what_is_done_cannot_be_lost_after_its_acceptance() -> None:
    translation = with_kind(FaultKind.LOST_AFTER_ACCEPTANCE)

    assert sites_of(translation, FaultKind.LOST_AFTER_ACCEPTANCE) == {}
    assert translation.unjudged == ()


def test_an_agent_that_restarts_goes_on_at_any_time_up_to_the_horizon() -> None:
    """The horizon bounds the last attempt that anything makes, so a resume may come as late as that: 24 h."""
    agent = with_kind(FaultKind.RESTART).scenario.agent

    assert agent.on_restart is OnRestart.RESUME
    assert agent.is_id_persisted
    assert 0 < agent.restart.s_min <= 0.001
    assert agent.restart.s_max == 24 * HOUR_S


def test_without_that_kind_no_agent_restarts() -> None:
    review = review_with()

    assert scenario_of(review, review.effects[0]).scenario.agent.on_restart is OnRestart.FORGET


@pytest.mark.parametrize("persisted", ("never", "after the reply", NOT_APPLICABLE))
def test_where_restarts_are_acted_out_an_id_that_was_not_written_down_is_lost_by_them_alone(persisted: object) -> None:
    """Nothing has to stand in for the loss, which otherwise is judged as a new ID for each attempt."""
    translation = with_kind(FaultKind.RESTART, identity__persisted=persisted)

    assert translation.scenario.agent.identity is Identity.PER_INTENT
    assert not translation.scenario.agent.is_id_persisted
    assert translation.notes == ()
