"""From a review file to its scenario: each answer lands in its place, and what stands in is worse and said."""

from typing import Any

import pytest

from simkit.choices import CountedFrom, EffectKind, KeySent, ScopePart, StoreKind
from simkit.contract import Translation, load_review, scenario_of
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.scenario import Hop, PlannedCall, Readback, Retention, RetryLayer, Scenario, kind_of
from simkit.terms import (
    ClaimKind,
    FaultKind,
    Identity,
    LayerName,
    OnExhausted,
    OnExpired,
    OnMismatch,
    OnPending,
    OnUncertainReadback,
    RetentionKind,
    StalePolicy,
)
from tests.contract.ticket_review import TEMPLATES, document, review_with

__all__: list[str] = []

NOT_APPLICABLE = {"not_applicable": "because it does not exist"}
TICKET_KINDS: list[str] = document(TEMPLATES / "examples" / "create_ticket.yaml")["conditions"]["fault_kinds"]
TICKET_EFFECT = document(TEMPLATES / "examples" / "create_ticket.yaml")["effects"][0]
APPROVAL = {"bound_to": "the inputs that were shown", "single_use": "yes", "expires_after": "1 h"}
HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


def wait(s_min: float, s_typical: float, s_max: float) -> Wait:
    return Wait(s_min=s_min, s_typical=s_typical, s_max=s_max)


def layer(
    name: LayerName,
    attempts: int,
    timeout_s: float | None,
    backoff: Wait,
    budget_s: float | None,
    on_exhausted: OnExhausted = OnExhausted.SAY_UNKNOWN,
) -> RetryLayer:
    return RetryLayer(
        name=name,
        attempts=attempts,
        timeout_s=timeout_s,
        backoff=backoff,
        budget_s=budget_s,
        on_exhausted=on_exhausted,
    )


def hop(name: str, latency: Wait, latest_landing_s: float) -> Hop:
    return Hop(name=name, request=latency, response=latency, latest_landing_s=latest_landing_s)


def example(name: str) -> Translation:
    review = load_review(TEMPLATES / "examples" / f"{name}.yaml")
    return scenario_of(review, review.effects[0])


def at(scenario: Scenario, place: str) -> Any:
    """What stands at a dotted place; a number is an index."""
    found: Any = scenario
    for name in place.split("."):
        found = found[int(name)] if name.isdigit() else getattr(found, name)
    return found


def translated(**answers: object) -> Translation:
    review = review_with(**answers)
    return scenario_of(review, review.effects[0])


AT_ONCE = Wait.of(0.0)
TICKET: dict[str, Any] = {
    "name": "create_ticket/ticket",
    "calls": (PlannedCall(intent="intent-1", operation="op-1", tenant="tenant-1", inputs="inputs-1", start_s=0.0),),
    "agent.identity": Identity.PER_INTENT,
    "layers": (
        layer(LayerName.AGENT, 2, 60.0, wait(2.0, 2.0, DAY_S), None),  # a last attempt at the horizon of 24 h
        layer(LayerName.GATEWAY, 2, 20.0, wait(0.2, 0.2, 1.0), 41.0),
        layer(LayerName.DOWNSTREAM_SDK, 1, 8.0, AT_ONCE, 8.0),
    ),
    "hops": (
        hop("agent_to_gateway", wait(0.005, 0.02, 2.0), 30.0),
        hop("gateway_to_server", wait(0.001, 0.005, 1.0), 15.0),
        hop("server_to_downstream", wait(0.005, 0.025, 2.0), 60.0),
    ),
    "server.claim": ClaimKind.UNIQUE,
    "server.lease_s": 900.0,
    "server.on_pending": OnPending.RETURN_PENDING,
    "server.stale": StalePolicy.READ_BACK,
    "server.on_mismatch": OnMismatch.CONFLICT,
    "server.retention": Retention(retention_s=7 * DAY_S, kind=RetentionKind.AT_LEAST, after=OnExpired.RUN_AS_NEW),
    "server.readback": Readback(
        attempts=2, lag_s_max=30.0, latency=wait(0.02, 0.1, 2.0), on_uncertain=OnUncertainReadback.HOLD
    ),
    "stages.0.downstream.name": "ticket",
    "stages.0.downstream.key_retention": Retention(
        retention_s=2 * HOUR_S, kind=RetentionKind.AT_LEAST, after=OnExpired.RUN_AS_NEW
    ),
    "stages.0.downstream.work": wait(0.05, 0.2, 3.0),
    "conditions.fault_budget": 2,
    "conditions.retry_horizon_s": DAY_S,
    "conditions.risk_limit_probability": 0.0001,
    "conditions.common_cause_share": 0.1,
    "conditions.episode_s": 300.0,
    "conditions.owner": "Support Platform on call",
    "conditions.deadline_s": 48 * HOUR_S,
}
GITHUB: dict[str, Any] = {
    "name": "create_issue/issue",
    "agent.identity": Identity.NONE,
    "layers": (
        layer(LayerName.AGENT, 3, 60.0, wait(1.0, 1.0, HOUR_S), None, OnExhausted.SAY_FAILED),  # horizon 1 h
        layer(LayerName.GATEWAY, 2, 15.0, wait(0.2, 0.2, 1.0), 31.0, OnExhausted.SAY_FAILED),
        layer(LayerName.DOWNSTREAM_SDK, 1, 10.0, AT_ONCE, 10.0, OnExhausted.SAY_FAILED),
    ),
    "hops": (
        hop("agent_to_gateway", wait(0.005, 0.02, 1.0), 60.0),
        hop("gateway_to_server", wait(0.001, 0.005, 1.0), 60.0),
        hop("server_to_downstream", wait(0.01, 0.06, 1.0), 60.0),
    ),
    "server.claim": ClaimKind.NONE,
    "server.readback": None,
    "stages.0.downstream.name": "issue",
    "stages.0.downstream.key_retention": None,
    "stages.0.downstream.work": wait(0.1, 0.5, 5.0),
    "conditions.retry_horizon_s": HOUR_S,
}
TICKET_RATES = {
    "agent_to_gateway.request_lost": 0.0005,
    "agent_to_gateway.response_lost": 0.001,
    "agent_to_gateway.request_late": 0.001,
    "agent_to_gateway.response_late": 0.001,
    "gateway_to_server.request_lost": 0.0002,
    "gateway_to_server.response_lost": 0.0005,
    "gateway_to_server.request_late": 0.0005,
    "gateway_to_server.response_late": 0.0005,
    "server_to_downstream.request_lost": 0.0005,
    "server_to_downstream.response_lost": 0.001,
    "server_to_downstream.request_late": 0.001,
    "server_to_downstream.response_late": 0.001,
    "server.before_reservation": 0.00001,
    "server.after_reservation": 0.00001,
    "server.after_effect": 0.00001,
    "server.after_receipt": 0.00001,
    "readback.cannot_tell": 0.001,
    "downstream.error": 0.001,
}


def rates_of(translation: Translation) -> dict[str, float | None]:
    return {rate.site: rate.probability for rate in translation.scenario.conditions.rates}


@pytest.mark.parametrize("place", tuple(TICKET))
def test_each_answer_of_the_ticket_tool_lands_in_its_place(place: str) -> None:
    assert at(example("create_ticket").scenario, place) == TICKET[place]


@pytest.mark.parametrize("place", tuple(GITHUB))
def test_each_answer_of_the_issue_tool_lands_in_its_place(place: str) -> None:
    assert at(example("github_create_issue").scenario, place) == GITHUB[place]


def test_every_rate_lands_at_its_site_with_its_source() -> None:
    translation = example("create_ticket")

    assert rates_of(translation) == TICKET_RATES
    assert {rate.source for rate in translation.scenario.conditions.rates} == {"assumed"}


def test_a_server_without_a_record_has_two_crash_windows() -> None:
    """The declared rate of the first window is that of a crash before anything was sent."""
    rates = rates_of(example("github_create_issue"))

    crashes = {site: rate for site, rate in rates.items() if site.startswith("server.")}
    assert crashes == {"server.before_effect": 0.00001, "server.after_effect": 0.00001}


@pytest.mark.parametrize("name", ("create_ticket", "github_create_issue"))
def test_nothing_has_to_stand_in_for_an_example_and_all_of_it_is_judged(name: str) -> None:
    assert example(name).notes == ()
    assert example(name).unjudged == ()


@pytest.mark.parametrize(
    ("answers", "place", "expected"),
    (
        ({"identity__span": "per attempt"}, "agent.identity", Identity.PER_ATTEMPT),
        ({"identity__span": "hash of the arguments"}, "agent.identity", Identity.HASH_OF_ARGUMENTS),
        ({"identity__made_by": "model"}, "agent.identity", Identity.BY_MODEL),
        ({"identity__scope": ["operation ID", "action"]}, "server.scope", (ScopePart.ACTION, ScopePart.OPERATION_ID)),
        ({"record__store": "process memory"}, "server.store.kind", StoreKind.PROCESS_MEMORY),
        ({"record__store": "process memory"}, "server.claim", ClaimKind.UNIQUE),
        ({"effects__0__kind": "delete"}, "stages.0.downstream.effect", EffectKind.DELETE),
        ({"effects__0__completion_evidence": "handover"}, "stages.0.downstream.accepts_first", True),
        ({"effects__0__completion_evidence": "handover"}, "agent.handover_completes", True),
        ({"effects__0__downstream_key__sent": "derived per attempt"}, "stages.0.key", KeySent.PER_ATTEMPT),
        ({"record__claim": "check then act"}, "server.claim", ClaimKind.CHECK_THEN_ACT),
        ({"record__while_pending": "run again"}, "server.on_pending", OnPending.RUN_AGAIN),
        ({"record__stale": "run again"}, "server.stale", StalePolicy.RUN_AGAIN),
        ({"record__stale": NOT_APPLICABLE}, "server.stale", StalePolicy.HOLD),
        ({"record__retention__kind": "at most"}, "server.retention.kind", RetentionKind.AT_MOST),
        (
            {"record__retention__counted_from": "completion"},
            "server.retention.counted_from",
            CountedFrom.COMPLETION,
        ),
        ({"binding__on_mismatch": "run as new"}, "server.on_mismatch", OnMismatch.RUN_AS_NEW),
        ({"binding": NOT_APPLICABLE}, "server.on_mismatch", OnMismatch.REPLAY),
        ({"effects__0__readback__by": "client reference"}, "server.readback.attempts", 2),
        (
            {"effects__0__readback__on_uncertain": "treat as absent"},
            "server.readback.on_uncertain",
            OnUncertainReadback.TREAT_AS_ABSENT,
        ),
        ({"effects__0__downstream_key": NOT_APPLICABLE}, "stages.0.downstream.key_retention", None),
        ({"conditions__fault_budget": 1}, "conditions.fault_budget", 1),
    ),
)
def test_a_changed_answer_changes_its_place(answers: dict[str, object], place: str, expected: object) -> None:
    assert at(translated(**answers).scenario, place) == expected


@pytest.mark.parametrize(
    ("answers", "place"),
    (
        ({"record__lease": NOT_APPLICABLE}, "server.lease_s"),
        ({"record__retention__lasts": "for ever"}, "server.retention.retention_s"),
    ),
)
def test_for_ever_is_longer_than_any_run_and_still_a_number(answers: dict[str, object], place: str) -> None:
    assert 20 * 365 * DAY_S < at(translated(**answers).scenario, place) < float("inf")


def test_a_layer_that_is_not_requested_to_repeat_sends_once() -> None:
    agent = translated(requested__automatic_retries__agent="off").scenario.layer(LayerName.AGENT)

    assert agent is not None
    assert agent.attempts == 1


def test_a_client_sdk_that_repeats_is_a_layer_of_its_own() -> None:
    translation = translated(
        layers__client_sdk__attempts=3,
        layers__client_sdk__backoff={"least": "1 s", "most": "2 s"},
        requested__automatic_retries__client_sdk="on",
    )

    expected = layer(LayerName.CLIENT_SDK, 3, None, wait(1.0, 1.0, 2.0), None)
    assert translation.scenario.layer(LayerName.CLIENT_SDK) == expected


@pytest.mark.parametrize(
    ("answers", "name"),
    (({}, LayerName.GATEWAY), ({"layers__gateway": NOT_APPLICABLE}, LayerName.AGENT)),
)
def test_a_client_sdk_that_sends_once_shortens_the_wait_of_the_layer_above(
    answers: dict[str, object], name: LayerName
) -> None:
    scenario = translated(layers__client_sdk__timeout="5 s", **answers).scenario
    above = scenario.layer(name)

    assert scenario.layer(LayerName.CLIENT_SDK) is None
    assert above is not None
    assert above.timeout_s == 5.0


def test_a_gateway_that_does_not_exist_has_no_hop() -> None:
    scenario = translated(layers__gateway=NOT_APPLICABLE).scenario

    assert [hop.name for hop in scenario.hops] == ["gateway_to_server", "server_to_downstream"]
    assert not any(rate.site.startswith("agent_to_gateway") for rate in scenario.conditions.rates)


def test_a_fault_kind_that_the_conditions_leave_out_has_no_site() -> None:
    kinds = [kind for kind in TICKET_KINDS if kind not in (FaultKind.LATE, FaultKind.CRASH)]

    rates = rates_of(translated(conditions__fault_kinds=kinds))

    assert set(rates) == {site for site in TICKET_RATES if "late" not in site and not site.startswith("server.")}


def test_a_rate_that_does_not_apply_excludes_its_site() -> None:
    rates = rates_of(translated(rates__crash=NOT_APPLICABLE, rates__downstream_error=NOT_APPLICABLE))

    assert not any(site.startswith("server.") for site in rates)
    assert "downstream.error" not in rates


def test_an_unknown_rate_keeps_its_site_without_a_number() -> None:
    rates = rates_of(translated(rates__server_to_downstream__late="unknown"))

    unknown = {site for site, probability in rates.items() if probability is None}
    assert unknown == {"server_to_downstream.request_late", "server_to_downstream.response_late"}
    assert set(rates) == set(TICKET_RATES)


def test_rates_that_are_unknown_as_a_whole_keep_every_site() -> None:
    translation = translated(rates="unknown")

    assert rates_of(translation) == dict.fromkeys(TICKET_RATES)
    assert {rate.source for rate in translation.scenario.conditions.rates} == {"unknown"}


@pytest.mark.parametrize(
    ("answers", "place", "worse", "words"),
    (
        ({"identity__made_by": "server"}, "agent.identity", Identity.NONE, "ID that the server makes"),
        ({"identity__made_by": "server"}, "server.claim", ClaimKind.NONE, "judged as no ID"),
        ({"identity__made_by": "gateway"}, "agent.identity", Identity.PER_ATTEMPT, "ID that the gateway makes"),
        ({"record__store": "process memory"}, "server.replica_count", 2, "keep a record in memory"),
        ({"record__while_pending": "wait"}, "server.wait_s", 0.0, "how long a repeat waits"),
        ({"effects__0__readback__by": "search"}, "server.stale", StalePolicy.HOLD, "by search"),
        ({"record__retention__after_expiry": "refuse"}, "server.retention.after", OnExpired.RUN_AS_NEW, "refusing"),
        ({"record__retention__after_expiry": "hold"}, "server.retention.after", OnExpired.RUN_AS_NEW, "holding"),
        ({"identity__persisted": NOT_APPLICABLE}, "agent.identity", Identity.PER_ATTEMPT, "before sending"),
        (
            {"effects__0__readback__by": "list", "effects__0__readback__on_uncertain": "treat as absent"},
            "server.stale",
            StalePolicy.RUN_AGAIN,
            "judged 'run again'",
        ),
        (
            {
                "effects__0__downstream_key__sent": "derived per attempt",
                "layers__downstream_sdk__attempts": 2,
                "layers__downstream_sdk__backoff": {"least": "1 s", "most": "2 s"},
                "requested__automatic_retries__downstream_sdk": "on",
            },
            "stages.0.downstream.key_retention",
            None,
            "derived per attempt",
        ),
    ),
)
def test_what_this_world_does_not_know_is_judged_as_something_worse_with_a_note(
    answers: dict[str, object], place: str, worse: object, words: str
) -> None:
    translation = translated(**answers)

    assert at(translation.scenario, place) == worse
    assert sum(words in note for note in translation.notes) == 1


@pytest.mark.parametrize("persisted", ("never", "after the reply"))
def test_an_id_that_is_not_written_down_before_sending_is_judged_as_one_per_attempt(persisted: str) -> None:
    translation = translated(identity__persisted=persisted)

    assert translation.scenario.agent.identity is Identity.PER_ATTEMPT
    assert sum("not written down before sending" in note for note in translation.notes) == 1


def test_an_id_per_attempt_has_nothing_to_lose_by_not_being_written_down() -> None:
    translation = translated(identity__persisted="never", identity__span="per attempt")

    assert translation.scenario.agent.identity is Identity.PER_ATTEMPT
    assert translation.notes == ()


@pytest.mark.parametrize(
    ("answers", "words"),
    (
        ({"effects__0__completion_evidence": "handover"}, "after the handover"),
        ({"identity__scope": ["tenant", "action"]}, "a scope without operation ID:"),
        ({"identity__scope": ["tenant", "credential", "operation ID"]}, "a scope with the credential"),
        (
            {"identity__scope": ["operation ID"], "record": NOT_APPLICABLE, "effects__0__readback": NOT_APPLICABLE},
            "a scope without tenant, and no record",
        ),
        ({"record__retention__kind": "as long as the object"}, "record: kept as long as the object"),
        ({"effects__0__downstream_key__retention__kind": "as long as the object"}, "downstream key: kept as long"),
        ({"binding__canonicalisation": "exact bytes"}, "canonicalisation 'exact bytes'"),
        ({"binding__canonicalisation": "none"}, "canonicalisation 'none'"),
        ({"approval": APPROVAL}, "approval"),
    ),
)
def test_what_cannot_be_acted_out_and_could_break_a_promise_is_listed_as_not_judged(
    answers: dict[str, object], words: str
) -> None:
    translation = translated(**answers)

    assert len(translation.unjudged) == 1
    assert words in translation.unjudged[0]
    assert translation.notes == ()


def test_all_that_is_not_judged_is_listed() -> None:
    translation = translated(
        effects__0__completion_evidence="handover", identity__scope=["tenant"], binding__canonicalisation="none"
    )

    assert len(translation.unjudged) == 3


def test_of_several_effects_each_has_its_world_and_their_order_is_not_judged() -> None:
    review = review_with(effects=[TICKET_EFFECT, TICKET_EFFECT | {"name": "mail"}])

    first, second = (scenario_of(review, effect) for effect in review.effects)

    assert (first.scenario.stages[0].name, second.scenario.stages[0].name) == ("ticket", "mail")
    assert first.unjudged == second.unjudged
    assert [what for what in first.unjudged if "several effects" in what] == list(first.unjudged)


@pytest.mark.parametrize("canonicalisation", ("canonical JSON", "declared defaults then canonical JSON"))
def test_a_canonical_form_needs_no_caveat(canonicalisation: str) -> None:
    assert translated(binding__canonicalisation=canonicalisation).unjudged == ()


def test_where_the_server_cannot_read_back_there_is_no_site_of_a_readback() -> None:
    """Its rate is declared all the same; nothing would ever pass it."""
    translation = translated(effects__0__readback=NOT_APPLICABLE, record__stale="hold")

    assert translation.scenario.server.readback is None
    assert set(rates_of(translation)) == set(TICKET_RATES) - {"readback.cannot_tell"}


def test_every_rate_of_an_example_stands_at_a_site_of_its_world() -> None:
    for name in ("create_ticket", "github_create_issue"):
        translation = example(name)

        kinds = {kind_of(site) for site in rates_of(translation)}
        assert set(rates_of(translation)) == {site for site in translation.scenario.sites() if kind_of(site) in kinds}


def test_a_downstream_sdk_that_is_not_declared_sends_once_and_waits_without_limit() -> None:
    translation = translated(layers__downstream_sdk=NOT_APPLICABLE)

    expected = layer(LayerName.DOWNSTREAM_SDK, 1, None, AT_ONCE, None)
    assert translation.scenario.layer(LayerName.DOWNSTREAM_SDK) == expected
    assert any("no downstream SDK is declared" in note for note in translation.notes)


@pytest.mark.parametrize(
    ("answers", "field"),
    (
        ({"record__lease": "unknown"}, "record.lease"),
        ({"layers__agent__attempts": "unknown"}, "layers.agent.attempts"),
        ({"layers__agent": NOT_APPLICABLE}, "layers.agent"),
        ({"layers__gateway__backoff": NOT_APPLICABLE}, "layers.gateway"),
        ({"latencies__agent_to_gateway": NOT_APPLICABLE}, "latencies.agent_to_gateway"),
        ({"latencies__downstream_work": NOT_APPLICABLE}, "latencies.downstream_work"),
        ({"latencies__readback": NOT_APPLICABLE}, "latencies.readback"),
        ({"conditions__latest_landing__gateway_to_server": "100 ms"}, "conditions.latest_landing.gateway_to_server"),
    ),
)
def test_a_refusal_names_the_field_that_is_in_the_way(answers: dict[str, object], field: str) -> None:
    with pytest.raises(ScenarioError, match=field.replace(".", r"\.")):
        translated(**answers)
