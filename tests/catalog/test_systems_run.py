"""Every system of record of the catalog in a world: something goes wrong with the first request, and it is sent again.

The SDK below a server that keeps no record sends at most twice, with one key, whatever went wrong; the second
request comes a second after the first, which is inside of every retention.
"""

from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from simkit.catalog import SystemEntry, system_content, system_names
from simkit.choices import Deduplication, EffectKind, FailuresStored
from simkit.contract.catalog_file import parse_system
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.policy import KnownBy, known_by
from simkit.records import Effect, Readback, Reply
from simkit.scenario import Downstream, Retention, Scenario, SystemBehaviour
from simkit.terms import ClaimKind, ErrorClass, LayerName, OnExpired, ReadbackAnswer, RetentionKind, StalePolicy, State
from simkit.world import run_concrete
from tests.builders import FaultsAt, a_layer, a_readback, a_scenario, conditions_with, rates_at, server_with
from tests.world.system_requests import a_request, asked

__all__: list[str] = []

NAMES = system_names()

BEFORE_THE_SYSTEM = (
    "server_to_downstream.connection_refused",
    "server_to_downstream.request_lost",
    "downstream.overloaded",
    "downstream.unavailable",
    "downstream.conflict",
)
"""Faults by which the first request is stopped in front of the system of record, 429, 503 and 409 among them."""

AFTER_THE_EFFECT = ("server_to_downstream.response_closed", "server_to_downstream.response_lost")
"""Faults by which the caller hears nothing of what was done."""

UNKNOWN_OUTCOME = "downstream.error_of_unknown_outcome"
ERROR_AFTER_EFFECT = "downstream.error_after_effect"

ANYTHING = (
    ErrorClass.CONNECTION_REFUSED,
    ErrorClass.CONNECTION_CLOSED,
    ErrorClass.TIMEOUT,
    ErrorClass.OVERLOADED,
    ErrorClass.SERVER_ERROR,
    ErrorClass.UNAVAILABLE,
    ErrorClass.CONFLICT,
)

SAYS_CONFLICT = frozenset({Deduplication.NATURAL_KEY_REJECT, Deduplication.CONDITIONAL_PUT, Deduplication.HEURISTIC})
"""Kinds that refuse a repeat; all others answer it as a success, or as an acceptance."""


@cache
def entry(name: str) -> SystemEntry:
    return parse_system(system_content(name), file=f"{name}.yaml")


def behaviour_of(name: str) -> dict[str, Any]:
    behaviour = entry(name).behaviour
    return {field.name: getattr(behaviour, field.name) for field in fields(SystemBehaviour)}


def exact_retention(name: str) -> Retention | None:
    """How long the system of that name remembers, where its documents give exactly that."""
    retention = entry(name).behaviour.key_retention
    return retention if retention is not None and retention.kind is RetentionKind.EXACT else None


def a_world(name: str, *sites: str) -> Scenario:
    """A server that keeps no record, above the system of that name."""
    system = Downstream(name="record", work=Wait.of(0.001), **behaviour_of(name))
    plain = server_with(a_scenario(), claim=ClaimKind.NONE)
    layers = (a_layer(LayerName.AGENT, timeout_s=60.0), a_layer(LayerName.DOWNSTREAM_SDK, attempts=2, timeout_s=1.0))
    sdk = replace(layers[-1], backoff=Wait.of(1.0), retries_on=ANYTHING)
    world = replace(plain, layers=(layers[0], sdk), stages=(replace(plain.stages[0], downstream=system),))
    return conditions_with(world, rates=rates_at(0.1, *sites))


def after_fault(name: str, site: str) -> Journal:
    """What happens where that goes wrong with the first request."""
    luck = FaultsAt(f"{site}@1/1")
    journal = run_concrete(a_world(name, site), luck).journal
    assert not luck.left, "the fault happened"
    return journal


def heard(journal: Journal) -> list[State]:
    """What the SDK heard of each request."""
    return [reply.state for reply in journal.of(Reply) if reply.layer is LayerName.DOWNSTREAM_SDK]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("site", BEFORE_THE_SYSTEM)
def test_what_never_reached_a_system_is_made_once_by_the_repeat(name: str, site: str) -> None:
    journal = after_fault(name, site)

    # Nothing was done and nothing remembered, so the repeat is the first request that the system knows of.
    assert len(journal.of(Effect)) == 1
    assert heard(journal)[-1] is (State.ACCEPTED if entry(name).behaviour.accepts_first else State.COMPLETED)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("site", AFTER_THE_EFFECT)
def test_after_a_lost_answer_a_repeat_makes_nothing_unless_nothing_is_recognised(name: str, site: str) -> None:
    behaviour = entry(name).behaviour

    journal = after_fault(name, site)

    is_recognised = known_by(behaviour.deduplication) is not KnownBy.NOTHING
    changes_nothing_twice = behaviour.effect in (EffectKind.SET, EffectKind.DELETE)
    assert len(journal.of(Effect)) == (1 if is_recognised or changes_nothing_twice else 2)
    if behaviour.deduplication in SAYS_CONFLICT:
        assert heard(journal)[-1] is State.CONFLICT
    else:
        assert heard(journal)[-1] in (State.COMPLETED, State.ACCEPTED)


@pytest.mark.parametrize("name", NAMES)
def test_an_error_that_is_stored_is_heard_again_and_any_other_one_is_not(name: str) -> None:
    journal = after_fault(name, UNKNOWN_OUTCOME)

    # Nothing was made, so either the stored error comes again, or the repeat makes it.
    if entry(name).behaviour.failures_stored is FailuresStored.ALL:
        assert (len(journal.of(Effect)), heard(journal)[-1]) == (0, State.UNKNOWN)
    elif name == "hubspot-single-send":
        # Its ID is taken from the acceptance on, whatever becomes of the mail: the repeat is dropped as one.
        assert (len(journal.of(Effect)), heard(journal)[-1]) == (0, State.COMPLETED)
    else:
        assert len(journal.of(Effect)) == 1


@pytest.mark.parametrize(
    ("name", "effect_count"),
    (
        ("stripe-v1", 1),  # a 500 is stored as any response, and replayed
        ("checkout-com", 2),  # 4xx and 5xx are not saved, and the payment is tried again
        ("azure-repeatability", 2),  # where the original got a 5xx, the request is executed again
        ("powertools-idempotency", 2),  # an exception deletes the record, and the next call executes again
        ("stripe-v2", 1),  # a success is not done again, whatever was answered
        ("s3-if-none-match", 1),  # the object is there, and the repeat meets it
        ("ec2-runinstances", 1),  # token and change in one transaction
        ("sqs-fifo", 1),  # the ID counts from the successful send on
        ("github-issues", 2),  # no key
    ),
)
def test_an_error_after_the_effect_is_made_again_where_the_documents_say_so(name: str, effect_count: int) -> None:
    journal = after_fault(name, ERROR_AFTER_EFFECT)

    assert len(journal.of(Effect)) == effect_count


@pytest.mark.parametrize("name", NAMES)
def test_an_error_after_the_effect_never_takes_the_effect_away(name: str) -> None:
    journal = after_fault(name, ERROR_AFTER_EFFECT)

    counts = {2} if entry(name).behaviour.deduplication is Deduplication.NONE else {1, 2}
    assert len(journal.of(Effect)) in counts


@pytest.mark.parametrize("name", [name for name in NAMES if exact_retention(name) is not None])
def test_a_repeat_after_an_exact_retention_gets_what_the_system_has_for_it(name: str) -> None:
    retention = exact_retention(name)
    assert retention is not None
    first, late = (0.0, a_request()), (retention.retention_s + 10.0, a_request(path="late"))

    answers, system = asked(first, late, **behaviour_of(name))

    runs = retention.after is OnExpired.RUN_AS_NEW
    assert len(system.effects) == (2 if runs else 1)
    assert (answers[1].state is State.EXPIRED) is (retention.after is OnExpired.REFUSE)


@pytest.mark.parametrize(
    ("name", "late_s", "state", "effect_count"),
    (
        ("mollie", 3590.0, State.COMPLETED, 1),  # within the hour
        ("mollie", 3610.0, State.COMPLETED, 2),  # a new request
        ("qonto", 1810.0, State.COMPLETED, 2),  # after 30 minutes the key creates another object
        ("braintree-dupcheck", 31.0, State.COMPLETED, 2),  # another charge
        ("azure-repeatability", 310.0, State.EXPIRED, 1),  # refused with 412 after 5 minutes
        ("s3-if-none-match", 1e6, State.CONFLICT, 1),  # the object is still there
        ("increase", 1e8, State.COMPLETED, 1),  # no end is stated; these are three years
    ),
)
def test_a_late_repeat_gets_what_the_documents_say(name: str, late_s: float, state: State, effect_count: int) -> None:
    # The first request is done after 1 s, and the retention begins then at the latest.
    first, late = (0.0, a_request()), (late_s, a_request(path="late"))

    answers, system = asked(first, late, **behaviour_of(name))

    assert answers[1].state is state
    assert len(system.effects) == effect_count


@pytest.mark.parametrize("name", [name for name in NAMES if entry(name).readback_offer is not None])
def test_a_system_that_can_be_asked_is_asked_and_nothing_is_made_twice(name: str) -> None:
    offer = entry(name).readback_offer
    assert offer is not None
    readback = a_readback(by=offer.by, lag_s_max=offer.lag.s_max)
    crash = "server.after_effect"
    claiming = {"claim": ClaimKind.UNIQUE, "stale": StalePolicy.READ_BACK, "readback": readback}
    world = server_with(a_world(name), **claiming)
    agent = a_layer(LayerName.AGENT, attempts=2, timeout_s=5.0)
    world = conditions_with(replace(world, layers=(agent, world.layers[-1])), rates=rates_at(0.1, crash))

    journal = run_concrete(world, FaultsAt(f"{crash}@1")).journal

    # The effect is seen at once here. Only an identity that is the operation's own makes sure whose it is.
    answers = [answer.answer for answer in journal.of(Readback)]
    assert len(answers) == 1
    assert answers[0] in (ReadbackAnswer.FOUND, ReadbackAnswer.CANNOT_TELL)
    assert len(journal.of(Effect)) == 1
