"""A tool with two effects: what a crash between them leaves, what a repeat goes on with, and what is said meanwhile."""

from dataclasses import replace
from typing import Any

import pytest

from simkit.choices import KeySent, Resume, StoredFailure, WriteOrder
from simkit.records import Effect, Readback, Receipt, Reply, Report
from simkit.scenario import Scenario, Stage
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName, Outcome, ReadbackAnswer, StalePolicy, State
from simkit.world import run_intervals
from tests.builders import a_readback, a_retention, downstream_with
from tests.world.server_worlds import fewest_faults, outcomes, played, retried_after_the_lease, told

__all__: list[str] = []

AFTER_EFFECT, AFTER_RECEIPT = "server.after_effect", "server.after_receipt"
RESPONSE_LOST = "gateway_to_server.response_lost"
REJECTED, OVERLOADED = "downstream.error", "downstream.overloaded"
RUN_AGAIN, READ_BACK = StalePolicy.RUN_AGAIN, StalePolicy.READ_BACK
BOTH = ["ticket", "mail"]


def two_stages(*sites: str, keys: KeySent | None = None, **server_changes: Any) -> Scenario:
    """A ticket and then a mail, each in its own system; a stale reservation runs again after a lease of 2 s.

    Without `keys` neither system recognises a repeat; with them both remember keys for an hour.
    """
    scenario = retried_after_the_lease(*sites, **server_changes)
    if keys is not None:
        scenario = downstream_with(scenario, key_retention=a_retention(3600.0))
    ticket = scenario.stages[0]
    assert ticket.downstream is not None
    mail = Stage(name="mail", downstream=replace(ticket.downstream, name="mail"))
    return replace(scenario, stages=tuple(replace(stage, key=keys) for stage in (ticket, mail)))


def made(scenario: Scenario, *schedule: str) -> list[str]:
    """The stages that took effect, in order."""
    return [effect.stage for effect in played(scenario, *schedule).of(Effect)]


def made_in_every_order(scenario: Scenario) -> set[tuple[str, ...]]:
    """The same over all orders with exactly one fault."""
    runs = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1, runs_twice=True)
    return {tuple(effect.stage for effect in leaf.run.journal.of(Effect)) for leaf in runs if leaf.fault_count}


def stages_said(scenario: Scenario, *schedule: str) -> dict[str, State]:
    """The state of each stage in the last report."""
    return dict(played(scenario, *schedule).of(Report)[-1].stages)


@pytest.mark.parametrize(
    ("claim", "order"),
    (
        (ClaimKind.NONE, WriteOrder.EFFECT_ONLY),
        (ClaimKind.CHECK_THEN_ACT, WriteOrder.EFFECT_THEN_RECEIPT),
        (ClaimKind.UNIQUE, WriteOrder.RESERVE_FIRST),
        (ClaimKind.UNIQUE, WriteOrder.RECORD_FIRST),
        (ClaimKind.UNIQUE, WriteOrder.OUTBOX),
    ),
)
def test_without_a_fault_each_stage_is_made_once_in_its_order(claim: ClaimKind, order: WriteOrder) -> None:
    assert made(two_stages(claim=claim, order=order)) == BOTH


@pytest.mark.parametrize(
    ("resume", "site", "expected"),
    (
        # The ticket has its receipt: only the mail is left.
        (Resume.OPEN_STAGES, f"{AFTER_RECEIPT}@1/ticket", BOTH),
        # The ticket was made, and nobody wrote that down.
        (Resume.OPEN_STAGES, f"{AFTER_EFFECT}@1/ticket", ["ticket", *BOTH]),
        # The ticket has its receipt, the mail was made, and nobody wrote that down.
        (Resume.OPEN_STAGES, f"{AFTER_EFFECT}@1/mail", [*BOTH, "mail"]),
        # Whatever has a receipt is made again.
        (Resume.ALL_STAGES, f"{AFTER_RECEIPT}@1/ticket", ["ticket", *BOTH]),
        (Resume.ALL_STAGES, f"{AFTER_EFFECT}@1/mail", [*BOTH, *BOTH]),
        # With the last receipt the operation is done: there is nothing to go on with.
        (Resume.ALL_STAGES, f"{AFTER_RECEIPT}@1/mail", BOTH),
    ),
)
@pytest.mark.parametrize("claim", (ClaimKind.CHECK_THEN_ACT, ClaimKind.UNIQUE))
def test_what_a_repeat_makes_after_a_crash_between_the_stages(
    claim: ClaimKind, resume: Resume, site: str, expected: list[str]
) -> None:
    scenario = two_stages(AFTER_EFFECT, AFTER_RECEIPT, claim=claim, resume=resume)

    assert made(scenario, site) == expected


def test_in_every_order_resuming_the_open_stages_repeats_only_what_has_no_receipt() -> None:
    after_receipt = two_stages(AFTER_RECEIPT, resume=Resume.OPEN_STAGES)
    all_again = two_stages(AFTER_RECEIPT, resume=Resume.ALL_STAGES)

    assert made_in_every_order(after_receipt) == {tuple(BOTH)}
    assert made_in_every_order(all_again) == {tuple(BOTH), ("ticket", *BOTH)}
    assert (fewest_faults(after_receipt), fewest_faults(all_again)) == (None, 1)


@pytest.mark.parametrize(
    ("site", "answers", "expected"),
    (
        # Found: it gets its receipt. The mail is not seen, and made.
        (f"{AFTER_EFFECT}@1/ticket", [ReadbackAnswer.FOUND, ReadbackAnswer.NOT_SEEN], BOTH),
        # The ticket has its receipt, so only the mail is asked for.
        (f"{AFTER_EFFECT}@1/mail", [ReadbackAnswer.FOUND], BOTH),
        (f"{AFTER_RECEIPT}@1/ticket", [ReadbackAnswer.NOT_SEEN], BOTH),
    ),
)
def test_each_stage_without_a_receipt_is_read_back_on_its_own(
    site: str, answers: list[ReadbackAnswer], expected: list[str]
) -> None:
    scenario = two_stages(AFTER_EFFECT, AFTER_RECEIPT, stale=READ_BACK, readback=a_readback())

    journal = played(scenario, site)

    asked = [readback.answer for readback in journal.of(Readback) if readback.party == "server"]
    assert asked == answers
    assert made(scenario, site) == expected
    assert [receipt.stage for receipt in journal.of(Receipt)] == BOTH
    assert fewest_faults(scenario) is None


@pytest.mark.parametrize(
    ("keys", "resume", "expected"),
    (
        (KeySent.OPERATION_ID, Resume.ALL_STAGES, BOTH),
        (KeySent.PER_ATTEMPT, Resume.ALL_STAGES, [*BOTH, *BOTH]),
        (KeySent.PER_ATTEMPT, Resume.OPEN_STAGES, [*BOTH, "mail"]),
    ),
)
def test_a_key_for_each_stage_makes_a_repeat_harmless_if_it_is_the_same_in_each_attempt(
    keys: KeySent, resume: Resume, expected: list[str]
) -> None:
    scenario = two_stages(AFTER_EFFECT, keys=keys, resume=resume)

    assert made(scenario, f"{AFTER_EFFECT}@1/mail") == expected


def test_a_rejected_second_stage_leaves_the_operation_done_in_part() -> None:
    """Partial is definite: what was made is said to be made, and nothing is repeated whole."""
    scenario = two_stages(REJECTED)

    journal = played(scenario, f"{REJECTED}@1/mail/1")

    assert [effect.stage for effect in journal.of(Effect)] == ["ticket"]
    assert outcomes(journal) == [Outcome.PARTIAL]
    assert dict(journal.of(Report)[-1].stages) == {"ticket": State.COMPLETED, "mail": State.REJECTED}


def test_a_rejected_first_stage_ends_the_operation_before_the_second_begins() -> None:
    scenario = two_stages(REJECTED)

    journal = played(scenario, f"{REJECTED}@1/ticket/1")

    assert (journal.of(Effect), outcomes(journal)) == ([], [Outcome.FAILED])
    assert dict(journal.of(Report)[-1].stages) == {"ticket": State.REJECTED, "mail": State.NOT_STARTED}


def test_a_second_stage_that_was_refused_does_not_say_that_nothing_was_done() -> None:
    """The ticket is made; the mail's system is overloaded, at the first attempt. The second attempt makes the mail."""
    scenario = two_stages(OVERLOADED)

    journal = played(scenario, f"{OVERLOADED}@1/mail/1")

    first, second = (reply for reply in journal.of(Reply) if reply.layer is LayerName.AGENT)
    assert (first.state, second.state) == (State.UNKNOWN, State.COMPLETED)
    assert [effect.stage for effect in journal.of(Effect)] == BOTH


@pytest.mark.parametrize("stored", StoredFailure)
def test_a_refused_second_stage_keeps_the_receipt_of_the_first(stored: StoredFailure) -> None:
    """Nothing was sent for the mail, so there is nothing to store; the reservation and its receipt stand."""
    scenario = two_stages(OVERLOADED, stored_failure=stored)

    assert made(scenario, f"{OVERLOADED}@1/mail/1") == BOTH


def test_the_result_is_the_same_for_who_resumed_and_for_who_asks_later() -> None:
    """The attempt that made only the mail names the ticket's result, too."""
    scenario = two_stages(AFTER_RECEIPT, RESPONSE_LOST)
    agent, sdk = scenario.layers
    scenario = replace(scenario, layers=(replace(agent, attempts=3), sdk))

    journal = played(scenario, f"{AFTER_RECEIPT}@1/ticket")
    asked_again = played(scenario, f"{AFTER_RECEIPT}@1/ticket", f"{RESPONSE_LOST}@2")

    results = [reply.result for reply in journal.of(Reply) if reply.layer is LayerName.AGENT and reply.result]
    later = [reply.result for reply in asked_again.of(Reply) if reply.layer is LayerName.AGENT and reply.result]
    made_there = ", ".join(effect.result for effect in journal.of(Effect))
    assert results == later == [made_there]
    assert told(asked_again)[-1] == "recorded result"


def test_a_repeat_does_not_take_an_outbox_that_is_half_done_for_an_abandoned_one() -> None:
    """The answer was lost; the relay is between the two stages, for longer than the lease, when the repeat comes."""
    scenario = two_stages(RESPONSE_LOST, OVERLOADED, order=WriteOrder.OUTBOX)
    agent, sdk = scenario.layers
    scenario = replace(scenario, layers=(agent, replace(sdk, backoff=agent.backoff)))
    faults = (f"{RESPONSE_LOST}@1", f"{OVERLOADED}@1/relay-1/mail/1", f"{OVERLOADED}@1/relay-2/mail/1")

    journal = played(scenario, *faults)

    assert [effect.stage for effect in journal.of(Effect)] == BOTH
    # The relay waits until 10.03 s; the repeat arrives at 8.01 s.
    assert told(journal) == ["timeout", "recorded result"]
    assert stages_said(scenario, *faults)["ticket"] is State.COMPLETED
