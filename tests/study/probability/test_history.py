"""The history of a run is all that the checks of the effect promises need of it."""

from collections import defaultdict
from dataclasses import replace

import pytest

from simkit.checks import verdicts
from simkit.choices import OnUnknown, Resume
from simkit.journal import Journal
from simkit.records import Effect, Fault
from simkit.scenario import Scenario
from simkit.study.probability.history import history
from simkit.study.tree import leaves
from simkit.terms import ClaimKind, OnUncertainReadback, Promise, StalePolicy
from simkit.world import planned, run_concrete
from tests.builders import a_call, a_readback, a_scenario, conditions_with, engine_policy, rates_at, server_with

__all__: list[str] = []

ABOUT_EFFECTS = tuple(promise for promise in Promise if promise.is_about_effects)
SITES = ("gateway_to_server.response_lost", "server.after_effect", "gateway_to_server.request_lost")


def with_two_stages(scenario: Scenario) -> Scenario:
    """The same world with a second effect of each operation."""
    first = scenario.stages[0]
    assert first.downstream is not None
    second = replace(first, name="message", downstream=replace(first.downstream, name="message"))
    return server_with(replace(scenario, stages=(first, second)), resume=Resume.OPEN_STAGES)


def rated(scenario: Scenario) -> Scenario:
    """The same world with three sites."""
    return conditions_with(scenario, rates=rates_at(0.1, *SITES))


WORLDS = {
    "policy 1": engine_policy(1),
    "policy 2": engine_policy(2),
    "without a record": rated(server_with(a_scenario(), claim=ClaimKind.NONE)),
    "two stages": rated(with_two_stages(a_scenario())),
    "an effect that nobody wants": rated(replace(a_scenario(), calls=(a_call(wants_effect=False),))),
    "an agent that cleans up": rated(
        replace(
            server_with(
                a_scenario(),
                stale=StalePolicy.READ_BACK,
                readback=a_readback(on_uncertain=OnUncertainReadback.TREAT_AS_ABSENT),
            ),
            agent=replace(a_scenario().agent, on_unknown=OnUnknown.CLEAN_UP_IF_ABSENT),
        )
    ),
}


@pytest.mark.parametrize("name", WORLDS)
def test_runs_with_one_history_have_one_verdict_on_every_effect_promise(name: str) -> None:
    plan = planned(WORLDS[name])
    found = [leaf.run.journal for leaf in leaves(lambda chance: run_concrete(plan, chance), fault_budget=None)]

    verdicts_by_history = defaultdict(set)
    for journal in found:
        verdicts_by_history[history(journal)].add(tuple(verdicts(journal, ABOUT_EFFECTS).items()))

    assert all(len(told) == 1 for told in verdicts_by_history.values())
    assert len(verdicts_by_history) < len(found)


def test_a_second_effect_and_a_first_fault_make_another_history() -> None:
    effect = Effect(at_s=1.0, stage="ticket", intent="i1", operation_id="op1", inputs="x")
    fault = Fault(at_s=1.0, site="server.after_effect@1")

    once, twice, thrice = (history(Journal([effect] * count)) for count in (1, 2, 3))

    assert once != twice == thrice
    assert history(Journal([effect, fault])) == history(Journal([fault, fault, effect._replace(at_s=9.0)])) != once
