"""Effects of repeated calls in the world under load: by what failed when, and by what recognises a repeat."""

from dataclasses import replace

import pytest

from simkit.choices import KeyMinted
from simkit.distributions import Discrete, Wait
from simkit.scenario import Arrivals, Link, LoadFault, LoadLayer, LoadScenario, LoadService
from simkit.terms import ErrorClass, OnExhausted, Outcome
from simkit.world.load import run_load

__all__: list[str] = []


def a_layer(name: str, attempts: int | None = 2, *, timeout_s: float | None = 1.0) -> LoadLayer:
    return LoadLayer(
        name=name,
        attempts=attempts,
        timeout_s=timeout_s,
        backoff=Wait.of(0.1),
        budget_s=None,
        on_exhausted=OnExhausted.SAY_LAST,
        link=Link(),
    )


def a_world(*layers: LoadLayer, fault: LoadFault, key_retention_s: float | None = None) -> LoadScenario:
    return LoadScenario(
        name="effects",
        source="own",
        arrivals=Arrivals(client_count=1),
        layers=layers,
        service=LoadService(work=Discrete.of(0.0), faults=(fault,), key_retention_s=key_retention_s),
        cut_at_s=100.0,
    )


LOST_AFTER = LoadFault(failure=ErrorClass.TIMEOUT, probability=1.0, after_work=True)
CLOSED_AFTER = LoadFault(failure=ErrorClass.CONNECTION_CLOSED, probability=1.0, after_work=True)
REFUSED = LoadFault(failure=ErrorClass.CONNECTION_REFUSED, probability=1.0)
BOTH = (a_layer("agent", timeout_s=10.0), a_layer("sdk"))


@pytest.mark.parametrize(
    ("fault", "effect_count", "outcome"),
    (
        (LOST_AFTER, 4, Outcome.UNKNOWN),  # two layers with two attempts, each of which made the effect
        (CLOSED_AFTER, 4, Outcome.UNKNOWN),
        (REFUSED, 0, Outcome.FAILED),  # nothing was sent, and that is known
    ),
)
def test_two_layers_repeat_what_was_done(fault: LoadFault, effect_count: int, outcome: Outcome) -> None:
    operations = run_load(a_world(*BOTH, fault=fault), seed=1).operations

    assert operations.attempt_counts.tolist() == [[2, 4]]
    assert operations.effect_counts.tolist() == [effect_count]
    assert operations.outcomes == (outcome,)


def test_a_key_covers_the_span_for_which_it_is_made() -> None:
    agent, sdk = BOTH
    none = a_world(agent, sdk, fault=CLOSED_AFTER, key_retention_s=60.0)
    per_call = replace(none, layers=(agent, replace(sdk, mints_key=KeyMinted.PER_CALL)))
    per_operation = replace(none, calls_bear_key=True)

    effects = [run_load(world, seed=1).operations.effect_counts.tolist() for world in (none, per_call, per_operation)]

    # Without a key each attempt; by a key of the SDK's call one for each of the agent's two; by the operation one.
    assert effects == [[4], [2], [1]]


def test_a_timeout_ends_the_waiting_and_not_the_work_below() -> None:
    agent = a_layer("agent", timeout_s=0.5)
    world = a_world(agent, a_layer("sdk"), fault=LOST_AFTER)

    operations = run_load(world, seed=1).operations

    # Both calls of the agent are over after 1.1 s; the SDK below repeats each of them once all the same.
    assert operations.finished_at_s.tolist() == [pytest.approx(1.1)]
    assert operations.effect_counts.tolist() == [4]


def test_a_stack_without_an_end_under_a_dead_server_is_cut_and_says_so() -> None:
    endless = replace(a_layer("agent", None), backoff=Wait.of(0.0), timeout_s=None)

    run = run_load(a_world(endless, fault=REFUSED), seed=1, request_count_max=500)

    assert len(run.requests) == 500
    assert "the stack sends without an end" in run.cut
    assert run.operations.outcomes == (None,)
