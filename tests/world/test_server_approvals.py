"""Approvals at the server: when they are checked, what uses them up, and which content goes out under them."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import ApprovalCheck, ApprovalUse, Content, WriteOrder
from simkit.distributions import Wait
from simkit.records import Effect, Start
from simkit.scenario import Approval, PartyClock, Scenario, SourceChange, Stage, Store
from simkit.terms import Identity, Outcome, Promise
from tests.builders import a_call, conditions_with, downstream_with
from tests.world.server_worlds import (
    broken,
    effects,
    fewest_faults,
    outcomes,
    played,
    retried_after_the_lease,
    told,
)

__all__: list[str] = []

RESPONSE_LOST = "gateway_to_server.response_lost"
AFTER_RESERVATION, AFTER_EFFECT = "server.after_reservation", "server.after_effect"
OUTAGE = "record_store.outage"
RESPECTED = Promise.APPROVAL_RESPECTED
LAPSED = "no approval is good for this now"
AT_EACH_START, ON_ARRIVAL, NEVER = ApprovalCheck.AT_EACH_START, ApprovalCheck.ON_ARRIVAL, ApprovalCheck.NEVER
WITH_THE_CLAIM, BEFORE_THE_CLAIM = ApprovalUse.WITH_THE_CLAIM, ApprovalUse.BEFORE_THE_CLAIM


def approved(
    *sites: str, expires_s: float | None = None, is_single_use: bool = False, **server_changes: Any
) -> Scenario:
    """A call under an approval of revision 42; a second attempt comes 5 s after the first one's answer."""
    scenario = retried_after_the_lease(*sites, **{"approval_check": AT_EACH_START, **server_changes})
    approval = Approval(
        name="grant", intent="i1", inputs="42", audience="", expires_s=expires_s, is_single_use=is_single_use
    )
    return replace(scenario, calls=(a_call(inputs="42", approval="grant"),), approvals=(approval,))


def test_a_finished_result_is_returned_after_the_approval_has_expired() -> None:
    """Done at 0.017 s, expired at 1 s, asked again at 8.01 s."""
    scenario = approved(RESPONSE_LOST, expires_s=1.0)

    journal = played(scenario, f"{RESPONSE_LOST}@1")

    assert (effects(journal), told(journal)) == (["i1"], ["timeout", "recorded result"])
    assert outcomes(journal) == [Outcome.OK]
    assert fewest_faults(scenario, RESPECTED) is None


def test_a_check_on_arrival_refuses_even_what_is_done() -> None:
    scenario = approved(RESPONSE_LOST, expires_s=1.0, approval_check=ON_ARRIVAL)

    journal = played(scenario, f"{RESPONSE_LOST}@1")

    assert (effects(journal), told(journal)) == (["i1"], ["timeout", LAPSED])


@pytest.mark.parametrize(
    ("check", "effect_count", "fault_count"), ((AT_EACH_START, 0, None), (NEVER, 1, 1)), ids=("checked", "unchecked")
)
def test_no_effect_begins_after_the_approval_has_expired(
    check: ApprovalCheck, effect_count: int, fault_count: int | None
) -> None:
    """The first attempt dies before it sends anything; the second comes at 5.03 s, after the expiry."""
    scenario = approved(AFTER_RESERVATION, expires_s=1.0, approval_check=check)

    journal = played(scenario, f"{AFTER_RESERVATION}@1")

    assert len(effects(journal)) == effect_count
    assert fewest_faults(scenario, RESPECTED) == fault_count


@pytest.mark.parametrize(("expires_s", "effect_count"), ((5.03, 0), (5.030001, 1)))
def test_an_expiry_beats_a_start_at_the_same_instant(expires_s: float, effect_count: int) -> None:
    """The second attempt arrives at 5.03 s: 0.01 s and back, 5 s of backoff, 0.01 s again."""
    scenario = approved(AFTER_RESERVATION, expires_s=expires_s)

    assert len(effects(played(scenario, f"{AFTER_RESERVATION}@1"))) == effect_count


def test_what_has_begun_in_time_is_finished_after_the_expiry() -> None:
    """It starts at 0.01 s; its effect comes at 2.015 s, after the expiry."""
    scenario = downstream_with(approved(expires_s=1.0), work=Wait.of(2.0))
    agent, sdk = scenario.layers
    scenario = replace(scenario, layers=(agent, replace(sdk, timeout_s=2.5)))

    journal = played(scenario)

    assert (effects(journal), outcomes(journal)) == (["i1"], [Outcome.OK])
    assert RESPECTED not in broken(journal)


def test_each_stage_of_an_operation_is_a_start_of_its_own() -> None:
    """The approval expires while the first stage is at work: the second does not begin."""
    scenario = downstream_with(approved(expires_s=1.0), work=Wait.of(2.0))
    agent, sdk = scenario.layers
    ticket = scenario.stages[0]
    assert ticket.downstream is not None
    mail = Stage(name="mail", downstream=replace(ticket.downstream, name="mail"))
    scenario = replace(
        scenario, stages=(ticket, mail), layers=(replace(agent, attempts=1), replace(sdk, timeout_s=2.5))
    )

    checked = played(scenario)
    once = played(replace(scenario, server=replace(scenario.server, approval_check=ON_ARRIVAL)))

    assert [effect.stage for effect in checked.of(Effect)] == ["ticket"]
    assert RESPECTED not in broken(checked)
    assert RESPECTED in broken(once)


def test_a_refusal_for_want_of_an_approval_leaves_no_reservation_behind() -> None:
    """Nothing was begun, so the next attempt is no duplicate of anything: it is refused for the same reason."""
    scenario = approved(expires_s=0.0, lease_s=60.0)
    agent, sdk = scenario.layers
    scenario = replace(scenario, layers=(replace(agent, attempts=2), sdk))

    assert told(played(scenario)) == [LAPSED, LAPSED]


def two_intents(**server_changes: Any) -> Scenario:
    """A second wish for the same content comes 10 s later under the first one's approval, which is good for one."""
    scenario = approved(is_single_use=True, **server_changes)
    second = a_call(intent="i2", operation="op2", inputs="42", approval="grant", start_s=10.0)
    return replace(scenario, calls=(*scenario.calls, second))


@pytest.mark.parametrize(
    ("check", "use", "expected"),
    (
        (AT_EACH_START, WITH_THE_CLAIM, ["i1"]),
        (AT_EACH_START, BEFORE_THE_CLAIM, ["i1"]),
        # On arrival, too, it is seen that it is used up.
        (ON_ARRIVAL, WITH_THE_CLAIM, ["i1"]),
        # Nobody notes that it was used, or nobody looks.
        (AT_EACH_START, ApprovalUse.NEVER, ["i1", "i2"]),
        (NEVER, WITH_THE_CLAIM, ["i1", "i2"]),
    ),
)
def test_an_approval_for_one_intent_is_not_good_for_another(
    check: ApprovalCheck, use: ApprovalUse, expected: list[str]
) -> None:
    scenario = two_intents(approval_check=check, approval_use=use)

    journal = played(scenario)

    assert effects(journal) == expected
    assert fewest_faults(scenario, RESPECTED) == (0 if len(expected) == 2 else None)


def test_the_intent_that_used_an_approval_up_may_go_on_with_it() -> None:
    """A retry under the same ID is the same operation."""
    scenario = approved(AFTER_RESERVATION, is_single_use=True, approval_use=WITH_THE_CLAIM)

    journal = played(scenario, f"{AFTER_RESERVATION}@1")

    assert (effects(journal), outcomes(journal)) == (["i1"], [Outcome.OK])


@pytest.mark.parametrize(("use", "effect_count"), ((WITH_THE_CLAIM, 1), (BEFORE_THE_CLAIM, 0)))
def test_an_approval_that_is_used_up_before_the_claim_is_gone_without_an_execution(
    use: ApprovalUse, effect_count: int
) -> None:
    """The store is away at the first attempt, so nothing runs; the second one bears an ID of its own."""
    scenario = approved(OUTAGE, is_single_use=True, approval_use=use, store=Store(outage_s=1.0))
    scenario = replace(scenario, agent=replace(scenario.agent, identity=Identity.PER_ATTEMPT))

    journal = played(scenario, f"{OUTAGE}@1")

    assert len(effects(journal)) == effect_count
    assert told(journal) == ["the record store is away", "receipt" if effect_count else LAPSED]


@pytest.mark.parametrize(
    ("content", "check", "sent", "is_broken"),
    (
        (Content.BOUND, AT_EACH_START, ["42", "42"], False),
        (Content.CURRENT, NEVER, ["42", "43"], True),
        # The check on arrival looks at what was asked for, not at what goes out.
        (Content.CURRENT, ON_ARRIVAL, ["42", "43"], True),
        # The check at the start looks at what goes out: it is not what was approved.
        (Content.CURRENT, AT_EACH_START, ["42"], False),
    ),
)
def test_a_recovery_that_sends_what_the_source_holds_now_publishes_43_under_the_approval_of_42(
    content: Content,
    check: ApprovalCheck,
    sent: list[str],
    is_broken: bool,  # noqa: FBT001
) -> None:
    """The first attempt dies after its effect, at 0.016 s; at 2 s the source moves on to revision 43."""
    scenario = approved(AFTER_EFFECT, approval_check=check, content=content)
    scenario = replace(scenario, source_change=SourceChange(at_s=2.0, inputs="43", audience=""))

    journal = played(scenario, f"{AFTER_EFFECT}@1")

    assert [effect.inputs for effect in journal.of(Effect)] == sent
    assert {start.approval for start in journal.of(Start)} == {"grant"}
    assert [start.inputs for start in journal.of(Start)] == sent
    assert (RESPECTED in broken(journal)) is is_broken


@pytest.mark.parametrize(("check", "effect_count"), ((AT_EACH_START, 0), (NEVER, 1)))
def test_the_relay_of_an_outbox_checks_the_approval_when_it_begins(check: ApprovalCheck, effect_count: int) -> None:
    """It was good when the call was accepted; the relay dies once, and begins again 5 s later."""
    scenario = approved("relay.before_effect", expires_s=1.0, approval_check=check, order=WriteOrder.OUTBOX)
    agent, sdk = scenario.layers
    scenario = replace(scenario, layers=(agent, replace(sdk, backoff=Wait.of(5.0))))

    journal = played(scenario, "relay.before_effect@1/relay-1")

    assert len(journal.of(Start)) == len(effects(journal)) == effect_count
    assert (RESPECTED in broken(journal)) is (effect_count == 1)


@pytest.mark.parametrize(("may_recompute", "effect_count"), ((True, 1), (False, 0)))
def test_an_audience_that_the_approved_policy_works_out_anew_is_no_other_content(
    *, may_recompute: bool, effect_count: int
) -> None:
    """Approved for the team as it was; the source reaches another team from the start."""
    scenario = approved()
    stage = replace(scenario.stages[0], recomputes_audience=True, may_recompute_audience=may_recompute)
    scenario = replace(
        scenario,
        calls=(replace(scenario.calls[0], audience="team"),),
        approvals=(replace(scenario.approvals[0], audience="team"),),
        stages=(stage,),
        source_change=SourceChange(at_s=0.0, inputs="", audience="team and guests"),
    )

    assert len(effects(played(scenario))) == effect_count


@pytest.mark.parametrize(("skew_s_max", "fault_count"), ((0.0, None), (1.0, None), (2.0, 1)))
def test_an_approval_is_kept_past_its_expiry_where_the_servers_clock_is_slow_enough(
    skew_s_max: float, fault_count: int | None
) -> None:
    """It expires at 3.53 s, and a recovery would begin at 5.03 s: 1.5 s late."""
    scenario = approved(AFTER_RESERVATION, expires_s=3.53)
    scenario = conditions_with(scenario, clocks=(PartyClock(party="server", skew_s_max=skew_s_max),))

    assert fewest_faults(scenario, RESPECTED) == fault_count


def test_a_lapsed_approval_is_a_refusal_that_settles_nothing() -> None:
    """The first attempt may have taken effect, so the refusal of the second decides nothing."""
    scenario = approved(AFTER_EFFECT, expires_s=1.0)

    journal = played(scenario, f"{AFTER_EFFECT}@1")

    assert (effects(journal), told(journal)[1], outcomes(journal)) == (["i1"], LAPSED, [Outcome.UNKNOWN])
