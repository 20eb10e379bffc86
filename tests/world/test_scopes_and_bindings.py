"""Whose operation ID it is, and what of a call's inputs is bound to it: too much, too little, and just enough."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import Binding, Drift, ScopePart
from simkit.distributions import Wait
from simkit.records import Reply
from simkit.scenario import PlannedCall, Scenario
from simkit.terms import ClaimKind, LayerName, OnExpired, Outcome, Promise, StalePolicy, State
from tests.builders import a_call, a_layer, a_retention, a_scenario, downstream_with, server_with
from tests.world.server_worlds import broken, effects, fewest_faults, outcomes, played, retried_after_the_lease, told

__all__: list[str] = []

RESPONSE_LOST = "gateway_to_server.response_lost"
TENANT, ACTION, OPERATION_ID = ScopePart.TENANT, ScopePart.ACTION, ScopePart.OPERATION_ID


def drifting(drift: Drift, **server_changes: Any) -> Scenario:
    """A call whose answer may be lost; what changes between its two attempts is up to the agent."""
    scenario = retried_after_the_lease(RESPONSE_LOST, **server_changes)
    return replace(scenario, agent=replace(scenario.agent, drift=drift))


def one_after_the_other(*calls: PlannedCall, **server_changes: Any) -> Scenario:
    """Calls that are each sent once, at their own times."""
    layers = (a_layer(LayerName.AGENT, timeout_s=30.0), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    return server_with(a_scenario(calls=calls, layers=layers), **server_changes)


def heard_by(scenario: Scenario, intent: str) -> Reply:
    """What the agent was answered last about an intent."""
    replies = [reply for reply in played(scenario).of(Reply) if reply.layer is LayerName.AGENT]
    return [reply for reply in replies if reply.intent == intent][-1]


@pytest.mark.parametrize(
    ("scope", "effect_count"),
    (
        ((TENANT, ScopePart.CREDENTIAL, OPERATION_ID), 2),
        ((TENANT, ScopePart.PRINCIPAL, OPERATION_ID), 1),
        ((TENANT, OPERATION_ID), 1),
    ),
)
def test_a_scope_with_the_credential_takes_a_retry_with_a_fresh_one_for_another_call(
    scope: tuple[ScopePart, ...], effect_count: int
) -> None:
    """Case RS-037: the token was refreshed between the attempts. The principal stays who it is."""
    scenario = drifting(Drift.CREDENTIAL, scope=scope)

    journal = played(scenario, f"{RESPONSE_LOST}@1")

    assert len(effects(journal)) == effect_count
    assert fewest_faults(scenario) == (1 if effect_count == 2 else None)


@pytest.mark.parametrize(
    ("part", "changes"),
    (
        (TENANT, {"tenant": "t2"}),
        (ScopePart.PRINCIPAL, {"principal": "somebody else"}),
        (ScopePart.TARGET, {"target": "another object"}),
    ),
)
def test_what_is_part_of_the_scope_keeps_two_calls_with_one_id_apart(part: ScopePart, changes: dict[str, str]) -> None:
    first, second = a_call(), a_call(intent="i2", start_s=5.0, **changes)

    apart = played(one_after_the_other(first, second, scope=(part, OPERATION_ID)))
    together = played(one_after_the_other(first, second, scope=(ACTION, OPERATION_ID)))

    assert (effects(apart), told(apart)) == (["i1", "i2"], ["receipt", "receipt"])
    assert (effects(together), told(together)) == (["i1"], ["receipt", "recorded result"])
    assert Promise.DISTINCT_INTENTS not in broken(apart)
    assert Promise.DISTINCT_INTENTS in broken(together)


def of_two_tenants(inputs: str = "x", start_s: float = 5.0, **server_changes: Any) -> Scenario:
    """The second tenant's call bears the ID that the first one used."""
    second = a_call(intent="i2", tenant="t2", inputs=inputs, start_s=start_s)
    return one_after_the_other(a_call(), second, **{"scope": (OPERATION_ID,), **server_changes})


def test_without_the_tenant_in_the_scope_one_tenant_gets_the_result_of_another() -> None:
    crossed = of_two_tenants()
    apart = server_with(crossed, scope=(TENANT, OPERATION_ID))

    theirs, own = heard_by(crossed, "i2"), heard_by(apart, "i2")

    assert (theirs.state, theirs.origin) == (State.COMPLETED, "i1")
    assert theirs.result == heard_by(crossed, "i1").result
    assert (own.state, own.origin) == (State.COMPLETED, "i2")
    assert fewest_faults(crossed, Promise.TENANTS_APART) == 0
    assert fewest_faults(apart, Promise.TENANTS_APART) is None


@pytest.mark.parametrize(
    ("scenario", "state"),
    (
        # Other inputs: the conflict says that somebody used this ID.
        (of_two_tenants("y"), State.CONFLICT),
        # While the first tenant's call is at work: pending says so, too.
        (downstream_with(of_two_tenants(start_s=0.5, lease_s=60.0), work=Wait.of(2.0)), State.PENDING),
        # A tombstone: so does a refusal after the retention, and so does holding.
        (of_two_tenants(retention=a_retention(2.0, after=OnExpired.REFUSE)), State.EXPIRED),
        (of_two_tenants(retention=a_retention(2.0, after=OnExpired.HOLD)), State.UNKNOWN),
    ),
    ids=("conflict", "pending", "expired", "held"),
)
def test_that_an_id_exists_crosses_by_a_conflict_by_pending_and_by_a_tombstone(
    scenario: Scenario, state: State
) -> None:
    heard = heard_by(scenario, "i2")

    assert (heard.state, heard.origin) == (state, "i1")
    assert Promise.TENANTS_APART in broken(played(scenario))
    assert Promise.TENANTS_APART not in broken(played(server_with(scenario, scope=(TENANT, OPERATION_ID))))


def test_a_stale_reservation_of_another_tenant_is_told_when_it_is_held() -> None:
    """The first tenant's call is given up with its outcome open; the second one hears that it is held."""
    scenario = of_two_tenants(start_s=20.0, lease_s=1.0, stale=StalePolicy.HOLD)
    scenario = downstream_with(scenario, work=Wait.of(15.0))

    heard = heard_by(scenario, "i2")

    assert (heard.state, heard.origin) == (State.UNKNOWN, "i1")


def dry_then_live(binding: Binding) -> Scenario:
    """A dry run and then the real write: one ID and one body, but another query."""
    return one_after_the_other(
        a_call(inputs="body, dry", loose_inputs="body", wants_effect=False),
        a_call(intent="i2", inputs="body, live", loose_inputs="body", start_s=5.0),
        binding=binding,
    )


def test_a_binding_that_ignores_what_makes_a_run_dry_answers_the_real_write_from_the_dry_run() -> None:
    """Case RS-045: success is reported, and nothing was written."""
    too_loose = played(dry_then_live(Binding.TOO_LOOSE))
    bound = played(dry_then_live(Binding.CONSEQUENTIAL))

    assert (effects(too_loose), outcomes(too_loose)) == ([], [Outcome.OK, Outcome.OK])
    assert told(too_loose)[1] == "recorded result"
    assert Promise.COMPLETED_MEANS_DONE in broken(too_loose)
    # Bound to everything that matters, the reuse of the ID is refused: nothing is written, and nobody says it was.
    assert (effects(bound), told(bound)[1]) == ([], "this ID was used with other inputs")
    assert Promise.COMPLETED_MEANS_DONE not in broken(bound)


@pytest.mark.parametrize("claim", (ClaimKind.CHECK_THEN_ACT, ClaimKind.UNIQUE))
def test_a_changed_amount_conflicts_unless_the_binding_ignores_it(claim: ClaimKind) -> None:
    calls = (
        a_call(inputs="pay 5", loose_inputs="pay"),
        a_call(intent="i2", inputs="pay 50", loose_inputs="pay", start_s=5.0),
    )

    bound = played(one_after_the_other(*calls, claim=claim))
    too_loose = played(one_after_the_other(*calls, claim=claim, binding=Binding.TOO_LOOSE))

    assert told(bound)[1] == "this ID was used with other inputs"
    assert told(too_loose)[1] == "recorded result"
    assert Promise.CHANGED_INPUT_CONFLICTS not in broken(bound)
    assert Promise.CHANGED_INPUT_CONFLICTS in broken(too_loose)


@pytest.mark.parametrize(
    ("binding", "second", "outcome"),
    (
        (Binding.TOO_STRICT, "this ID was used with other inputs", Outcome.UNKNOWN),
        (Binding.CONSEQUENTIAL, "recorded result", Outcome.OK),
        (Binding.TOO_LOOSE, "recorded result", Outcome.OK),
    ),
)
def test_a_binding_that_sees_how_a_call_is_written_takes_a_reworded_retry_for_another_one(
    binding: Binding, second: str, outcome: Outcome
) -> None:
    """Cases RS-043 and RS-049: the key order, or the model's wording, differs at each attempt; what is meant does not.

    Where the digest is a check, the retry gets a false conflict, and nobody learns that the work was done.
    """
    scenario = drifting(Drift.WORDING, binding=binding)

    journal = played(scenario, f"{RESPONSE_LOST}@1")

    assert (effects(journal), told(journal), outcomes(journal)) == (["i1"], ["timeout", second], [outcome])


def test_inputs_that_drift_under_one_id_conflict_and_are_not_made() -> None:
    scenario = drifting(Drift.INPUTS)

    journal = played(scenario, f"{RESPONSE_LOST}@1")

    assert (effects(journal), told(journal)[1]) == (["i1"], "this ID was used with other inputs")
    assert fewest_faults(scenario, Promise.CHANGED_INPUT_CONFLICTS) is None
