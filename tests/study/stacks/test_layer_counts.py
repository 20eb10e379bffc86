"""Attempts and effects against the failure rate, against the sums that textbooks give for layers of retries."""

import math

import pytest

from simkit.errors import ScenarioError
from simkit.scenario import LoadLayer, LoadScenario, Scenario
from simkit.study.load import run_figures
from simkit.study.stacks import Stack, WritePath, counts_frame, layer_counts, layered, stack_scenario, stack_under_load
from simkit.terms import LayerName
from simkit.world.load import run_load

__all__: list[str] = []

SDK = "botocore-standard-v2"
UNKEYED = Stack(downstream="jira", path=WritePath.NO_KEY, sdk=SDK)


def world_of(stack: Stack = UNKEYED) -> Scenario:
    return stack_scenario(stack)


def geometric(p: float, attempts: int) -> float:
    """Expected tries of so many at most, each of which fails with probability p."""
    return float(attempts) if p == 1 else (1 - p**attempts) / (1 - p)


@pytest.mark.parametrize("p", (0.0, 0.1, 0.5, 1.0))
def test_requests_of_two_layers_of_three_attempts_are_a_geometric_sum_of_nine(p: float) -> None:
    row = counts_frame(world_of(), "503", (p,)).iloc[0]

    # Nine tries in a row, each of which ends it where it succeeds: the two layers are one of 3 · 3 attempts.
    assert row["downstream_sdk_attempts"] == pytest.approx(geometric(p, 9))
    # The agent tries again where three requests in a row failed.
    assert row["agent_attempts"] == pytest.approx(geometric(p**3, 3))
    assert row["done_probability"] == pytest.approx(1 - p**9)
    assert row["rest_probability"] == pytest.approx(0, abs=1e-12)


def test_what_was_not_followed_is_unknown_and_not_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_counts, "RUN_COUNT_MAX", 2)

    rows = counts_frame(world_of(), "read timeout", (0.0, 1.0))

    # The two runs with the fewest failures are all there is at rate 0, and none of what there is at rate 1.
    seldom, always = (rows.iloc[index] for index in range(2))
    assert (seldom["effects"], seldom["rest_probability"]) == (1.0, 0.0)
    assert always["rest_probability"] == 1.0
    assert all(math.isnan(always[name]) for name in ("agent_attempts", "effects", "duplicate_probability"))


@pytest.mark.parametrize("p", (0.1, 0.5))
def test_where_answers_are_lost_each_request_is_an_effect_and_a_503_makes_none_twice(p: float) -> None:
    lost, refused = (counts_frame(world_of(), failure, (p,)).iloc[0] for failure in ("closed after read", "503"))

    assert lost["effects"] == pytest.approx(lost["downstream_sdk_attempts"])
    # A second effect needs a second request, which comes where the first one's answer was lost.
    assert lost["duplicate_probability"] == pytest.approx(p)
    assert refused["duplicate_probability"] == 0
    assert refused["effects"] == pytest.approx(1 - p**9)


def test_a_key_that_is_passed_on_leaves_the_requests_and_takes_the_duplicates_away() -> None:
    keyed = world_of(Stack(downstream="s3-if-none-match", path=WritePath.KEY_PASSED_ON, sdk=SDK))

    row = counts_frame(keyed, "read timeout", (0.5,)).iloc[0]

    assert row["duplicate_probability"] == 0
    assert row["downstream_sdk_attempts"] > 1.5


def test_the_load_world_sends_as_many_requests_as_were_enumerated() -> None:
    """Under an outage that never ends every operation takes all its tries, in both worlds."""
    world = world_of()
    every = counts_frame(world, "503", (1.0,)).iloc[0]
    load = stack_under_load(
        world,
        calls_per_s=0.2,
        client_count=40,
        capacity_per_s=20.0,
        from_s=0.0,
        duration_s=10_000.0,
        until_s=200.0,
        ending="503",
    )

    figures = run_figures(run_load(load, seed=1))

    # Each client is its own process with a bucket of its own, which so few operations cannot empty.
    assert figures.operation_count > 20
    assert figures.amplification == pytest.approx(every["downstream_sdk_attempts"])
    assert every["downstream_sdk_attempts"] == 9


def test_an_unknown_failure_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ScenarioError, match="read timeout"):
        counts_frame(world_of(), "504", (0.5,))


def test_both_risks_of_a_stack_stand_in_one_result() -> None:
    result = layered(UNKEYED, failure_probabilities=(0.0, 0.5), failures=("503", "read timeout"))

    # Where all is done and nobody is told, the repeats are duplicates; where nothing is done, there is nothing twice.
    assert result.outages["read timeout"].duplicated_count > 100
    assert result.outages["503"].duplicated_count == 0
    assert result.at("503", 0.0)["downstream_sdk_attempts"] == 1
    assert [budget.layer for budget in result.budgets] == [LayerName.AGENT, LayerName.DOWNSTREAM_SDK]
    assert result.gives_up_first is result.budgets[0]


def test_a_stack_under_load_keeps_its_policies() -> None:
    load: LoadScenario = stack_under_load(
        world_of(),
        calls_per_s=1.0,
        client_count=1,
        capacity_per_s=10.0,
        from_s=10.0,
        duration_s=10.0,
        until_s=30.0,
        ending="read timeout",
    )

    sdk: LoadLayer = load.layers[-1]
    assert (sdk.attempts, sdk.timeout_s) == (3, 60.0)
    assert sdk.token_bucket is not None
    assert load.service.key_retention_s is None
