"""Every pair of axis values: each row of a covering array runs to its end, and every promise can be decided.

The rows are chosen so that any two values of any two axes stand together in one of them.

References
----------
Cohen, Dalal, Fredman & Patton, "The AETG system: an approach to testing based on combinatorial design",
IEEE Trans. Softw. Eng. 23 (1997) 437-444, for why pairs.
"""

from collections.abc import Iterator
from itertools import combinations

import pytest
from allpairspy import AllPairs

from simkit.chance import Sampled
from simkit.checks import verdicts
from simkit.records import End, Fault
from simkit.scenario import Scenario
from simkit.terms import Promise, PromiseVerdict
from simkit.world import run_concrete
from tests.builders import conditions_with, rates_at
from tests.world.axes import AXES, applied

__all__: list[str] = []

RUN_COUNT = 12
"""Runs of each row, each on other luck."""

PROBABILITY = 0.08
"""Of a fault at each passing: with some twenty passings, most runs have one or two."""

LEFT = frozenset(
    {
        "drift",
        "second call",
        "agent attempts",
        "exhausted",
        "timeout",
        "claim",
        "order",
        "lease",
        "pending",
        "stale",
        "mismatch",
        "readback",
        "fencing",
        "stored failure",
        "resume",
        "content",
        "source",
        "after the effect",
        "key",
        "effect",
        "reconciler",
        "reissue",
        "budget",
    }
)
"""Axes that keep their value in a row that is otherwise plain: what is claimed and repeated, and by whom."""


@pytest.fixture(scope="module")
def rows() -> tuple[tuple[int, ...], ...]:
    """Indices of the values, one for each axis."""
    return tuple(tuple(row) for row in AllPairs([list(range(len(values))) for values in AXES.values()]))


@pytest.fixture(scope="module")
def scenarios(rows: tuple[tuple[int, ...], ...]) -> tuple[Scenario, ...]:
    """The scenario of each row, and of the same row with most of it plain, so that the rest shows what it does."""
    return tuple(scenario_of(again) for row in rows for again in (row, mostly_plain(row)))


def scenario_of(row: tuple[int, ...]) -> Scenario:
    return applied([values[index] for values, index in zip(AXES.values(), row, strict=True)])


def mostly_plain(row: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(index if name in LEFT else 0 for name, index in zip(AXES, row, strict=True))


def runs(scenario: Scenario) -> Iterator[dict[Promise, PromiseVerdict]]:
    """Verdicts of some runs: one without a fault, the others with faults drawn everywhere."""
    for index in range(RUN_COUNT):
        probability = 0.0 if index == 0 else PROBABILITY
        tried = conditions_with(scenario, rates=rates_at(probability, *scenario.sites()))
        journal = run_concrete(tried, Sampled(1, index)).journal
        end = journal.of(End)[-1]
        assert end.is_quiescent
        assert index > 0 or not journal.of(Fault)
        yield verdicts(journal)


def test_every_pair_of_axis_values_stands_in_some_row(rows: tuple[tuple[int, ...], ...]) -> None:
    sizes = [len(values) for values in AXES.values()]
    wanted = {
        (one, first, other, second)
        for one, other in combinations(range(len(sizes)), 2)
        for first in range(sizes[one])
        for second in range(sizes[other])
    }

    met = {(one, row[one], other, row[other]) for row in rows for one, other in combinations(range(len(sizes)), 2)}

    assert met == wanted


def test_every_row_runs_to_its_end_with_every_promise_decided_and_each_promise_is_kept_and_broken(
    scenarios: tuple[Scenario, ...],
) -> None:
    found: dict[Promise, set[PromiseVerdict]] = {promise: set() for promise in Promise}

    for scenario in scenarios:
        for decided in runs(scenario):
            for promise, verdict in decided.items():
                found[promise].add(verdict)

    assert found == {promise: {PromiseVerdict.KEPT, PromiseVerdict.BROKEN} for promise in Promise}
