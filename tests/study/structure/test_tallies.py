"""What the runs say about a promise does not depend on the order in which they come."""

from itertools import permutations

import pytest

from simkit.study.results import PromiseResult
from simkit.study.structure import tallies
from simkit.study.structure.tallies import Tally
from simkit.study.tree import leaves
from simkit.terms import Promise, PromiseVerdict
from simkit.world import run_intervals
from tests.builders import engine_policy
from tests.study.toys import three_steps

__all__: list[str] = []

NOT_THE_FIRST = (False, True)
NONE_OF_THEM = (False, False)


def test_the_fewest_faults_are_found_in_whatever_order_runs_come() -> None:
    by_count = {leaf.fault_count: leaf for leaf in leaves(three_steps, fault_budget=2)}

    for order in permutations((0, 1, 2)):
        tally = Tally()
        for count in order:
            tally.add(by_count[count], PromiseVerdict.KEPT if count == 0 else PromiseVerdict.BROKEN)

        assert tally.fewest_faults == 1
        assert list(tally.scripts) == [tuple(sorted(by_count[1].faults))]


def results_when_broken(monkeypatch: pytest.MonkeyPatch, *broken: bool) -> PromiseResult:
    """The result for a promise whose runs are replayed in turn: whether each breaks it on a clock too."""
    scenario, promise = engine_policy(1), Promise.AT_MOST_ONE_EFFECT
    first, *_ = leaves(lambda chance: run_intervals(scenario, chance), fault_budget=0)
    tally = Tally()
    for _ in broken:
        tally.add(first, PromiseVerdict.BROKEN)
    answers = iter(broken)

    def told(*_: object) -> dict[Promise, PromiseVerdict]:
        return {promise: PromiseVerdict.BROKEN if next(answers) else PromiseVerdict.KEPT}

    monkeypatch.setattr(tallies, "verdicts", told)
    witnessed = tallies.promise_results(
        scenario, {promise: tally}, explored_faults=1, is_complete=True, has_trials=False
    )
    return witnessed.promises[0]


def test_a_schedule_is_shown_by_the_first_run_that_breaks_its_promise_on_a_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = results_when_broken(monkeypatch, *NOT_THE_FIRST)

    assert (result.fewest_faults, len(result.schedules), result.undecided_count) == (0, 1, 0)


def test_what_no_clock_shows_is_neither_broken_nor_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    result = results_when_broken(monkeypatch, *NONE_OF_THEM)

    assert (result.fewest_faults, result.schedules, result.is_proved) == (None, (), False)
    assert [step.waiting_for for step in result.undecided_steps] == [tallies.UNSHOWN]
