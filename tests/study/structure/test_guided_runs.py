"""Guided runs come to what a plain exploration comes to: every journal of the one is one of the other."""

import re
from dataclasses import dataclass

import pytest

from simkit.journal import Journal
from simkit.scenario import Scenario
from simkit.study.structure.claims import Claimed
from simkit.study.structure.guided_runs import every_run
from simkit.study.structure.measured import Measured, Scale
from simkit.study.structure.numbers import numbers_of, with_number
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, LayerName
from simkit.world import planned, run_intervals
from tests.builders import a_call, a_layer, a_scenario, conditions_with, rates_at, server_with

__all__: list[str] = []

CALLED_TWICE = server_with(
    a_scenario(
        calls=(a_call(copies=2),),
        layers=(a_layer(LayerName.AGENT), a_layer(LayerName.DOWNSTREAM_SDK, timeout_s=10.0)),
    ),
    claim=ClaimKind.CHECK_THEN_ACT,
)
LOST_OR_LATE = conditions_with(
    a_scenario(),
    rates=rates_at(None, "gateway_to_server.response_lost", "server_to_downstream.request_late", "server.after_effect"),
)


def measured(scenario: Scenario, scale: Scale) -> Scenario:
    """The same scenario, in which each number knows that it is itself."""
    for index, number in enumerate(numbers_of(scenario)):
        scenario = with_number(scenario, number, Measured.of(number.value / 1e6, scale.unit(index), scale))
    return scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched(Claimed):
    """A world of which nothing is claimed, and whose journals are kept."""

    told: list[tuple[str, ...]]

    def is_refuted_by(self, journal: Journal) -> bool:
        self.told.append(story(journal))
        return False


def story(journal: Journal) -> tuple[str, ...]:
    """What happened, whatever the order of steps that touch nothing in common, and without instants."""
    return tuple(sorted(re.sub(r"at_s=[^,)]*", "", repr(fact)) for fact in journal))


@pytest.mark.parametrize("scenario", (CALLED_TWICE, LOST_OR_LATE), ids=["two at once", "lost or late"])
def test_guided_runs_are_the_runs_of_a_plain_exploration(scenario: Scenario) -> None:
    scale = Scale(len(numbers_of(scenario)))
    world = Watched(plan=planned(measured(scenario, scale)), proved=frozenset(), unbroken=frozenset(), told=[])
    plain = planned(scenario)

    found = every_run(world, 2, scale, lambda: False)

    runs = list(leaves(lambda chance: run_intervals(plain, chance), fault_budget=2))
    assert set(world.told) == {story(leaf.run.journal) for leaf in runs}
    # Of two calls either may make the first effect; one call meets each of three sites, or two of them, or none.
    assert len(world.told) >= len(set(world.told)) >= 2
    assert found.is_complete


def test_what_the_time_leaves_is_not_complete() -> None:
    scale = Scale(0)
    world = Watched(plan=planned(CALLED_TWICE), proved=frozenset(), unbroken=frozenset(), told=[])
    left = iter((False, False, True))

    found = every_run(world, 0, scale, lambda: next(left))

    assert not found.is_complete
    assert len(world.told) == 2
