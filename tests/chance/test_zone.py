"""A zone says what trying every instant says, and what scipy's shortest paths say."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import bellman_ford

from simkit.chance import Zone, microseconds

__all__: list[str] = []

STEP_COUNT_MAX = 4
MOST = 3
HORIZON = STEP_COUNT_MAX * MOST

Waits = list[tuple[int, int, int]]
Constraints = list[tuple[int, int, int]]

waits = st.lists(
    st.tuples(st.integers(0, STEP_COUNT_MAX), st.integers(0, MOST), st.integers(0, MOST)),
    min_size=1,
    max_size=STEP_COUNT_MAX,
).map(lambda rows: [(after % (index + 1), min(a, b), max(a, b)) for index, (after, a, b) in enumerate(rows)])
constraints = st.lists(
    st.tuples(st.integers(0, STEP_COUNT_MAX), st.integers(0, STEP_COUNT_MAX), st.integers(-4, 6)), max_size=5
)


def zone_of(rows: Waits) -> Zone:
    """A zone with one step for each wait."""
    zone = Zone()
    for index, (after, least, most) in enumerate(rows):
        zone.add(index + 1, after, least, most)
    return zone


def all_instants(rows: Waits) -> np.ndarray[Any, Any]:
    """Every assignment of whole instants to the steps, the start first, that the waits allow."""
    every = itertools.product(range(HORIZON + 1), repeat=len(rows))
    grid = np.array([(0, *instants) for instants in every])
    for index, (after, least, most) in enumerate(rows):
        wait = grid[:, index + 1] - grid[:, after]
        grid = grid[(least <= wait) & (wait <= most)]
    return grid


@settings(max_examples=60, deadline=None)
@given(rows=waits, wanted=constraints)
def test_a_zone_holds_exactly_the_instants_that_all_constraints_allow(rows: Waits, wanted: Constraints) -> None:
    zone, possible = zone_of(rows), all_instants(rows)
    steps = range(len(rows) + 1)

    for raw_step, raw_other, most in wanted:
        step, other = raw_step % len(steps), raw_other % len(steps)
        if step == other:
            continue
        left = possible[possible[:, step] - possible[:, other] <= most]
        assert zone.tighten(step, other, most) == (len(left) > 0)
        possible = left if len(left) else possible

    for step, other in itertools.permutations(steps, 2):
        differences = possible[:, step] - possible[:, other]
        assert zone.upper(step, other) == differences.max()
        for margin in (0, 1, 2):
            assert zone.can_be_first(step, other, margin) == bool((-differences >= margin).any())
            sides = bool((differences >= margin).any()), bool((differences < margin).any())
            assert zone.sides(step, other, margin) == sides
    instants = zone.solution()
    assert [instants[step] for step in steps] == possible.min(axis=0).tolist()
    assert (possible == [instants[step] for step in steps]).all(axis=1).any()


@settings(max_examples=60, deadline=None)
@given(rows=waits, wanted=constraints, dropped=st.integers(1, STEP_COUNT_MAX))
def test_a_dropped_step_leaves_what_it_implied_for_the_others(rows: Waits, wanted: Constraints, dropped: int) -> None:
    zone = zone_of(rows)
    gone = (dropped - 1) % len(rows) + 1
    for step, other, most in wanted:
        zone.tighten(step % (len(rows) + 1), other % (len(rows) + 1), most)
    kept = [step for step in range(len(rows) + 1) if step != gone]
    before = {pair: zone.upper(*pair) for pair in itertools.permutations(kept, 2)}

    zone.drop(gone)

    assert {pair: zone.upper(*pair) for pair in itertools.permutations(kept, 2)} == before
    assert sorted(zone.solution()) == kept


@pytest.mark.parametrize("seed", range(10))
def test_a_zone_of_many_steps_agrees_with_the_shortest_paths_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    step_count = 25
    zone = Zone()
    edges: dict[tuple[int, int], int] = {}
    for step in range(1, step_count):
        after = int(rng.integers(step))
        least, most = sorted(int(bound) for bound in rng.integers(1, 10**9, size=2))
        zone.add(step, after, least, most)
        edges[after, step], edges[step, after] = most, -least
    for _ in range(40):
        step, other = (int(choice) for choice in rng.choice(step_count, size=2, replace=False))
        most = int(rng.integers(-(10**8), 10**9))
        if zone.tighten(step, other, most):
            edges[other, step] = min(most, edges.get((other, step), most))

    sources, targets = zip(*edges, strict=True)
    graph = csr_array((np.array(list(edges.values()), dtype=float), (sources, targets)), shape=(step_count,) * 2)
    paths = bellman_ford(graph, directed=True)

    found = [[zone.upper(step, other) for step in range(step_count)] for other in range(step_count)]
    assert np.array_equal(np.array(found), paths)


def test_a_refused_constraint_changes_nothing() -> None:
    zone = zone_of([(0, 2, 3), (0, 1, 3)])
    before = [zone.upper(step, other) for step, other in itertools.permutations(range(3), 2)]

    accepted = zone.tighten(1, 2, -3)

    assert not accepted
    assert [zone.upper(step, other) for step, other in itertools.permutations(range(3), 2)] == before


def test_strictly_before_means_by_one_microsecond() -> None:
    zone = Zone()
    zone.add(1, 0, microseconds(0.5), microseconds(0.5))
    zone.add(2, 0, microseconds(0.5), microseconds(0.500001))

    assert zone.can_be_first(1, 2, 1)
    assert zone.can_be_first(2, 1, 0)
    assert not zone.can_be_first(2, 1, 1)
