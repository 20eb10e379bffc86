"""From when a retention counts: from the first record, or from completion, before which nothing is pruned."""

from dataclasses import replace

import pytest

from simkit.choices import CountedFrom, KeyRecorded
from simkit.distributions import Wait
from simkit.scenario import Scenario
from simkit.terms import ClaimKind, LayerName
from tests.builders import a_call, a_layer, a_retention, a_scenario, downstream_with, server_with
from tests.world.server_worlds import effects, played

__all__: list[str] = []

FIRST, COMPLETION = CountedFrom.FIRST_ATTEMPT, CountedFrom.COMPLETION


def repeated_at(repeat_s: float) -> Scenario:
    """One wish, sent again much later under its ID; the effect takes 40 s, and what is remembered stays a minute."""
    layers = (a_layer(LayerName.AGENT, timeout_s=None), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=None))
    scenario = a_scenario(layers=layers, calls=(a_call(), a_call(start_s=repeat_s)))
    return downstream_with(scenario, work=Wait.of(40.0))


COUNTED = pytest.mark.parametrize(
    ("counted_from", "repeat_s", "effect_count"),
    (
        # Recorded at 0 s and settled at 40 s: remembered until 60 s or until 100 s.
        (FIRST, 55.0, 1),
        (FIRST, 65.0, 2),
        (COMPLETION, 65.0, 1),
        (COMPLETION, 95.0, 1),
        (COMPLETION, 105.0, 2),
    ),
)


@COUNTED
def test_an_operation_record_is_kept_from_where_its_retention_counts(
    counted_from: CountedFrom, repeat_s: float, effect_count: int
) -> None:
    retention = a_retention(60.0, counted_from=counted_from)
    scenario = server_with(repeated_at(repeat_s), retention=retention, lease_s=None)

    assert len(effects(played(scenario))) == effect_count


@COUNTED
def test_a_key_is_kept_from_where_its_retention_counts(
    counted_from: CountedFrom, repeat_s: float, effect_count: int
) -> None:
    retention = a_retention(60.0, counted_from=counted_from)
    scenario = downstream_with(repeated_at(repeat_s), key_retention=retention, key_recorded=KeyRecorded.AT_START)
    scenario = server_with(scenario, claim=ClaimKind.NONE)

    assert len(effects(played(scenario))) == effect_count


def test_what_is_counted_from_completion_is_not_pruned_while_it_is_at_work() -> None:
    """The second call comes after 30 s, past the retention, while the first is at work until 40 s."""
    scenario = repeated_at(30.0)
    pruned, kept = (
        server_with(scenario, lease_s=None, retention=replace(a_retention(20.0), counted_from=counted_from))
        for counted_from in (FIRST, COMPLETION)
    )

    assert len(effects(played(pruned))) == 2
    assert len(effects(played(kept))) == 1
