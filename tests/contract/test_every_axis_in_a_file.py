"""Whatever value an axis of the world has, a scenario file says it and reads it back."""

import pytest

from simkit.contract import parse_scenario, scenario_text
from tests.world.axes import AXES, applied

__all__: list[str] = []


@pytest.mark.parametrize("axis", AXES)
def test_every_value_of_an_axis_is_read_back_as_it_was_written(axis: str) -> None:
    for change in AXES[axis]:
        scenario = applied([change])

        assert parse_scenario(scenario_text(scenario).encode(), file="scenario.yaml") == scenario


def test_the_values_of_an_axis_are_told_apart_in_the_file() -> None:
    """Otherwise reading back would prove nothing: a value that is left out reads as the usual one."""
    texts = {axis: {scenario_text(applied([change])) for change in changes} for axis, changes in AXES.items()}

    same = [axis for axis, changes in AXES.items() if len(texts[axis]) < len(changes)]
    # Each has a value that needs something that the plain scenario lacks: no claim, or a readback.
    assert same == ["order", "stale", "asked by", "reconciler"]
