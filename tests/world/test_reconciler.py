"""The reconciler: what it concludes, what it does then, and each way in which it errs."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.checks import verdicts
from simkit.choices import OnNotSeen
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Attempt, Effect, Receipt, Report, Settlement
from simkit.records import Readback as ReadbackFact
from simkit.scenario import Reconciler, Scenario
from simkit.study.structure.exploration import explore
from simkit.terms import Identity, LayerName, Outcome, Promise, PromiseVerdict, ReadbackAnswer
from simkit.world import run_concrete
from tests.builders import FaultsAt, a_layer, a_readback, a_scenario, conditions_with, rates_at, server_with

__all__: list[str] = []

ANSWER_LOST = "gateway_to_server.response_lost"
CALL_LOST = "gateway_to_server.request_lost"
CALL_LATE = "gateway_to_server.request_late"
UNKNOWN, OK, FAILED = Outcome.UNKNOWN, Outcome.OK, Outcome.FAILED
ESCALATE, SAME_ID, NEW_ID, SETTLE = (
    OnNotSeen.ESCALATE,
    OnNotSeen.SAME_ID,
    OnNotSeen.NEW_ID,
    OnNotSeen.SETTLE_AS_ABSENT,
)
ERRORS = ("wrong_record", "weak_query", "two_at_once", "beside_a_retry", "new_id")


def reconciled(on_not_seen: OnNotSeen = ESCALATE, *, waits_for_landing: bool = True, **changes: Any) -> Scenario:
    """One attempt, whose message may be lost or land up to 30 s later; a reconciler asks 5 s after the report."""
    layers = (a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0))
    reconciler = Reconciler(delay=Wait.of(5.0), on_not_seen=on_not_seen, waits_for_landing=waits_for_landing)
    scenario = a_scenario(layers=layers)
    scenario = server_with(scenario, lease_s=60.0, readback=a_readback())
    first, second = scenario.hops
    hops = (replace(first, latest_landing_s=30.0), second)
    scenario = replace(scenario, hops=hops, reconciler=reconciler, **changes)
    sites = (CALL_LOST, CALL_LATE, ANSWER_LOST, "readback.cannot_tell", *(f"reconciler.{error}" for error in ERRORS))
    return conditions_with(scenario, rates=rates_at(0.01, *sites))


def played(scenario: Scenario, *faults: str) -> Journal:
    """The journal of one run on the clock; every fault of the test must have been met."""
    chance = FaultsAt(*faults)
    journal = run_concrete(scenario, chance).journal
    assert chance.left == set()
    return journal


def told(journal: Journal) -> list[Outcome]:
    """The outcomes that were reported, in order."""
    return [report.outcome for report in journal.of(Report)]


def sent(journal: Journal) -> list[tuple[str, str]]:
    """Path and operation ID of every attempt that comes from outside."""
    return [(fact.path, fact.operation_id) for fact in journal.of(Attempt) if fact.layer is LayerName.AGENT]


def test_what_is_found_is_confirmed_with_a_receipt_and_told() -> None:
    journal = played(reconciled(), f"{ANSWER_LOST}@1")

    assert told(journal) == [UNKNOWN, OK]
    assert verdicts(journal)[Promise.UNKNOWN_IS_SAID] is PromiseVerdict.KEPT
    assert [receipt.party for receipt in journal.of(Receipt)] == ["record store", "reconciler"]


def test_what_cannot_be_told_stays_with_its_owner() -> None:
    journal = played(reconciled(SETTLE), f"{ANSWER_LOST}@1", "readback.cannot_tell@reconciler:1/1/reconciler-1")

    assert told(journal) == [UNKNOWN, UNKNOWN]
    assert [report.owner for report in journal.of(Report)] == ["operations", "operations"]
    assert journal.of(Settlement) == []


@pytest.mark.parametrize(
    ("on_not_seen", "effect_count", "last", "attempts"),
    (
        (ESCALATE, 0, UNKNOWN, [("1", "op1")]),
        (SAME_ID, 1, OK, [("1", "op1"), ("reconciler:1", "op1")]),
        (NEW_ID, 1, OK, [("1", "op1"), ("reconciler:1", "op1/reconciler:1")]),
        (SETTLE, 0, FAILED, [("1", "op1")]),
    ),
)
def test_what_follows_where_the_call_was_lost_and_nothing_is_seen(
    on_not_seen: OnNotSeen, effect_count: int, last: Outcome, attempts: list[tuple[str, str]]
) -> None:
    journal = played(reconciled(on_not_seen), f"{CALL_LOST}@1")

    assert len(journal.of(Effect)) == effect_count
    assert told(journal) == [UNKNOWN, last]
    assert sent(journal) == attempts
    assert verdicts(journal)[Promise.UNKNOWN_IS_SAID] is PromiseVerdict.KEPT  # it had waited for the landing


@pytest.mark.parametrize(
    ("on_not_seen", "waits_for_landing", "effect_count", "broken"),
    (
        # The original lands 30 s after it was sent; the question comes after 6 s, or after all has landed.
        (SETTLE, False, 1, {Promise.NOTHING_AFTER_SETTLEMENT}),
        (SETTLE, True, 1, set()),
        (NEW_ID, False, 2, {Promise.AT_MOST_ONE_EFFECT}),
        (NEW_ID, True, 1, set()),
        (SAME_ID, False, 1, set()),  # the late original meets the record
    ),
)
def test_not_seen_counts_only_after_the_last_possible_landing(
    on_not_seen: OnNotSeen,
    waits_for_landing: bool,  # noqa: FBT001
    effect_count: int,
    broken: set[Promise],
) -> None:
    journal = played(reconciled(on_not_seen, waits_for_landing=waits_for_landing), f"{CALL_LATE}@1")

    about_effects = {
        promise
        for promise, verdict in verdicts(journal).items()
        if verdict is PromiseVerdict.BROKEN and promise.is_about_effects
    }
    assert len(journal.of(Effect)) == effect_count
    assert about_effects == broken


@pytest.mark.parametrize(
    ("error", "on_not_seen", "message", "effect_count", "last"),
    (
        # It takes another's effect for this one: completed is told, and nothing is there.
        ("wrong_record@reconciler:1", ESCALATE, CALL_LOST, 0, OK),
        # It sees nothing of what is there.
        ("weak_query@reconciler:1", SETTLE, ANSWER_LOST, 1, FAILED),
        ("weak_query@reconciler:1", NEW_ID, ANSWER_LOST, 2, OK),
        ("weak_query@reconciler:1", SAME_ID, ANSWER_LOST, 1, OK),  # the record has the result
        # Both send; under one ID the server keeps them apart.
        ("two_at_once@reconciler:", NEW_ID, CALL_LOST, 2, OK),
        ("two_at_once@reconciler:", SAME_ID, CALL_LOST, 1, OK),
        # It asks at once, and the original is still to land.
        ("beside_a_retry@reconciler:1", NEW_ID, CALL_LATE, 2, OK),
        ("beside_a_retry@reconciler:1", SETTLE, CALL_LATE, 1, FAILED),
        # Told to keep the ID, it makes a new one; nothing had landed, so this alone doubles nothing.
        ("new_id@reconciler:1", SAME_ID, CALL_LOST, 1, OK),
    ),
)
def test_each_error_of_the_reconciler(
    error: str, on_not_seen: OnNotSeen, message: str, effect_count: int, last: Outcome
) -> None:
    journal = played(reconciled(on_not_seen), f"{message}@1", f"reconciler.{error}")

    assert len(journal.of(Effect)) == effect_count
    assert told(journal)[-1] is last


@pytest.mark.parametrize(("error", "on_not_seen"), (("wrong_record", ESCALATE), ("weak_query", SETTLE)))
def test_what_an_error_lets_the_reconciler_say_was_not_known(error: str, on_not_seen: OnNotSeen) -> None:
    journal = played(reconciled(on_not_seen), f"{CALL_LOST}@1", f"reconciler.{error}@reconciler:1")

    assert verdicts(journal)[Promise.UNKNOWN_IS_SAID] is PromiseVerdict.BROKEN


def test_a_new_id_after_a_weak_query_makes_a_second_effect() -> None:
    scenario = reconciled(SAME_ID)

    journal = played(
        scenario, f"{ANSWER_LOST}@1", "reconciler.weak_query@reconciler:1", "reconciler.new_id@reconciler:1"
    )

    assert len(journal.of(Effect)) == 2


def test_it_asks_about_every_operation_that_the_agent_sent() -> None:
    """Two attempts under IDs of their own: the first took effect unheard, the second was lost."""
    agent = replace(a_scenario().agent, identity=Identity.PER_ATTEMPT)
    scenario = reconciled(NEW_ID, agent=agent)
    layers = (replace(scenario.layers[0], attempts=2), scenario.layers[1])

    journal = played(replace(scenario, layers=layers), f"{ANSWER_LOST}@1", f"{CALL_LOST}@2")

    asked = [(fact.operation_id, fact.answer) for fact in journal.of(ReadbackFact)]
    assert asked == [("op1/1", ReadbackAnswer.FOUND), ("op1/2", ReadbackAnswer.NOT_SEEN)]
    assert len(journal.of(Effect)) == 1
    assert told(journal) == [UNKNOWN, OK]


def test_nobody_reconciles_what_was_told_as_settled() -> None:
    assert told(played(reconciled())) == [OK]


@pytest.mark.parametrize(
    ("on_not_seen", "waits_for_landing", "expected"),
    ((SAME_ID, False, None), (NEW_ID, False, 1), (NEW_ID, True, None)),
)
def test_in_every_order_a_new_id_is_safe_only_after_the_last_landing(
    on_not_seen: OnNotSeen,
    waits_for_landing: bool,  # noqa: FBT001
    expected: int | None,
) -> None:
    scenario = reconciled(on_not_seen, waits_for_landing=waits_for_landing)
    scenario = conditions_with(scenario, rates=rates_at(0.01, CALL_LATE, CALL_LOST, ANSWER_LOST))

    found = explore(scenario, fault_budget=1, policy="reconciler", runs_twice=True).exploration

    at_most_one = next(result for result in found.promises if result.promise is Promise.AT_MOST_ONE_EFFECT)
    assert at_most_one.fewest_faults == expected


def with_a_mail(on_not_seen: OnNotSeen) -> Scenario:
    """A second stage, a mail, which the server keeps apart from the ticket by a receipt of its own."""
    scenario = reconciled(on_not_seen)
    (ticket,) = scenario.stages
    assert ticket.downstream is not None
    mail = replace(ticket, name="mail", downstream=replace(ticket.downstream, name="mail"))
    scenario = server_with(replace(scenario, stages=(ticket, mail)), lease_s=2.0)
    return conditions_with(scenario, rates=rates_at(0.01, "server_to_downstream.request_lost"))


@pytest.mark.parametrize(
    ("on_not_seen", "made", "last"),
    (
        (ESCALATE, ["ticket"], UNKNOWN),
        (SAME_ID, ["ticket", "mail"], OK),  # the server goes on with the stage that is missing
        (NEW_ID, ["ticket", "ticket", "mail"], OK),  # a new operation makes what was found once more
        (SETTLE, ["ticket"], Outcome.PARTIAL),
    ),
)
def test_where_one_stage_is_found_and_the_other_not_seen_only_the_same_id_recovers_the_other_alone(
    on_not_seen: OnNotSeen, made: list[str], last: Outcome
) -> None:
    journal = played(with_a_mail(on_not_seen), "server_to_downstream.request_lost@1/mail/1")

    assert [effect.stage for effect in journal.of(Effect)] == made
    assert told(journal) == [UNKNOWN, last]
    assert journal.of(Settlement) == []
