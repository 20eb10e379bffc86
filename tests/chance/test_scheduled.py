"""One schedule, replayed: what is named goes wrong once, nothing else does, and what was never passed is left over."""

from dataclasses import replace
from importlib.resources import files

import pytest

from simkit.chance import Episode, Scheduled
from simkit.choices import StoreKind
from simkit.contract import parse_scenario
from simkit.errors import ScenarioError
from simkit.records import Effect, Fault
from simkit.scenario import Scenario, Store
from simkit.study import explore, run_story, sample
from simkit.world import run_concrete
from tests.builders import a_scenario, conditions_with, rates_at, server_with

__all__: list[str] = []

NAMED = tuple(sorted(path.name for path in (files("simkit") / "catalog" / "scenarios").iterdir()))
AFTER_EFFECT = "server.after_effect"


def named(name: str) -> Scenario:
    """A scenario that comes with the project."""
    return parse_scenario((files("simkit") / "catalog" / "scenarios" / name).read_bytes(), file=name)


def crashing(*schedule: str) -> Scenario:
    """The plain world, which runs a stale reservation again, with a schedule of crashes after the effect."""
    return conditions_with(a_scenario(schedule=schedule), rates=rates_at(0.1, AFTER_EFFECT))


def test_a_named_site_fails_the_first_time_that_it_is_passed_and_not_again() -> None:
    chance = Scheduled(["a@1"])

    answers = [chance.flip(site, 0.5) for site in ("b@1", "a@1", "a@1", "a@2")]

    assert answers == [False, True, False, False]
    assert chance.waiting == set()


def test_every_question_but_a_pick_is_answered_by_the_schedule() -> None:
    """An episode in a schedule is the single fault, and never the outage of a party."""
    chance = Scheduled(["flip", "episode", "choose", "latency", "pick"])

    assert chance.flip("flip", 0.0)
    assert chance.episode("episode", 0.5, 0.5) is Episode.SINGLE
    assert chance.choose("choose", (0.6, 0.3, 0.1)) == 1
    assert chance.is_late("latency", None)
    assert chance.pick("pick", 3) == 0
    assert chance.waiting == {"pick"}


def test_a_pick_or_a_choice_is_answered_with_the_option_that_the_schedule_names() -> None:
    chance = Scheduled(["replica@2=1", "outcome@1=2", "first@1=0"])

    assert chance.pick("replica@1", 2) == 0
    assert chance.pick("replica@2", 2) == 1
    assert chance.pick("replica@2", 2) == 0  # only the first time
    assert chance.choose("outcome@1", (0.6, 0.3, 0.1)) == 2
    assert chance.pick("first@1", 3) == 0
    assert chance.waiting == set()


def test_an_option_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    chance = Scheduled(["replica@1=2"])

    with pytest.raises(ScenarioError, match="'replica@1=2': the answers there have the numbers 0 to 1"):
        chance.pick("replica@1", 2)


@pytest.mark.parametrize("answer", ("", "-1", "second"))
def test_an_answer_that_is_no_number_is_refused(answer: str) -> None:
    with pytest.raises(ScenarioError, match="the number of an answer, from 0"):
        Scheduled([f"replica@1={answer}"])


def test_the_story_of_a_schedule_may_say_which_replica_gets_a_call() -> None:
    """Two processes that each remember on their own: the retry is recognised by the first, not by the second."""
    scenario = crashing("gateway_to_server.response_lost@1")
    scenario = conditions_with(scenario, rates=rates_at(0.1, "gateway_to_server.response_lost"))
    scenario = server_with(scenario, store=Store(kind=StoreKind.PROCESS_MEMORY), replica_count=2)

    same = run_story(scenario)
    other = run_story(replace(scenario, schedule=(*scenario.schedule, "server.replica@2=1")))

    assert (same.effect_count, other.effect_count) == (1, 2)


def test_without_a_schedule_nothing_goes_wrong() -> None:
    chance = Scheduled(())

    assert not chance.flip("flip", 1.0)
    assert chance.episode("episode", 0.9, 0.9) is Episode.NOTHING
    assert chance.pick("pick", 3) == 0


@pytest.mark.parametrize(
    ("schedule", "effect_count", "left"),
    (
        ((), 1, set()),
        (("server.after_effect@1",), 2, set()),
        (("server.after_effect@1", "server.after_effect@2"), 3, set()),
        # A second attempt is made only after the first one failed.
        (("server.after_effect@2",), 1, {"server.after_effect@2"}),
    ),
)
def test_a_scenario_tells_the_story_of_its_schedule(
    schedule: tuple[str, ...], effect_count: int, left: set[str]
) -> None:
    scenario = crashing(*schedule)
    chance = Scheduled(scenario.schedule)

    journal = run_concrete(scenario, chance).journal

    assert len(journal.of(Effect)) == effect_count
    assert chance.waiting == left
    assert {fault.site for fault in journal.of(Fault)} == set(schedule) - left


def test_explorations_and_samples_do_not_read_the_schedule() -> None:
    with_schedule, without = crashing("server.after_effect@1"), crashing()

    assert explore(with_schedule, fault_budget=2, policy="R") == explore(without, fault_budget=2, policy="R")
    assert sample(with_schedule, intent_count=50, seed=1) == sample(without, intent_count=50, seed=1)


def test_a_schedule_is_part_of_what_a_scenario_is() -> None:
    assert replace(crashing(), schedule=("server.after_effect@1",)) == crashing("server.after_effect@1")
    assert crashing("server.after_effect@1").digest() != crashing().digest()


@pytest.mark.parametrize("name", NAMED)
def test_the_schedule_of_a_named_scenario_is_passed_to_its_end(name: str) -> None:
    scenario = named(name)
    chance = Scheduled(scenario.schedule)

    journal = run_concrete(scenario, chance).journal

    assert chance.waiting == set()
    assert sorted(fault.site for fault in journal.of(Fault)) == sorted(scenario.schedule)
