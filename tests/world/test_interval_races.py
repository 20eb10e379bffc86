"""What an exploration over all orders finds: races without a fault, late originals, leases that are too short."""

from simkit.checks import verdicts
from simkit.records import Effect
from simkit.scenario import Scenario
from simkit.study.tree import Leaf, leaves
from simkit.terms import ClaimKind, Promise, PromiseVerdict, StalePolicy
from simkit.world import run_intervals
from tests.world.race_scenarios import a_late_original, a_slow_worker, two_at_once

__all__: list[str] = []


def explored(scenario: Scenario, fault_budget: int) -> list[Leaf]:
    """Every run in every order, with up to that many faults."""
    return list(leaves(lambda chance: run_intervals(scenario, chance), fault_budget=fault_budget))


def effect_counts(found: list[Leaf]) -> set[int]:
    """How many effects there can be."""
    return {len(leaf.run.journal.of(Effect)) for leaf in found}


def test_check_then_act_races_with_itself_in_some_orders_and_not_in_others() -> None:
    found = explored(two_at_once(ClaimKind.CHECK_THEN_ACT), 0)

    assert effect_counts(found) == {1, 2}
    for leaf in found:
        is_broken = verdicts(leaf.run.journal)[Promise.AT_MOST_ONE_EFFECT] is PromiseVerdict.BROKEN
        assert is_broken == (len(leaf.run.journal.of(Effect)) == 2)


def test_a_server_without_a_record_makes_two_effects_of_two_calls_in_every_order() -> None:
    assert effect_counts(explored(two_at_once(ClaimKind.NONE), 0)) == {2}


def test_a_unique_reservation_lets_only_one_of_two_calls_through_in_every_order() -> None:
    assert effect_counts(explored(two_at_once(ClaimKind.UNIQUE), 0)) == {1}


def test_a_late_original_overlaps_the_retry_and_duplicates_without_key_and_record() -> None:
    found = explored(a_late_original(ClaimKind.NONE, has_key=False), 1)

    assert effect_counts([leaf for leaf in found if leaf.fault_count == 0]) == {1}
    assert effect_counts([leaf for leaf in found if leaf.fault_count == 1]) >= {2}


def test_a_late_original_is_caught_by_the_key_or_by_the_reservation() -> None:
    assert effect_counts(explored(a_late_original(ClaimKind.NONE, has_key=True), 1)) == {1}
    assert effect_counts(explored(a_late_original(ClaimKind.UNIQUE, has_key=False), 1)) == {1}


def test_a_late_original_slips_between_check_and_act() -> None:
    assert effect_counts(explored(a_late_original(ClaimKind.CHECK_THEN_ACT, has_key=False), 1)) == {1, 2}


def test_a_slow_worker_past_a_short_lease_duplicates_without_any_fault() -> None:
    # The retry arrives 2.0 to 2.4 s after the original was reserved at the latest, past a lease of 1 s.
    assert effect_counts(explored(a_slow_worker(lease_s=1.0), 0)) == {1, 2}


def test_a_readback_cannot_see_the_effect_that_a_slow_worker_is_about_to_make() -> None:
    assert effect_counts(explored(a_slow_worker(lease_s=1.0, stale=StalePolicy.READ_BACK), 0)) == {1, 2}


def test_a_lease_longer_than_the_slowest_work_keeps_a_slow_worker_alone() -> None:
    assert effect_counts(explored(a_slow_worker(lease_s=10.0), 0)) == {1}


def test_a_stale_reservation_that_is_held_is_never_duplicated() -> None:
    assert effect_counts(explored(a_slow_worker(lease_s=1.0, stale=StalePolicy.HOLD), 0)) == {1}
