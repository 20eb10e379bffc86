"""Backward induction over what was followed: the mass of a whole tree is 1 for each resolution of its picks."""

import pytest

from simkit.chance import Chance
from simkit.errors import Divergence
from simkit.study import Leaf, leaves
from simkit.study.probability.answer_tree import AnswerTree
from simkit.world import Run
from tests.study.toys import Play, has_two_effects, run_with, three_steps

__all__: list[str] = []


def tree_of(found: list[Leaf]) -> AnswerTree:
    tree = AnswerTree()
    for leaf in found:
        tree.add(leaf.trace, is_hit=has_two_effects(leaf))
    return tree


def all_of(play: Play) -> list[Leaf]:
    return list(leaves(play, fault_budget=None))


def pick_then_flip(chance: Chance) -> Run:
    goes_first = chance.pick("order", 2)
    return run_with(2 if chance.flip("lost", 0.6 if goes_first else 0.3) else 1)


@pytest.mark.parametrize("play", (three_steps, pick_then_flip))
def test_all_runs_hold_the_whole_mass(play: Play) -> None:
    tree = tree_of(all_of(play))

    tree.insist_on_whole_mass()

    assert tree.residual == 0.0


def test_weights_that_do_not_sum_to_one_are_a_divergence() -> None:
    def play(chance: Chance) -> Run:
        return run_with(chance.choose("alternatives", (0.5, 0.4)))

    tree = tree_of(all_of(play))

    with pytest.raises(Divergence, match=r"hold between 0\.9 and 0\.9 of the probability"):
        tree.insist_on_whole_mass()


@pytest.mark.parametrize("left_out", range(4))
def test_a_run_that_was_left_out_is_a_divergence(left_out: int) -> None:
    found = all_of(three_steps)
    del found[left_out]

    with pytest.raises(Divergence):
        tree_of(found).insist_on_whole_mass()


def test_a_run_that_is_missing_below_one_option_of_a_pick_is_missed() -> None:
    """The greatest mass over the picks is 1, the least 0.4: the loss, of 0.6, below the second option."""
    found = [leaf for leaf in all_of(pick_then_flip) if [answered.answer for answered in leaf.trace] != [1, 1]]

    with pytest.raises(Divergence, match=r"between 0\.4 and 1\.0"):
        tree_of(found).insist_on_whole_mass()


def test_the_residual_is_what_no_run_has_followed() -> None:
    """The plain run of the three steps has 0.9 · 0.8 = 0.72."""
    first, *_ = leaves(three_steps, fault_budget=None)

    tree = tree_of([first])

    assert tree.residual == pytest.approx(0.28)
    assert tree.bounds.lower == 0.0
    assert tree.bounds.upper == pytest.approx(0.28)


def test_of_a_pick_the_residual_is_that_of_the_option_that_was_followed_least() -> None:
    """Option 0 was followed up to its loss of 0.3; option 1 not at all."""
    first, *_ = leaves(pick_then_flip, fault_budget=0)

    assert tree_of([first]).residual == 1.0


def test_nothing_is_known_before_the_first_run() -> None:
    tree = AnswerTree()

    assert (tree.bounds.lower, tree.bounds.upper, tree.residual) == (0.0, 1.0, 1.0)
