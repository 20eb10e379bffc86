"""What Storm solves owes nothing to what simkit runs: the models are made of a scenario's fields alone."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grimp
import pytest

from simkit.choices import Drift, KeyMinted, StoreKind
from simkit.contract import named_scenario
from simkit.distributions import Backoff, Uniform, Wait
from simkit.scenario import Agent, Scenario, Store
from simkit.terms import ErrorClass, Identity, OnPending
from tests.builders import a_call, conditions_with, downstream_with, rates_at, server_with
from tests.oracles.prism_model import prism_of

__all__: list[str] = []

SPREAD = Wait(s_min=0.1, s_typical=0.2, s_max=0.3, law=Uniform(shortest_s=0.1, longest_s=0.3))

CLOSED = "gateway_to_server.response_closed"


def with_agent(**changes: Any) -> Scenario:
    """A scenario that the model has rules for, with an agent that it has none for."""
    scenario = named_scenario("response-dropped-protected")
    agent, *others = scenario.layers
    return replace(scenario, layers=(replace(agent, **changes), *others))


HERE = Path(__file__).resolve().parent

WORDS = {"simkit.scenario", "simkit.distributions", "simkit.terms", "simkit.choices"}
"""A model may know the fields of a scenario, and the words that stand in them."""


def imports_of(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            assert node.level == 0
            yield node.module


def test_the_models_are_made_of_scenarios_and_of_nothing_that_runs_them() -> None:
    files = sorted((*HERE.glob("prism_*.py"), HERE / "plain_layers.py"))

    imported = {name for path in files for name in imports_of(path)}

    ours = {name for name in imported if name.split(".")[0] in ("simkit", "tests")}
    assert ours <= WORDS | {f"tests.oracles.{path.stem}" for path in files}
    assert "simkit.scenario" in ours


def test_storm_is_asked_by_a_file_that_knows_nothing_of_simkit() -> None:
    assert not [name for name in imports_of(HERE / "storm.py") if name.startswith("simkit")]


def test_the_fields_of_a_scenario_depend_on_nothing_that_runs_it() -> None:
    graph = grimp.build_graph("simkit", cache_dir=None)

    below = {name for word in WORDS for name in graph.find_upstream_modules(word, as_package=True)}

    assert not {name for name in below if name.split(".")[1] in ("world", "chance", "study", "checks", "policy")}


@pytest.mark.parametrize(
    ("changed", "problem"),
    (
        (
            server_with(named_scenario("response-dropped-protected"), store=Store(kind=StoreKind.PROCESS_MEMORY)),
            "this write path",
        ),
        (server_with(named_scenario("response-dropped-protected"), on_pending=OnPending.CONFLICT), "a duplicate"),
        (
            replace(
                named_scenario("response-dropped-protected"),
                agent=Agent(identity=Identity.PER_INTENT, drift=Drift.WORDING),
            ),
            "this agent",
        ),
        (
            replace(named_scenario("response-dropped-protected"), calls=(a_call(), a_call(intent="i2"))),
            "these calls",
        ),
        (
            conditions_with(named_scenario("response-dropped-protected"), rates=rates_at(0.1, "downstream.overloaded")),
            "the site downstream.overloaded",
        ),
        (
            downstream_with(named_scenario("response-dropped-protected"), work=SPREAD),
            "this system of record",
        ),
        (with_agent(attempts=None), "agent: attempts without an end"),
        (with_agent(backoff=Backoff(first_s=1.0)), "this layer, agent"),
        (with_agent(mints_key=KeyMinted.PER_CALL), "this layer, agent"),
        (
            conditions_with(named_scenario("response-dropped-protected"), rates=rates_at(0.1, CLOSED)),
            f"the site {CLOSED}",
        ),
        (
            downstream_with(named_scenario("response-dropped-protected"), error=ErrorClass.BAD_GATEWAY),
            "this system of record",
        ),
    ),
    ids=(
        "store",
        "pending",
        "agent",
        "calls",
        "site",
        "law",
        "no end of attempts",
        "backoff",
        "minted key",
        "closed connection",
        "error class",
    ),
)
def test_a_scenario_with_a_field_that_the_model_leaves_out_is_refused(changed: Scenario, problem: str) -> None:
    with pytest.raises(ValueError, match=f"the model has no rule for {problem}"):
        prism_of(changed)
