"""Layers that do whatever they can, in worlds of every kind: each run ends, and its witness tells the same story."""

from itertools import islice
from zlib import crc32

from allpairspy import AllPairs

from simkit.chance import Answered, Chance, Question
from simkit.scenario import Scenario
from simkit.world import run_intervals, solve_witness
from tests.builders import conditions_with, rates_at
from tests.world.axes import AXES, applied

__all__: list[str] = []

WORLD_COUNT = 36


class Walk(Chance):
    """Takes any pick, with no favourites, and lets one thing go wrong where `faulty` passings have gone well."""

    def __init__(self, seed: int, *, faulty: int) -> None:
        self.trace: list[Answered] = []
        self._seed = seed
        self._left = faulty

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        answer = cost = 0
        if kind is Question.PICK:
            answer = crc32(f"{self._seed} {len(self.trace)} {site}".encode()) % len(weights)
        else:
            self._left -= 1
            answer = cost = int(self._left == 0)
        self.trace.append(Answered(kind, site, weights, answer, cost))
        return answer


def worlds() -> list[Scenario]:
    """The first rows of a covering array: with so many, every value of every axis is in several of them."""
    values = list(AXES.values())
    rows = islice(AllPairs([list(range(len(options))) for options in values]), WORLD_COUNT)
    scenarios = [applied([options[index] for options, index in zip(values, row, strict=True)]) for row in rows]
    return [conditions_with(scenario, rates=rates_at(0.1, *scenario.sites())) for scenario in scenarios]


def test_whatever_every_layer_does_a_run_replayed_with_its_times_tells_the_same_story() -> None:
    """`solve_witness` insists on that; a label used twice, or a step that is local and is not, would show."""
    departed_count = 0
    for seed, scenario in enumerate(worlds()):
        walk = Walk(seed, faulty=seed % 12 + 1)
        run = run_intervals(scenario, walk, has_trials=True)
        departed_count += any(decision.is_departure for decision in run.decisions.taken)

        witness = solve_witness(scenario, tuple(walk.trace), has_trials=True)

        assert len(witness.faults) <= 1
    assert departed_count > WORLD_COUNT / 3  # most worlds leave somebody a choice
