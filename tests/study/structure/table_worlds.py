"""Small worlds whose permission tables can be worked out by hand, and every run of them, without any reduction."""

from collections.abc import Iterator
from dataclasses import replace

from simkit.chance import Answered, Scripted, alternatives
from simkit.checks import JUDGED, verdicts
from simkit.distributions import Wait
from simkit.scenario import TO_GATEWAY, Hop, Scenario
from simkit.study import explore
from simkit.study.results import Cell
from simkit.terms import Action, ErrorClass, Knowledge, LayerName, PromiseVerdict
from simkit.world import Run, run_intervals
from tests.builders import a_layer, a_readback, a_retention, a_scenario, conditions_with, rates_at, server_with

__all__ = ["Row", "all_runs", "cells_of", "is_broken", "slow_repeats", "table_of"]

Row = tuple[LayerName, str, Knowledge, bool]
"""Layer, stage, what is known, and whether the ID is persisted."""


def table_of(scenario: Scenario, *, fault_budget: int) -> dict[tuple[Row, Action], Cell]:
    """The permission table by row and action."""
    found = explore(scenario, fault_budget=fault_budget, policy="as requested", has_trials=True)
    return cells_of(found.cells)


def cells_of(cells: tuple[Cell, ...]) -> dict[tuple[Row, Action], Cell]:
    """Cells by row and action."""
    return {((cell.layer, cell.stage, cell.known, cell.is_id_persisted), cell.action): cell for cell in cells}


def slow_repeats(*, retention_s: float) -> Scenario:
    """An agent and a gateway that are too late for the record only if both take their time.

    Answers may be lost on their way to the gateway, which waits 1 s. It passes that up at once, although it
    could repeat after 10 s. The agent repeats after 10 s, or polls after 10 s before that; the system of record
    shows what was made only 60 s later. The record forgets after `retention_s`.
    """
    gateway = a_layer(LayerName.GATEWAY, attempts=2, backoff=Wait.of(10.0), retries_on=(ErrorClass.CONNECTION_REFUSED,))
    agent = a_layer(LayerName.AGENT, attempts=2, timeout_s=50.0, backoff=Wait.of(10.0))
    plain = a_scenario()
    way = Hop(name=TO_GATEWAY, request=Wait.of(0.01), response=Wait.of(0.01), latest_landing_s=0.01)
    scenario = replace(plain, layers=(agent, gateway, plain.layers[-1]), hops=(way, *plain.hops))
    scenario = server_with(
        scenario, lease_s=None, retention=a_retention(retention_s), readback=a_readback(lag_s_max=60.0)
    )
    return conditions_with(scenario, rates=rates_at(0.01, "gateway_to_server.response_lost"))


def all_runs(scenario: Scenario, *, fault_budget: int) -> Iterator[Run]:
    """Every run in which every layer does whatever it can, in no particular order, and nothing left out."""
    waiting: list[tuple[Answered, ...]] = [()]
    while waiting:
        script = waiting.pop()
        chance = Scripted(script)
        yield run_intervals(scenario, chance, has_trials=True)
        waiting.extend(alternatives(tuple(chance.trace), len(script), fault_budget))


def is_broken(run: Run) -> bool:
    """Whether a run breaks an effect promise."""
    effects = frozenset(promise for promise in JUDGED if promise.is_about_effects)
    return PromiseVerdict.BROKEN in verdicts(run.journal, effects).values()
