"""The whole window table: every order, claim, stale policy and downstream key, with a crash in each of its windows.

What must come out is reasoned here from three facts alone, and not from how the world is built:

* which of reservation, effect and receipt is durable when the process dies (`DURABLE`);
* what a retry past the lease then does (`retried`);
* whether the system of record knows the second request again (only by a key that both attempts share).
"""

from dataclasses import dataclass, replace

import pytest

from simkit.choices import KeySent, WriteOrder
from simkit.scenario import Scenario, windows_of
from simkit.terms import ClaimKind, Outcome, StalePolicy
from tests.builders import a_readback, a_retention, downstream_with
from tests.world.server_worlds import effect_counts, effects, outcomes, played, retried_after_the_lease

__all__: list[str] = []

NOTHING, CHECK_THEN_ACT, UNIQUE = ClaimKind.NONE, ClaimKind.CHECK_THEN_ACT, ClaimKind.UNIQUE
HOLD, RUN_AGAIN, READ_BACK = StalePolicy.HOLD, StalePolicy.RUN_AGAIN, StalePolicy.READ_BACK
ORDERS = tuple(order for order in WriteOrder if order is not WriteOrder.EFFECT_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a crash in a window leaves behind."""

    is_reserved: bool = False
    is_made: bool = False
    has_receipt: bool = False


NOTHING_YET, RESERVED = Left(), Left(is_reserved=True)

DURABLE = {
    (WriteOrder.EFFECT_ONLY, "server.before_effect"): NOTHING_YET,
    (WriteOrder.EFFECT_ONLY, "server.after_effect"): Left(is_made=True),
    (WriteOrder.EFFECT_THEN_RECEIPT, "server.before_effect"): NOTHING_YET,
    (WriteOrder.EFFECT_THEN_RECEIPT, "server.after_effect"): Left(is_made=True),
    (WriteOrder.EFFECT_THEN_RECEIPT, "server.after_receipt"): Left(is_made=True, has_receipt=True),
    (WriteOrder.RESERVE_FIRST, "server.before_reservation"): NOTHING_YET,
    (WriteOrder.RESERVE_FIRST, "server.after_reservation"): RESERVED,
    (WriteOrder.RESERVE_FIRST, "server.after_effect"): Left(is_reserved=True, is_made=True),
    (WriteOrder.RESERVE_FIRST, "server.after_receipt"): Left(is_made=True, has_receipt=True),
    # The record says `completed` before anything is done.
    (WriteOrder.RECORD_FIRST, "server.before_receipt"): NOTHING_YET,
    (WriteOrder.RECORD_FIRST, "server.after_receipt"): Left(has_receipt=True),
    (WriteOrder.RECORD_FIRST, "server.after_effect"): Left(is_made=True, has_receipt=True),
    # Effect and receipt are one step: no window between them.
    (WriteOrder.ONE_TRANSACTION, "server.before_transaction"): NOTHING_YET,
    (WriteOrder.ONE_TRANSACTION, "server.after_transaction"): Left(is_made=True, has_receipt=True),
    # What is in the outbox is made by the relay long before the retry, and counts as recorded.
    (WriteOrder.OUTBOX, "server.before_reservation"): NOTHING_YET,
    (WriteOrder.OUTBOX, "server.after_reservation"): Left(is_made=True, has_receipt=True),
}


def retried(left: Left, stale: StalePolicy, *, has_key: bool) -> tuple[int, Outcome]:
    """Effects in all, and what the caller is told, when the same call comes again after the lease."""
    made_count = int(left.is_made)
    if left.has_receipt:
        return made_count, Outcome.OK
    if left.is_reserved and stale is HOLD:
        return made_count, Outcome.UNKNOWN
    if left.is_reserved and stale is READ_BACK and left.is_made:
        return made_count, Outcome.OK
    is_known_again = left.is_made and has_key
    return made_count + (not is_known_again), Outcome.OK


def relayed(window: str, *, has_key: bool) -> int:
    """Effects when the relay dies and sends what it has not marked as done."""
    return 2 if window == "relay.after_effect" and not has_key else 1


ROWS = tuple(
    (claim, order, stale, key, window)
    for claim, orders in ((NOTHING, (WriteOrder.EFFECT_ONLY,)), (CHECK_THEN_ACT, ORDERS), (UNIQUE, ORDERS))
    for order in orders
    for stale in StalePolicy
    for key in (None, *KeySent)
    for window in windows_of(order)
)


def crashing(claim: ClaimKind, order: WriteOrder, stale: StalePolicy, key: KeySent | None, window: str) -> Scenario:
    """A retry past the lease; the system of record remembers keys, if any are sent, for an hour."""
    scenario = retried_after_the_lease(window, claim=claim, order=order, stale=stale, readback=a_readback())
    scenario = downstream_with(scenario, key_retention=a_retention(3600.0))
    stages = tuple(replace(stage, key=key) for stage in scenario.stages)
    agent = replace(scenario.agent, handover_completes=order is WriteOrder.OUTBOX)
    return replace(scenario, stages=stages, agent=agent)


@pytest.mark.parametrize(("claim", "order", "stale", "key", "window"), ROWS)
def test_a_crash_in_a_window_and_a_retry_past_the_lease(
    claim: ClaimKind, order: WriteOrder, stale: StalePolicy, key: KeySent | None, window: str
) -> None:
    has_key = key is KeySent.OPERATION_ID  # one that is derived per attempt is another key each time
    is_of_relay = window.startswith("relay.")
    scenario = crashing(claim, order, stale, key, window)

    journal = played(scenario, f"{window}@1/relay-1" if is_of_relay else f"{window}@1")

    if is_of_relay:
        expected = relayed(window, has_key=has_key), Outcome.OK
    else:
        expected = retried(DURABLE[order, window], stale, has_key=has_key)
    assert (len(effects(journal)), outcomes(journal)) == (expected[0], [expected[1]])
    assert effect_counts(scenario, fault_count=1) == {expected[0]}


def test_the_table_has_a_row_for_every_window_of_every_order() -> None:
    assert set(DURABLE) == {
        (order, window) for order in WriteOrder for window in windows_of(order) if not window.startswith("relay.")
    }
    assert len(ROWS) == len(set(ROWS)) == 9 * (2 + 2 * (3 + 4 + 3 + 2 + 4))
