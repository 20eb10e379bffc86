"""The window table: one crash in each window, then a retry past the lease, for each write path."""

import pytest

from simkit.checks import verdicts
from simkit.distributions import Wait
from simkit.journal import Journal
from simkit.records import Effect, Report
from simkit.scenario import Hop, Scenario
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName, Outcome, Promise, PromiseVerdict, StalePolicy
from simkit.world import run_concrete, run_intervals
from tests.builders import (
    FaultsAt,
    a_layer,
    a_readback,
    a_retention,
    a_scenario,
    conditions_with,
    downstream_with,
    rates_at,
    server_with,
)

__all__: list[str] = []

UNIQUE, CHECK_THEN_ACT, NOTHING = ClaimKind.UNIQUE, ClaimKind.CHECK_THEN_ACT, ClaimKind.NONE
HOLD, RUN_AGAIN, READ_BACK = StalePolicy.HOLD, StalePolicy.RUN_AGAIN, StalePolicy.READ_BACK
WITHOUT_KEY, WITH_KEY = False, True
SOUND: frozenset[Promise] = frozenset()
TWICE = frozenset({Promise.AT_MOST_ONE_EFFECT})

TABLE = (
    # Nothing is durable yet: the retry is a first call, whatever would be done with a stale reservation.
    (UNIQUE, "server.before_reservation", HOLD, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.before_reservation", HOLD, WITH_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.before_reservation", RUN_AGAIN, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.before_reservation", RUN_AGAIN, WITH_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.before_reservation", READ_BACK, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.before_reservation", READ_BACK, WITH_KEY, 1, Outcome.OK, SOUND),
    # Reserved, nothing sent. Holding loses the operation, and says so: the owner has it.
    (UNIQUE, "server.after_reservation", HOLD, WITHOUT_KEY, 0, Outcome.UNKNOWN, SOUND),
    (UNIQUE, "server.after_reservation", HOLD, WITH_KEY, 0, Outcome.UNKNOWN, SOUND),
    # Running again is right here, since nothing was sent.
    (UNIQUE, "server.after_reservation", RUN_AGAIN, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_reservation", RUN_AGAIN, WITH_KEY, 1, Outcome.OK, SOUND),
    # The readback does not see an effect, and there is none: it runs.
    (UNIQUE, "server.after_reservation", READ_BACK, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_reservation", READ_BACK, WITH_KEY, 1, Outcome.OK, SOUND),
    # The effect is made, the receipt is not. Holding neither repeats it nor learns of it.
    (UNIQUE, "server.after_effect", HOLD, WITHOUT_KEY, 1, Outcome.UNKNOWN, SOUND),
    (UNIQUE, "server.after_effect", HOLD, WITH_KEY, 1, Outcome.UNKNOWN, SOUND),
    # Running again duplicates, unless the system of record remembers the key.
    (UNIQUE, "server.after_effect", RUN_AGAIN, WITHOUT_KEY, 2, Outcome.OK, TWICE),
    (UNIQUE, "server.after_effect", RUN_AGAIN, WITH_KEY, 1, Outcome.OK, SOUND),
    # A readback that sees at once finds the effect and settles the record.
    (UNIQUE, "server.after_effect", READ_BACK, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_effect", READ_BACK, WITH_KEY, 1, Outcome.OK, SOUND),
    # Settled: the retry gets the recorded result, and nothing is stale any more.
    (UNIQUE, "server.after_receipt", HOLD, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_receipt", HOLD, WITH_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_receipt", RUN_AGAIN, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_receipt", RUN_AGAIN, WITH_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_receipt", READ_BACK, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (UNIQUE, "server.after_receipt", READ_BACK, WITH_KEY, 1, Outcome.OK, SOUND),
    # Check then act makes no reservation, so nothing is ever stale: only the receipt protects.
    (CHECK_THEN_ACT, "server.before_effect", HOLD, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (CHECK_THEN_ACT, "server.before_effect", HOLD, WITH_KEY, 1, Outcome.OK, SOUND),
    (CHECK_THEN_ACT, "server.after_effect", HOLD, WITHOUT_KEY, 2, Outcome.OK, TWICE),
    (CHECK_THEN_ACT, "server.after_effect", HOLD, WITH_KEY, 1, Outcome.OK, SOUND),
    (CHECK_THEN_ACT, "server.after_receipt", HOLD, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (CHECK_THEN_ACT, "server.after_receipt", HOLD, WITH_KEY, 1, Outcome.OK, SOUND),
    # Without a record only the downstream key is left.
    (NOTHING, "server.before_effect", HOLD, WITHOUT_KEY, 1, Outcome.OK, SOUND),
    (NOTHING, "server.before_effect", HOLD, WITH_KEY, 1, Outcome.OK, SOUND),
    (NOTHING, "server.after_effect", HOLD, WITHOUT_KEY, 2, Outcome.OK, TWICE),
    (NOTHING, "server.after_effect", HOLD, WITH_KEY, 1, Outcome.OK, SOUND),
)

over_the_table = pytest.mark.parametrize(
    ("claim", "window", "stale", "has_key", "effect_count", "outcome", "broken"), TABLE
)


def a_write_path(claim: ClaimKind, window: str, stale: StalePolicy, *, has_key: bool) -> Scenario:
    """Two attempts with 5 s between them, a lease of 2 s, latencies that vary, and one place for a crash."""
    network = Wait(s_min=0.001, s_typical=0.01, s_max=0.05)
    scenario = a_scenario(
        layers=(
            a_layer(LayerName.AGENT, attempts=2, timeout_s=3.0, backoff=Wait.of(5.0)),
            a_layer(LayerName.DOWNSTREAM_SDK),
        ),
        hops=tuple(
            Hop(name=name, request=network, response=network, latest_landing_s=1.0)
            for name in ("gateway_to_server", "server_to_downstream")
        ),
    )
    key_retention = a_retention(3600.0) if has_key else None
    scenario = downstream_with(scenario, key_retention=key_retention)
    scenario = server_with(scenario, claim=claim, stale=stale, lease_s=2.0, readback=a_readback())
    return conditions_with(scenario, rates=rates_at(0.01, window))


def findings_of(journal: Journal) -> tuple[int, tuple[Outcome, ...], frozenset[Promise]]:
    """Number of effects, reported outcomes, broken promises."""
    broken = {promise for promise, verdict in verdicts(journal).items() if verdict is PromiseVerdict.BROKEN}
    return (
        len(journal.of(Effect)),
        tuple(report.outcome for report in journal.of(Report)),
        frozenset(broken),
    )


@over_the_table
def test_a_crash_in_each_window_and_a_retry_on_the_clock(
    claim: ClaimKind,
    window: str,
    stale: StalePolicy,
    has_key: bool,  # noqa: FBT001
    effect_count: int,
    outcome: Outcome,
    broken: frozenset[Promise],
) -> None:
    chance = FaultsAt(f"{window}@1")

    run = run_concrete(a_write_path(claim, window, stale, has_key=has_key), chance)

    assert chance.left == set()
    assert findings_of(run.journal) == (effect_count, (outcome,), broken)


@over_the_table
def test_a_crash_in_each_window_and_a_retry_in_every_order(
    claim: ClaimKind,
    window: str,
    stale: StalePolicy,
    has_key: bool,  # noqa: FBT001
    effect_count: int,
    outcome: Outcome,
    broken: frozenset[Promise],
) -> None:
    scenario = a_write_path(claim, window, stale, has_key=has_key)

    runs = list(leaves(lambda chance: run_intervals(scenario, chance), fault_budget=1))

    assert {findings_of(leaf.run.journal) for leaf in runs if leaf.fault_count} == {(effect_count, (outcome,), broken)}
    assert {findings_of(leaf.run.journal) for leaf in runs if not leaf.fault_count} == {(1, (Outcome.OK,), SOUND)}


def test_a_retry_within_the_lease_is_told_that_the_first_call_is_pending() -> None:
    scenario = server_with(a_write_path(UNIQUE, "server.after_effect", RUN_AGAIN, has_key=False), lease_s=60.0)

    run = run_concrete(scenario, FaultsAt("server.after_effect@1"))

    assert findings_of(run.journal) == (1, (Outcome.UNKNOWN,), SOUND)


def test_a_readback_that_lags_behind_the_effect_repeats_it() -> None:
    scenario = a_write_path(UNIQUE, "server.after_effect", READ_BACK, has_key=False)
    lagging = server_with(scenario, readback=a_readback(lag_s_max=30.0))

    runs = [leaf for leaf in leaves(lambda chance: run_intervals(lagging, chance), fault_budget=1) if leaf.fault_count]

    assert {findings_of(leaf.run.journal) for leaf in runs} == {(1, (Outcome.OK,), SOUND), (2, (Outcome.OK,), TWICE)}
