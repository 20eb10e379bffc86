"""A script replays a run to the letter, and its alternatives visit every leaf once."""

import itertools
import math
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.chance import Answered, Chance, Episode, Keyed, Question, Scripted, alternatives, fault_count
from simkit.errors import Divergence

__all__: list[str] = []

Toy = Callable[[Chance], tuple[int, ...]]


def walk(toy: Toy, fault_budget: int | None) -> Iterator[tuple[tuple[Answered, ...], tuple[int, ...]]]:
    """Every leaf of a toy within the budget: its trace and its result."""
    waiting: list[tuple[Answered, ...]] = [()]
    while waiting:
        script = waiting.pop()
        chance = Scripted(script)
        result = toy(chance)
        chance.assert_script_used()
        yield tuple(chance.trace), result
        waiting.extend(alternatives(chance.trace, len(script), fault_budget))


def toy_of_every_kind(chance: Chance) -> tuple[int, ...]:
    """Ask each kind of question once."""
    return (
        int(chance.flip("flip", 0.1)),
        int(chance.episode("episode", 0.2, 0.5)),
        chance.choose("choose", (0.6, 0.3, 0.1)),
        int(chance.is_late("latency", 0.25)),
        chance.pick("pick", 3),
    )


COSTS = ((0, 1), (0, 1, 1), (0, 1, 1), (0, 1), (0, 0, 0))


@pytest.mark.parametrize("fault_budget", (0, 1, 2, 3, 4, None))
def test_alternatives_visit_every_leaf_within_the_budget_once(fault_budget: int | None) -> None:
    limit = math.inf if fault_budget is None else fault_budget
    expected = [
        answers
        for answers in itertools.product(*(range(len(costs)) for costs in COSTS))
        if sum(costs[answer] for costs, answer in zip(COSTS, answers, strict=True)) <= limit
    ]

    found = list(walk(toy_of_every_kind, fault_budget))

    assert sorted(result for _, result in found) == expected
    for trace, result in found:
        assert fault_count(trace) == sum(costs[answer] for costs, answer in zip(COSTS, result, strict=True))


def test_the_masses_of_all_leaves_sum_to_one_for_each_resolution_of_the_picks() -> None:
    masses = {0: 0.0, 1: 0.0, 2: 0.0}

    for trace, result in walk(toy_of_every_kind, None):
        weights = [asked.weights[asked.answer] for asked in trace if asked.kind is not Question.PICK]
        masses[result[-1]] += math.prod(weight for weight in weights if weight is not None)

    assert masses == pytest.approx({0: 1.0, 1: 1.0, 2: 1.0}, abs=1e-12)


@given(shape=st.lists(st.integers(1, 4), max_size=4))
def test_picks_of_any_shape_are_explored_completely_at_no_cost(shape: list[int]) -> None:
    def toy(chance: Chance) -> tuple[int, ...]:
        return tuple(chance.pick(f"pick {index}", count) for index, count in enumerate(shape))

    found = [result for _, result in walk(toy, 0)]

    assert sorted(found) == list(itertools.product(*(range(count) for count in shape)))


def test_a_question_that_depends_on_an_earlier_answer_is_asked_only_behind_it() -> None:
    def toy(chance: Chance) -> tuple[int, ...]:
        first = chance.flip("first", 0.5)
        return (1, int(chance.flip("second", 0.5))) if first else (0,)

    assert sorted(result for _, result in walk(toy, None)) == [(0,), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("toy", "expected"),
    (
        (lambda chance: (int(chance.flip("never", 0.0)),), [(0,)]),
        (lambda chance: (int(chance.is_late("never", 0.0)),), [(0,)]),
        (lambda chance: (int(chance.episode("no share", 0.1, 0.0)),), [(0,), (1,)]),
        (lambda chance: (int(chance.episode("all shared", 0.1, 1.0)),), [(0,), (2,)]),
        (lambda chance: (chance.choose("one of three", (0.5, 0.0, 0.5)),), [(0,), (2,)]),
    ),
)
def test_an_answer_of_probability_zero_is_left_out(toy: Toy, expected: list[tuple[int, ...]]) -> None:
    assert sorted(result for _, result in walk(toy, None)) == expected


def test_an_unknown_rate_takes_part_and_costs_a_fault() -> None:
    found = list(walk(lambda chance: (int(chance.flip("unknown", None)),), 1))

    assert [(result, fault_count(trace)) for trace, result in found] == [((0,), 0), ((1,), 1)]


def test_a_pick_among_one_option_is_no_question() -> None:
    chance = Scripted()

    assert chance.pick("only one", 1) == 0
    assert chance.trace == []


SCRIPT = (Answered(Question.FLIP, "site", (0.75, 0.25), 1, 1),)


@pytest.mark.parametrize(
    "ask",
    (
        lambda chance: chance.flip("other site", 0.25),
        lambda chance: chance.flip("site", 0.5),
        lambda chance: chance.flip("site", None),
        lambda chance: chance.is_late("site", 0.25),
        lambda chance: chance.pick("site", 2),
        lambda chance: chance.episode("site", 0.25, 0.1),
    ),
)
def test_a_replay_that_is_asked_another_question_diverges(ask: Callable[[Chance], object]) -> None:
    with pytest.raises(Divergence, match="question 0: the script has FLIP site"):
        ask(Scripted(SCRIPT))


def test_a_replay_of_the_same_question_gives_the_scripted_answer_and_then_nothing_wrong() -> None:
    chance = Scripted(SCRIPT)

    answers = [chance.flip("site", 0.25), chance.flip("site", 0.25)]

    assert answers == [True, False]
    assert fault_count(chance.trace) == 1
    chance.assert_script_used()


def test_a_world_that_ends_before_its_script_diverges() -> None:
    with pytest.raises(Divergence, match="the world ended before question 0: FLIP site"):
        Scripted(SCRIPT).assert_script_used()


def test_a_keyed_replay_answers_by_site_in_any_order_of_the_sites() -> None:
    chance = Scripted((*SCRIPT, Answered(Question.PICK, "order", (None,) * 3, 2, 0)))
    chance.flip("site", 0.25)
    chance.pick("order", 3)
    chance.flip("site", 0.25)

    replay = Keyed(chance.trace)

    assert replay.pick("order", 3) == 2
    assert [replay.flip("site", 0.25), replay.flip("site", 0.25)] == [True, False]
    with pytest.raises(Divergence, match="never asked FLIP site"):
        replay.flip("site", 0.25)
    with pytest.raises(Divergence, match="never asked PICK elsewhere"):
        replay.pick("elsewhere", 2)


def test_an_episode_is_one_fault_whether_single_or_an_onset() -> None:
    found = {
        Episode(result[0]): fault_count(trace)
        for trace, result in walk(lambda chance: (chance.episode("e", 0.2, 0.5),), 1)
    }

    assert found == {Episode.NOTHING: 0, Episode.SINGLE: 1, Episode.ONSET: 1}
