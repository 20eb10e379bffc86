"""A scenario without a meaning is refused, and the message names the fields; an unwise one is let in."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from simkit.chance import Question, Scripted
from simkit.choices import (
    Acknowledgement,
    Deduplication,
    Fencing,
    Holder,
    OnConflict,
    OnNotSeen,
    ReadbackBy,
    WriteOrder,
)
from simkit.distributions import Wait
from simkit.errors import ScenarioError
from simkit.records import Reply
from simkit.scenario import (
    Agent,
    Deletion,
    Hop,
    PartyClock,
    Queue,
    Reconciler,
    Reissue,
    SiteRate,
    SourceChange,
    Stage,
    kind_of,
)
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, FaultKind, Identity, LayerName, Outcome, StalePolicy, State
from simkit.world import run_concrete, run_intervals
from tests.builders import (
    a_call,
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    engine_policy,
    rates_at,
    server_with,
)

__all__: list[str] = []

AGENT = a_layer(LayerName.AGENT)
GATEWAY = a_layer(LayerName.GATEWAY)
CLIENT_SDK = a_layer(LayerName.CLIENT_SDK)
DOWNSTREAM_SDK = a_layer(LayerName.DOWNSTREAM_SDK)


@pytest.mark.parametrize(
    "layers",
    (
        (),
        (GATEWAY, DOWNSTREAM_SDK),
        (GATEWAY, AGENT),
        (AGENT, DOWNSTREAM_SDK, GATEWAY),
        (AGENT, CLIENT_SDK, GATEWAY),
        (AGENT, AGENT, DOWNSTREAM_SDK),
    ),
)
def test_layers_without_the_agent_first_or_out_of_order_are_refused(layers: tuple[object, ...]) -> None:
    with pytest.raises(ScenarioError, match=r"layers: agent first, each once, in the order agent, gateway"):
        a_scenario(layers=layers)


@pytest.mark.parametrize(
    ("build", "fields"),
    (
        (lambda: a_scenario(calls=()), ("calls",)),
        (lambda: a_scenario(agent=Agent(identity=Identity.NONE)), ("agent.identity", "server.claim")),
        (
            lambda: server_with(a_scenario(agent=Agent(identity=Identity.NONE)), claim=ClaimKind.CHECK_THEN_ACT),
            ("agent.identity", "server.claim"),
        ),
        (lambda: server_with(a_scenario(), stale=StalePolicy.READ_BACK), ("server.stale", "server.readback")),
        (
            lambda: Hop(name="hop", request=Wait.of(2.0), response=Wait.of(0.1), latest_landing_s=1.0),
            ("hop.latest_landing_s 1.0", "2.0"),
        ),
        (
            lambda: Hop(name="hop", request=Wait.of(0.1), response=Wait.of(2.0), latest_landing_s=1.0),
            ("hop.latest_landing_s 1.0", "2.0"),
        ),
        (lambda: a_layer(LayerName.GATEWAY, attempts=0), ("gateway.attempts", "0")),
        (lambda: a_layer(LayerName.AGENT, attempts=-1), ("agent.attempts", "-1")),
        (lambda: conditions_with(a_scenario(), rates=rates_at(0.1, "a.b", "c.d", "a.b")), ("rates", "a.b")),
        (lambda: conditions_with(a_scenario(), fault_budget=-1), ("fault_budget", "-1")),
        (lambda: conditions_with(a_scenario(), common_cause_share=1.5), ("common_cause_share", "1.5")),
        (lambda: a_layer(LayerName.AGENT, timeout_s=-1.0), ("agent.timeout_s", "-1.0")),
        (lambda: a_layer(LayerName.GATEWAY, timeout_s=float("inf")), ("gateway.timeout_s", "inf")),
        (lambda: a_layer(LayerName.GATEWAY, budget_s=float("nan")), ("gateway.budget_s", "nan")),
        (lambda: a_retention(-5.0), ("retention_s", "-5.0")),
        (lambda: a_retention(float("inf")), ("retention_s", "inf")),
        (lambda: a_readback(attempts=0), ("readback.attempts", "0")),
        (lambda: a_readback(lag_s_max=-1.0), ("readback.lag_s_max", "-1.0")),
        (lambda: server_with(a_scenario(), lease_s=-1.0), ("server.lease_s", "-1.0")),
        (lambda: server_with(a_scenario(), lease_s=float("inf")), ("server.lease_s", "inf")),
        (lambda: a_call(start_s=-3.0), ("calls, i1", "start_s", "-3.0")),
        (lambda: a_call(start_s=float("nan")), ("calls, i1", "start_s", "nan")),
        (lambda: conditions_with(a_scenario(), retry_horizon_s=-1.0), ("retry_horizon_s", "-1.0")),
        (lambda: conditions_with(a_scenario(), episode_s=float("inf")), ("episode_s", "inf")),
        (lambda: conditions_with(a_scenario(), deadline_s=float("nan")), ("deadline_s", "nan")),
        (lambda: conditions_with(a_scenario(), risk_limit_probability=7.0), ("risk_limit_probability", "7.0")),
        (
            lambda: Hop(name="hop", request=Wait.of(1.0), response=Wait.of(1.0), latest_landing_s=float("nan")),
            ("hop.latest_landing_s", "nan"),
        ),
        (
            lambda: a_scenario(hops=(*a_scenario().hops, a_scenario().hops[0])),
            ("hops: each once", "gateway_to_server, server_to_downstream, gateway_to_server"),
        ),
        (lambda: SiteRate(site="a.b", probability=1.2, source="given"), ("a.b", "1.2")),
        (lambda: SiteRate(site="a.b", probability=float("nan"), source="given"), ("a.b", "nan")),
        (lambda: a_scenario().hop("to_the_moon"), ("hops", "to_the_moon", "gateway_to_server")),
        (lambda: Wait(s_min=2.0, s_typical=1.0, s_max=3.0), ("s_min <= s_typical", "2.0, 1.0, 3.0")),
        (lambda: Wait(s_min=-1.0, s_typical=1.0, s_max=3.0), ("0 <= s_min", "-1.0")),
        (lambda: Wait(s_min=0.0, s_typical=1.0, s_max=float("inf")), ("finite", "inf")),
        (lambda: Wait.of(float("nan")), ("finite", "nan")),
    ),
)
def test_what_has_no_meaning_is_refused_with_the_names_of_its_fields(
    build: Callable[[], object], fields: tuple[str, ...]
) -> None:
    with pytest.raises(ScenarioError) as refusal:
        build()

    assert [field for field in fields if field not in str(refusal.value)] == []


def test_a_server_without_a_way_downstream_is_refused_when_it_is_made() -> None:
    with pytest.raises(ScenarioError, match="layers: 'downstream_sdk' is how the server sends"):
        a_scenario(layers=(AGENT,))


@pytest.mark.parametrize(
    ("changes", "given"),
    (
        ({"layers": (AGENT, GATEWAY, DOWNSTREAM_SDK)}, "gateway_to_server, server_to_downstream"),
        ({"hops": (replace(a_scenario().hops[0], name="to_the_moon"),)}, "to_the_moon"),
        ({"hops": ()}, "none"),
    ),
)
def test_hops_other_than_those_that_the_layers_need_are_refused(changes: dict[str, Any], given: str) -> None:
    with pytest.raises(ScenarioError, match=f"hops: these layers need .*gateway_to_server.*; got {given}$"):
        a_scenario(**changes)


SECOND = replace(a_scenario().stages[0], name="mail")


@pytest.mark.parametrize(
    ("build", "fields"),
    (
        (lambda: Stage(name="mail", downstream=None), ("stages", "name 'mail'", "downstream 'none'")),
        (lambda: a_scenario(stages=()), ("stages",)),
        (lambda: a_scenario(stages=(SECOND, SECOND)), ("stages: each once", "mail, mail")),
        (
            # A readback by key on a system that has none.
            lambda: server_with(
                downstream_with(a_scenario(), asked_by=(ReadbackBy.LIST,)),
                readback=a_readback(by=ReadbackBy.OPERATION_ID),
            ),
            ("server.readback.by 'operation ID'", "downstream.asked_by 'list'"),
        ),
        (
            lambda: server_with(a_scenario(), claim=ClaimKind.UNIQUE, order=WriteOrder.EFFECT_ONLY),
            ("server.claim 'unique reservation'", "server.order 'effect only'"),
        ),
        (
            lambda: server_with(a_scenario(), claim=ClaimKind.NONE, order=WriteOrder.OUTBOX),
            ("server.claim 'none'", "server.order 'outbox and relay'"),
        ),
        (
            lambda: server_with(a_scenario(), claim=ClaimKind.NONE, fencing=Fencing.TOKEN_DOWNSTREAM),
            ("server.claim 'none'", "server.fencing"),
        ),
        (
            lambda: downstream_with(a_scenario(), deduplication=Deduplication.NONE, key_retention=a_retention(60.0)),
            ("deduplication 'none'", "key_retention of 60 s"),
        ),
        (
            lambda: a_scenario(calls=(a_call(approval="boss"),)),
            ("calls, i1", "approval 'boss'"),
        ),
        (
            lambda: a_scenario(deletions=(Deletion(intent="nobody's", stage="ticket", at_s=1.0),)),
            ("deletions", "nobody's", "i1"),
        ),
        (
            lambda: a_scenario(
                reconciler=Reconciler(delay=Wait.of(1.0), on_not_seen=OnNotSeen.ESCALATE, waits_for_landing=True)
            ),
            ("reconciler", "server.readback 'none'"),
        ),
        (
            lambda: replace(a_scenario().agent, identity=Identity.NONE, on_conflict=OnConflict.ADOPT),
            ("agent.identity 'none'", "agent.on_conflict 'read back and adopt'"),
        ),
        (
            lambda: Queue(
                delay=Wait.of(0.0),
                held_by=Holder.BROKER,
                visibility_timeout_s=0.0,
                delivery_count_max=2,
                acknowledges=Acknowledgement.AFTER_WORK,
            ),
            ("queue.visibility_timeout_s 0", "queue.delivery_count_max 2"),
        ),
        (
            lambda: Reissue(name="sweep", after=Wait.of(1.0), reported=(), carries_id=True, is_blocked_by_hold=False),
            ("reissues, sweep", "reported is empty"),
        ),
        (
            lambda: conditions_with(a_scenario(), rates=rates_at(0.1, "server.paused_after_effect")),
            ("server.paused_after_effect", "pause_s_max 0"),
        ),
        (
            lambda: SourceChange(at_s=1.0, inputs="", audience=""),
            ("source_change.inputs", "source_change.audience"),
        ),
    ),
)
def test_fields_that_exclude_each_other_are_both_named(build: Callable[[], object], fields: tuple[str, ...]) -> None:
    with pytest.raises(ScenarioError) as refusal:
        build()

    assert [field for field in fields if field not in str(refusal.value)] == []


CRASH_WINDOWS = {
    ClaimKind.NONE: {"server.before_effect", "server.after_effect"},
    ClaimKind.CHECK_THEN_ACT: {"server.before_effect", "server.after_effect", "server.after_receipt"},
    ClaimKind.UNIQUE: {
        "server.before_reservation",
        "server.after_reservation",
        "server.after_effect",
        "server.after_receipt",
    },
}


@pytest.mark.parametrize("claim", tuple(ClaimKind))
def test_the_crash_windows_of_a_world_are_those_of_its_way_of_claiming(claim: ClaimKind) -> None:
    sites = server_with(a_scenario(), claim=claim).sites()

    windows = {site for site in sites if site.startswith("server.")}
    assert {site for site in windows if kind_of(site) is FaultKind.CRASH} == CRASH_WINDOWS[claim]
    assert {site.replace("paused_", "") for site in windows if kind_of(site) is FaultKind.PAUSE} == CRASH_WINDOWS[claim]


@pytest.mark.parametrize(
    "site",
    (
        "server.after_efect",  # mistyped
        "server.before_effect",  # a window of another way of claiming
        "readback.cannot_tell",  # the server has no readback
        "agent_to_gateway.request_lost",  # there is no gateway
        "server.after_effect@1",  # a rate is that of a site, whoever passes it
        "",
    ),
)
def test_a_rate_of_a_site_that_nothing_ever_passes_is_refused_and_the_sites_are_listed(site: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        conditions_with(a_scenario(), rates=rates_at(0.1, site))

    assert f"nothing ever passes the site {site!r}" in str(refusal.value)
    assert ", ".join(a_scenario().sites()) in str(refusal.value)


@pytest.mark.parametrize("claim", tuple(ClaimKind))
def test_every_site_of_a_world_is_passed_by_some_run_and_none_is_listed_twice(claim: ClaimKind) -> None:
    """The exploration asks wherever something can go wrong; one crash is enough to bring it to the readback."""
    layers = (AGENT, GATEWAY, DOWNSTREAM_SDK)
    hop = Hop(name="agent_to_gateway", request=Wait.of(0.01), response=Wait.of(0.01), latest_landing_s=0.02)
    scenario = a_scenario(layers=(replace(AGENT, attempts=2), *layers[1:]), hops=(hop, *a_scenario().hops))
    scenario = server_with(scenario, claim=claim, stale=StalePolicy.READ_BACK, readback=a_readback())
    listed = scenario.sites()
    scenario = conditions_with(scenario, rates=rates_at(0.1, *listed), pause_s_max=0.01)

    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1)
    passed = {asked.site.partition("@")[0] for leaf in runs for asked in leaf.trace if asked.kind < Question.PICK}

    needs_acceptance = {"downstream.lost_after_acceptance"}
    needs_reservation = set() if claim is ClaimKind.UNIQUE else {"readback.cannot_tell"}
    assert passed == set(listed) - needs_acceptance - needs_reservation
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(
    ("site", "expected"),
    (
        ("gateway_to_server.request_lost", FaultKind.REQUEST_LOST),
        ("agent_to_gateway.response_lost", FaultKind.RESPONSE_LOST),
        ("gateway_to_server.request_late", FaultKind.LATE),
        ("server_to_downstream.response_late", FaultKind.LATE),
        ("server.after_effect", FaultKind.CRASH),
        ("server.before_reservation", FaultKind.CRASH),
        ("readback.cannot_tell", FaultKind.READBACK_CANNOT_TELL),
        ("downstream.error", FaultKind.DOWNSTREAM_ERROR),
    ),
)
def test_the_name_of_a_site_tells_the_kind_of_its_fault(site: str, expected: FaultKind) -> None:
    assert SiteRate(site=site, probability=None, source="nobody knows").kind is expected


def test_a_rate_that_nobody_knows_is_let_in_and_remembered() -> None:
    known, unknown = rates_at(0.1, "server.after_effect"), rates_at(None, "server.after_receipt")

    assert not conditions_with(a_scenario(), rates=known).conditions.has_unknown_rate
    assert conditions_with(a_scenario(), rates=(*known, *unknown)).conditions.has_unknown_rate


def test_under_one_attempt_every_layer_sends_once_and_nothing_else_changes() -> None:
    scenario = engine_policy(2)

    single = scenario.with_one_attempt()

    assert [layer.attempts for layer in single.layers] == [1, 1]
    assert replace(single, layers=scenario.layers) == scenario


def test_a_reused_id_comes_again_with_other_inputs_after_everything_of_the_first_call_has_landed() -> None:
    scenario = engine_policy(2)

    reused = scenario.with_reused_id()

    first, second = reused.calls
    assert first == scenario.calls[0]
    assert (second.operation, second.tenant) == (first.operation, first.tenant)
    assert second.intent != first.intent
    assert second.inputs != first.inputs
    # Two hops of at most 0.01 s, there and back.
    assert second.start_s >= 4 * 0.01
    assert replace(reused, calls=scenario.calls) == scenario.with_one_attempt()


def test_a_reused_id_meets_the_record_of_the_first_call() -> None:
    journal = run_concrete(engine_policy(2).with_reused_id(), Scripted()).journal

    assert [reply.state for reply in journal.of(Reply) if reply.layer is LayerName.AGENT] == [
        State.COMPLETED,
        State.CONFLICT,
    ]


def test_equal_scenarios_have_one_digest_and_a_changed_number_has_another() -> None:
    assert engine_policy(3).digest() == engine_policy(3).digest()
    assert engine_policy(3).digest() != engine_policy(3, probability=1.1e-3).digest()


def a_sweep(name: str = "sweep") -> Reissue:
    return Reissue(
        name=name, after=Wait.of(1.0), reported=(Outcome.UNKNOWN,), carries_id=True, is_blocked_by_hold=False
    )


@pytest.mark.parametrize("name", ("2", "r1", "c12", "agent", "reconciler", "a:b", "sweep/1", "", "1st"))
def test_a_path_that_sends_again_bears_no_name_that_stands_for_another_caller(name: str) -> None:
    with pytest.raises(ScenarioError, match="would be taken for another caller"):
        a_sweep(name=name)


@pytest.mark.parametrize("name", ("second agent", "weekly-batch", "r1 again", "sweep 2"))
def test_a_path_that_sends_again_may_have_any_other_name(name: str) -> None:
    assert a_sweep(name=name).name == name


def test_two_paths_that_send_again_have_two_names() -> None:
    with pytest.raises(ScenarioError, match="reissues: each once, got sweep, sweep"):
        a_scenario(reissues=(a_sweep(), a_sweep()))


@pytest.mark.parametrize("changes", ({"inputs": "y"}, {"tenant": "t2"}))
def test_one_intent_is_one_wish_of_one_tenant_however_often_it_is_called_for(changes: dict[str, str]) -> None:
    assert len(a_scenario(calls=(a_call(), a_call(start_s=1.0))).calls) == 2
    with pytest.raises(ScenarioError, match="calls, i1: one intent has one tenant and the same inputs"):
        a_scenario(calls=(a_call(), a_call(**changes)))


def test_a_clock_that_nobody_reads_is_refused_with_those_that_are_read() -> None:
    with pytest.raises(ScenarioError, match="nobody reads a clock of 'martian'; parties: server, approver"):
        conditions_with(a_scenario(), clocks=(PartyClock(party="martian", skew_s_max=1.0),))


def test_a_party_has_one_clock() -> None:
    clock = PartyClock(party="server", skew_s_max=1.0)

    with pytest.raises(ScenarioError, match="clocks: a party stands there once; got server, server"):
        conditions_with(a_scenario(), clocks=(clock, clock))
