"""Every policy of the catalog, in every place that it may take, runs under every fault, and keeps to what it says."""

from dataclasses import replace
from functools import cache
from types import MappingProxyType

import pytest

from simkit.catalog import PolicyEntry, policy_content, policy_names
from simkit.contract.catalog_file import parse_policy
from simkit.distributions import Wait
from simkit.records import Effect, End
from simkit.scenario import TO_SERVER, RetryLayer
from simkit.terms import ErrorClass, LayerName
from simkit.world import run_concrete
from tests.builders import FaultsAt, a_layer
from tests.catalog.policy_worlds import FAULTS, failing, hop_below, layer_with, run_of, sent_count, world_with

__all__: list[str] = []

TIMEOUT_S = 0.1
"""In place of the entries' own, which are minutes or none."""

FAILURES = MappingProxyType(
    {
        "refuse": ErrorClass.CONNECTION_REFUSED,
        "close": ErrorClass.CONNECTION_CLOSED,
        "reset": ErrorClass.CONNECTION_CLOSED,
        "hang": ErrorClass.TIMEOUT,
    }
)
RETRYING = tuple(name for name in policy_names() if name != "celery-delivery")
METHODS = ("POST", "PUT")


@cache
def entry(name: str) -> PolicyEntry:
    return parse_policy(policy_content(name), file=name)


def layers_of(name: str) -> tuple[RetryLayer, ...]:
    """The policy in each of its places, without a limit of time: that cuts attempts off by the luck of the waits."""
    behaviour = entry(name).behaviour
    assert behaviour is not None
    changes = {"timeout_s": TIMEOUT_S, "budget_s": None}
    return tuple(layer_with(place, behaviour, **changes) for place in entry(name).takes_place_of)


def is_retried(layer: RetryLayer, fault: str, method: str) -> bool:
    failure = FAILURES.get(fault) or ErrorClass(fault.removesuffix("+"))
    return layer.is_retried(failure, method, asks_to_wait=fault.endswith("+"))


@pytest.mark.parametrize("name", [name for name in RETRYING if (one := entry(name).behaviour) and one.attempts])
def test_a_policy_makes_all_its_attempts_after_what_it_lists_and_one_after_anything_else(name: str) -> None:
    for layer in layers_of(name):
        for method in METHODS:
            for fault in FAULTS:
                journal = run_of(failing(world_with(layer, method), layer, fault))

                expected = layer.attempts if is_retried(layer, fault, method) else 1
                assert (fault, method, sent_count(layer, journal)) == (fault, method, expected)
                assert journal.of(End)[-1].is_quiescent


@pytest.mark.parametrize("name", [name for name in RETRYING if (one := entry(name).behaviour) and not one.attempts])
def test_a_policy_without_an_end_is_through_once_the_fault_has_gone(name: str) -> None:
    for layer in layers_of(name):
        path = "" if layer.name is LayerName.AGENT else "1/"
        faults = FaultsAt(*(f"{hop_below(layer)}.connection_refused@{path}{number}" for number in range(1, 6)))

        journal = run_concrete(failing(world_with(layer), layer, "refuse"), faults).journal

        assert sent_count(layer, journal) == 6  # the sixth finds it well
        assert len(journal.of(Effect)) == 1


def test_a_task_that_outlasts_the_visibility_timeout_is_run_again_while_it_runs() -> None:
    queue = entry("celery-delivery").queue
    assert queue is not None
    scenario = world_with(a_layer(LayerName.GATEWAY, timeout_s=None))
    hops = tuple(replace(hop, queue=queue) if hop.name == TO_SERVER else hop for hop in scenario.hops)
    (stage,) = scenario.stages
    assert stage.downstream is not None
    slow = replace(stage.downstream, work=Wait.of(3.0 * queue.visibility_timeout_s))

    journal = run_of(replace(scenario, hops=hops, stages=(replace(stage, downstream=slow),)))

    assert len(journal.of(Effect)) == queue.delivery_count_max
