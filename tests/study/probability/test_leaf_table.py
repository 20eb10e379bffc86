"""The leaf table: one row per schedule, complete, independent of the rates, the same after a way through Parquet."""

from dataclasses import replace
from importlib import import_module
from itertools import count as counting
from itertools import islice
from pathlib import Path

import pandas as pd
import pytest

from simkit.chance import Answered, Question
from simkit.errors import Divergence, ScenarioError
from simkit.study import leaves
from simkit.study.probability.table import leaf_table
from simkit.study.probability.table.leaf_row import factors_of
from simkit.terms import LayerName, Promise
from tests.builders import a_layer, conditions_with, engine_policy, rates_at

__all__: list[str] = []

DUPLICATE = str(Promise.AT_MOST_ONE_EFFECT)
SMALLEST = "server.after_effect@1; readback.cannot_tell@2/server-1"


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return leaf_table(engine_policy(2), fault_budget=None)


def test_there_is_one_row_for_each_schedule_and_all_of_them_have_the_whole_mass(table: pd.DataFrame) -> None:
    assert len(table) == 508  # as a hand-written search found on its own model of this protocol
    assert table["path"].is_unique
    assert table["probability"].sum() == pytest.approx(1.0, abs=1e-12)
    assert table.attrs["is_complete"]


def test_the_rows_that_are_broken_have_the_known_probability(table: pd.DataFrame) -> None:
    broken = table[table[DUPLICATE] == "broken"]

    assert broken["probability"].sum() == pytest.approx(9.979751506e-7, rel=1e-9)


def test_a_row_counts_what_was_passed_and_what_failed(table: pd.DataFrame) -> None:
    """The worker dies after the effect; the second attempt asks in vain, makes it again, and answers."""
    row = table.set_index("path").loc[SMALLEST]

    counted = {name: count for name, count in row.items() if str(name).endswith((".passed", ".failed")) and count}

    assert counted == {
        "gateway_to_server.request_lost.passed": 2,
        "server.before_reservation.passed": 2,
        "readback.cannot_tell.passed": 1,
        "readback.cannot_tell.failed": 1,
        "server.after_reservation.passed": 2,
        "server_to_downstream.request_lost.passed": 2,
        "server.after_effect.passed": 2,
        "server.after_effect.failed": 1,
        "server.after_receipt.passed": 1,
        "gateway_to_server.response_lost.passed": 1,
    }
    assert (row["faults"], row["fault_count"], row["picks"]) == (SMALLEST, 2, "")
    assert row[DUPLICATE] == "broken"
    # Thirteen passings, two of them with a fault.
    assert row["probability"] == pytest.approx(1e-3**2 * 0.999**11)


def test_a_complete_table_in_which_a_run_is_missing_is_a_divergence(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("simkit.study.probability.table.leaf_table")
    monkeypatch.setattr(module, "leaves", lambda play, **_: islice(leaves(play, fault_budget=None), 297))

    with pytest.raises(Divergence, match="of the probability, not 1"):
        leaf_table(engine_policy(1), fault_budget=None)  # of which there are 298


def test_every_promise_has_its_verdicts(table: pd.DataFrame) -> None:
    for promise in Promise:
        assert set(table[str(promise)]) <= {"kept", "broken", "undecided"}


def test_parquet_keeps_the_table_and_what_is_said_about_it(table: pd.DataFrame, tmp_path: Path) -> None:
    table.to_parquet(tmp_path / "leaves.parquet")

    read = pd.read_parquet(tmp_path / "leaves.parquet")

    pd.testing.assert_frame_equal(read, table)
    assert read.attrs == table.attrs


@pytest.mark.parametrize("rate", (0.0, 0.3, 1.0, None))
def test_the_rows_do_not_depend_on_the_rates(rate: float | None) -> None:
    scenario = engine_policy(1, 0.3)
    other = conditions_with(scenario, rates=rates_at(rate, *(known.site for known in scenario.conditions.rates)))

    found, given = leaf_table(other, fault_budget=2), leaf_table(scenario, fault_budget=2)

    pd.testing.assert_frame_equal(found.drop(columns="probability"), given.drop(columns="probability"))
    assert bool(found["probability"].isna().all()) is (rate is None)


def test_an_episode_is_counted_as_an_onset_and_what_it_hits_is_not_passed() -> None:
    """The server stays down from the first attempt on, so that the other two find it so, without any luck."""
    path = "server.after_effect@1=2"

    row = leaf_table(engine_policy(1), fault_budget=1, has_episodes=True).set_index("path").loc[path]

    assert (row["onset_count"], row["single_count"]) == (1, 0)
    assert row["server.after_effect.passed"] == row["server.after_effect.failed"] == 1
    # Four passings before it, and the way to the server twice more; a tenth of a thousandth is the onset.
    assert row["probability"] == pytest.approx(0.1 * 1e-3 * 0.999**6)


@pytest.mark.parametrize(("fault_budget", "is_complete"), ((2, False), (3, True), (4, True)))
def test_a_table_is_complete_where_no_run_has_more_faults(fault_budget: int, is_complete: bool) -> None:  # noqa: FBT001
    """Two attempts with one site each have at most two faults; only a larger budget shows that there are no more."""
    scenario = conditions_with(engine_policy(1), rates=rates_at(0.1, "server.after_effect"))
    layers = (a_layer(LayerName.AGENT, attempts=2), *scenario.layers[1:])

    table = leaf_table(replace(scenario, layers=layers), fault_budget=fault_budget)

    assert len(table) == 3
    assert table.attrs["is_complete"] is is_complete


def test_time_that_is_over_and_ctrl_c_leave_a_table_that_says_so() -> None:
    asked, interrupted = counting(1), counting(1)

    def is_over() -> bool:
        return next(asked) > 5

    def is_interrupted() -> bool:
        if next(interrupted) > 5:
            raise KeyboardInterrupt
        return False

    tables = [leaf_table(engine_policy(1), fault_budget=None, is_over=over) for over in (is_over, is_interrupted)]

    for table in tables:
        assert len(table) == 5
        assert not table.attrs["is_complete"]


def test_nothing_at_all_is_a_table_without_rows() -> None:
    table = leaf_table(engine_policy(1), fault_budget=None, is_over=lambda: True)

    assert len(table) == 0
    assert not table.attrs["is_complete"]


def test_a_probability_that_is_not_the_rate_of_its_site_is_refused() -> None:
    asked = Answered(Question.FLIP, "server.after_effect@1", (0.3, 0.7), 0, 0)

    with pytest.raises(ScenarioError, match=r"server\.after_effect@1: its probability is not the rate of"):
        factors_of([asked], {"server.after_effect"}, 0.5)


def test_weights_that_are_no_rate_become_a_factor() -> None:
    """Alternatives of 0.7, 0.2 and 0.1; a latency that takes one of two durations, each as often as the other."""
    trace = [
        Answered(Question.CHOOSE, "model.answer@1", (0.7, 0.2, 0.1), 1, 1),
        Answered(Question.LATENCY, "link.request@1", (0.5, 0.5), 1, 1),
    ]

    factors = factors_of(trace, frozenset(), 0.5)

    assert factors.weight == pytest.approx(0.2 * 0.5)
    assert factors.passed_count == {}
