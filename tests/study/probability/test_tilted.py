"""Tilted sampling against probabilities that are known, and refused where it cannot know."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from simkit.chance import Chance
from simkit.errors import ScenarioError
from simkit.records import Effect
from simkit.study import probability
from simkit.study.probability import Task, task_of
from simkit.study.probability.tilted import raised_probability, weigh_tilted
from simkit.terms import Driver, Promise
from simkit.world import Run
from tests.builders import engine_policy
from tests.study.toys import run_with

__all__: list[str] = []

DUPLICATES = frozenset({Promise.AT_MOST_ONE_EFFECT})


def task_with(number: int, run_count_max: int, fewest_faults: int | None) -> Task:
    """One of the three policies, with a fixed number of runs."""
    task = task_of(engine_policy(number), DUPLICATES)
    return replace(task, fewest_faults=fewest_faults, run_count_max=run_count_max, width_fraction=0.0)


# Published, and the same from a probabilistic model checker: tests/world/test_rare_duplicates.py.
@pytest.mark.parametrize(
    ("number", "run_count", "known"),
    ((1, 1500, 9.999522712e-4), (2, 4500, 9.979751506e-7), (3, 12000, 9.979731735e-10)),
)
def test_with_as_many_faults_as_it_takes_the_known_probability_lies_in_a_narrow_interval(
    number: int, run_count: int, known: float
) -> None:
    found = weigh_tilted(task_with(number, run_count, number))

    assert found.problem == ""
    assert found.lower <= known <= found.upper < 2 * known
    assert (found.kind, found.run_count) == ("95 % interval (Fay-Feuer)", run_count)


def test_with_one_fault_too_few_nothing_is_resolved() -> None:
    """Policy 3 takes three. After two nothing is raised, and the third comes once in a thousand such runs."""
    found = weigh_tilted(task_with(3, 1000, 2))

    assert "hits, 30 are needed" in found.problem
    assert (found.lower, found.upper) == (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyTask(Task):
    """A task that asks a toy in place of a world."""

    toy: Callable[[Chance], Run]

    def play(self, chance: Chance) -> Run:
        return self.toy(chance)

    def is_hit(self, run: Run) -> bool:
        return len(run.journal.of(Effect)) > 1


def one_rare_fault_or_two(chance: Chance) -> Run:
    """The first fault breaks it alone, once in 1e9; two others together, 0.01 · 1e-4 = 1e-6."""
    alone = chance.flip("alone", 1e-9)
    first = chance.flip("first", 0.01)
    return run_with(2 if (first and chance.flip("second", 1e-4)) or alone else 1)


def test_a_sample_that_looks_consistent_and_contradicts_what_is_proved_is_refused() -> None:
    """With m = 1 the lone fault is drawn all the time; after `first` nothing is raised and `second` never seen."""
    plain = task_with(1, 500, 1)
    task = ToyTask(
        scenario=plain.scenario,
        plan=plain.plan,
        promises=DUPLICATES,
        has_episodes=False,
        fewest_faults=1,
        run_count_max=500,
        width_fraction=0.0,
        toy=one_rare_fault_or_two,
    )

    found, right = weigh_tilted(task), weigh_tilted(replace(task, fewest_faults=2))

    assert "faults that matter were hardly drawn" in found.problem
    assert right.problem == ""
    assert right.lower <= 1e-6 + 1e-9 <= right.upper


def test_it_takes_as_many_faults_as_it_is_told_that_a_structure_exploration_found() -> None:
    with pytest.raises(ScenarioError, match="explore the structure first"):
        weigh_tilted(task_with(1, 10, None))


def test_rates_are_raised_to_the_share_of_what_has_to_fail_among_what_can() -> None:
    """A run of policy 1 without a fault passes seven sites, and with each fault one more; never beyond a half."""
    task = task_with(1, 10, 1)

    assert raised_probability(task, 1) == pytest.approx(1 / 8)
    assert raised_probability(task, 0) == 0.02
    assert raised_probability(task, 30) == 0.5


def test_asked_for_by_name_it_says_what_it_did_and_is_refused_in_words() -> None:
    scenario = engine_policy(1, 0.05)
    schedules = (("server.after_effect@1",),)

    found = probability(
        scenario, driver=Driver.TILTED, promises=DUPLICATES, known_schedules=schedules, width_fraction=0.4
    )
    refused = probability(
        scenario, driver=Driver.TILTED, promises=DUPLICATES, known_schedules=schedules, run_count_max=20
    )

    assert found.independent is not None
    assert found.method.startswith("tilted sampling ")
    assert "until 1 fault, 95 % interval (Fay-Feuer)" in found.method
    assert refused.independent is None
    assert refused.method.startswith("not resolved: as good as")


def test_the_same_seed_gives_the_same_sample_and_another_seed_another() -> None:
    task = task_with(1, 300, 1)

    assert weigh_tilted(task) == weigh_tilted(task)
    assert weigh_tilted(task) != weigh_tilted(replace(task, seed=1))


def test_a_time_limit_ends_it_and_what_is_left_is_marked() -> None:
    found = weigh_tilted(replace(task_with(1, 400, 1), is_over=lambda: True))

    assert (found.is_complete, found.run_count) == (False, 0)
    assert found.problem
